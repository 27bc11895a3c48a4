// Sequences side by side in an engine's slots.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "tests/runtime/vulkan/toy_engine.hpp"

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
  const Run runs[] = {{2, std::span(tokens).first(7), Logits::all, true, true},
                      {0, std::span(tokens).first(1), Logits::none, true, false},
                      {1, std::span(tokens).first(3), Logits::last, false, true}};
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
  const Run fine{0, twelve, Logits::last, false, true};
  const Run twice[] = {fine, fine};
  const Run long_run{0, tokens, Logits::last, false, true}, outside{toy_max_batch, twelve, Logits::last, false, true},
      below{-1, twelve, Logits::last, false, true}, empty{0, {}, Logits::last, false, true};
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
