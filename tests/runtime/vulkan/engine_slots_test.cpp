// Sequences side by side in an engine's slots.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "tests/runtime/vulkan/toy_engine.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::test;

TEST_CASE("slots are sequences of their own, however they take turns") {
  const auto engine = load(toy_program());
  std::vector<std::vector<std::int32_t>> prompts, expected;
  for (std::size_t slot = 0; slot < toy_max_batch; ++slot) {
    prompts.push_back(some_tokens(5 + 9 * slot));
    std::reverse(prompts.back().begin(), prompts.back().end());
    expected.push_back(expected_tokens(prompts.back(), 20));
  }
  const auto drawn = [&](std::int64_t slot, std::int64_t count, std::span<const std::int32_t> tokens) {
    return engine->generate(tokens, count, {}, nullptr, slot).tokens;
  };
  std::vector<std::vector<std::int32_t>> result(toy_max_batch);
  for (std::int64_t turn = 0; turn < 5; ++turn) {
    for (const std::int64_t slot : {2, 0, 1}) {
      auto& tokens = result[static_cast<std::size_t>(slot)];
      const auto& prompt = prompts[static_cast<std::size_t>(slot)];
      const auto more = drawn(slot, 4, turn == 0 ? std::span(prompt) : std::span(tokens).last(1));
      tokens.insert(tokens.end(), more.begin(), more.end());
      CHECK(engine->position(slot) == static_cast<std::int64_t>(prompt.size() + tokens.size()) - 1);
    }
  }
  for (std::size_t slot = 0; slot < toy_max_batch; ++slot) CHECK(result[slot] == expected[slot]);
}

TEST_CASE("a step runs several slots, shows the logits that are wanted and draws where it is said to") {
  const auto engine = load(toy_program());
  const HostWeights weights = HostWeights::random(toy_program(), seed);
  const auto tokens = some_tokens(12);
  for (std::int64_t slot = 0; slot < toy_max_batch; ++slot) engine->set_sampling(slot, {}, toy_max_sequence_length);
  std::vector<std::pair<std::size_t, std::int64_t>> seen;
  const Run runs[] = {{2, std::span(tokens).first(7), Logits::all, true},
                      {0, std::span(tokens).first(1), Logits::none, true},
                      {1, std::span(tokens).first(3), Logits::last, false}};
  const auto drawn = engine->step(runs, 5, [&](std::size_t run, std::int64_t token, std::span<const float> logits) {
    seen.push_back({run, token});
    ToyReference reference(weights);
    std::vector<double> expected;
    for (std::int64_t t = 0; t <= token; ++t)
      expected = reference.append(runs[run].tokens[static_cast<std::size_t>(t)]);
    CHECK(difference(logits, expected) < 1e-5);
  });
  std::vector<std::pair<std::size_t, std::int64_t>> expected_seen;
  for (std::int64_t token = 0; token < 7; ++token) expected_seen.push_back({0, token});
  expected_seen.push_back({2, 2});
  CHECK(seen == expected_seen);
  REQUIRE(drawn.size() == 2);
  CHECK(drawn[0].slot == 2);
  CHECK(std::vector(drawn[0].tokens.begin(), drawn[0].tokens.end()) == expected_tokens(runs[0].tokens, 5));
  CHECK(drawn[1].slot == 0);
  CHECK(std::vector(drawn[1].tokens.begin(), drawn[1].tokens.end()) == expected_tokens(runs[1].tokens, 5));
  for (const auto& [run, draws] : {std::pair(runs[0], 4), std::pair(runs[1], 4), std::pair(runs[2], 0)}) {
    std::vector<std::int32_t> sequence(run.tokens.begin(), run.tokens.end());
    const auto more = expected_tokens(run.tokens, 5);
    sequence.insert(sequence.end(), more.begin(), more.begin() + draws);
    CHECK(std::ranges::equal(engine->sequence(run.slot), sequence));
    CHECK(engine->position(run.slot) == static_cast<std::int64_t>(sequence.size()));
  }
}

