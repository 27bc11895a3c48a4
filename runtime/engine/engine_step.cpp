// Engine::step: draws that the device does not make itself are made here, for every engine, from logits that each pass
// shows.
#include <algorithm>

#include "runtime/engine/engine.hpp"
#include "runtime/engine/penalties.hpp"
#include "runtime/engine/sampler.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph {

std::span<const Drawn> Engine::step(std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits) {
  validate_runs(*this, runs, ahead);
  const bool here = std::any_of(runs.begin(), runs.end(), [this](const Run& run) { return draws_here(run); });
  return here ? step_drawing_here(runs, ahead, on_logits) : run_step(runs, ahead, on_logits);
}

bool Engine::draws_here(const Run& run) const {
  return run.draw && drawn_on_host(slots_[static_cast<std::size_t>(run.slot)].sampling);
}

/// Draws what follows a slot's sequence; whether the slot has ended.
bool Engine::draw_here(std::int64_t index, Row& row) {
  row.wrong = !are_finite(row.logits);
  if (row.wrong) return true;
  Slot& slot = slot_at(index);
  std::vector<float> logits = row.logits;
  penalize(slot.sampling, slot.tokens, slot.drawn, logits);
  const auto position = static_cast<std::uint32_t>(slot.position());
  const bool last = position >= slot.settings.stop_position;
  constrain(slot.sampling.constraints, {slot.tokens, slot.source, std::ssize(slot.drawn), last}, program_.eos_tokens,
            logits);
  const auto token = static_cast<std::int32_t>(sample_token(logits, slot.settings, position));
  slot.drawn[slot.position()] = token;
  row.tokens.push_back(token);
  if (slot.sampling.log_probabilities) row.log_probabilities.push_back(log_probability(row.logits, token));
  row.stopped = is_stop_token(token);
  return row.stopped || last;
}

std::span<const Drawn> Engine::step_drawing_here(std::span<const Run> runs, std::int64_t ahead,
                                                 const OnLogits& on_logits) {
  rows_.assign(runs.size(), {});
  std::vector<std::size_t> here;  // runs that draw here and have not ended
  std::vector<Run> passed(runs.begin(), runs.end());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!on_logits) passed[r].logits = Logits::none;
    if (!draws_here(runs[r])) continue;
    here.push_back(r);
    passed[r].draw = false;
    if (passed[r].logits == Logits::none) passed[r].logits = Logits::last;
  }
  const auto take = [&](std::size_t r, std::span<const float> logits) {
    rows_[r].logits.assign(logits.begin(), logits.end());
  };
  auto drawn = run_step(passed, ahead, [&](std::size_t r, std::int64_t token, std::span<const float> logits) {
    if (on_logits && runs[r].logits != Logits::none) on_logits(r, token, logits);
    if (draws_here(runs[r])) take(r, logits);  // the last token's remain
  });
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!passed[r].draw) continue;
    rows_[r].tokens.assign(drawn.front().tokens.begin(), drawn.front().tokens.end());
    rows_[r].stopped = drawn.front().stopped;
    rows_[r].wrong = drawn.front().wrong;
    drawn = drawn.subspan(1);
  }

  for (std::int64_t left = ahead - 1;; --left) {
    std::erase_if(here, [&](std::size_t r) { return draw_here(runs[r].slot, rows_[r]); });
    if (here.empty() || left == 0) break;
    passed.clear();
    for (const std::size_t r : here) {
      passed.push_back({runs[r].slot, {&rows_[r].tokens.back(), 1}, Logits::last});
    }
    run_step(passed, 1, [&](std::size_t i, std::int64_t, std::span<const float> logits) { take(here[i], logits); });
  }

  drawn_here_.clear();
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Row& row = rows_[r];
    if (!runs[r].draw) continue;
    drawn_here_.push_back({runs[r].slot, row.tokens, row.stopped, row.wrong, row.log_probabilities});
  }
  return drawn_here_;
}

}  // namespace monomorph
