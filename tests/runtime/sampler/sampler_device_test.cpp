// The kernel and the host's sampler draw the same token, bit for bit: every driver at hand, several workgroup sizes,
// odd vocabularies, ties, infinities and NaN.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "runtime/sampler.hpp"
#include "tests/support/compute.hpp"
#include "tests/support/glsl.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

/// The host's twin of the kernel's state.
struct SequenceState {
  std::uint32_t position, seq_len, logits_row, stop_position, done, generated;
  float inverse_temperature;
  std::uint32_t top_k, top_p, seed_low, seed_high, eos_count, eos_tokens[max_eos_tokens];
};

constexpr std::size_t generated_capacity = 8;

std::vector<std::uint32_t> sample_kernel(std::size_t vocab_size, const std::string& main = "sample_step();") {
  return compile_glsl(R"(#version 450
layout(constant_id = 0) const uint workgroup_size = 128;
layout(local_size_x_id = 0) in;
const uint vocab_size = )" +
                      std::to_string(vocab_size) +
                      R"(;
struct SequenceState {
  uint position, seq_len, logits_row, stop_position, done, generated;
  float inverse_temperature;
  uint top_k, top_p, seed_low, seed_high, eos_count, eos_tokens[8];
};
layout(binding = 0) buffer State { SequenceState state; };
layout(binding = 1) readonly buffer Logits { float logits[]; };
layout(binding = 2) buffer TokenIds { uint token_ids[]; };
layout(binding = 3) writeonly buffer Generated { uint generated[]; };
#include "sample.glsl"
void main() { )" + main +
                      " }\n");
}

/// One vocabulary, one device, one workgroup size.
class DeviceSampler {
 public:
  DeviceSampler(const ComputeDevice& device, const std::vector<std::uint32_t>& spirv, std::uint32_t workgroup_size,
                std::size_t vocab_size)
      : kernel_(device, spirv, {{0, workgroup_size}},
                {sizeof(SequenceState), vocab_size * 4, 4, generated_capacity * 4}) {}

  void set_logits(const std::vector<float>& logits) { kernel_.write<float>(1, logits); }

  SequenceState step(SequenceState state) {
    kernel_.write<SequenceState>(0, {&state, 1});
    kernel_.run(1);
    kernel_.read<SequenceState>(0, {&state, 1});
    return state;
  }
  std::uint32_t token() {
    std::uint32_t token = 0;
    kernel_.read<std::uint32_t>(2, {&token, 1});
    return token;
  }
  std::vector<std::uint32_t> generated() {
    std::vector<std::uint32_t> tokens(generated_capacity);
    kernel_.read<std::uint32_t>(3, tokens);
    return tokens;
  }

 private:
  ComputeKernel kernel_;
};

SequenceState state_of(const SequenceRequest& request, std::uint32_t position) {
  SequenceState state{};
  state.position = position;
  state.seq_len = 1;
  state.stop_position = 1u << 30;
  state.inverse_temperature = request.inverse_temperature;
  state.top_k = request.top_k;
  state.top_p = request.top_p;
  state.seed_low = static_cast<std::uint32_t>(request.seed);
  state.seed_high = static_cast<std::uint32_t>(request.seed >> 32);
  state.eos_count = request.eos_count;
  for (std::size_t i = 0; i < max_eos_tokens; ++i) state.eos_tokens[i] = request.eos_tokens[i];
  return state;
}

/// Logits of one of several kinds: plain, many ties, steep, with infinities and NaN, flat, subnormal, all the same.
std::vector<float> make_logits(std::size_t vocab_size, int kind, std::mt19937_64& generator) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::normal_distribution<float> normal;
  std::vector<float> logits(vocab_size);
  for (float& logit : logits) {
    const float value = normal(generator);
    switch (kind) {
      case 0:
        logit = 2 * value;
        break;
      case 1:
        logit = std::round(2 * value);
        break;
      case 2:
        logit = 30 * value;
        break;
      case 3:
        logit = value > 1.5f ? std::nanf("") : value < -1 ? -infinity : 3 * value;
        break;
      case 4:
        logit = 1e-3f * value;
        break;
      case 5:
        logit = 1e-39f * value;
        break;
      default:
        logit = 1.25f;
        break;
    }
  }
  if (kind == 3 && generator() % 4 == 0) logits[generator() % vocab_size] = infinity;
  return logits;
}
constexpr int kinds = 7;

