// Rules of checkpoint.dtype and checkpoint.dtypes: every pattern is of use, and quantized types are those of what they
// can hold.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "generator/contract/declarations.hpp"
#include "generator/contract/parts.hpp"
#include "generator/contract/rules.hpp"

namespace monomorph::generator {
namespace {

void dtype_patterns_match(const Spec& spec, const std::vector<NeededPart>& needed, Diagnostics& diagnostics) {
  for (const auto& [text, dtype] : spec.checkpoint.dtypes) {
    const DtypePattern pattern = parse_dtype_pattern(text);
    const bool used = std::any_of(needed.begin(), needed.end(), [&](const NeededPart& part) {
      return matches(pattern.parts, part.part) || (part.bias && matches(pattern.parts, part.part + ".bias"));
    });
    const std::int64_t layers = spec.model.num_hidden_layers.value;
    for (const auto& [first, last] : pattern.layers) {
      if (last < layers || layers < 1) continue;
      diagnostics.error("checkpoint.dtypes_layers", dtype.span,
                        fmt::format("\"{}\" names layer {}; layers are 0 to {}", text, last, layers - 1));
    }
    if (used) continue;
    std::vector<std::string> names;
    for (const NeededPart& part : needed) names.push_back(part.part);
    const std::string suggestion = nearest(text, names);
    diagnostics.error("checkpoint.dtypes_match", dtype.span,
                      fmt::format("\"{}\" matches no part of this model{}", text,
                                  suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
  }
}

/// Of a quantized weight: what it may not be; empty: nothing.
std::string fault_of(const WeightContract& weight, const AxisTable& axes) {
  const std::int64_t block = row_of(weight.dtype).block_elements, columns = axes[weight.axes.back()].size;
  if (weight.axes.size() == 1) return "is a vector, which is f32, f16 or bf16";
  if (weight.sources.front().view.transposed) return "stands transposed: its rows are no rows of the tensor";
  if (columns % block != 0) return fmt::format("has rows of {} elements, and blocks have {}", columns, block);
  return "";
}

/// One error for what is wrong with a type, with the first parts that have it.
void quantized_parts_fit(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics) {
  std::map<std::pair<const Field<std::string>*, std::string>, std::vector<std::string>> found;
  for (const WeightContract& weight : declared.contract().weights) {
    if (!is_quantized(weight.dtype)) continue;
    const bool bias = weight.part.ends_with(".bias");
    const std::string part = bias ? weight.part.substr(0, weight.part.size() - 5) : weight.part;
    const std::string fault = fault_of(weight, declared.contract().axes);
    if (fault.empty()) continue;
    std::vector<std::string>& parts =
        found[{&dtype_field(spec.checkpoint, part, bias, first_layer(spec, weight.scope)), fault}];
    if (std::find(parts.begin(), parts.end(), weight.part) == parts.end()) parts.push_back(weight.part);
  }
  for (const auto& [said, parts] : found) {
    const auto& [field, fault] = said;
    const std::size_t others = parts.size() - 1;
    diagnostics.error("checkpoint.dtype_fits", field->span,
                      fmt::format("{}{} cannot be {}: it {}; say its type in [checkpoint.dtypes]", parts.front(),
                                  others == 0 ? "" : fmt::format(" (and {} other{})", others, others == 1 ? "" : "s"),
                                  field->value, fault));
  }
}

}  // namespace

void check_dtype_rules(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics) {
  dtype_patterns_match(spec, declared.parts(), diagnostics);
  quantized_parts_fit(spec, declared, diagnostics);
}

}  // namespace monomorph::generator