TEST_CASE("a slot that is wound back goes on as if what came after had never been") {
  const auto engine = load(toy_program());
  const auto tokens = some_tokens(40);
  const auto expected = all_logits(*engine, std::span(tokens).first(30));
  CHECK(engine->rewind(0, 40) == 31);
  CHECK(engine->rewind(0, 13) == 13);
  CHECK(engine->position() == 13);
  engine->prefill(std::span(tokens).last(9));  // something else, over what was there
  engine->rewind(0, 0);
  CHECK(all_logits(*engine, std::span(tokens).first(30)) == expected);
  CHECK_THROWS_AS(engine->rewind(toy_max_batch, 0), Error);
}

TEST_CASE("runs that no step can have are refused before anything runs") {
  const auto engine = load(toy_program());
  const auto tokens = some_tokens(13);
  const auto twelve = std::span(tokens).first(12);
  const Run fine{0, twelve, Logits::last, false};
  const Run twice[] = {fine, fine};
  const Run long_run{0, tokens, Logits::last, false}, outside{toy_max_batch, twelve, Logits::last, false},
      below{-1, twelve, Logits::last, false}, empty{0, {}, Logits::last, false};
  for (const std::span<const Run> runs :
       {std::span<const Run>(), std::span<const Run>(twice), std::span<const Run>(&long_run, 1),
        std::span<const Run>(&outside, 1), std::span<const Run>(&below, 1), std::span<const Run>(&empty, 1)}) {
    CHECK_THROWS_AS(engine->step(runs), Error);
  }
  CHECK_THROWS_AS(engine->step({&fine, 1}, 0), Error);
  CHECK_THROWS_AS(engine->set_sampling(0, {}, 0), Error);
  CHECK_THROWS_AS(engine->set_sampling(0, {}, toy_max_sequence_length + 1), Error);
  CHECK_THROWS_AS(engine->set_sampling(toy_max_batch, {}, 1), Error);
  CHECK_THROWS_AS(engine->step({&fine, 1}, toy_decode_steps + 1), Error);
  CHECK(engine->position() == 0);
}

namespace {

/// The toy, whose state is a ring as far as going back is concerned.
Program ring_program(std::int64_t recent, std::int64_t entries, StateTable& state) {
  Program program = toy_program();
  state = program.states.front();
  state.kind = StateKind::ring;
  state.recent = recent;
  state.entries = entries;
  program.states = {&state, 1};
  return program;
}

}  // namespace

TEST_CASE("what a pass that was broken off may have written counts where a ring is gone back over") {
  need_device();
  StateTable state;
  constexpr std::int64_t recent = 3;
  const Program program = ring_program(recent, recent + toy_prefill_chunk - 1, state);
  LoadOptions options;
  options.random_weights = true;
  const auto engine = load_engine(program, options);
  const std::vector<std::int32_t> tokens(static_cast<std::size_t>(toy_prefill_chunk), 5);
  const auto after_a_chunk = [&](bool broken_off, bool goes_on = false) {
    engine->reset();
    engine->prefill(tokens);
    const Run run{0, tokens, Logits::last, false};
    const OnLogits breaks_off = [](std::size_t, std::int64_t, std::span<const float>) { throw std::exception(); };
    if (broken_off) CHECK_THROWS(engine->step({&run, 1}, 1, breaks_off));
    CHECK(engine->position() == toy_prefill_chunk);
    if (goes_on) engine->decode(tokens[0]);
    return engine->rewind(0, toy_prefill_chunk - 1);
  };
  CHECK(after_a_chunk(false) == toy_prefill_chunk - 1);
  CHECK(after_a_chunk(true) == 0);
  CHECK(after_a_chunk(false, true) == toy_prefill_chunk - 1);
  CHECK(after_a_chunk(true, true) == 0);
}

