#include "runtime/engine/pass_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/error.hpp"
#include "runtime/program/rotary.hpp"

namespace monomorph {
namespace {

/// Whether the host sees logits of a run.
bool shows(const Run& run, const OnLogits& on_logits) { return run.logits != Logits::none && on_logits; }

/// Whether the host sees those of a run's last token.
bool shows_last(const Run& run, const OnLogits& on_logits) {
  return shows(run, on_logits) && run.end_shown() == std::ssize(run.tokens);
}

}  // namespace

PassEngine::PassEngine(const Program& program, bool told, const Passes& passes)
    : Engine(program), told_(told), passes_(passes) {
  work_.reserve(static_cast<std::size_t>(program.decode_steps) + 3);
}

/// The angles of a run's tokens, then of so many drawn tokens that are inputs of passes of this submission.
void PassEngine::write_angles(const Run& run, std::int64_t drawn) {
  const auto count = static_cast<std::int64_t>(run.tokens.size());
  const std::int64_t first = position(run.slot);
  for (std::size_t i = 0; i < program_.rotary_angles.size(); ++i) {
    const RotaryFrequencies& rotary = program_.rotary_angles[i].rotary;
    std::span<const float> frequencies = frequencies_at(rotary, length_of(run), frequencies_);
    for (std::int64_t row = 0; row < count + drawn; ++row) {
      if (row >= count) frequencies = frequencies_at(rotary, first + row + 1, frequencies_);
      float* const angles = host_.angles(i, angle_rows_ + row);
      monomorph::write_angles(frequencies, rotary.factor, rotary.first_position + first + row, angles);
    }
  }
  if (!program_.rotary_angles.empty()) angle_rows_ += count + drawn;
}

/// Writes the next run of the pass, and the angles of all that the submission appends to its slot.
void PassEngine::write_run(const Run& run, std::int64_t drawn) {
  const auto slot = static_cast<std::uint32_t>(run.slot), count = static_cast<std::uint32_t>(run.tokens.size());
  const auto first = static_cast<std::uint32_t>(position(run.slot));
  HostView::Counts& counts = host_.counts();
  for (std::uint32_t t = 0; t < count; ++t) {
    const std::uint32_t type = run.types.empty() ? 0 : static_cast<std::uint32_t>(run.types[t]);
    host_.tokens()[counts.token_count + t] = {static_cast<std::uint32_t>(run.tokens[t]), first + t, slot,
                                              token_writes | type << token_type_shift};
  }
  StepSlot& settings = host_.slots()[slot];
  settings = slot_at(run.slot).settings;
  settings.next_position = first + count;
  settings.source_length = static_cast<std::uint32_t>(source(run.slot).size());
  const Slot& held = slot_at(run.slot);
  settings.copy_from = static_cast<std::uint32_t>(std::max<std::int64_t>(held.copy_of(held.position()), 0));
  settings.copy_to = static_cast<std::uint32_t>(held.written_copy());
  settings.angle_offset = static_cast<std::uint32_t>(angle_rows_) - first;
  write_angles(run, drawn);
  host_.runs()[counts.run_count++] = {counts.token_count, count};
  counts.token_count += count;
  pass_.push_back({first, count});
}

/// Writes the runs of a pass, those that draw being live, and tells that their slots are written to.
void PassEngine::write_pass(std::span<const Run> runs, std::int64_t draws) {
  pass_.clear();
  angle_rows_ = 0;
  const auto drawing = std::ranges::count_if(runs, [](const Run& run) { return run.draw; });
  host_.counts() = {0, 0, 0, static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(drawing, 1)), 0};
  for (const Run& run : runs) {
    const std::int64_t drawn = run.draw ? draws - 1 : 0;  // that are in states after it
    will_write(run.slot, static_cast<std::int64_t>(run.tokens.size()) + drawn);
    write_run(run, drawn);
  }
}

/// The logits of these rows of the pass are wanted; the first `draws` of them draw.
void PassEngine::write_wanted(std::span<const StepRow> rows, std::int64_t draws) {
  std::ranges::copy(rows, host_.rows().begin());
  host_.counts().head_rows = static_cast<std::uint32_t>(rows.size());
  host_.counts().draw_count = static_cast<std::uint32_t>(draws);
}