const std::vector<Sampling>& settings() {
  static const std::vector<Sampling> all = [] {
    std::vector<Sampling> made{{0, 0, 1, 0}};
    for (const float temperature : {0.3f, 1.0f, 2.5f}) {
      for (const std::uint32_t top_k : {0u, 1u, 40u}) {
        for (const float top_p : {0.1f, 0.9f, 1.0f}) made.push_back({temperature, top_k, top_p, 0});
      }
    }
    return made;
  }();
  return all;
}

/// `rounds` sets of logits of every kind, each with every setting; counts of the draws and of the disagreements.
void compare(std::size_t vocab_size, int rounds) {
  const std::vector<std::uint32_t> spirv = sample_kernel(vocab_size);
  const std::uint64_t seed = 1000 + vocab_size;
  for (const auto& device : compute_devices()) {
    for (const std::uint32_t workgroup_size : {64u, 96u, 128u, 256u}) {
      if (workgroup_size > device->limits.maxComputeWorkGroupInvocations) continue;
      if (workgroup_size == 96 && vocab_size > 3000) continue;  // no power of two: once is enough
      std::mt19937_64 generator(seed);
      DeviceSampler sampler(*device, spirv, workgroup_size, vocab_size);
      int wrong = 0;
      std::string first_wrong;
      for (int i = 0; i < rounds * kinds; ++i) {
        const std::vector<float> logits = make_logits(vocab_size, i % kinds, generator);
        sampler.set_logits(logits);
        // Of a large vocabulary a few settings each time, else all.
        for (std::size_t s = 0; s < settings().size(); ++s) {
          if (vocab_size > 3000 && generator() % 8 != 0) continue;
          Sampling sampling = settings()[s];
          sampling.seed = generator();
          const SequenceRequest request = sampling_request(sampling, {});
          const auto position = static_cast<std::uint32_t>(generator() % 5000);
          sampler.step(state_of(request, position));
          const std::uint32_t expected = sample_token(logits, request, position + 1);
          if (sampler.token() != expected && wrong++ == 0) {
            first_wrong = "logits of kind " + std::to_string(i % kinds) + ", setting " + std::to_string(s) +
                          ": device " + std::to_string(sampler.token()) + ", host " + std::to_string(expected);
          }
        }
      }
      INFO(device->name, ", workgroup ", workgroup_size, ", vocabulary ", vocab_size, ", seed ", seed, ": ",
           first_wrong);
      CHECK(wrong == 0);
    }
  }
}

}  // namespace

TEST_CASE("device and host draw the same tokens from small vocabularies") {
  for (const std::size_t vocab_size : {1, 2, 97, 255, 256, 257}) compare(vocab_size, 2);
}

TEST_CASE("device and host draw the same tokens from a vocabulary of 2048") { compare(2048, 3); }

TEST_CASE("device and host draw the same tokens from GPT-2's vocabulary") { compare(50257, 2); }

TEST_CASE("device and host draw the same tokens from a vocabulary of 262144") { compare(262144, 1); }

