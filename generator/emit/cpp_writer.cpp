#include "generator/emit/cpp_writer.hpp"

#include <fmt/format.h>

#include <cctype>

#include "generator/clang/clang.hpp"
#include "generator/emit/resources.hpp"

namespace monomorph::generator {
namespace {

/// "local_layer" becomes "LocalLayer".
std::string camel_case(const std::string& identifier) {
  std::string text;
  bool upper = true;
  for (const char c : identifier) {
    if (c == '_') {
      upper = true;
      continue;
    }
    text += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return text;
}

}  // namespace

std::string float_list(const std::vector<float>& values) {
  std::string text;
  for (const float value : values) text += fmt::format("{}{}f", text.empty() ? "" : ", ", float_literal(value));
  return text;
}

std::string CppWriter::engine() const { return render("cpp/engine.hpp", common()); }

std::string CppWriter::main() const { return render("cpp/main.cpp", common()); }

Holes CppWriter::common() const {
  return {{"generated", generated_}, {"model", contract_.name}, {"space", contract_.identifier}};
}

std::string CppWriter::render(const std::string& path, const Holes& holes) const {
  return format_cpp(embedded_template(path).render(holes));
}

Holes CppWriter::kind_names(std::size_t index) const {
  const LayerContract& kind = contract_.kinds[index];
  const bool several = several_kinds();
  return {{"about", several ? " of kind " + kind.name : std::string()},
          {"prefix", several ? kind.identifier + "_" : std::string()},
          {"type", several ? camel_case(kind.identifier) : std::string()},
          {"enumerator", kind.identifier},
          {"index", static_cast<std::int64_t>(index)},
          {"cached", plan_.caches[index].present}};
}

std::vector<std::int64_t> CppWriter::first_tensors() const {
  std::vector<std::int64_t> first = {static_cast<std::int64_t>(plan_.prologue_weights.size())};
  for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
    first.push_back(first.back() +
                    static_cast<std::int64_t>(plan_.layer_weights[kind].size() * contract_.kinds[kind].layers.size()));
  }
  return first;
}

}  // namespace monomorph::generator