/// Logits of every token that a run shows but for its last; the run begins at row `first_row` of the pass. As many at a
/// time as the head serves; leaves the pass's hidden states in place.
void PassEngine::run_all_logits(std::size_t index, const Run& run, std::int64_t first_row, const OnLogits& on_logits) {
  const std::int64_t end = std::min(run.end_shown(), std::ssize(run.tokens) - 1);
  for (std::int64_t first = run.first_shown(); first < end; first += program_.head_rows) {
    wanted_.clear();
    for (std::int64_t token = first; token < std::min(first + program_.head_rows, end); ++token) {
      wanted_.push_back({static_cast<std::uint32_t>(first_row + token), static_cast<std::uint32_t>(run.slot)});
    }
    write_wanted(wanted_, 0);
    const auto rows = static_cast<std::int64_t>(wanted_.size());
    submit(std::array<Work, 2>{{{Part::head, rows, runs_of_pass()}, {Part::download, rows}}});
    for (std::int64_t row = 0; row < rows; ++row) on_logits(index, first + row, host_.output(row));
  }
}

/// The head of the last tokens of runs that draw or show theirs, then `draws` tokens of each that draws, each from the
/// pass over the one before.
void PassEngine::run_last(std::size_t index, std::span<const Run> runs, std::int64_t draws, const OnLogits& on_logits) {
  wanted_.clear();
  shown_.clear();
  further_.clear();
  const auto want = [&](std::size_t r) {
    const StepRun& run = host_.runs()[r];
    if (shows_last(runs[r], on_logits)) shown_.push_back({r, static_cast<std::int64_t>(wanted_.size())});
    const std::uint32_t row = program_.pooling == Pooling::cls ? 0 : run.rows - 1;
    wanted_.push_back({run.first_row + row, static_cast<std::uint32_t>(runs[r].slot)});
  };
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!runs[r].draw) continue;
    want(r);
    further_.push_back({pass_[r].position + pass_[r].tokens - 1, 1});
  }
  const auto drawing = static_cast<std::int64_t>(wanted_.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!runs[r].draw && shows_last(runs[r], on_logits)) want(r);
  }
  const auto rows = static_cast<std::int64_t>(wanted_.size());
  write_wanted(wanted_, drawing);
  work_.push_back({Part::head, rows, runs_of_pass()});
  if (drawing > 0) work_.push_back({Part::sample, drawing, runs_of_pass()});
  for (std::int64_t left = draws - 1; drawing > 0 && left > 0;) {
    const bool block = !told_ && left >= passes_.block;
    for (PassRun& run : further_) run.position += block ? passes_.block : 1;
    work_.push_back({block ? Part::block : Part::step, drawing, told_ ? further_ : std::vector<PassRun>{}});
    left -= block ? passes_.block : 1;
  }
  work_.push_back({Part::download, shown_.empty() ? 0 : rows});
  submit(work_);
  std::ranges::sort(shown_);
  for (const auto& [r, row] : shown_) on_logits(index + r, pass_[r].tokens - 1, host_.output(row));
}

/// What a run's slot drew, appended to `tokens`; the tokens of it that are in its states.
std::span<const std::int32_t> PassEngine::take_drawn(const Run& run, std::vector<std::int32_t>& tokens) {
  const StepSlot& slot = host_.slots()[static_cast<std::size_t>(run.slot)];
  if ((slot.drawn == 0 && slot.wrong == 0) || slot.drawn > program_.decode_steps) {
    throw Error(ErrorKind::internal, fmt::format("the device reports {} tokens drawn", slot.drawn));
  }
  for (const std::uint32_t token : host_.drawn(run.slot).first(slot.drawn)) {
    tokens.push_back(static_cast<std::int32_t>(token));
  }
  // Each was the input of a pass but the last, and that too where the pass over it gave logits that are wrong.
  const std::span<const std::int32_t> drawn = std::span<const std::int32_t>(tokens).last(slot.drawn);
  return slot.wrong != 0 ? drawn : drawn.first(drawn.size() - 1);
}