TEST_CASE("a slot whose logits are no numbers ends alone, with what it drew before") {
  need_device();
  const tests::TemporaryDirectory directory;
  LoadOptions options;
  options.weights_path = directory.write("model.safetensors", overflowing_checkpoint());
  const auto engine = load_engine(toy_program(), options);
  // Of tokens whose hidden states have a sum above 0 the likeliest is 7; of others it is the least likely.
  std::int32_t before_seven = -1, never_seven = -1;
  for (std::int32_t token = 10; token < 40; ++token) {
    engine->reset();
    const Run run{0, {&token, 1}, Logits::none, true};
    (engine->step({&run, 1}, 1).front().tokens.front() == 7 ? before_seven : never_seven) = token;
  }
  REQUIRE(before_seven >= 0);
  REQUIRE(never_seven >= 0);
  const std::int32_t seven = 7;
  for (const std::int64_t on_host : {std::int64_t{0}, std::int64_t{1}, toy_max_batch}) {  // slots that the host draws
    for (std::int64_t slot = 0; slot < toy_max_batch; ++slot) {
      engine->reset(slot);
      Sampling sampling;
      sampling.log_probabilities = slot < on_host;
      engine->set_sampling(slot, sampling, toy_max_sequence_length);
    }
    const Run runs[] = {{0, {&seven, 1}, Logits::none, true},
                        {1, {&before_seven, 1}, Logits::none, true},
                        {2, {&never_seven, 1}, Logits::none, true}};
    const auto drawn = engine->step(runs, 4);
    REQUIRE(drawn.size() == 3);
    CHECK(drawn[0].wrong);
    CHECK(drawn[0].tokens.empty());
    CHECK_FALSE(drawn[0].stopped);
    CHECK(std::ranges::equal(engine->sequence(0), std::vector{seven}));
    CHECK(drawn[1].wrong);
    CHECK(std::ranges::equal(drawn[1].tokens, std::vector{seven}));
    CHECK(std::ranges::equal(engine->sequence(1), std::vector{before_seven, seven}));
    CHECK_FALSE(drawn[2].wrong);
    CHECK(drawn[2].tokens.size() == 4);
    CHECK(engine->position(2) == 4);
  }
  // A generation shows what was drawn, then fails; the slot is of use afterwards.
  engine->reset(1);
  std::vector<std::int32_t> seen;
  CHECK_THROWS_AS(engine->generate(
                      {&before_seven, 1}, 9, {},
                      [&](std::int32_t token) {
                        seen.push_back(token);
                        return true;
                      },
                      1),
                  Error);
  CHECK(seen == std::vector{seven});
  engine->reset(1);
  CHECK(engine->generate({&never_seven, 1}, 3, {}, nullptr, 1).tokens.size() == 3);
}

TEST_CASE("a run that does not draw writes its own tokens alone, whatever others of its step draw") {
  StateTable state;
  constexpr std::int64_t recent = 9;
  const Program program = ring_program(recent, recent + toy_prefill_chunk - 1, state);
  const auto engine = load(program);
  const auto tokens = some_tokens(48);
  engine->prefill(std::span(tokens).first(36), 1);
  const Run runs[] = {{0, std::span(tokens).first(2), Logits::none, true},
                      {1, std::span(tokens).last(12), Logits::none, false}};
  engine->step(runs, 8);
  CHECK(engine->position(1) == 48);
  CHECK(engine->rewind(1, 48 - toy_prefill_chunk) == 48 - toy_prefill_chunk);
}

TEST_CASE("what a state has lost when a reader has had enough is computed again") {
  StateTable state;
  const Program program = ring_program(9, 9, state);  // going back loses all
  const auto engine = load(program);
  const auto prompt = some_tokens(20);
  const auto expected = expected_tokens(prompt, 16);
  engine->generate(prompt, 16, {}, nullptr);  // how long a pass takes is known now
  engine->reset();
  std::size_t seen = 0;
  const auto result = engine->generate(prompt, 16, {}, [&](std::int32_t) { return ++seen < 4; });
  CHECK(result.tokens == std::vector(expected.begin(), expected.begin() + 4));
  REQUIRE(engine->position() == 23);
  const auto more = engine->generate({&result.tokens.back(), 1}, 4, {}, nullptr);
  CHECK(more.tokens == std::vector(expected.begin() + 4, expected.begin() + 8));
}
