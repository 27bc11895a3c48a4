// Many requests over the slots of one engine, by Engine::step alone (continuous batching: Yu et al. 2022, "Orca").
//
// A request waits for a free slot in order of arrival, brings its prompt in chunks, draws, and leaves its slot in the
// tick that ends it, whatever becomes of others. What it draws is what Engine::generate draws of it alone, as far as
// the engine's kernels give a row the same logits in any company (LoadOptions tells when they do).
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/engine/engine.hpp"
#include "runtime/engine/submission.hpp"

namespace monomorph {

struct BatchResult {
  /// What was drawn, in any case; prefill_seconds are those from the first step to the first draw, in company.
  Engine::Generation generation;
  /// Why nothing more was drawn, where logits are no finite numbers. Other requests go on.
  std::optional<Error> error;
};

/// Callbacks may add requests, and leave the engine alone.
struct BatchRequest {
  std::vector<std::int32_t> prompt;    ///< at least one token
  std::vector<std::int32_t> source{};  ///< that it answers to, where the model does
  std::vector<std::int32_t> types{};   ///< of each, as Run::types
  std::int64_t count = 0;  ///< most tokens to draw; 0: the prompt is computed, which is all there is of a text
                           ///< in one pass (Program::one_pass)
  Sampling sampling{};
  /// Sees the logits of each token of the prompt in order, [vocab_size], or, where the model pools, the prompt's
  /// vector, [output_size]; valid during the call. May be empty.
  std::function<void(std::int64_t token, std::span<const float> logits)> prompt_logits{};
  /// Sees each token as it is drawn, a stop token too, and ends the request by returning false. May be empty.
  std::function<bool(std::int32_t token)> token{};
  /// Sees the end of the request, once. May be empty.
  std::function<void(const BatchResult& result)> finished{};
};

/// Single-threaded. It takes every slot of the engine, which outlives it; nobody else may use them between its ticks.
class Batch {
 public:
  /// While nobody waits or reads a prompt, a tick takes about `tick_seconds`: as long as a reader or a new request may
  /// wait.
  explicit Batch(Engine& engine, double tick_seconds = submission_seconds);

  /// Puts a request at the end of the queue. Throws Error(rejected) for what Engine::generate rejects, and forgets it
  /// then; others are as they were.
  void add(BatchRequest request);

  /// Gives free slots to requests that wait, and makes one step: a token of each slot that draws, then prompts in order
  /// of arrival until the pass is full. False, and nothing done, where there is no request. What a callback or the
  /// engine throws leaves it; the batch is of no further use then.
  bool tick();
  /// Ticks until no request is left.
  void run() {
    while (tick()) {
    }
  }

  std::size_t waiting() const { return waiting_.size(); }  ///< requests that have no slot yet
  std::size_t running() const { return running_.size(); }  ///< requests that have one

 private:
  using Clock = std::chrono::steady_clock;

  struct Running {
    BatchRequest request;
    std::int64_t slot = 0;
    std::int64_t appended = 0;  ///< tokens of the prompt that are in the slot
    std::int64_t count = 0;     ///< most tokens that can be drawn
    BatchResult result{};
    bool wrong = false;  ///< logits were no finite numbers
    bool ended = false;
    Clock::time_point began{}, drew{};  ///< its first step, and the end of that which drew first

    std::int64_t prompt_size() const { return static_cast<std::int64_t>(request.prompt.size()); }
    bool reads() const { return appended < prompt_size(); }
    std::int64_t left() const { return count - static_cast<std::int64_t>(result.generation.tokens.size()); }
  };

  void admit();
  bool give_slot();
  std::int64_t shared_prefix(const BatchRequest& request, std::int64_t slot) const;
  void add_runs();
  std::int64_t passes() const;
  void show(std::size_t run, std::int64_t token, std::span<const float> logits);
  void advance(Running& each, const Drawn* drawn, Clock::time_point now);
  void take(Running& each, const Drawn& drawn);
  void leave();

  Engine& engine_;
  const double tick_seconds_;
  double pass_seconds_ = 0;  ///< of a pass in which every slot drew, the last time; 0: not known yet
  std::deque<BatchRequest> waiting_;
  std::vector<Running> running_;           ///< in order of arrival
  std::vector<std::int64_t> prompt_rows_;  ///< by slot: tokens of its sequence that it has from a prompt
  std::vector<bool> taken_;                ///< by slot
  std::vector<Run> runs_;                  ///< of the step at hand
  std::vector<std::size_t> run_of_;        ///< the index in running_ that each of them belongs to
};

}  // namespace monomorph
