#include <fmt/format.h>

#include "generator/contract/rules.hpp"

namespace monomorph::generator {
namespace {

// A chunk is a dimension of a dispatch, and activations are kept for each of its tokens.
constexpr std::int64_t max_prefill_chunk = 4096;
// The step lists every slot, and the host writes it before each pass.
constexpr std::int64_t most_slots = 256;

/// Past it a learned table has no rows, and a model has not been trained.
void sequence_within_positions(const Spec& spec, Diagnostics& diagnostics) {
  const Field<std::int64_t>& length = spec.engine.max_sequence_length;
  const Field<std::int64_t>& limit = spec.model.max_position_embeddings;
  if (!length.given || !usable(length) || !usable(limit) || length.value <= limit.value) return;
  diagnostics
      .error("engine.max_sequence_length_limit", length.span,
             fmt::format("max_sequence_length is {}; the model has {} positions (max_position_embeddings)",
                         length.value, limit.value))
      .notes.push_back({"max_position_embeddings is given here", limit.span});
}

void chunk_within_sequence(const EngineSection& engine, Diagnostics& diagnostics) {
  if (!engine.prefill_chunk.given || !usable(engine.prefill_chunk) || !usable(engine.max_sequence_length)) return;
  if (engine.prefill_chunk.value <= engine.max_sequence_length.value) return;
  diagnostics.error("engine.prefill_chunk_limit", engine.prefill_chunk.span,
                    fmt::format("prefill_chunk is {}; a sequence has at most {} tokens (max_sequence_length)",
                                engine.prefill_chunk.value, engine.max_sequence_length.value));
}

}  // namespace

void check_engine_rules(const Spec& spec, Diagnostics& diagnostics) {
  check_range(spec.engine.max_sequence_length, "engine.max_sequence_length", 1, max_size, diagnostics);
  check_range(spec.engine.prefill_chunk, "engine.prefill_chunk", 1, max_prefill_chunk, diagnostics);
  check_range(spec.engine.max_batch, "engine.max_batch", 1, most_slots, diagnostics);
  sequence_within_positions(spec, diagnostics);
  chunk_within_sequence(spec.engine, diagnostics);
}

}  // namespace monomorph::generator
