#include "runtime/engine/engine.hpp"

#include <algorithm>
#include <chrono>

#include "runtime/engine/penalties.hpp"
#include "runtime/engine/sampler.hpp"
#include "runtime/engine/submission.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph {
namespace {

/// Appends what was drawn and shows it to the reader; whether the generation goes on.
bool take(const Drawn& drawn, std::int64_t count, const std::function<bool(std::int32_t)>& token,
          Engine::Generation& generation) {
  for (std::size_t i = 0; i < drawn.tokens.size(); ++i) {
    if (static_cast<std::int64_t>(generation.tokens.size()) == count) return false;
    generation.tokens.push_back(drawn.tokens[i]);
    if (!drawn.log_probabilities.empty()) generation.log_probabilities.push_back(drawn.log_probabilities[i]);
    generation.stopped = drawn.stopped && i + 1 == drawn.tokens.size();
    if ((token && !token(drawn.tokens[i])) || generation.stopped) return false;
  }
  return static_cast<std::int64_t>(generation.tokens.size()) < count;
}

}  // namespace

Engine::Engine(const Program& program) : program_(program), slots_(static_cast<std::size_t>(program.max_batch)) {
  for (std::int64_t slot = 0; slot < program.max_batch; ++slot) {
    slot_at(slot).tokens.reserve(static_cast<std::size_t>(program.max_sequence_length));
    set_sampling(slot, {}, program.max_sequence_length);
  }
}

void Engine::set_sampling(std::int64_t index, const Sampling& sampling, std::int64_t stop_position) {
  validate_settings(program_, index, sampling, stop_position);
  Slot& slot = slot_at(index);
  slot.sampling = sampling;
  slot.settings = sampling_slot(sampling, program_.eos_tokens);
  slot.settings.stop_position = static_cast<std::uint32_t>(stop_position);
  slot.drawn.clear();
}

std::span<const std::int32_t> Engine::sequence(std::int64_t index) const {
  validate_slot(program_, index);
  return slots_[static_cast<std::size_t>(index)].tokens;
}

std::int64_t Engine::position(std::int64_t index) const { return static_cast<std::int64_t>(sequence(index).size()); }

std::int64_t Engine::rewind(std::int64_t index, std::int64_t position) {
  validate_slot(program_, index);
  Slot& slot = slot_at(index);
  const HeldStates held = last_held(index, std::clamp<std::int64_t>(position, 0, slot.position()));
  position = held.position;
  slot.furthest = held.furthest;
  slot.underway = 0;
  for (std::int64_t& copied : slot.copies) {
    if (copied > position) copied = -1;
  }
  slot.tokens.resize(static_cast<std::size_t>(position));
  slot.drawn.erase(slot.drawn.upper_bound(position), slot.drawn.end());  // the one for `position` is in no state
  return position;
}

bool Engine::is_stop_token(std::int32_t token) const {
  const std::span<const std::uint32_t> eos = program_.eos_tokens;
  return std::find(eos.begin(), eos.end(), static_cast<std::uint32_t>(token)) != eos.end();
}

void Engine::will_write(std::int64_t index, std::int64_t positions) {
  Slot& slot = slot_at(index);
  slot.furthest = std::max(slot.furthest, slot.underway);  // of one that was broken off
  slot.underway = std::min(slot.position() + positions, program_.max_sequence_length);
  if (slot.position() == 0) slot.copies = Slot::no_copies();
  slot.copies[static_cast<std::size_t>(slot.written_copy())] = -1;
}

void Engine::has_written(std::int64_t index, std::span<const std::int32_t> run, std::span<const std::int32_t> drawn) {
  Slot& slot = slot_at(index);
  std::int64_t& written = slot.copies[static_cast<std::size_t>(slot.written_copy())];
  slot.tokens.insert(slot.tokens.end(), run.begin(), run.end());
  slot.tokens.insert(slot.tokens.end(), drawn.begin(), drawn.end());
  written = slot.position();
  slot.furthest = std::max(slot.furthest, slot.position());
  slot.underway = 0;
}

void Engine::each_outdated(const Run& run, const std::function<void(const Run&)>& append) {
  Slot& slot = slot_at(run.slot);
  const std::int64_t length = length_of(run), before = std::exchange(slot.length, length);
  const auto [shorter, longer] = std::minmax({before, length});
  if (slot.tokens.empty() || longer <= longest_alike(program_.rotary_angles, shorter)) return;
  const std::vector<std::int32_t> tokens = slot.tokens;
  slot.tokens.clear();
  slot.furthest = slot.underway = 0;
  for (std::span<const std::int32_t> rest(tokens); !rest.empty();) {
    const auto chunk = rest.first(std::min(rest.size(), static_cast<std::size_t>(program_.prefill_chunk)));
    append({run.slot, chunk, Logits::none, false, length});
    rest = rest.subspan(chunk.size());
  }
}

std::int64_t Engine::draws_alike(const Run& run) const {
  const std::int64_t length = length_of(run);
  return std::min(longest_alike(program_.rotary_angles, length), program_.max_sequence_length) - length + 1;
}

void Engine::go_back(std::int64_t index, std::int64_t position) {
  const std::span<const std::int32_t> sequence = this->sequence(index).first(static_cast<std::size_t>(position));
  const std::vector<std::int32_t> wanted(sequence.begin(), sequence.end());
  const std::int64_t kept = rewind(index, position);
  if (kept == position) return;
  append(std::span(wanted).subspan(static_cast<std::size_t>(kept)), {index, {}, Logits::none}, {});
}

