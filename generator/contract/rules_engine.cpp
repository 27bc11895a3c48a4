#include <fmt/format.h>

#include <algorithm>

#include "generator/blocks/pooling.hpp"
#include "generator/blocks/position.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/engine_section.hpp"

namespace monomorph::generator {
namespace {

// A chunk is a dimension of a dispatch, and activations are kept for each of its tokens.
constexpr std::int64_t max_prefill_chunk = 4096;
// The step lists every slot, and the host writes it before each pass.
constexpr std::int64_t most_slots = 256;

/// The longest sequence that the scaling of a kind's rotary angles makes of the original one; 0 where there is none.
std::int64_t scaled_length(const PositionSection& position) {
  if (position.type.value != "rope" || position.scaling.value == "none") return 0;
  const Field<std::int64_t>& original = position.original_max_position_embeddings;
  if (!usable(original) || !(position.factor.value > 0)) return 0;
  const double length = position.factor.value * static_cast<double>(original.value);
  return static_cast<std::int64_t>(std::min(length, static_cast<double>(max_size)));
}

/// Past the limit a learned table has no rows, and a model is not made for it, by training or by the scaling of angles.
void sequence_within_positions(const Spec& spec, Diagnostics& diagnostics) {
  const Field<std::int64_t>& length = spec.engine->max_sequence_length;
  const Field<std::int64_t>& positions = spec.model.max_position_embeddings;
  if (!length.given || !usable(length) || !usable(positions)) return;  // or nothing says how many positions there are
  const bool learned = spec.position->type.value == "learned";
  if (spec.engine->beyond_positions.value && !learned) return;
  std::int64_t scaled = 0;
  if (!learned) {
    for (const LayerKind& kind : spec.kinds) {
      for (const PositionSection* position : kind.positions()) scaled = std::max(scaled, scaled_length(*position));
    }
  }
  if (length.value <= std::max(positions.value, scaled)) return;
  const std::string by_scaling =
      scaled > positions.value ? fmt::format(", and its scaling of rotary angles makes them {}", scaled) : "";
  diagnostics
      .error("engine.max_sequence_length_limit", length.span,
             fmt::format("max_sequence_length is {}; the model has {} positions (max_position_embeddings){}{}",
                         length.value, positions.value, by_scaling,
                         learned ? "" : "; engine.beyond_positions = true runs it beyond them, untrained"))
      .notes.push_back({"max_position_embeddings is given here", positions.span});
}

/// A pass has tokens of one sequence, or whole texts of as many slots as there are.
void chunk_within_sequences(const Spec& spec, Diagnostics& diagnostics) {
  const EngineSection& engine = *spec.engine;
  if (!engine.prefill_chunk.given || !usable(engine.prefill_chunk) || !usable(engine.max_sequence_length)) return;
  const std::int64_t length = engine.max_sequence_length.value;
  if (engine.prefill_chunk.value <= length) return;
  const bool texts = reads_ahead(spec) && usable(engine.max_batch) && engine.max_batch.value <= most_slots;
  if (texts && engine.prefill_chunk.value <= length * engine.max_batch.value) return;
  diagnostics.error("engine.prefill_chunk_limit", engine.prefill_chunk.span,
                    texts ? fmt::format("prefill_chunk is {}; {} texts (max_batch) have at most {} tokens each "
                                        "(max_sequence_length)",
                                        engine.prefill_chunk.value, engine.max_batch.value, length)
                          : fmt::format("prefill_chunk is {}; a sequence has at most {} tokens (max_sequence_length)",
                                        engine.prefill_chunk.value, length));
}

/// Each slot may draw in a pass; no pass has more rows than tokens; the device binds them at once.
void head_rows_fit(const Spec& spec, Diagnostics& diagnostics) {
  const EngineSection& engine = *spec.engine;
  const Field<std::int64_t>& rows = engine.head_rows;
  if (!rows.given || !usable(rows) || !usable(engine.prefill_chunk) || !usable(engine.max_batch)) return;
  const auto refuse = [&](const std::string& why) {
    diagnostics.error("engine.head_rows_limit", rows.span, fmt::format("head_rows is {}; {}", rows.value, why));
  };
  const std::int64_t chunk = engine.prefill_chunk.value, least = std::min(engine.max_batch.value, chunk);
  if (rows.value < least) {
    refuse(fmt::format("each of {} slots (max_batch) may draw in one pass: make it {} to {}", engine.max_batch.value,
                       least, chunk));
  } else if (rows.value > chunk) {
    refuse(fmt::format("a pass has at most {} tokens (prefill_chunk), and a row is one of them", chunk));
  } else if (!pools(*spec.pooling) && usable(spec.model.vocab_size) && rows.value > bound_rows(spec)) {
    refuse(fmt::format("128 MiB, which every device binds at once, hold {} rows of {} logits (model.vocab_size)",
                       bound_rows(spec), spec.model.vocab_size.value));
  }
}

void devices_are_a_set(const Spec& spec, Diagnostics& diagnostics) {
  const Field<std::vector<std::string>>& devices = spec.engine->devices;
  if (devices.value.empty()) {
    diagnostics.error("engine.no_device", devices.span, "devices is empty: an engine is built for one device at least");
  }
  std::vector<std::string> sorted = devices.value;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    diagnostics.error("engine.device_twice", devices.span, fmt::format("devices has \"{}\" twice", *twice));
  }
}

}  // namespace

std::int64_t bound_rows(const Spec& spec) {
  constexpr std::int64_t bound_bytes = std::int64_t{1} << 27;
  return std::max<std::int64_t>(bound_bytes / row_bytes<f32>(sane(spec.model.vocab_size)), 1);
}

void check_cache_width(const Field<std::string>& type, const std::string& kept, const std::string& name,
                       const Field<std::int64_t>& width, std::int64_t elements, Diagnostics& diagnostics) {
  const std::int64_t block = row_of(cache_type(type.value)).block_elements;
  if (!usable(width) || elements % block == 0) return;
  const std::int64_t less = width.value / block * block, more = less + block;
  diagnostics
      .error("engine.kv_cache_width", type.span,
             fmt::format("engine.kv_cache keeps {} as {}, in blocks of {} elements, and {} is {}; make it {}, or keep "
                         "them as f32, f16 or bf16, which have no blocks",
                         kept, type.value, block, name, width.value,
                         less == 0 ? fmt::format("{}", more) : fmt::format("{} or {}", less, more)))
      .notes.push_back({name + (width.given ? " is given here" : " follows from this section"), width.span});
}

void check_engine_rules(const Spec& spec, Diagnostics& diagnostics) {
  check_range(spec.engine->max_sequence_length, "engine.max_sequence_length", 1, max_size, diagnostics);
  check_range(spec.engine->prefill_chunk, "engine.prefill_chunk", 1,
              reads_ahead(spec) ? max_text_in_one_pass : max_prefill_chunk, diagnostics);
  check_range(spec.engine->max_batch, "engine.max_batch", 1, most_slots, diagnostics);
  if (spec.engine->head_rows.given) {
    check_range(spec.engine->head_rows, "engine.head_rows", 1, max_text_in_one_pass, diagnostics);
  }
  head_rows_fit(spec, diagnostics);
  sequence_within_positions(spec, diagnostics);
  chunk_within_sequences(spec, diagnostics);
  devices_are_a_set(spec, diagnostics);
}

}  // namespace monomorph::generator
