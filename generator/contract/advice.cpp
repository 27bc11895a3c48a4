#include <fmt/format.h>

#include "generator/contract/rules.hpp"

namespace monomorph::generator {
namespace {

std::int64_t element_size(const std::string& dtype) { return dtype == "f32" ? 4 : 2; }

void advise_aspect_ratio(const Contract& contract, const Spec& spec, Diagnostics& diagnostics) {
  const double ratio = static_cast<double>(contract.hidden_size) / static_cast<double>(contract.num_hidden_layers);
  if (ratio >= 100 && ratio <= 130) return;
  diagnostics.advice("advice.aspect_ratio", spec.model.hidden_size.span,
                     fmt::format("hidden_size / num_hidden_layers is {:.1f}; 100 to 130 is usual", ratio));
}

void advise_gated_width(const Contract& contract, const LayerContract& kind, const LayerKind& spec,
                        Diagnostics& diagnostics) {
  if (!spec.has_step("mlp") || !kind.mlp.gated) return;
  const double ratio = static_cast<double>(kind.mlp.intermediate_size) / static_cast<double>(contract.hidden_size);
  if (ratio >= 2 && ratio <= 4) return;
  diagnostics.advice(
      "advice.gated_width", spec.mlp.intermediate_size.span,
      fmt::format("intermediate_size / hidden_size is {:.2f}; 8 / 3 = 2.67 gives a gated MLP the parameters "
                  "of a plain one, and 2 to 4 is usual",
                  ratio));
}

void advise_head_dim(const LayerContract& kind, const LayerKind& spec, Diagnostics& diagnostics) {
  const std::int64_t head_dim = kind.attention.head_dim;
  if (!spec.has_step("attention") || (head_dim >= 32 && head_dim <= 256 && head_dim % 16 == 0)) return;
  diagnostics.advice("advice.head_dim", spec.attention.head_dim.span,
                     fmt::format("head_dim is {}; 64, 80, 96, 128 and 256 are usual", head_dim));
}

void advise_cache_size(const Contract& contract, const Spec& spec, Diagnostics& diagnostics) {
  const double cache = static_cast<double>(contract.kv_elements_per_token) *
                       static_cast<double>(contract.max_sequence_length * element_size(spec.engine.kv_cache.value));
  const double weights =
      static_cast<double>(contract.total_parameters) * static_cast<double>(element_size(spec.checkpoint.dtype.value));
  if (cache <= weights) return;
  diagnostics.advice("advice.cache_size", spec.engine.max_sequence_length.span,
                     fmt::format("keys and values of {} tokens take {:.1f} MiB, more than the weights' {:.1f} MiB",
                                 contract.max_sequence_length, cache / 1048576, weights / 1048576));
}

}  // namespace

void advise(const Contract& contract, const Spec& spec, Diagnostics& diagnostics) {
  advise_aspect_ratio(contract, spec, diagnostics);
  for (std::size_t i = 0; i < contract.kinds.size(); ++i) {
    advise_gated_width(contract, contract.kinds[i], spec.kinds[i], diagnostics);
    advise_head_dim(contract.kinds[i], spec.kinds[i], diagnostics);
  }
  advise_cache_size(contract, spec, diagnostics);
}

}  // namespace monomorph::generator
