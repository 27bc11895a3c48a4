#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "generator/blocks/attention.hpp"
#include "generator/blocks/lm_head.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/checkpoint_section.hpp"
#include "generator/spec/engine_section.hpp"
#include "runtime/vulkan/tuning.hpp"

namespace monomorph::generator {
namespace {

constexpr double mebi = 1048576, gibi = 1024 * mebi;

/// Bytes of all layers' weights, as the engine keeps them, or with all matrices of one type.
double weight_bytes(const Contract& contract, std::optional<Dtype> matrices = {}) {
  double bytes = 0;
  for (const WeightContract& weight : contract.weights) {
    double elements = 1;
    for (const AxisId axis : weight.axes) elements *= static_cast<double>(contract.axes[axis].size);
    const Dtype type = weight.axes.size() == 2 ? matrices.value_or(weight.dtype) : weight.dtype;
    bytes += static_cast<double>(contract.tensors(weight)) * elements * element_bits(type) / 8;
  }
  return bytes;
}

/// Weights that the larger of people's own cards do not hold: the widest type in which they would, of several the
/// first.
void advise_device_memory(const Contract& contract, const Spec& spec, Diagnostics& diagnostics) {
  constexpr double device = 24 * gibi;
  const double weights = weight_bytes(contract);
  if (weights <= device) return;
  std::optional<Dtype> widest, least;
  for (std::size_t i = 0; i < std::size(dtype_rows); ++i) {
    const auto type = static_cast<Dtype>(i);
    if (!least || element_bits(type) < element_bits(*least)) least = type;
    const bool fits = weight_bytes(contract, type) <= device;
    if (fits && (!widest || element_bits(type) > element_bits(*widest))) widest = type;
  }
  const Dtype told = widest.value_or(*least);
  diagnostics.advice(
      "advice.device_memory", spec.checkpoint->dtype.span,
      fmt::format("weights take {:.1f} GiB; a device of {:.0f} GiB holds them {} {}, where they take {:.1f} GiB",
                  weights / gibi, device / gibi, widest ? "as" : "in no type, not even as", name_of(told),
                  weight_bytes(contract, told) / gibi));
}

/// Key and value heads of every attention; 0 where they differ, or there is none.
std::int64_t key_value_heads(const Spec& spec) {
  std::set<std::int64_t> counts;
  for (const LayerKind& kind : spec.kinds) {
    for (const Block* block : kind.blocks()) {
      if (block->type->name != "attention") continue;
      counts.insert(section_of<AttentionSection>(*block).num_key_value_heads.value);
    }
  }
  return counts.size() == 1 ? *counts.begin() : 0;
}

void advise_cache_size(const Contract& contract, const Spec& spec, Diagnostics& diagnostics) {
  double token = 0;
  for (const StateContract& state : contract.states) {
    const std::int64_t elements = contract.axes[state.axes[1]].size * contract.axes[state.axes[3]].size;
    const std::int64_t grown = state.growing() ? contract.runs(state.scope) * elements : 0;
    token += static_cast<double>(grown) * element_bits(state.element) / 8;
  }
  const double cache = token * static_cast<double>(contract.max_sequence_length), weights = weight_bytes(contract);
  if (cache <= weights) return;
  const std::int64_t heads = key_value_heads(spec);
  std::int64_t fewer = std::max<std::int64_t>(heads - 1, 1);
  const auto bytes_of = [&](std::int64_t count) {
    return cache * static_cast<double>(count) / static_cast<double>(heads);
  };
  while (fewer > 1 && (heads % fewer != 0 || bytes_of(fewer) > weights)) --fewer;
  std::string better = fmt::format("engine.max_sequence_length = {} takes no more than they",
                                   std::max<std::int64_t>(static_cast<std::int64_t>(weights / token), 1));
  if (heads > 1) {
    better +=
        fmt::format(", num_key_value_heads = {} in place of {} takes {:.1f} MiB", fewer, heads, bytes_of(fewer) / mebi);
  }
  diagnostics.advice("advice.cache_size", spec.engine->max_sequence_length.span,
                     fmt::format("keys and values of {} tokens take {:.1f} MiB, more than the weights' {:.1f} MiB; {}",
                                 contract.max_sequence_length, cache / mebi, weights / mebi, better));
}

/// An embedding and a head of its own that are more than all layers.
void advise_untied_head(const Contract& contract, const Spec& spec, Diagnostics& diagnostics) {
  const auto head = std::ranges::find(contract.components, "lm_head", &ComponentContract::name);
  const auto embedding = std::ranges::find(contract.components, "embedding", &ComponentContract::name);
  if (contract.tie_word_embeddings || head == contract.components.end() || embedding == contract.components.end()) {
    return;
  }
  if (head->parameters + embedding->parameters <= contract.total_parameters / 2) return;
  const Field<bool>& tied = spec.lm_head->tie_word_embeddings;
  diagnostics.advice(
      "advice.untied_head", tied.span,
      fmt::format("embedding and head have {:.1f} M of {:.1f} M parameters; "
                  "lm_head.tie_word_embeddings = true leaves {:.1f} M ({:.0f}%) out",
                  static_cast<double>(head->parameters + embedding->parameters) / 1e6,
                  static_cast<double>(contract.total_parameters) / 1e6, static_cast<double>(head->parameters) / 1e6,
                  100 * static_cast<double>(head->parameters) / static_cast<double>(contract.total_parameters)));
}

}  // namespace

void advise_multiple(const std::string& what, std::int64_t size, const Span& span, Diagnostics& diagnostics) {
  constexpr std::int64_t tile = vulkan::gpu_matmul_rows;  // and the columns of a step
  std::int64_t block = most_block_elements;
  for (const DtypeRow& type : dtype_rows) {
    if (type.block_elements > 1) block = std::min<std::int64_t>(block, type.block_elements);
  }
  if (size % block == 0) return;
  const std::int64_t less = size / block * block, more = less + block, tiled = (size + tile - 1) / tile * tile;
  diagnostics.advice(
      "advice.rows", span,
      fmt::format("{} is {}: rows of so many elements fit no quantized type, whose blocks have {}, and {:.1f}% of a "
                  "prompt's tiles are idle; {} {} both",
                  what, size, block, 100 * static_cast<double>(tiled - size) / static_cast<double>(tiled),
                  less == 0 ? fmt::format("{}", more) : fmt::format("{} or {}", less, more),
                  less == 0 ? "mends" : "mend"));
}

void advise(const Contract& contract, const Spec& spec, Diagnostics& diagnostics) {
  for (const LayerKind& kind : spec.kinds) {
    for (const Block* block : kind.blocks()) {
      if (block->type->advise != nullptr)
        block->type->advise({spec.model_of(kind.stack), kind, *block}, *spec.engine, diagnostics);
    }
  }
  advise_multiple("hidden_size", contract.own().hidden_size, spec.model.hidden_size.span, diagnostics);
  advise_device_memory(contract, spec, diagnostics);
  advise_cache_size(contract, spec, diagnostics);
  advise_untied_head(contract, spec, diagnostics);
}

}  // namespace monomorph::generator
