#include <fmt/format.h>

#include "generator/contract/rules.hpp"

namespace monomorph::generator {
namespace {

/// A width that was probably not meant.
void advise_gated_width(const Contract& contract, const LayerContract& kind, const LayerKind& spec,
                        Diagnostics& diagnostics) {
  if (!spec.has_step("mlp") || !kind.mlp.gated) return;
  const double ratio = static_cast<double>(kind.mlp.intermediate_size) / static_cast<double>(contract.hidden_size);
  if (ratio >= 1 && ratio <= 8) return;
  diagnostics.advice(
      "advice.gated_width", spec.mlp.intermediate_size.span,
      fmt::format("intermediate_size / hidden_size is {:.2f}; known gated MLPs have 1 to 8, and 8 / 3 = 2.67 gives the "
                  "parameters of a plain one: is it a slip?",
                  ratio));
}

/// Rows of the cache are padded to whole blocks.
void advise_head_dim(const Contract& contract, const LayerContract& kind, const LayerKind& spec,
                     Diagnostics& diagnostics) {
  if (!spec.has_step("attention")) return;
  const std::int64_t head_dim = kind.attention.head_dim;
  const std::int64_t padded = row_bytes(contract.kv_cache, head_dim) / element_bytes(contract.kv_cache);
  if (padded == head_dim) return;
  diagnostics.advice("advice.head_dim", spec.attention.head_dim.span,
                     fmt::format("head_dim is {}, and a cached key or value takes the room of {}; a multiple of {} "
                                 "wastes none",
                                 head_dim, padded, row_alignment / element_bytes(contract.kv_cache)));
}

void advise_cache_size(const Contract& contract, const Spec& spec, Diagnostics& diagnostics) {
  const double cache = static_cast<double>(contract.kv_elements_per_token) *
                       static_cast<double>(contract.max_sequence_length * element_bytes(contract.kv_cache));
  const std::int64_t weight_bytes = spec.checkpoint.dtype.value == "f32" ? 4 : 2;
  const double weights = static_cast<double>(contract.total_parameters) * static_cast<double>(weight_bytes);
  if (cache <= weights) return;
  diagnostics.advice("advice.cache_size", spec.engine.max_sequence_length.span,
                     fmt::format("keys and values of {} tokens take {:.1f} MiB, more than the weights' {:.1f} MiB; a "
                                 "smaller engine.max_sequence_length or fewer key and value heads take less",
                                 contract.max_sequence_length, cache / 1048576, weights / 1048576));
}

}  // namespace

void advise(const Contract& contract, const Spec& spec, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < contract.kinds.size(); ++i) {
    advise_gated_width(contract, contract.kinds[i], spec.kinds[i], diagnostics);
    advise_head_dim(contract, contract.kinds[i], spec.kinds[i], diagnostics);
  }
  advise_cache_size(contract, spec, diagnostics);
}

}  // namespace monomorph::generator
