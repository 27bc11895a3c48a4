#include "runtime/engine/batch.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "runtime/engine/validate.hpp"

namespace monomorph {
namespace {

/// What a run of a prompt shows of it: `ends`: its last tokens are among the run's.
Logits wanted_of(const Program& program, const BatchRequest& request, bool ends) {
  if (!request.prompt_logits) return Logits::none;
  if (program.pooling == Pooling::none) return Logits::all;
  return ends ? Logits::last : Logits::none;
}

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

Error error_of_wrong_logits(const Program& program) {
  try {
    reject_logits(program);
  } catch (const Error& error) {
    return error;
  }
}

/// Whether a sequence's keys depend on the length that its whole text had (dynamic NTK keeps them as they were turned).
bool keys_of_a_length(const Program& program) {
  return std::any_of(program.rotary_angles.begin(), program.rotary_angles.end(),
                     [](const RotaryAngles& angles) { return angles.rotary.theta != 0; });
}

}  // namespace

Batch::Batch(Engine& engine, double tick_seconds)
    : engine_(engine),
      tick_seconds_(tick_seconds),
      prompt_rows_(static_cast<std::size_t>(engine.program().max_batch)),
      taken_(static_cast<std::size_t>(engine.program().max_batch)) {}

void Batch::add(BatchRequest request) {
  validate_generation(engine_.program(), 0, 0, request.prompt, request.count, request.sampling);
  validate_types(engine_.program(), request.prompt, request.types);
  const bool answers = engine_.program().max_source_length > 0;
  if (answers || !request.source.empty()) validate_source(engine_.program(), {0, request.source});
  waiting_.push_back(std::move(request));
}

/// How many of a free slot's tokens begin the prompt, too, and were computed as a prompt's: what decoding computed may
/// differ in its last bits. The prompt's last token is never among them, since a step needs one.
std::int64_t Batch::shared_prefix(const BatchRequest& request, std::int64_t slot) const {
  const Program& program = engine_.program();
  if (program.one_pass || request.prompt_logits || keys_of_a_length(program)) return 0;
  if (!std::ranges::equal(engine_.source(slot), request.source)) return 0;
  const std::span<const std::int32_t> sequence = engine_.sequence(slot);
  const auto most = std::min({prompt_rows_[static_cast<std::size_t>(slot)], static_cast<std::int64_t>(sequence.size()),
                              static_cast<std::int64_t>(request.prompt.size()) - 1});
  const auto end = request.prompt.begin() + most;
  return std::mismatch(request.prompt.begin(), end, sequence.begin()).first - request.prompt.begin();
}

void Batch::admit() {
  const std::size_t admitted = running_.size();
  while (give_slot()) {
  }
  // Sources of several are read in common passes; a slot that has its source already keeps it.
  std::vector<Source> sources;
  for (const Running& each : std::span(running_).subspan(admitted)) {
    const std::vector<std::int32_t>& source = each.request.source;
    if (!std::ranges::equal(engine_.source(each.slot), source)) sources.push_back({each.slot, source});
  }
  if (!sources.empty()) engine_.encode(sources);
}

/// Gives the first request that waits the free slot that has most of its prompt; whether there was one.
bool Batch::give_slot() {
  const Program& program = engine_.program();
  std::int64_t slot = -1, shared = -1;
  for (std::int64_t free = 0; free < program.max_batch && !waiting_.empty(); ++free) {
    if (taken_[static_cast<std::size_t>(free)]) continue;
    const std::int64_t prefix = shared_prefix(waiting_.front(), free);
    if (prefix > shared) std::tie(slot, shared) = std::pair(free, prefix);
  }
  if (slot < 0) return false;
  Running next{.request = std::move(waiting_.front()), .slot = slot, .began = Clock::now()};
  waiting_.pop_front();
  next.appended = prompt_rows_[static_cast<std::size_t>(slot)] = engine_.rewind(slot, shared);
  next.count = drawable_tokens(program, next.prompt_size(), next.request.count);
  // Each token drawn but the last becomes a position of the sequence.
  engine_.set_sampling(slot, next.request.sampling, next.prompt_size() + std::max<std::int64_t>(next.count, 1) - 1);
  taken_[static_cast<std::size_t>(slot)] = true;
  running_.push_back(std::move(next));
  return true;
}

void Batch::add_runs() {
  const Program& program = engine_.program();
  runs_.clear();
  run_of_.clear();
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const Running& each = running_[i];
    if (each.reads()) continue;
    runs_.push_back({each.slot, std::span(each.result.generation.tokens).last(1), Logits::none, true});
    run_of_.push_back(i);
  }
  // Where those that draw fill a pass, a prompt has a row of the next one all the same.
  std::int64_t room = std::max<std::int64_t>(program.prefill_chunk - static_cast<std::int64_t>(runs_.size()), 1);
  for (std::size_t i = 0; i < running_.size() && room > 0; ++i) {
    const Running& each = running_[i];
    if (!each.reads()) continue;
    const std::int64_t rest = each.prompt_size() - each.appended;
    // A text in one pass waits for a step that has room for all of it, and those after it for their turn.
    if (program.one_pass && rest > room) break;
    const std::int64_t rows = std::min(rest, room);
    Run run{each.slot, std::span(each.request.prompt)
                           .subspan(static_cast<std::size_t>(each.appended), static_cast<std::size_t>(rows))};
    run.logits = wanted_of(program, each.request, rows == rest);
    run.draw = rows == rest && each.count > 0;
    run.length = each.prompt_size();
    if (!each.request.types.empty()) {
      run.types = std::span(each.request.types)
                      .subspan(static_cast<std::size_t>(each.appended), static_cast<std::size_t>(rows));
    }
    runs_.push_back(run);
    run_of_.push_back(i);
    room -= rows;
  }
}

