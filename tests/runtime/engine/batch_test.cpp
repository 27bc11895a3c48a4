// Requests over the slots of an engine: on the reference against each alone, and on an engine that counts, what each
// step is made of.
#include "runtime/engine/batch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "runtime/reference/reference_engine.hpp"
#include "tests/runtime/engine/batch_requests.hpp"
#include "tests/runtime/reference/example_programs.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

using Tokens = std::vector<std::int32_t>;

constexpr std::int64_t vocab_size = 200;
constexpr std::int32_t stop_token = 100;  // ends what is drawn
constexpr std::int32_t unlucky = 13;      // after it no logit is a number
constexpr double patient = 1e9;           // seconds of a tick: a slow machine changes no step

Program counting_program() {
  static constexpr std::uint32_t eos_tokens[] = {stop_token};
  Program program{};
  program.name = "counting";
  program.vocab_size = vocab_size;
  program.output_size = vocab_size;
  program.max_sequence_length = 40;
  program.prefill_chunk = 8;
  program.max_batch = 3;
  program.decode_steps = 8;
  program.eos_tokens = eos_tokens;
  return program;
}

/// After a token the likeliest is the next one. It remembers its steps, and what sources it read.
class CountingEngine final : public Engine {
 public:
  using Engine::Engine;
  std::int64_t most_ahead() const override { return 8; }
  std::vector<float> read_hidden_states(std::int64_t) override { return {}; }

  /// "0+8 1+1d a4": 8 tokens of slot 0 and one of slot 1, after which is drawn, 4 passes. "0:5 2:1 e": sources of 5
  /// tokens and of 1 are read in one pass.
  std::vector<std::string> steps;
  std::vector<std::int64_t> lengths;  ///< Run::length of every run

 protected:
  std::span<const Drawn> run_step(std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits) override {
    std::string step;
    tokens_.assign(runs.size(), {});
    drawn_.clear();
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const Run& run = runs[r];
      step += std::to_string(run.slot) + "+" + std::to_string(run.tokens.size()) + (run.draw ? "d " : " ");
      lengths.push_back(run.length);
      has_written(run.slot, run.tokens);
      const std::size_t count = run.tokens.size();
      for (std::size_t t = run.logits == Logits::all ? 0 : count - 1;
           on_logits && run.logits != Logits::none && t < count; ++t) {
        std::vector<float> logits(vocab_size, run.tokens[t] == unlucky ? std::numeric_limits<float>::quiet_NaN() : 0);
        logits[static_cast<std::size_t>(run.tokens[t] + 1) % vocab_size] += 9;
        on_logits(r, static_cast<std::int64_t>(t), logits);
      }
      if (run.draw) drawn_.push_back(draw(run, ahead, tokens_[r]));
    }
    steps.push_back(step + "a" + std::to_string(ahead));
    return drawn_;
  }
  void run_encode(std::span<const Source> sources) override {
    std::string step;
    for (const Source& source : sources) {
      step += std::to_string(source.slot) + ":" + std::to_string(source.tokens.size()) + " ";
    }
    steps.push_back(step + "e");
  }
  StatesOwner states_owner() const override { return {"counting"}; }
  void copy_states(const HeldStates&, std::int64_t) override {}
  std::vector<std::byte> save_states(const HeldStates&) override { return {}; }
  void restore_states(const HeldStates&, std::span<const std::int32_t>, std::span<const std::int32_t>,
                      std::span<const std::byte>) override {}

 private:
  Drawn draw(const Run& run, std::int64_t ahead, Tokens& tokens) {
    Drawn drawn{run.slot, {}};
    for (std::int32_t last = run.tokens.back(); !drawn.wrong; last = tokens.back()) {
      if (!tokens.empty()) has_written(run.slot, {&last, 1});
      drawn.wrong = last == unlucky;
      if (drawn.wrong) break;
      tokens.push_back((last + 1) % static_cast<std::int32_t>(vocab_size));
      drawn.stopped = is_stop_token(tokens.back());
      const bool ends = drawn.stopped || position(run.slot) >= slot_at(run.slot).settings.stop_position;
      if (ends || static_cast<std::int64_t>(tokens.size()) == ahead) break;
    }
    drawn.tokens = tokens;
    return drawn;
  }

  std::vector<Tokens> tokens_;
  std::vector<Drawn> drawn_;
};

