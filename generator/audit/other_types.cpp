#include "generator/audit/other_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace monomorph::generator {
namespace {

constexpr std::size_t most_names = 3;

/// A type in the file where the spec says another, and how many tensors are so.
struct Difference {
  Dtype wanted;
  std::string found;
  std::size_t count;
};

/// The commonest first.
std::vector<Difference> differences(const Present& present) {
  std::map<std::pair<Dtype, std::string>, std::size_t> counts;
  for (const auto& [tensor, expected] : present) {
    if (has_other_type(*tensor, *expected)) ++counts[{expected->dtype, tensor->dtype}];
  }
  std::vector<Difference> result;
  for (const auto& [types, count] : counts) result.push_back({types.first, types.second, count});
  std::stable_sort(result.begin(), result.end(),
                   [](const Difference& a, const Difference& b) { return a.count > b.count; });
  return result;
}

/// What makes the spec say what most tensors are; nothing where one setting does not.
std::string remedy(const Present& present, const Difference& commonest) {
  const auto type = std::find_if(std::begin(dtype_rows), std::end(dtype_rows),
                                 [&](const DtypeRow& row) { return commonest.found == row.header; });
  if (type == std::end(dtype_rows)) return "; no engine reads this type: convert the checkpoint";
  const bool all = std::all_of(present.begin(), present.end(), [&](const auto& pair) {
    return pair.second->dtype != commonest.wanted || pair.first->dtype == commonest.found;
  });
  return all ? fmt::format("; --set checkpoint.dtype={} takes them as they are", type->name)
             : "; checkpoint.dtypes says the type of each part";
}

}  // namespace

bool has_other_type(const CheckpointTensor& tensor, const ExpectedTensor& expected) {
  return tensor.dtype != row_of(expected.dtype).header;
}

std::string describe_other_types(const Present& present) {
  std::set<std::string> names;
  std::size_t count = 0;
  for (const auto& [tensor, expected] : present) {
    if (!has_other_type(*tensor, *expected)) continue;
    names.insert(expected->pattern);
    ++count;
  }
  const bool all = count == present.size() && count > 1;
  if (!all && names.size() <= most_names) return "";
  const std::vector<Difference> found = differences(present);
  std::string text;
  for (const Difference& difference : found) {
    text += fmt::format("{}{} tensors are {}; the spec says {}",
                        !text.empty()              ? ", "
                        : all && found.size() == 1 ? "all "
                                                   : "",
                        difference.count, difference.found, row_of(difference.wanted).header);
  }
  return text + " (checkpoint.dtype)" + remedy(present, found.front());
}

}  // namespace monomorph::generator