TEST_CASE("keys, masses and random bits have the same bits on device and host") {
  std::mt19937_64 generator(9);
  std::vector<float> arguments{0.0f, -0.0f, -1e-45f, -1e-38f, -1e-9f, -17.0f, -18.0f, -18.1f, -1e30f, 3e38f};
  arguments.push_back(-std::numeric_limits<float>::infinity());
  arguments.push_back(std::nanf(""));
  while (arguments.size() < 65536) {
    arguments.push_back(-std::ldexp(static_cast<float>(generator() >> 40), -20 - static_cast<int>(generator() % 24)));
  }
  const std::size_t count = arguments.size();
  // The logits are the masses' arguments; `generated` has the three results side by side.
  const std::vector<std::uint32_t> spirv = sample_kernel(count, R"(
  const uint i = gl_GlobalInvocationID.x;
  generated[3 * i] = mass_below(logits[i], state.inverse_temperature);
  generated[3 * i + 1] = order_key(logits[i]);
  generated[3 * i + 2] = random_bits(state.seed_low, state.seed_high, i);
)");
  for (const auto& device : compute_devices()) {
    for (const float temperature : {1.0f, 0.7f, 3.0f}) {
      ComputeKernel kernel(*device, spirv, {{0, 64}}, {sizeof(SequenceState), count * 4, 4, count * 12});
      const SequenceRequest request = sampling_request({temperature, 0, 1, 0x123456789abcdef0u}, {});
      const SequenceState state = state_of(request, 0);
      kernel.write<SequenceState>(0, {&state, 1});
      kernel.write<float>(1, arguments);
      kernel.run(static_cast<std::uint32_t>(count / 64));
      std::vector<std::uint32_t> results(count * 3);
      kernel.read<std::uint32_t>(3, results);
      std::size_t wrong = 0, first_wrong = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const bool same = results[3 * i] == sampling::mass(arguments[i], request.inverse_temperature) &&
                          results[3 * i + 1] == sampling::order_key(arguments[i]) &&
                          results[3 * i + 2] == sampling::random_bits(request.seed, static_cast<std::uint32_t>(i));
        if (!same && wrong++ == 0) first_wrong = i;
      }
      INFO(device->name, ", temperature ", temperature, ": first of ", arguments[first_wrong]);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("device and host agree where top-p's share is reached exactly") {
  std::vector<float> logits(8);
  for (std::size_t id = 0; id < logits.size(); ++id) logits[id] = -1e-12f * static_cast<float>(id);
  const std::vector<std::uint32_t> spirv = sample_kernel(logits.size());
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    DeviceSampler sampler(*device, spirv, 64, logits.size());
    sampler.set_logits(logits);
    for (std::uint32_t position = 0; position < 200; ++position) {
      const SequenceRequest request = sampling_request({1, 0, 0.125f * static_cast<float>(1 + position % 8), 4}, {});
      sampler.step(state_of(request, position));
      CHECK(sampler.token() == sample_token(logits, request, position + 1));
    }
  }
}

TEST_CASE("a step makes the drawn token the next call's only one") {
  const std::vector<std::uint32_t> spirv = sample_kernel(8);
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    DeviceSampler sampler(*device, spirv, 64, 8);
    sampler.set_logits({0, 0, 0, 0, 0, 9, 0, 0});
    SequenceState state = state_of(sampling_request({}, {}), 10);
    state.seq_len = 3;
    state.logits_row = 2;
    state.generated = 4;
    state = sampler.step(state);
    CHECK(sampler.token() == 5);
    CHECK(sampler.generated()[4] == 5);
    CHECK(state.position == 13);
    CHECK(state.seq_len == 1);
    CHECK(state.logits_row == 0);
    CHECK(state.generated == 5);
    CHECK(state.done == 0);
    state = sampler.step(state);
    CHECK(state.position == 14);
    CHECK(sampler.generated()[5] == 5);
  }
}

TEST_CASE("a step is done at a stop token and where the sequence has no room for the token drawn") {
  const std::vector<std::uint32_t> spirv = sample_kernel(8);
  const std::vector<std::uint32_t> stop_tokens{2, 5};
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    DeviceSampler sampler(*device, spirv, 64, 8);
    sampler.set_logits({0, 0, 0, 0, 0, 9, 0, 0});
    CHECK(sampler.step(state_of(sampling_request({}, stop_tokens), 10)).done == 1);
    CHECK(sampler.step(state_of(sampling_request({}, std::vector<std::uint32_t>{2}), 10)).done == 0);
    SequenceState state = state_of(sampling_request({}, {}), 10);
    state.stop_position = 12;  // position 11 is drawn, and may still be filled
    CHECK(sampler.step(state).done == 0);
    state.stop_position = 11;
    CHECK(sampler.step(state).done == 1);
  }
}

TEST_CASE("a sequence that is done stays as it is") {
  const std::vector<std::uint32_t> spirv = sample_kernel(8);
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    DeviceSampler sampler(*device, spirv, 64, 8);
    sampler.set_logits({0, 0, 0, 0, 0, 9, 0, 0});
    SequenceState state = state_of(sampling_request({}, {}), 10);
    state.done = 1;
    const SequenceState after = sampler.step(state);
    CHECK(after.position == 10);
    CHECK(after.generated == 0);
    CHECK(sampler.token() == 0);
    CHECK(sampler.generated()[0] == 0);
  }
}
