// Rules of checkpoint.dtype, checkpoint.dtypes and engine.weights: every pattern is of use, quantized types are those
// of what they can hold, and a conversion converts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "generator/contract/declarations.hpp"
#include "generator/contract/parts.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/checkpoint_section.hpp"
#include "generator/spec/engine_section.hpp"

namespace monomorph::generator {
namespace {

void dtype_patterns_match(const Spec& spec, const std::vector<NeededPart>& needed, Diagnostics& diagnostics) {
  for (const auto& [text, dtype] : spec.checkpoint->dtypes) {
    const DtypePattern pattern = parse_dtype_pattern(text);
    const bool used = std::any_of(needed.begin(), needed.end(), [&](const NeededPart& part) {
      return matches(pattern.parts, part.part) || (part.bias && matches(pattern.parts, part.part + ".bias"));
    });
    const bool of_encoder = pattern.stack == encoder_stack && spec.encoder;
    const std::int64_t layers = (of_encoder ? spec.encoder->model : spec.model).num_hidden_layers.value;
    for (const auto& [first, last] : pattern.layers) {
      if (last < layers || layers < 1) continue;
      diagnostics.error("checkpoint.dtypes_layers", dtype.span,
                        fmt::format("\"{}\" names layer {}; {}layers are 0 to {}", text, last,
                                    section_prefix(pattern.stack), layers - 1));
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

/// What keeps a matrix from being of a type, and the quantized types that it may be; empty: nothing.
std::string fault_of_rows(std::int64_t columns, Dtype dtype) {
  const std::int64_t block = row_of(dtype).block_elements;
  if (columns % block == 0) return "";
  std::vector<std::string> fit;
  for (const DtypeRow& type : dtype_rows) {
    if (type.block_elements > 1 && columns % type.block_elements == 0) fit.emplace_back(type.name);
  }
  return fmt::format("has rows of {} elements, and blocks have {}{}", columns, block,
                     fit.empty() ? "" : fmt::format(" (those of {} fit)", fmt::join(fit, ", ")));
}

/// Of a quantized weight: what it may not be; empty: nothing.
std::string fault_of(const WeightContract& weight, const AxisTable& axes) {
  if (weight.axes.size() == 1) return "is a vector, which is f32, f16 or bf16";
  const CheckpointPart& source = weight.sources.front();
  if (source.view.transposed && source.turned) return fault_of_rows(source.view.bank_rows(), weight.file_dtype());
  if (source.view.transposed) return "stands transposed: its rows are no rows of the tensor";
  return fault_of_rows(axes[weight.axes.back()].size, weight.file_dtype());
}

/// Parts of which the same is wrong, by it and by what says their type.
using Faults = std::map<std::pair<const Field<std::string>*, std::string>, std::vector<std::string>>;

void add(Faults& faults, const Field<std::string>& said, const std::string& fault, const std::string& part) {
  std::vector<std::string>& parts = faults[{&said, fault}];
  if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
}

/// One error for each, with the first part.
void report(const Faults& faults, const char* rule, const char* remedy, Diagnostics& diagnostics) {
  for (const auto& [said, parts] : faults) {
    const auto& [field, fault] = said;
    const std::size_t others = parts.size() - 1;
    diagnostics.error(rule, field->span,
                      fmt::format("{}{} cannot be {}: it {}; {}", parts.front(),
                                  others == 0 ? "" : fmt::format(" (and {} other{})", others, others == 1 ? "" : "s"),
                                  field->value, fault, remedy));
  }
}

void quantized_parts_fit(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics) {
  Faults found;
  for (const WeightContract& weight : declared.contract().weights) {
    if (!is_quantized(weight.file_dtype())) continue;
    const bool bias = weight.part.ends_with(".bias");
    const std::string part = bias ? weight.part.substr(0, weight.part.size() - 5) : weight.part;
    const std::string fault = fault_of(weight, declared.contract().axes);
    if (fault.empty()) continue;
    add(found, dtype_field(*spec.checkpoint, part, bias, first_layer(declared.contract(), weight.scope)), fault,
        weight.part);
  }
  report(found, "checkpoint.dtype_fits", "say its type in [checkpoint.dtypes]", diagnostics);
}

void conversions_fit(const Spec& spec, const Contract& contract, Diagnostics& diagnostics) {
  const Field<std::string>& asked = spec.engine->weights;
  if (asked.value.empty() || diagnostics.has_errors()) return;  // the sizes are right
  Faults found;
  std::set<std::string> kept;
  bool narrower = false;
  for (const WeightContract& weight : contract.weights) {
    if (weight.axes.size() == 1) continue;
    if (!weight.converted_from) {
      kept.insert(fmt::format("{} of {:.4g} bits", name_of(weight.dtype), element_bits(weight.dtype)));
      continue;
    }
    if (name_of(weight.dtype) != asked.value) continue;  // decoded without being asked for
    narrower = true;
    const std::string fault = fault_of_rows(contract.axes[weight.axes.back()].size, weight.dtype);
    if (!fault.empty()) add(found, asked, fault, weight.part);
  }
  report(found, "engine.weights_fit",
         "f16 and bf16 hold rows of any length, where the checkpoint is wider than they are", diagnostics);
  if (narrower) return;
  diagnostics.error("engine.weights_convert", asked.span,
                    fmt::format("{} would make no matrix narrower: those of the checkpoint are {} an element; leave "
                                "engine.weights out, or say a narrower type",
                                asked.value, fmt::join(kept, ", ")));
}

}  // namespace

void check_dtype_rules(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics) {
  dtype_patterns_match(spec, declared.parts(), diagnostics);
  quantized_parts_fit(spec, declared, diagnostics);
  conversions_fit(spec, declared.contract(), diagnostics);
}

}  // namespace monomorph::generator
