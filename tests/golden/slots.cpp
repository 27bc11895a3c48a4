#include "tests/golden/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace monomorph::golden {
namespace {

/// What one sequence appends in one pass.
struct Turn {
  std::span<const std::int32_t> tokens;
  bool draw = false;
};

using Sequence = std::vector<Turn>;
struct Record {
  std::vector<float> logits;  ///< of every token in order
  std::vector<std::int32_t> drawn;
  bool operator==(const Record&) const = default;
};

constexpr std::int64_t longest_piece = 13, decoded = 4, drawn_at_once = 3;

/// Tokens that a slot's sequence begins with.
std::size_t prompt_length(std::int64_t slot) { return static_cast<std::size_t>(18 + 21 * slot); }

/// A prompt in pieces that fit in a pass, tokens one by one, and a few that are drawn.
Sequence sequence_of(const Golden& golden, std::int64_t slot, std::int64_t prefill_chunk) {
  const auto piece = static_cast<std::size_t>(std::min(longest_piece, prefill_chunk));
  const std::size_t length = prompt_length(slot);
  const std::span<const std::int32_t> tokens = std::span(golden.tokens).subspan(static_cast<std::size_t>(11 * slot));
  Sequence turns;
  for (std::size_t first = 0; first < length; first += piece) {
    turns.push_back({tokens.subspan(first, std::min(piece, length - first))});
  }
  for (std::size_t i = 0; i < decoded; ++i) turns.push_back({tokens.subspan(length + i, 1)});
  turns.push_back({tokens.subspan(length + decoded, 1), true});
  return turns;
}

/// One a slot.
std::vector<Sequence> sequences_of(const Golden& golden, const Engine& engine) {
  std::vector<Sequence> sequences;
  const Program& program = engine.program();
  for (std::int64_t slot = 0; slot < program.max_batch; ++slot) {
    sequences.push_back(sequence_of(golden, slot, program.prefill_chunk));
  }
  return sequences;
}

/// One pass over a turn of each of these slots; what comes is added to their records.
void pass(Engine& engine, const std::vector<std::int64_t>& slots, const std::vector<Turn>& turns,
          std::vector<Record*> records) {
  std::vector<Run> runs;
  bool draws = false;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    runs.push_back({slots[i], turns[i].tokens, turns[i].draw ? Logits::none : Logits::all, turns[i].draw});
    draws = draws || turns[i].draw;
  }
  const auto on_logits = [&](std::size_t run, std::int64_t, std::span<const float> logits) {
    records[run]->logits.insert(records[run]->logits.end(), logits.begin(), logits.end());
  };
  for (const Drawn& drawn : engine.step(runs, draws ? drawn_at_once : 1, on_logits)) {
    const auto run = static_cast<std::size_t>(std::find(slots.begin(), slots.end(), drawn.slot) - slots.begin());
    records[run]->drawn.insert(records[run]->drawn.end(), drawn.tokens.begin(), drawn.tokens.end());
  }
}

/// Fills every slot with other tokens, in chunks and one by one: the last one to its end, so that what reads past it
/// leaves the buffer, the others as far as the sequences go.
void fill_slots(const Golden& golden, Engine& engine) {
  const Program& program = engine.program();
  const std::size_t longest = prompt_length(program.max_batch - 1) + decoded + drawn_at_once;
  std::vector<std::int32_t> tokens;
  while (std::ssize(tokens) < program.max_sequence_length) {
    tokens.insert(tokens.end(), golden.tokens.rbegin(), golden.tokens.rend());
  }
  for (std::int64_t slot = 0; slot < program.max_batch; ++slot) {
    const std::size_t length =
        slot + 1 < program.max_batch ? longest : static_cast<std::size_t>(program.max_sequence_length);
    engine.reset(slot);
    if (!golden.source.empty()) engine.encode(golden.source, slot);
    engine.prefill(std::span(tokens).first(length - 1), slot);
    engine.decode(tokens[length - 1], slot);
  }
}

/// The relative L2 difference of the row that is furthest off; infinite where rows or drawn tokens are missing.
double difference(const Record& record, const Record& expected, std::int64_t vocab_size) {
  if (record.logits.size() != expected.logits.size() || record.drawn.size() != expected.drawn.size()) {
    return std::numeric_limits<double>::infinity();
  }
  double worst = 0;
  const auto row_size = static_cast<std::size_t>(vocab_size);
  for (std::size_t row = 0; row < record.logits.size(); row += row_size) {
    double error = 0, norm = 0;
    for (std::size_t i = row; i < row + row_size; ++i) {
      error += std::pow(static_cast<double>(record.logits[i]) - expected.logits[i], 2);
      norm += std::pow(expected.logits[i], 2);
    }
    worst = std::max(worst, std::sqrt(error / norm));
  }
  return worst;
}

