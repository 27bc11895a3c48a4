// The step: what host and device share of one pass. The host writes which tokens of which slot are processed, and how
// each slot draws; after a draw the device makes the drawn token the next pass's input, so that passes follow each
// other without the host. shaders/step.glsl is its twin; the generator compares the offsets of both.
//
// The structs do not depend on the model, only the lengths of their lists do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace monomorph {

inline constexpr std::size_t max_eos_tokens = 8;

/// How one slot draws, and how far it is.
struct StepSlot {
  std::uint32_t next_position;  ///< of the token that is drawn next
  std::uint32_t stop_position;  ///< the slot is done when next_position reaches it
  std::uint32_t drawn;          ///< tokens drawn since the host wrote the step
  std::uint32_t done;           ///< 1: a stop token was drawn or stop_position reached; nothing more is written
  std::uint32_t wrong;        ///< 1: logits held what is no finite number; nothing was drawn from them, and it is done
  std::uint32_t top_k;        ///< 0: all tokens
  float inverse_temperature;  ///< 0: the likeliest token
  std::uint32_t top_p;        ///< in 1 / 2^24; 0: all tokens
  std::uint32_t least_mass;   ///< min_p in 1 / 2^24; tokens of less mass are not drawn
  std::uint32_t seed_low, seed_high;
  std::uint32_t angle_offset;        ///< plus a position: the row of its angles, modulo 2^32
  std::uint32_t source_length;       ///< tokens of the slot's source
  std::uint32_t copy_from, copy_to;  ///< of recurrent states: what the first pass reads; what all passes write
  std::uint32_t eos_count;
  std::uint32_t eos_tokens[max_eos_tokens];
};

/// A row of hidden states whose logits are wanted, or a row of the text whose vector is, and the slot that it belongs
/// to. Those that draw come first.
struct StepRow {
  std::uint32_t row, slot;
};

/// Neighbouring tokens of a pass: those of one slot, by position. A slot has at most one run.
struct StepRun {
  std::uint32_t first_row, rows;
};

/// A token of this pass. Tokens of a slot are neighbours, by position.
struct StepToken {
  std::uint32_t id, position, slot;
  std::uint32_t flags;  ///< token_writes, and its type from bit token_type_shift on
};
/// Of a token's flags: its slot is still running, and states are written.
inline constexpr std::uint32_t token_writes = 1;
inline constexpr std::uint32_t token_type_shift = 8;

/// The block of binding 0 of every kernel.
template <std::size_t max_batch, std::size_t decode_steps, std::size_t max_head_rows, std::size_t max_tokens>
struct StepBlock {
  std::uint32_t token_count;  ///< of this pass
  std::uint32_t head_rows;    ///< rows whose logits are wanted
  std::uint32_t draw_count;   ///< of these, the first that draw
  std::uint32_t live;         ///< slots that have not ended; 0: every kernel returns at once
  std::uint32_t run_count;    ///< of this pass
  StepSlot slots[max_batch];
  std::uint32_t drawn[max_batch * decode_steps];  ///< tokens of each slot; up to here the host reads back
  StepRow rows[max_head_rows];
  StepRun runs[max_batch];
  StepToken tokens[max_tokens];
};

/// The offsets of a StepBlock whose lengths are known at run time.
struct StepLayout {
  std::int64_t max_batch = 1, decode_steps = 1, head_rows = 1, max_tokens = 1;

  constexpr std::int64_t slots() const { return 5 * 4; }
  constexpr std::int64_t drawn() const { return slots() + max_batch * static_cast<std::int64_t>(sizeof(StepSlot)); }
  constexpr std::int64_t rows() const {
    return drawn() + max_batch * decode_steps * static_cast<std::int64_t>(sizeof(std::uint32_t));
  }
  constexpr std::int64_t runs() const { return rows() + head_rows * static_cast<std::int64_t>(sizeof(StepRow)); }
  constexpr std::int64_t tokens() const { return runs() + max_batch * static_cast<std::int64_t>(sizeof(StepRun)); }
  /// Of a submission: one for each token of a pass, and for each that is drawn.
  constexpr std::int64_t angle_rows() const { return max_tokens + max_batch * decode_steps; }
  constexpr std::int64_t bytes() const { return tokens() + max_tokens * static_cast<std::int64_t>(sizeof(StepToken)); }
};

}  // namespace monomorph
