#include "generator/spec/kv_cache.hpp"

#include <algorithm>

namespace monomorph::generator {
namespace {

constexpr Dtype types[] = {Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::q8_0};

}  // namespace

const std::vector<std::string>& cache_type_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Dtype type : types) result.emplace_back(name_of(type));
    return result;
  }();
  return names;
}

Dtype cache_type(const std::string& word) {
  const auto found = std::ranges::find(types, word, name_of);
  return found == std::end(types) ? Dtype::f16 : *found;
}

}  // namespace monomorph::generator
