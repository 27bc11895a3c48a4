// Requests of unequal lengths and settings, and what a batch makes of them against each alone.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "runtime/engine/batch.hpp"

namespace monomorph::test {

/// Of `count` requests every fourth is drawn as penalties have it, with log-probabilities, every third at random; some
/// fill their sequences, some draw nothing, some begin alike. Where the program answers, sources are of unequal
/// lengths, and every third request has that of the one before.
inline std::vector<BatchRequest> unequal_requests(const Program& program, std::size_t count) {
  std::mt19937 random(11);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  std::vector<BatchRequest> requests(count);
  for (std::size_t i = 0; i < count; ++i) {
    BatchRequest& request = requests[i];
    const std::int64_t longest = program.max_sequence_length * 3 / 4;
    const std::int64_t length = 1 + below(longest);
    for (std::int64_t t = 0; t < length; ++t) {
      request.prompt.push_back(static_cast<std::int32_t>(i % 5 == 4 && t < 6 ? t : below(program.vocab_size)));
    }
    for (std::int64_t t = program.max_source_length > 0 ? below(program.max_source_length) : -1; t >= 0; --t) {
      request.source.push_back(static_cast<std::int32_t>(below(program.vocab_size)));
    }
    if (i % 3 == 1) request.source = requests[i - 1].source;
    request.count = i % 10 == 9 ? 0 : i % 9 == 8 ? program.max_sequence_length : below(program.max_sequence_length / 2);
    if (i % 3 == 2) request.sampling = {.temperature = 1.5f, .top_k = 20, .seed = i};
    if (i % 4 == 3) {
      request.sampling.repetition_penalty = 1.25f;
      request.sampling.frequency_penalty = 0.25f;
      request.sampling.log_probabilities = true;
    }
  }
  return requests;
}

/// Empties slot 0 for a request, and gives it what is answered to.
inline void begin(Engine& engine, const BatchRequest& request) {
  engine.reset();
  if (!request.source.empty()) engine.encode(request.source);
}

/// The token that these draw most often at first: as a stop token it ends some of them.
inline std::int32_t most_drawn(Engine& engine, const std::vector<BatchRequest>& requests) {
  std::map<std::int32_t, int> counts;
  for (const BatchRequest& request : requests) {
    begin(engine, request);
    for (const auto token : engine.generate(request.prompt, 4, request.sampling, nullptr).tokens) ++counts[token];
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::max_element(counts.begin(), counts.end(), fewer)->first;
}

/// Runs all of them over `engine`; each must end as it does alone in a slot of `alone`, which may be the same engine.
inline void check_as_alone(Engine& engine, Engine& alone, const std::vector<BatchRequest>& requests) {
  std::vector<BatchResult> results(requests.size());
  std::vector<std::vector<std::int32_t>> seen(requests.size());
  std::vector<int> finished(requests.size());
  {
    Batch batch(engine);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      BatchRequest request = requests[i];
      request.token = [&, i](std::int32_t token) { return seen[i].push_back(token), true; };
      request.finished = [&, i](const BatchResult& result) {
        results[i] = result;
        ++finished[i];
      };
      batch.add(std::move(request));
    }
    batch.run();
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    CAPTURE(i);
    const BatchRequest& request = requests[i];
    begin(alone, request);
    const Engine::Generation expected = alone.generate(request.prompt, request.count, request.sampling, nullptr);
    const Engine::Generation& got = results[i].generation;
    CHECK(finished[i] == 1);
    CHECK_FALSE(results[i].error);
    CHECK(got.tokens == expected.tokens);
    CHECK(seen[i] == expected.tokens);
    CHECK(got.stopped == expected.stopped);
    CHECK(got.full == expected.full);
    REQUIRE(got.log_probabilities.size() == expected.log_probabilities.size());
    for (std::size_t t = 0; t < got.log_probabilities.size(); ++t) {
      CHECK(got.log_probabilities[t] == doctest::Approx(expected.log_probabilities[t]).epsilon(1e-5));
    }
  }
  // The requests are worth the name.
  const auto ended = [&](auto&& how) {
    return std::any_of(results.begin(), results.end(),
                       [&](const BatchResult& result) { return how(result.generation); });
  };
  CHECK(ended([](const Engine::Generation& each) { return each.full; }));
  CHECK(ended([](const Engine::Generation& each) { return each.stopped; }));
  CHECK(ended([](const Engine::Generation& each) { return each.tokens.empty(); }));
}

}  // namespace monomorph::test
