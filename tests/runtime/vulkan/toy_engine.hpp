// The toy as an engine, and what it is held against.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

#include "runtime/load/load.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"
#include "tests/support/safetensors_writer.hpp"
#include "tests/support/vulkan_devices.hpp"

namespace monomorph::test {
inline constexpr std::uint64_t seed = 20240607;

inline void need_device() {
  try {
    if (tests::has_vulkan_device()) return;
    std::fputs("no Vulkan device: skipped\n", stderr);
  } catch (const Error& error) {  // validation is asked for and not installed
    std::fprintf(stderr, "%s: skipped\n", error.what());
  }
  std::exit(77);
}

inline std::unique_ptr<Engine> load(const Program& program, LoadOptions options = {}) {
  need_device();
  options.random_weights = true;
  options.random_seed = seed;
  return load_engine(program, options);
}

inline std::vector<std::int32_t> some_tokens(std::size_t count) {
  std::mt19937 generator(7);
  std::vector<std::int32_t> tokens;
  for (std::size_t i = 0; i < count; ++i) tokens.push_back(static_cast<std::int32_t>(generator() % toy_vocab_size));
  return tokens;
}

/// Relative L2 of the difference.
template <class Expected>
double difference(std::span<const float> got, const Expected& expected) {
  REQUIRE(got.size() == expected.size());
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += (got[i] - expected[i]) * (got[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return std::sqrt(error / norm);
}

inline std::vector<std::int32_t> expected_tokens(std::span<const std::int32_t> prompt, std::size_t count) {
  const Program& program = toy_program();
  const HostWeights weights = HostWeights::random(program, seed);
  ToyReference reference(weights);
  std::vector<double> logits;
  for (const std::int32_t token : prompt) logits = reference.append(token);
  std::vector<std::int32_t> tokens{likeliest(logits)};
  while (tokens.size() < count) tokens.push_back(likeliest(reference.append(tokens.back())));
  return tokens;
}

/// A checkpoint of the toy whose logits overflow once token 7 is in the sequence: the logit of 7 is a square then.
inline std::string overflowing_checkpoint() {
  std::vector<float> table;
  for (std::int64_t i = 0; i < toy_vocab_size * toy_hidden_size; ++i) {
    table.push_back(i / toy_hidden_size == 7 ? 3e25f : 0.01f * static_cast<float>(i % 29 - 14));
  }
  std::vector<tests::TensorText> tensors = {
      {"embed.weight", "F32", {toy_vocab_size, toy_hidden_size}, tests::bytes_of(table)}};
  std::vector<float> identity(static_cast<std::size_t>(toy_hidden_size * toy_hidden_size));
  for (std::int64_t i = 0; i < toy_hidden_size; ++i) identity[static_cast<std::size_t>(i * (toy_hidden_size + 1))] = 1;
  for (const std::string layer : {"layers.0.", "layers.1."}) {
    tensors.push_back({layer + "project.weight", "F32", {toy_hidden_size, toy_hidden_size}, tests::bytes_of(identity)});
    tensors.push_back({layer + "project.bias", "BF16", {toy_hidden_size}, ""});
  }
  return tests::safetensors(tensors);
}

/// The likeliest token, under every penalty, with log-probabilities.
inline Sampling penalizing() {
  Sampling sampling;
  sampling.repetition_penalty = 1.25f;
  sampling.presence_penalty = 0.5f;
  sampling.frequency_penalty = 0.25f;
  sampling.log_probabilities = true;
  return sampling;
}

inline std::vector<float> all_logits(Engine& engine, std::span<const std::int32_t> tokens) {
  std::vector<float> all;
  engine.prefill_all(tokens, [&](std::span<const float> row) { all.insert(all.end(), row.begin(), row.end()); });
  const auto next = engine.decode(3);
  all.insert(all.end(), next.begin(), next.end());
  return all;
}

}  // namespace monomorph::test