/// What a sequence answers to: a source of a length of its own, where the model answers to any.
std::span<const std::int32_t> source_of(const Golden& golden, std::int64_t sequence) {
  const std::span<const std::int32_t> source = golden.source;
  return source.first(std::min(source.size(), static_cast<std::size_t>(3 + 37 * sequence)));
}

/// Empties a slot and gives it the seed of a sequence, and its source.
void begin(const Golden& golden, Engine& engine, std::int64_t slot, std::int64_t sequence) {
  engine.reset(slot);
  if (!golden.source.empty()) engine.encode(source_of(golden, sequence), slot);
  engine.set_sampling(slot, {1.5f, 40, 0.95f, 77 + static_cast<std::uint64_t>(sequence)},
                      engine.program().max_sequence_length);
}

std::vector<Record> run_alone(const Golden& golden, Engine& engine, const std::vector<Sequence>& sequences) {
  std::vector<Record> records(sequences.size());
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    begin(golden, engine, 0, static_cast<std::int64_t>(s));
    for (const Turn& turn : sequences[s]) pass(engine, {0}, {turn}, {&records[s]});
  }
  return records;
}

/// A sequence a slot, turn after turn: all of a turn in a common pass, or a slot at a time.
std::vector<Record> run_side_by_side(const Golden& golden, Engine& engine, const std::vector<Sequence>& sequences,
                                     bool together) {
  std::vector<Record> records(sequences.size());
  for (std::int64_t s = 0; s < std::ssize(sequences); ++s) begin(golden, engine, s, s);
  for (std::size_t turn = 0; turn < sequences.back().size(); ++turn) {
    std::vector<std::int64_t> slots;
    std::vector<Turn> taken;
    std::vector<Record*> into;
    for (std::size_t s = sequences.size(); s-- > 0;) {
      if (turn >= sequences[s].size()) continue;
      slots.push_back(static_cast<std::int64_t>(s));
      taken.push_back(sequences[s][turn]);
      into.push_back(&records[s]);
      if (!together) pass(engine, {slots.back()}, {taken.back()}, {into.back()});
    }
    if (together) pass(engine, slots, taken, into);
  }
  return records;
}

}  // namespace

std::string turns_disagree(const Golden& golden, Engine& engine) {
  const std::vector<Sequence> sequences = sequences_of(golden, engine);
  fill_slots(golden, engine);
  const std::vector<Record> alone = run_alone(golden, engine, sequences);
  const std::vector<Record> by_turns = run_side_by_side(golden, engine, sequences, false);
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    if (by_turns[s] != alone[s]) return fmt::format("slot {} differs from its sequence alone", s);
  }
  return {};
}

std::string common_passes_disagree(const Golden& golden, Engine& engine, double tolerance) {
  const std::vector<Sequence> sequences = sequences_of(golden, engine);
  const std::vector<Record> alone = run_alone(golden, engine, sequences);
  const std::vector<Record> together = run_side_by_side(golden, engine, sequences, true);
  double worst = 0;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    if (tolerance == 0 && together[s] != alone[s]) return fmt::format("slot {} differs", s);
    worst = std::max(worst, difference(together[s], alone[s], golden.row_size));
  }
  if (!(worst <= tolerance)) return fmt::format("slots differ by {:.1e}", worst);

  // The last slot goes back to the end of its first piece, or to its begin where a ring or what is recurrent has lost
  // that, and on as before.
  const std::int64_t last = std::ssize(sequences) - 1, piece = std::ssize(sequences.back().front().tokens);
  const std::int64_t kept = engine.rewind(last, piece);
  const bool forgets = std::ranges::any_of(engine.program().states, [](const StateTable& state) {
    return state.kind == StateKind::ring || state.kind == StateKind::recurrent;
  });
  if (kept != piece && !(forgets && kept == 0)) return "a sequence is not wound back to where it was to be";
  Record again;
  for (std::size_t turn = kept == 0 ? 0 : 1; turn < sequences.back().size(); ++turn) {
    pass(engine, {last}, {sequences.back()[turn]}, {&again});
  }
  Record whole = alone.back();
  whole.logits.erase(whole.logits.begin(), whole.logits.begin() + kept * golden.row_size);
  // What it goes on from was computed in common passes.
  if (tolerance == 0 ? again != whole : !(difference(again, whole, golden.row_size) <= tolerance)) {
    return "a sequence wound back goes on differently";
  }
  return {};
}

}  // namespace monomorph::golden