/// Adds a request that notes how it ends.
void add(Batch& batch, Tokens prompt, std::int64_t count, std::vector<std::string>& ends) {
  const std::string name = std::to_string(prompt.front());
  batch.add({.prompt = std::move(prompt), .count = count, .finished = [&ends, name](const BatchResult& result) {
               const auto drawn = std::to_string(result.generation.tokens.size());
               ends.push_back(name + ":" + drawn + (result.error ? " wrong" : ""));
             }});
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("requests of unequal length over a few slots draw what each draws alone") {
  Program program = llama_program();
  program.max_batch = 4;
  ReferenceEngine engine(program, HostWeights::random(program, 5)), alone(program, HostWeights::random(program, 5));
  program.eos_tokens = {};
  const auto requests = unequal_requests(program, 60);
  const std::uint32_t stop[] = {static_cast<std::uint32_t>(most_drawn(alone, requests))};
  program.eos_tokens = stop;
  check_as_alone(engine, alone, requests);
  // Slots as they were left begin anew.
  check_as_alone(engine, alone, unequal_requests(program, 50));
}

TEST_CASE("a step has a token of each slot that draws, then prompts in order of arrival until the pass is full") {
  const Program program = counting_program();
  CountingEngine engine(program);
  Batch batch(engine, patient);
  Texts ends;
  add(batch, {20, 1, 1, 1, 1, 1, 1, 1, 1, 20}, 3, ends);
  add(batch, {30, 1, 30}, 1, ends);
  add(batch, {40, 1, 1, 1, 1, 40}, 2, ends);
  add(batch, {50, 50}, 9, ends);
  CHECK(batch.waiting() == 4);
  batch.run();
  CHECK(engine.steps == Texts{"0+8 a1", "0+2d 1+3d 2+3 a1",  // the second ends with its only token
                              "0+1d 2+3d 1+2d a1",           // the fourth takes its slot
                              "0+1d 2+1d 1+1d a1",           // nobody knows how long a pass takes
                              "1+1d a7"});
  CHECK(ends == Texts{"30:1", "20:3", "40:2", "50:9"});
  CHECK(std::vector(engine.lengths.begin(), engine.lengths.begin() + 4) == std::vector<std::int64_t>{10, 10, 3, 6});
  CHECK_FALSE(batch.tick());
}

TEST_CASE("while a request waits a step is one pass, and no more than the longest request wants") {
  const Program program = counting_program();
  CountingEngine engine(program);
  Batch batch(engine, patient);
  Texts ends;
  for (const std::int32_t first : {20, 30, 40}) add(batch, {first}, 20, ends);
  for (int tick = 0; tick < 3; ++tick) batch.tick();
  add(batch, {50}, 1, ends);  // has no slot
  for (int tick = 0; tick < 2; ++tick) batch.tick();
  CHECK(engine.steps ==
        Texts{"0+1d 1+1d 2+1d a1", "0+1d 1+1d 2+1d a1", "0+1d 1+1d 2+1d a8", "0+1d 1+1d 2+1d a1", "0+1d 1+1d 2+1d a1"});
  batch.run();
  CHECK(ends == Texts{"20:20", "30:20", "40:20", "50:1"});
}

TEST_CASE("a step that would take too long for who waits has fewer passes") {
  const Program program = counting_program();
  CountingEngine engine(program);
  Batch batch(engine, 0);
  Texts ends;
  add(batch, {20}, 5, ends);
  batch.run();
  CHECK(engine.steps == Texts(5, "0+1d a1"));
}

TEST_CASE("a request whose logits are no numbers ends alone, with what it drew before") {
  const Program program = counting_program();
  for (const bool on_host : {false, true}) {
    CountingEngine engine(program);
    Batch batch(engine);
    Texts ends;
    std::string message;
    BatchRequest wrong{.prompt = {5, 11}, .count = 9};
    wrong.sampling.log_probabilities = on_host;
    wrong.finished = [&](const BatchResult& result) {
      REQUIRE(result.error);
      message = result.error->what();
      CHECK(result.error->kind() == ErrorKind::rejected);
      CHECK(result.generation.tokens == Tokens{12, 13});
    };
    batch.add(wrong);
    add(batch, {unlucky}, 4, ends);
    add(batch, {30}, 4, ends);
    add(batch, {60}, 4, ends);
    add(batch, {11}, 2, ends);  // has what it wants before anything is wrong
    batch.run();
    CHECK(message.starts_with("logits are no finite numbers: "));
    CHECK(ends == Texts{"13:0 wrong", "30:4", "60:4", "11:2"});
  }
}

TEST_CASE("a reader that has had enough ends its request, whatever was drawn ahead, and the slot is the next one's") {
  const Program program = counting_program();
  CountingEngine engine(program);
  Batch batch(engine, patient);
  Texts ends;
  Tokens seen;
  BatchRequest request{.prompt = {20}, .count = 30};
  request.token = [&](std::int32_t token) { return seen.push_back(token), seen.size() < 4; };
  request.finished = [&](const BatchResult& result) { CHECK(result.generation.tokens == seen); };
  batch.add(request);
  for (int tick = 0; tick < 3; ++tick) batch.tick();
  CHECK(engine.position(0) == 1 + 9);  // draws went on
  CHECK(seen == Tokens{21, 22, 23, 24});
  CHECK(batch.running() == 0);
  add(batch, {20, 70}, 2, ends);
  batch.run();
  CHECK(ends == Texts{"20:2"});
  CHECK(std::ranges::equal(engine.sequence(0), Tokens{20, 70, 71}));
  // What would have come after is no concern of its.
  bool finished = false;
  batch.add({.prompt = {unlucky - 3},
             .count = 30,
             .token = [](std::int32_t token) { return token != unlucky; },
             .finished = [&](const BatchResult& result) { finished = !result.error; }});
  batch.run();
  CHECK(finished);
}

TEST_CASE("a stop token, a full sequence and a count of 0 end a request") {
  const Program program = counting_program();
  CountingEngine engine(program);
  Batch batch(engine);
  std::vector<BatchResult> results;
  const auto ask = [&](Tokens prompt, std::int64_t count) {
    batch.add({.prompt = std::move(prompt), .count = count, .finished = [&](const BatchResult& result) {
                 results.push_back(result);
               }});
    batch.run();
    return results.back().generation;
  };
  CHECK(ask({97}, 9).tokens == Tokens{98, 99, 100});
  CHECK(results.back().generation.stopped);
  const auto full = ask(Tokens(37, 110), std::numeric_limits<std::int64_t>::max());
  CHECK(full.tokens == Tokens{111, 112, 113, 114});
  CHECK(full.full);
  CHECK(ask(Tokens(40, 110), 9).tokens == Tokens{111});
  CHECK(ask({7, 8}, 0).tokens.empty());
  CHECK_FALSE(results.back().generation.full);
}

TEST_CASE("what no engine runs is refused when it is added, and others are as they were") {
  const Program program = counting_program();
  CountingEngine engine(program);
  Batch batch(engine);
  Texts ends;
  add(batch, {20}, 3, ends);
  CHECK_THROWS_WITH_AS(batch.add({.prompt = {}, .count = 1}), doctest::Contains("no tokens"), Error);
  CHECK_THROWS_WITH_AS(batch.add({.prompt = {200}, .count = 1}), doctest::Contains("outside the vocabulary"), Error);
  CHECK_THROWS_WITH_AS(batch.add({.prompt = Tokens(41, 1), .count = 1}), doctest::Contains("do not fit"), Error);
  CHECK_THROWS_WITH_AS(batch.add({.prompt = {1}, .count = -1}), doctest::Contains("-1 tokens"), Error);
  CHECK_THROWS_WITH_AS(batch.add({.prompt = {1}, .count = 1, .sampling = {.top_p = 2}}), doctest::Contains("top_p 2"),
                       Error);
  add(batch, {30}, 3, ends);
  CHECK(batch.waiting() == 2);
  batch.run();
  CHECK(ends == Texts{"20:3", "30:3"});
}

TEST_CASE("sources of requests that come together are read together, and one that a slot has is not read again") {
  Program program = counting_program();
  program.max_source_length = 6;
  CountingEngine engine(program);
  Batch batch(engine);
  const auto ask = [&](Tokens source, Tokens prompt) {
    batch.add({.prompt = std::move(prompt), .source = std::move(source), .count = 1});
  };
  const auto steps = [&] {
    engine.steps.clear();
    batch.run();
    return engine.steps;
  };
  // Two fit in a pass, and the third in one of its own, before anything is appended.
  ask({1, 2, 3, 4}, {20, 21, 22});
  ask({5, 6}, {20, 21, 22});
  ask({7, 8, 9}, {30});
  CHECK(steps() == Texts{"0:4 1:2 e", "2:3 e", "0+3d 1+3d 2+1d a1"});
  // A slot serves who asks with its source: what both prompts begin with is not computed again.
  ask({5, 6}, {20, 21, 29});
  CHECK(steps() == Texts{"1+1d a1"});
  CHECK(std::ranges::equal(engine.source(1), Tokens{5, 6}));
  // Another source is another text, however alike the prompts are; it is no part of its length either.
  ask({5, 7}, {20, 21, 29});
  CHECK(steps() == Texts{"0:2 e", "0+3d a1"});
  ask({7, 8, 9}, {30, 31});
  CHECK(steps() == Texts{"2+1d a1"});
}

TEST_CASE("a request without a source, or with one that no slot takes, is refused when it is added") {
  Program program = counting_program();
  const auto refuses = [&](Tokens source, const char* message) {
    CountingEngine engine(program);
    Batch batch(engine);
    CHECK_THROWS_WITH_AS(batch.add({.prompt = {20}, .source = std::move(source), .count = 1}),
                         doctest::Contains(message), Error);
    CHECK(batch.waiting() == 0);
  };
  refuses({1}, "reads no source");
  program.max_source_length = 6;
  refuses({}, "at least one");
  refuses({1, 200}, "outside the vocabulary");
  refuses(Tokens(7, 1), "max_source_length of counting is 6");
}

TEST_CASE("one who is told of an end may ask for more") {
  const Program program = counting_program();
  CountingEngine engine(program);
  Batch batch(engine);
  Texts ends;
  batch.add({.prompt = {20}, .count = 2, .finished = [&](const BatchResult&) { add(batch, {30}, 3, ends); }});
  batch.run();
  CHECK(ends == Texts{"30:3"});
}

TEST_CASE("a free slot whose prompt began alike is taken before others, and what it has is not computed again") {
  Program program = counting_program();
  const auto steps = [&](bool shown) {
    CountingEngine engine(program);
    Batch batch(engine);
    Texts ends;
    add(batch, {20, 21, 22, 23, 24}, 1, ends);
    add(batch, {30, 31, 32}, 4, ends);
    batch.run();
    engine.steps.clear();
    // 33 and 34 were drawn, and are no part of a prompt; of one that is all there its last token is still needed.
    for (Tokens prompt : {Tokens{30, 31, 32, 33, 34}, {20, 21, 22, 29}, {20, 21, 22, 29}, {30, 31}}) {
      BatchRequest request{.prompt = std::move(prompt), .count = 1};
      if (shown) request.prompt_logits = [](std::int64_t, std::span<const float>) {};
      batch.add(request);
      batch.run();
    }
    return engine.steps;
  };
  CHECK(steps(false) == Texts{"1+2d a1", "0+1d a1", "0+1d a1", "1+1d a1"});
  CHECK(steps(true) == Texts{"0+5d a1", "0+4d a1", "0+4d a1", "0+2d a1"});
  // A ring may have given it away.
  const StateTable ring{.kind = StateKind::ring, .entries = 1, .recent = 1};
  program.states = {&ring, 1};
  CHECK(steps(false) == Texts{"1+5d a1", "0+4d a1", "0+1d a1", "1+2d a1"});
  program.states = {};
  // Keys of dynamic NTK are those of the length that the sequence had.
  RotaryAngles angles{};
  angles.rotary.theta = 10000;
  program.rotary_angles = {&angles, 1};
  CHECK(steps(false) == Texts{"0+5d a1", "0+4d a1", "0+4d a1", "0+2d a1"});
}

TEST_CASE("logits of a prompt are shown in order, whatever its chunks, up to those that are no numbers") {
  const Program program = counting_program();
  CountingEngine engine(program);
  Batch batch(engine);
  Texts ends;
  std::vector<std::int64_t> seen;
  const auto ask = [&](Tokens prompt) {
    BatchRequest request{.prompt = prompt, .count = 2};
    request.prompt_logits = [&seen, prompt](std::int64_t token, std::span<const float> logits) {
      CHECK(logits[static_cast<std::size_t>(prompt[static_cast<std::size_t>(token)]) + 1] == 9);
      seen.push_back(token);
    };
    request.finished = [&](const BatchResult& result) { ends.push_back(result.error ? "wrong" : "fine"); };
    batch.add(request);
    batch.run();
  };
  ask({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(seen == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  seen.clear();
  ask({1, 2, unlucky, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(seen == std::vector<std::int64_t>{0, 1});
  CHECK(ends == Texts{"fine", "wrong"});
  CHECK(engine.steps.back() == "0+8 a1");  // of the rest nothing is computed
}

TEST_CASE("a text in one pass waits until a step has room for all of it") {
  Program program = counting_program();
  program.one_pass = true;
  CountingEngine engine(program);
  Batch batch(engine);
  Texts ends;
  for (const std::size_t length : {3, 4, 2, 8, 1}) add(batch, Tokens(length, 5), 0, ends);
  CHECK_THROWS_WITH_AS(batch.add({.prompt = {1}, .count = 1}), doctest::Contains("no next token"), Error);
  CHECK_THROWS_WITH_AS(batch.add({.prompt = Tokens(9, 1)}), doctest::Contains("engine.prefill_chunk"), Error);
  batch.run();
  CHECK(engine.steps == Texts{"0+3 1+4 a1", "2+2 a1", "0+8 a1", "1+1 a1"});
  CHECK(ends.size() == 5);
}
