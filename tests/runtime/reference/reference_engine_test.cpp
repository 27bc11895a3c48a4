// The CPU engine over a model written by hand: the interface's promises, chunk by chunk and token by token.
#include "runtime/reference/reference_engine.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/engine/sampler.hpp"
#include "tests/runtime/reference/example_programs.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

const std::vector<std::int32_t> prompt{3, 36, 0, 17, 17, 5, 22, 9, 30, 1};

std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

double largest_difference(std::span<const float> a, std::span<const float> b) {
  double largest = a.size() == b.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max<double>(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

TEST_CASE("prefill in chunks, prefill of every row and decode give the same logits") {
  const Program program = llama_program();
  ReferenceEngine whole(program, HostWeights::random(program, 5));
  const std::vector<float> last = copy(whole.prefill(prompt));
  CHECK(last.size() == 37);
  CHECK(whole.position() == 10);

  ReferenceEngine rows(program, HostWeights::random(program, 5));
  ReferenceEngine single(program, HostWeights::random(program, 5));
  std::size_t count = 0;
  rows.prefill_all(prompt, [&](std::span<const float> logits) {
    CHECK(largest_difference(logits, single.decode(prompt[count])) < 1e-6);
    ++count;
    if (count == prompt.size()) CHECK(largest_difference(logits, last) < 1e-6);
  });
  CHECK(count == prompt.size());
  CHECK(single.position() == 10);
}

TEST_CASE("after reset the engine starts over") {
  const Program program = llama_program();
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  const std::vector<float> first = copy(engine.prefill(prompt));
  CHECK(copy(engine.decode(4)) != first);
  engine.reset();
  CHECK(engine.position() == 0);
  CHECK(copy(engine.prefill(prompt)) == first);
}

TEST_CASE("generate draws what the sampler draws from each step's logits") {
  const Program program = gpt2_program();
  const Sampling sampling{0.8f, 20, 0.95f, 77};
  const std::vector<std::int32_t> start{4, 8, 15};
  ReferenceEngine engine(program, HostWeights::random(program, 2));
  std::vector<std::int32_t> seen;
  const Engine::Generation generation = engine.generate(start, 6, sampling, [&](std::int32_t token) {
    seen.push_back(token);
    return true;
  });
  CHECK(generation.tokens.size() == 6);
  CHECK(seen == generation.tokens);
  CHECK_FALSE(generation.stopped);
  CHECK_FALSE(generation.full);
  CHECK(engine.position() == 8);  // the last token drawn has not been appended

  ReferenceEngine other(program, HostWeights::random(program, 2));
  std::vector<float> logits = copy(other.prefill(start));
  for (std::uint32_t i = 0; i < 6; ++i) {
    CHECK(sample_token(logits, sampling_slot(sampling, {}), 3 + i) == static_cast<std::uint32_t>(generation.tokens[i]));
    logits = copy(other.decode(generation.tokens[i]));
  }
}

TEST_CASE("generate ends at a stop token, which it hands out") {
  Program program = gpt2_program();
  ReferenceEngine engine(program, HostWeights::random(program, 2));
  const std::vector<std::int32_t> start{4, 8, 15};
  const Engine::Generation all = engine.generate(start, 6, {}, nullptr);
  REQUIRE(all.tokens.size() == 6);
  const std::vector<std::uint32_t> stop{static_cast<std::uint32_t>(all.tokens[2])};
  program.eos_tokens = stop;
  engine.reset();
  const Engine::Generation stopped = engine.generate(start, 6, {}, nullptr);
  CHECK(stopped.stopped);
  CHECK_FALSE(stopped.full);
  const auto first = std::find(all.tokens.begin(), all.tokens.end(), all.tokens[2]);
  CHECK(stopped.tokens == std::vector<std::int32_t>(all.tokens.begin(), first + 1));
}

TEST_CASE("generate ends when the sequence is full, with one token more than was processed") {
  const Program program = gpt2_program();
  ReferenceEngine engine(program, HostWeights::random(program, 2));
  const Engine::Generation generation = engine.generate(std::vector<std::int32_t>{4, 8, 15}, 100, {}, nullptr);
  CHECK(generation.full);
  CHECK(engine.position() == program.max_sequence_length);
  CHECK(generation.tokens.size() == 16 - 3 + 1);
}

TEST_CASE("a stop token after the last position is a stop: the sequence is not said to be full") {
  Program program = gpt2_program();
  ReferenceEngine engine(program, HostWeights::random(program, 2));
  // Drawn at random, until the last token is none of those before it.
  Sampling sampling{2.0f, 0, 1, 0};
  const std::vector<std::int32_t> start{4, 8, 15};
  std::vector<std::int32_t> all;
  do {
    ++sampling.seed;
    engine.reset();
    all = engine.generate(start, 100, sampling, nullptr).tokens;
    REQUIRE(all.size() == 14);
  } while (std::find(all.begin(), all.end(), all.back()) != all.end() - 1);
  const std::vector<std::uint32_t> stop{static_cast<std::uint32_t>(all.back())};
  program.eos_tokens = stop;
  engine.reset();
  const Engine::Generation generation = engine.generate(start, 100, sampling, nullptr);
  CHECK(generation.tokens == all);
  CHECK(generation.stopped);
  CHECK_FALSE(generation.full);
  CHECK(engine.position() == program.max_sequence_length);
}

TEST_CASE("generate ends when the caller has had enough, and draws nothing for a count of 0") {
  const Program program = gpt2_program();
  ReferenceEngine engine(program, HostWeights::random(program, 2));
  CHECK(engine.generate(std::vector<std::int32_t>{4}, 10, {}, [](std::int32_t) { return false; }).tokens.size() == 1);
  CHECK(engine.generate(std::vector<std::int32_t>{4}, 0, {}, nullptr).tokens.empty());
  CHECK(engine.position() == 2);
}

TEST_CASE("what is refused leaves the sequence as it was") {
  const Program program = llama_program();
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  engine.prefill(prompt);
  const std::vector<std::int32_t> beyond(11, 1);
  CHECK_THROWS_AS(engine.prefill(beyond), Error);
  CHECK_THROWS_AS(engine.decode(37), Error);
  CHECK_THROWS_AS(engine.decode(-1), Error);
  CHECK_THROWS_AS(engine.generate(prompt, 1, {-1, 0, 1, 0}, nullptr), Error);
  CHECK(engine.position() == 10);
  engine.prefill(std::vector<std::int32_t>(10, 1));
  CHECK(engine.position() == 20);
}

TEST_CASE("hidden states cover every chunk of a prompt") {
  const Program program = llama_program();
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  const std::vector<std::vector<double>> states = engine.hidden_states(prompt);
  REQUIRE(states.size() == 2);
  CHECK(states[1].size() == prompt.size() * static_cast<std::size_t>(program.hidden_size));
  const HostWeights weights = HostWeights::random(program, 5);
  std::vector<std::vector<double>> expected;
  program.make_reference(weights)->layers(0, prompt, 0, 0, &expected);
  double largest = 0;
  for (std::size_t i = 0; i < states[1].size(); ++i)
    largest = std::max(largest, std::abs(states[1][i] - expected[1][i]));
  CHECK(largest < 1e-12);
}

TEST_CASE("slots are sequences of their own, and one wound back goes on as if what came after had never been") {
  const Program program = llama_program();
  ReferenceEngine alone(program, HostWeights::random(program, 5)), both(program, HostWeights::random(program, 5));
  const std::span<const std::int32_t> tokens(prompt);
  const std::vector<float> expected = copy(alone.prefill(tokens));
  both.prefill(tokens.first(4), 1);
  both.prefill(tokens.last(6), 0);
  CHECK(copy(both.prefill(tokens.subspan(4), 1)) == expected);
  CHECK(both.position(0) == 6);
  CHECK(both.position(1) == 10);
  both.decode(8, 1);
  CHECK(both.rewind(1, 99) == 11);
  CHECK(both.rewind(1, 4) == 4);
  both.decode(9, 1);
  both.rewind(1, 4);
  CHECK(copy(both.prefill(tokens.subspan(4), 1)) == expected);
  CHECK_THROWS_AS(both.prefill(tokens, 2), Error);
}

TEST_CASE("an engine tells the tokens in a slot's states, whatever ended the last call") {
  const Program program = llama_program();
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  const auto holds = [&](std::vector<std::int32_t> tokens, std::int64_t slot) {
    return std::ranges::equal(engine.sequence(slot), tokens) &&
           engine.position(slot) == static_cast<std::int64_t>(tokens.size());
  };
  CHECK(holds({}, 1));
  engine.prefill(prompt, 1);
  CHECK(holds(prompt, 1));
  CHECK(holds({}, 0));
  CHECK_THROWS_AS(engine.prefill(std::vector<std::int32_t>(11, 1), 1), Error);
  CHECK(holds(prompt, 1));
  engine.rewind(1, 3);
  engine.decode(8, 1);
  CHECK(holds({3, 36, 0, 8}, 1));

  // A step leaves out the last token drawn, and so does a generation whose reader has had enough.
  const Run run{0, std::span(prompt).first(4), Logits::none, true};
  const Drawn drawn = engine.step({&run, 1}, 4).front();
  std::vector<std::int32_t> expected(prompt.begin(), prompt.begin() + 4);
  expected.insert(expected.end(), drawn.tokens.begin(), drawn.tokens.end() - 1);
  CHECK(holds(expected, 0));
  engine.reset();
  std::size_t seen = 0;
  const auto enough = [&](std::int32_t) { return ++seen < 3; };
  CHECK(engine.generate(std::span(prompt).first(4), 9, {}, enough).tokens.size() == 3);
  CHECK(holds({expected.begin(), expected.begin() + 6}, 0));

  engine.reset();
  engine.watch_prompts([](std::int64_t done, std::int64_t) {
    if (done == 8) throw 1;
  });
  CHECK_THROWS(engine.generate(prompt, 3, {}, nullptr));
  CHECK(holds({prompt.begin(), prompt.begin() + 8}, 0));
  CHECK_THROWS_AS(engine.sequence(2), Error);
}

namespace {

/// After token 13 no logit is a number; after any other the likeliest is the next one.
class Unlucky final : public Reference {
 public:
  std::vector<double> layers(std::int64_t, std::span<const std::int32_t> tokens, std::int64_t, std::int64_t,
                             std::vector<std::vector<double>>*, std::span<const std::int32_t> = {}) override {
    return {tokens.begin(), tokens.end()};
  }
  std::vector<double> head(std::span<const double> hidden, std::span<const std::int64_t> rows) override {
    std::vector<double> logits(static_cast<std::size_t>(llama_program().vocab_size));
    const double token = hidden[static_cast<std::size_t>(rows.front())];
    logits[static_cast<std::size_t>(token) + 1] = token == 13 ? std::nan("") : 9;
    return logits;
  }
};

}  // namespace

TEST_CASE("in the reference, too, a slot whose logits are no numbers ends alone") {
  Program program = llama_program();
  program.make_reference = [](const HostWeights&) -> std::unique_ptr<Reference> { return std::make_unique<Unlucky>(); };
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  const std::int32_t eleven = 11, two = 2, thirteen = 13;
  const Run runs[] = {{0, {&eleven, 1}, Logits::none, true}, {1, {&two, 1}, Logits::none, true}};
  const auto drawn = engine.step(runs, 4);
  REQUIRE(drawn.size() == 2);
  CHECK(drawn[0].wrong);
  CHECK(std::ranges::equal(drawn[0].tokens, std::vector{12, 13}));
  CHECK(std::ranges::equal(engine.sequence(0), std::vector{11, 12, 13}));
  CHECK_FALSE(drawn[1].wrong);
  CHECK(std::ranges::equal(drawn[1].tokens, std::vector{3, 4, 5, 6}));
  engine.reset();
  CHECK_THROWS_AS(engine.prefill({&thirteen, 1}), Error);
  CHECK_THROWS_AS(engine.decode(13), Error);
}

TEST_CASE("a text that is one pass is appended whole, once, and nothing is drawn after it") {
  Program program = llama_program();
  program.one_pass = true;
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  const std::vector<std::int32_t> text(static_cast<std::size_t>(program.prefill_chunk), 3);
  CHECK(engine.prefill(text).size() == 37);
  CHECK_THROWS_WITH_AS(engine.decode(1), doctest::Contains("reset it"), Error);
  CHECK_THROWS_WITH_AS(engine.prefill(text), doctest::Contains("reset it"), Error);
  engine.reset();
  CHECK_THROWS_WITH_AS(engine.generate(text, 1, {}, nullptr), doctest::Contains("no next token"), Error);
  const Run drawing{0, text, Logits::last, true};
  CHECK_THROWS_WITH_AS(engine.step({&drawing, 1}), doctest::Contains("no next token"), Error);
  CHECK_THROWS_WITH_AS(engine.prefill(prompt), doctest::Contains("engine.prefill_chunk is 4"), Error);
  CHECK(engine.position() == 0);
  CHECK(engine.prefill(text).size() == 37);
}