std::span<const Drawn> Engine::append(std::span<const std::int32_t> tokens, Run last, const OnLogits& on_logits,
                                      const std::function<void(std::int64_t)>& after) {
  const auto total = static_cast<std::int64_t>(tokens.size());
  last.length = position(last.slot) + total;
  const auto chunk = static_cast<std::size_t>(program_.prefill_chunk);
  std::int64_t done = 0;
  const OnLogits shifted = [&](std::size_t run, std::int64_t token, std::span<const float> logits) {
    on_logits(run, done + token, logits);
  };
  while (true) {
    const std::size_t count = std::min(tokens.size(), chunk);
    Run run = last;
    run.tokens = tokens.first(count);
    if (!last.types.empty()) run.types = last.types.subspan(static_cast<std::size_t>(done), count);
    tokens = tokens.subspan(count);
    if (!tokens.empty()) {
      run.draw = false;
      if (run.logits == Logits::last) run.logits = Logits::none;
    }
    const std::span<const Drawn> drawn = step({&run, 1}, 1, on_logits ? shifted : OnLogits{});
    done += static_cast<std::int64_t>(count);
    if (after) after(static_cast<std::int64_t>(count));
    if (prompt_watcher_) prompt_watcher_(done, total);
    if (tokens.empty()) return drawn;
  }
}

void Engine::token_states(const Text& text, const std::function<void(std::span<const float> row)>& take) {
  require_vectors(program_);
  validate_tokens(program_, 0, 0, text.tokens);
  validate_types(program_, text.tokens, text.types);
  reset();
  const auto width = static_cast<std::size_t>(program_.hidden_size);
  append(text.tokens, {0, {}, Logits::none, false, 0, text.types}, {}, [&](std::int64_t count) {
    const std::vector<float> rows = read_hidden_states(count);
    for (std::int64_t row = 0; row < count; ++row) {
      const auto states = std::span(rows).subspan(static_cast<std::size_t>(row) * width, width);
      validate_logits(program_, states);
      take(states);
    }
  });
}

std::span<const float> Engine::prefill(std::span<const std::int32_t> tokens, std::int64_t slot) {
  validate_tokens(program_, slot, position(slot), tokens);
  append(tokens, {slot, {}, Logits::last}, [&](std::size_t, std::int64_t, std::span<const float> logits) {
    validate_logits(program_, logits);
    logits_.assign(logits.begin(), logits.end());
  });
  return logits_;
}

void Engine::prefill_all(std::span<const std::int32_t> tokens, const std::function<void(std::span<const float>)>& row,
                         std::int64_t slot, std::span<const std::int32_t> types) {
  validate_tokens(program_, slot, position(slot), tokens);
  validate_types(program_, tokens, types);
  append(tokens, {slot, {}, Logits::all, false, 0, types},
         [&](std::size_t, std::int64_t, std::span<const float> logits) {
           validate_logits(program_, logits);
           row(logits);
         });
}

std::span<const float> Engine::decode(std::int32_t token, std::int64_t slot) {
  const Run run{slot, {&token, 1}, Logits::last};
  step({&run, 1}, 1, [&](std::size_t, std::int64_t, std::span<const float> logits) {
    validate_logits(program_, logits);
    logits_.assign(logits.begin(), logits.end());
  });
  return logits_;
}

Engine::Generation Engine::generate(std::span<const std::int32_t> prompt, std::int64_t count, const Sampling& sampling,
                                    const std::function<bool(std::int32_t)>& token, std::int64_t slot) {
  validate_generation(program_, slot, position(slot), prompt, count, sampling);
  const std::int64_t end_of_prompt = position(slot) + static_cast<std::int64_t>(prompt.size());
  count = drawable_tokens(program_, end_of_prompt, count);
  // Each token drawn but the last becomes a position of the sequence.
  set_sampling(slot, sampling, end_of_prompt + std::max<std::int64_t>(count, 1) - 1);
  Generation generation;
  const auto prefill_start = std::chrono::steady_clock::now();
  std::span<const Drawn> drawn = append(prompt, {slot, {}, Logits::none, count > 0}, {});
  generation.prefill_seconds = seconds_since(prefill_start);
  if (count == 0) return generation;

  const auto decode_start = std::chrono::steady_clock::now();
  while (true) {
    const bool more = take(drawn.front(), count, token, generation);
    if (draw_watcher_) draw_watcher_();
    if (!more) break;
    if (drawn.front().wrong) reject_logits(program_);
    // Passes past what the reader takes are gone back over.
    const std::int64_t left = count - static_cast<std::int64_t>(generation.tokens.size());
    const std::int64_t most = drawn_on_host(sampling) ? 1 : std::min({most_ahead(), program_.prefill_chunk, left});
    const std::int64_t ahead = passes_within(submission_seconds, pass_seconds_, most);
    const std::int32_t last = generation.tokens.back();
    const Run run{slot, {&last, 1}, Logits::none, true};
    const auto start = std::chrono::steady_clock::now();
    drawn = step({&run, 1}, ahead);
    pass_seconds_ = seconds_since(start) / static_cast<double>(ahead);
  }
  generation.decode_seconds = seconds_since(decode_start);
  // Passes may have gone on past what the reader took.
  const std::int64_t wanted = end_of_prompt + static_cast<std::int64_t>(generation.tokens.size()) - 1;
  go_back(slot, wanted);
  generation.full = !generation.stopped && wanted >= program_.max_sequence_length;
  return generation;
}

}  // namespace monomorph
