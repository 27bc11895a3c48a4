// Draws that the device leaves to the host: from its logits, pass by pass, against the toy in double with the formulas
// written out once more.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "tests/runtime/vulkan/toy_engine.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

using Tokens = std::vector<std::int32_t>;

struct Expected {
  Tokens tokens;
  std::vector<double> log_probabilities;
};

Expected expected_draws(const Tokens& prompt, std::size_t count) {
  const Sampling sampling = penalizing();
  const HostWeights weights = HostWeights::random(toy_program(), seed);
  ToyReference reference(weights);
  std::vector<double> logits;
  for (const std::int32_t token : prompt) logits = reference.append(token);
  Expected expected;
  Tokens sequence = prompt;
  while (true) {
    std::vector<double> changed = logits;
    for (std::int32_t id = 0; id < toy_vocab_size; ++id) {
      double& logit = changed[static_cast<std::size_t>(id)];
      if (std::count(sequence.begin(), sequence.end(), id) > 0) {
        logit *= logit > 0 ? 1 / sampling.repetition_penalty : sampling.repetition_penalty;
      }
      const auto times = std::count(expected.tokens.begin(), expected.tokens.end(), id);
      if (times > 0) logit -= sampling.presence_penalty + static_cast<double>(times) * sampling.frequency_penalty;
    }
    const std::int32_t token = likeliest(changed);
    const double sum = std::accumulate(logits.begin(), logits.end(), 0.0,
                                       [](double total, double logit) { return total + std::exp(logit); });
    expected.tokens.push_back(token);
    expected.log_probabilities.push_back(logits[static_cast<std::size_t>(token)] - std::log(sum));
    if (expected.tokens.size() == count) return expected;
    sequence.push_back(token);
    logits = reference.append(token);
  }
}

Tokens copy(std::span<const std::int32_t> tokens) { return {tokens.begin(), tokens.end()}; }

}  // namespace

TEST_CASE("penalties and log-probabilities are the reference's, however many passes a call runs ahead") {
  const auto engine = load(toy_program());
  const auto prompt = some_tokens(17);
  const Expected expected = expected_draws(prompt, 24);
  CHECK(expected.tokens != expected_tokens(prompt, 24));
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second knows how long a step takes, and runs ahead
    engine->reset();
    const auto result = engine->generate(prompt, 24, penalizing(), nullptr);
    CHECK(result.tokens == expected.tokens);
    REQUIRE(result.log_probabilities.size() == 24);
    for (std::size_t i = 0; i < 24; ++i) {
      CHECK(result.log_probabilities[i] == doctest::Approx(expected.log_probabilities[i]).epsilon(1e-4));
    }
    CHECK(engine->position() == 17 + 23);
  }
  engine->reset();
  CHECK(engine->generate(prompt, 3, {}, nullptr).log_probabilities.empty());
}

TEST_CASE(
    "slots that draw on the host and slots that draw on the device share a step; logits shown are the model's own") {
  const auto engine = load(toy_program());
  const HostWeights weights = HostWeights::random(toy_program(), seed);
  const auto tokens = some_tokens(12);
  engine->set_sampling(0, {}, toy_max_sequence_length);
  engine->set_sampling(1, penalizing(), 5);  // its last token has position 5
  engine->set_sampling(2, penalizing(), toy_max_sequence_length);
  const Run runs[] = {{2, std::span(tokens).first(7), Logits::all, true},
                      {0, std::span(tokens).first(4), Logits::none, true},
                      {1, std::span(tokens).first(3), Logits::none, true}};
  std::int64_t seen = 0;
  ToyReference reference(weights);
  const auto drawn = engine->step(runs, 6, [&](std::size_t run, std::int64_t token, std::span<const float> logits) {
    CHECK(run == 0);
    CHECK(token == seen++);
    CHECK(difference(logits, reference.append(tokens[static_cast<std::size_t>(token)])) < 1e-5);
  });
  CHECK(seen == 7);
  REQUIRE(drawn.size() == 3);
  CHECK(drawn[0].slot == 2);
  CHECK(copy(drawn[0].tokens) == expected_draws(copy(runs[0].tokens), 6).tokens);
  CHECK(drawn[0].log_probabilities.size() == 6);
  CHECK(drawn[1].slot == 0);
  CHECK(copy(drawn[1].tokens) == expected_tokens(runs[1].tokens, 6));
  CHECK(drawn[1].log_probabilities.empty());
  CHECK(drawn[2].slot == 1);
  CHECK(copy(drawn[2].tokens) == expected_draws(copy(runs[2].tokens), 3).tokens);
  CHECK(engine->position(1) == 5);
}

TEST_CASE("a stop token ends draws on the host") {
  const auto prompt = some_tokens(9);
  const Tokens expected = expected_draws(prompt, 6).tokens;
  const auto first = std::find(expected.begin(), expected.end(), expected[3]);
  const auto result = load(toy_program(expected[3]))->generate(prompt, 6, penalizing(), nullptr);
  CHECK(result.stopped);
  CHECK(result.tokens == Tokens(expected.begin(), first + 1));
}

TEST_CASE("draws count since the settings were made, and no more once they are gone back over") {
  const auto engine = load(toy_program());
  const auto prompt = some_tokens(9);
  // The likeliest takes turns with others: each draw shows how often each token was drawn.
  Sampling sampling;
  sampling.frequency_penalty = 0.3f;
  const auto step = [&](std::span<const std::int32_t> tokens, std::int64_t ahead) {
    const Run run{0, tokens, Logits::none, true};
    return copy(engine->step({&run, 1}, ahead).front().tokens);
  };
  engine->set_sampling(0, sampling, toy_max_sequence_length);
  const Tokens expected = step(prompt, 12);
  // As a reader does who took the first of them.
  for (std::size_t taken = 1; taken < 12; ++taken) {
    CAPTURE(taken);
    engine->rewind(0, static_cast<std::int64_t>(prompt.size() + taken - 1));
    const auto rest = std::span(expected).subspan(taken);
    CHECK(step(std::span(expected).subspan(taken - 1, 1), static_cast<std::int64_t>(rest.size())) == copy(rest));
  }
  engine->reset();
  CHECK(step(prompt, 12) == expected);
  engine->set_sampling(0, sampling, toy_max_sequence_length);
  const Tokens more = step(std::span(expected).last(1), 12);
  engine->reset();
  engine->prefill(prompt);
  engine->prefill(std::span(expected).first(11));
  engine->set_sampling(0, sampling, toy_max_sequence_length);
  CHECK(step(std::span(expected).last(1), 12) == more);
}