/// How many passes the step at hand may be, the first among them.
std::int64_t Batch::passes() const {
  if (!waiting_.empty()) return 1;
  std::int64_t most = 1;
  for (const Running& each : running_) {
    if (each.reads()) return 1;
    most = std::max(most, each.left());
  }
  return passes_within(tick_seconds_, pass_seconds_, std::min(most, engine_.most_ahead()));
}

void Batch::show(std::size_t run, std::int64_t token, std::span<const float> logits) {
  Running& each = running_[run_of_[run]];
  if (each.wrong) return;
  each.wrong = !are_finite(logits);
  if (!each.wrong) each.request.prompt_logits(each.appended + token, logits);
}

void Batch::take(Running& each, const Drawn& drawn) {
  Engine::Generation& generation = each.result.generation;
  for (std::size_t i = 0; i < drawn.tokens.size() && !each.ended; ++i) {
    generation.tokens.push_back(drawn.tokens[i]);
    if (!drawn.log_probabilities.empty()) generation.log_probabilities.push_back(drawn.log_probabilities[i]);
    generation.stopped = drawn.stopped && i + 1 == drawn.tokens.size();
    const bool enough = each.request.token && !each.request.token(drawn.tokens[i]);
    each.ended = enough || generation.stopped || each.left() == 0;
  }
  each.wrong = drawn.wrong && !each.ended;
}

/// To be called after a step with a run of its own, which ended `now`.
void Batch::advance(Running& each, const Drawn* drawn, Clock::time_point now) {
  Engine::Generation& generation = each.result.generation;
  if (generation.tokens.empty()) {
    each.drew = now;
    generation.prefill_seconds = seconds_between(each.began, now);
  }
  if (drawn != nullptr && !each.wrong) take(each, *drawn);
  each.ended = each.ended || each.wrong || (!each.reads() && each.count == 0);
  if (!each.ended) return;
  generation.decode_seconds = seconds_between(each.drew, now);
  const std::int64_t kept = each.prompt_size() + static_cast<std::int64_t>(generation.tokens.size()) - 1;
  generation.full = each.count > 0 && !generation.stopped && kept >= engine_.program().max_sequence_length;
  if (each.wrong) each.result.error = error_of_wrong_logits(engine_.program());
}

/// Those that have ended give their slots back, and are told.
void Batch::leave() {
  std::vector<Running> ended;
  for (Running& each : running_) {
    if (!each.ended) continue;
    taken_[static_cast<std::size_t>(each.slot)] = false;
    ended.push_back(std::move(each));
  }
  std::erase_if(running_, [](const Running& each) { return each.ended; });
  for (const Running& each : ended) {
    if (each.request.finished) each.request.finished(each.result);
  }
}

bool Batch::tick() {
  admit();
  if (running_.empty()) return false;
  add_runs();
  const std::int64_t ahead = passes();
  const bool shown = std::any_of(runs_.begin(), runs_.end(), [](const Run& run) { return run.logits != Logits::none; });
  const auto start = Clock::now();
  std::span<const Drawn> drawn =
      engine_.step(runs_, ahead, shown ? OnLogits(std::bind_front(&Batch::show, this)) : OnLogits());
  const auto now = Clock::now();
  const bool all_drew =
      std::none_of(running_.begin(), running_.end(), [](const Running& each) { return each.reads(); });
  if (all_drew) pass_seconds_ = seconds_between(start, now) / static_cast<double>(ahead);
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    Running& each = running_[run_of_[r]];
    if (each.reads()) {
      each.appended += static_cast<std::int64_t>(runs_[r].tokens.size());
      prompt_rows_[static_cast<std::size_t>(each.slot)] = each.appended;
    }
    advance(each, runs_[r].draw ? &drawn.front() : nullptr, now);
    if (runs_[r].draw) drawn = drawn.subspan(1);
  }
  leave();
  return true;
}

}  // namespace monomorph
