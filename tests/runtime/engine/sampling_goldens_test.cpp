// The host's draws against an independent implementation in double precision: make_sampling_goldens.py.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/engine/penalties.hpp"
#include "runtime/engine/sampler.hpp"

using namespace monomorph;

TEST_CASE("penalties, min-p with top-k and top-p, and log-probabilities are those of the goldens") {
  std::ifstream file(MONOMORPH_SOURCE_DIR "/tests/runtime/engine/sampling.json");
  const auto goldens = nlohmann::json::parse(file);
  CHECK(goldens.size() == 48);
  for (std::size_t g = 0; g < goldens.size(); ++g) {
    CAPTURE(g);
    const nlohmann::json& golden = goldens[g];
    Sampling sampling;
    sampling.temperature = golden["temperature"];
    sampling.top_k = golden["top_k"];
    sampling.top_p = golden["top_p"];
    sampling.min_p = golden["min_p"];
    sampling.repetition_penalty = golden["repetition_penalty"];
    sampling.presence_penalty = golden["presence_penalty"];
    sampling.frequency_penalty = golden["frequency_penalty"];
    sampling.seed = golden["seed"];
    const std::vector<float> logits = golden["logits"];
    const std::vector<std::int32_t> sequence = golden["sequence"], tokens = golden["tokens"];
    std::map<std::int64_t, std::int32_t> drawn;
    for (const std::int32_t token : golden["drawn"]) drawn[static_cast<std::int64_t>(drawn.size())] = token;

    std::vector<float> penalized = logits;
    penalize(sampling, sequence, drawn, penalized);
    for (std::size_t id = 0; id < logits.size(); ++id) {
      CHECK(penalized[id] == doctest::Approx(golden["penalized"][id].get<double>()).epsilon(1e-6));
    }
    const StepSlot slot = sampling_slot(sampling, {});
    for (std::uint32_t position = 0; position < tokens.size(); ++position) {
      CAPTURE(position);
      CHECK(sample_token(penalized, slot, position) == static_cast<std::uint32_t>(tokens[position]));
      CHECK(log_probability(logits, tokens[position]) ==
            doctest::Approx(golden["log_probabilities"][position].get<double>()).epsilon(1e-6));
    }
  }
}

TEST_CASE("log-probabilities do not overflow, and of all tokens add up to one") {
  const std::vector<float> logits{1000, 999, -1000, 998.5f};
  double sum = 0;
  for (std::int32_t token = 0; token < 4; ++token) sum += std::exp(log_probability(logits, token));
  CHECK(sum == doctest::Approx(1).epsilon(1e-6));
  CHECK(log_probability(logits, 2) < -1999);
}

TEST_CASE("only penalties and log-probabilities keep draws from the device") {
  Sampling sampling{0.7f, 40, 0.9f, 3};
  sampling.min_p = 0.1f;
  CHECK_FALSE(drawn_on_host(sampling));
  for (float Sampling::* const penalty : {&Sampling::presence_penalty, &Sampling::frequency_penalty}) {
    Sampling changed = sampling;
    changed.*penalty = -0.5f;
    CHECK(drawn_on_host(changed));
  }
  Sampling repetition = sampling, asking = sampling;
  repetition.repetition_penalty = 1.1f;
  asking.log_probabilities = true;
  CHECK(drawn_on_host(repetition));
  CHECK(drawn_on_host(asking));
}
