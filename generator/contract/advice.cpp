#include <fmt/format.h>

#include "generator/contract/rules.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/engine_section.hpp"

namespace monomorph::generator {
namespace {

void advise_cache_size(const Contract& contract, const Spec& spec, Diagnostics& diagnostics) {
  const double cache = static_cast<double>(contract.kv_elements_per_token) *
                       static_cast<double>(contract.max_sequence_length * element_bytes(contract.kv_cache));
  double weights = 0;
  for (const WeightContract& weight : contract.weights) {
    double elements = 1;
    for (const AxisId axis : weight.axes) elements *= static_cast<double>(contract.axes[axis].size);
    const DtypeRow& type = row_of(weight.dtype);
    weights += static_cast<double>(contract.copies(weight.scope)) * elements * static_cast<double>(type.block_bytes) /
               static_cast<double>(type.block_elements);
  }
  if (cache <= weights) return;
  diagnostics.advice("advice.cache_size", spec.engine->max_sequence_length.span,
                     fmt::format("keys and values of {} tokens take {:.1f} MiB, more than the weights' {:.1f} MiB; a "
                                 "smaller engine.max_sequence_length or fewer key and value heads take less",
                                 contract.max_sequence_length, cache / 1048576, weights / 1048576));
}

}  // namespace

void advise(const Contract& contract, const Spec& spec, Diagnostics& diagnostics) {
  for (const LayerKind& kind : spec.kinds) {
    for (const Block* block : kind.blocks()) {
      if (block->type->advise != nullptr) block->type->advise({spec.model, kind, *block}, *spec.engine, diagnostics);
    }
  }
  advise_cache_size(contract, spec, diagnostics);
}

}  // namespace monomorph::generator