/// One pass over runs, and passes ahead of those that draw; run i is run `index + i` of the step. `tokens`, for each
/// run, takes what it drew.
void PassEngine::run_pass(std::size_t index, std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits,
                          std::span<std::vector<std::int32_t>> tokens) {
  for (const Run& run : runs) {
    each_outdated(run, [&](const Run& anew) {
      std::vector<std::int32_t> none;
      run_pass(index, {&anew, 1}, 0, {}, {&none, 1});
    });
  }
  // One draw where logits are shown, which the next pass would overwrite.
  std::int64_t draws = std::clamp<std::int64_t>(ahead, 1, passes_.most_draws);
  for (const Run& run : runs) {
    if (shows(run, on_logits)) draws = 1;
    if (run.draw) draws = std::min(draws, draws_alike(run));
  }
  write_pass(runs, draws);
  const auto rows = static_cast<std::int64_t>(host_.counts().token_count);
  work_.clear();
  work_.push_back({Part::layers, rows, runs_of_pass()});
  const auto shows_all = [&](const Run& run) {
    return run.logits == Logits::all && on_logits && run.tokens.size() > 1;
  };
  if (std::ranges::any_of(runs, shows_all)) {
    submit(work_);
    work_.clear();
    for (std::size_t r = 0; r < runs.size(); ++r) {
      if (shows_all(runs[r])) run_all_logits(index + r, runs[r], host_.runs()[r].first_row, on_logits);
    }
  }
  const bool wants = std::ranges::any_of(runs, [&](const Run& run) { return run.draw || shows_last(run, on_logits); });
  if (wants) {
    run_last(index, runs, draws, on_logits);
  } else if (!work_.empty()) {
    submit(work_);
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Run& run = runs[r];
    has_written(run.slot, run.tokens, run.draw ? take_drawn(run, tokens[r]) : std::span<const std::int32_t>{});
  }
}

/// Passes over runs that fit in one, until each that draws has drawn `ahead` tokens or has ended.
void PassEngine::run_passes(std::size_t index, std::span<const Run> runs, std::int64_t ahead,
                            const OnLogits& on_logits) {
  const auto tokens = std::span(tokens_).subspan(index, runs.size());
  run_pass(index, runs, ahead, on_logits, tokens);
  std::vector<Run> next;
  std::vector<std::vector<std::int32_t>> drawn;
  while (true) {
    next.clear();
    std::int64_t left = 0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const auto count = static_cast<std::int64_t>(tokens[r].size());
      if (!runs[r].draw || count >= ahead || host_.slots()[static_cast<std::size_t>(runs[r].slot)].done != 0) continue;
      next.push_back({runs[r].slot, {&tokens[r].back(), 1}, Logits::none, true});
      left = ahead - count;  // the same for all of them
    }
    if (next.empty()) return;
    drawn.assign(next.size(), {});
    run_pass(index, next, left, {}, drawn);
    for (std::size_t r = 0, n = 0; r < runs.size() && n < next.size(); ++r) {
      if (runs[r].slot != next[n].slot) continue;
      tokens[r].insert(tokens[r].end(), drawn[n].begin(), drawn[n].end());
      ++n;
    }
  }
}

std::span<const Drawn> PassEngine::run_step(std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits) {
  tokens_.assign(runs.size(), {});
  for (std::size_t first = 0, end = 0; first < runs.size(); first = end) {
    std::size_t rows = 0;
    for (; end < runs.size() && rows + runs[end].tokens.size() <= static_cast<std::size_t>(program_.prefill_chunk);
         ++end) {
      rows += runs[end].tokens.size();
    }
    run_passes(first, runs.subspan(first, end - first), ahead, on_logits);
  }
  drawn_.clear();
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!runs[r].draw) continue;
    const std::vector<std::int32_t>& tokens = tokens_[r];
    const bool wrong = host_.slots()[static_cast<std::size_t>(runs[r].slot)].wrong != 0;
    drawn_.push_back({runs[r].slot, tokens, !tokens.empty() && is_stop_token(tokens.back()), wrong});
  }
  return drawn_;
}

void PassEngine::run_encode(std::span<const Source> sources) {
  pass_.clear();
  angle_rows_ = 0;
  host_.counts() = {0, 0, 0, 1, 0};
  for (const Source& source : sources) write_run({source.slot, source.tokens, Logits::none}, 0);
  const auto rows = static_cast<std::int64_t>(host_.counts().token_count);
  submit(std::array<Work, 1>{{{Part::encode, rows, runs_of_pass()}}});
}

std::int64_t PassEngine::run_layers(std::span<const Run> runs) {
  std::int64_t rows = 0;
  for (const Run& run : runs) rows += static_cast<std::int64_t>(run.tokens.size());
  if (rows > program_.prefill_chunk) {
    throw Error(ErrorKind::rejected,
                fmt::format("{} tokens are more than the {} of a pass", rows, program_.prefill_chunk));
  }
  write_pass(runs, 1);
  submit(std::array<Work, 2>{{{Part::layers, rows, runs_of_pass()}, {Part::download, 0}}});
  for (const Run& run : runs) has_written(run.slot, run.tokens);
  return rows;
}

}  // namespace monomorph
