// The kernel and the host's sampler draw the same token, bit for bit: every driver at hand, several workgroup sizes,
// odd vocabularies, ties, infinities and NaN.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runtime/engine/sampler.hpp"
#include "runtime/engine/validate.hpp"
#include "tests/support/compute.hpp"
#include "tests/support/glsl.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

/// Three slots, of which up to three draw at once.
constexpr std::size_t slots = 3, steps = 8;
using Step = StepBlock<slots, steps, slots, slots>;

/// Workgroups of the scan: few enough that one has several tokens a lane, so many that the last is cut.
std::uint32_t parts_of(std::size_t vocab_size) { return vocab_size < 5 ? 1 : 5; }

std::vector<std::uint32_t> sampling_kernel(std::size_t vocab_size, const std::string& body) {
  return compile_glsl(R"(#version 450
#extension GL_GOOGLE_include_directive : require
const uint max_batch = 3, decode_steps = 8, max_head_rows = 3, max_tokens = 3;
const uint vocab_size = )" +
                      std::to_string(vocab_size) +
                      ", logits_stride = vocab_size + 3, parts = " + std::to_string(parts_of(vocab_size)) + R"(;
#include "dispatch.glsl"
#include "step.glsl"
layout(binding = 0) buffer Step { StepBlock pass; };
layout(binding = 1) readonly buffer Logits { float logits[]; };
layout(binding = 2) buffer Parts { uvec4 likeliest[]; };
layout(binding = 3) writeonly buffer Results { uint results[]; };
#include "sample_keys.glsl"
)" + body);
}

struct SamplingKernels {
  explicit SamplingKernels(std::size_t vocab_size)
      : scan(sampling_kernel(vocab_size, "#include \"sample_scan.glsl\"\n")),
        sample(sampling_kernel(vocab_size, "#include \"sample.glsl\"\n")) {}
  std::vector<std::uint32_t> scan, sample;
};

/// One vocabulary, one device, one workgroup size: the scan, then the draw.
class DeviceSampler {
 public:
  DeviceSampler(const ComputeDevice& device, const SamplingKernels& kernels, std::uint32_t workgroup_size,
                std::size_t vocab_size)
      : vocab_size_(vocab_size),
        parts_(parts_of(vocab_size)),
        scan_(device, kernels.scan, {{0, workgroup_size}}, buffer_bytes(vocab_size)),
        sample_(device, kernels.sample, {{0, workgroup_size}}, buffer_bytes(vocab_size)) {}

  /// What each draw reads: a row of logits.
  void set_logits(const std::vector<std::vector<float>>& rows) {
    std::vector<float> values(slots * (vocab_size_ + 3), std::numeric_limits<float>::max());  // never to be read
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::copy(rows[row].begin(), rows[row].end(),
                values.begin() + static_cast<std::ptrdiff_t>(row * (vocab_size_ + 3)));
    }
    scan_.write<float>(1, values);
    sample_.write<float>(1, values);
  }

  Step run(Step step) {
    scan_.write<Step>(0, {&step, 1});
    scan_.run(parts_, slots, std::vector<std::uint32_t>{0, parts_});  // as it is recorded: as many as may draw
    std::vector<std::uint32_t> likeliest(slots * parts_ * 4);
    scan_.read<std::uint32_t>(2, likeliest);
    sample_.write<std::uint32_t>(2, likeliest);
    sample_.write<Step>(0, {&step, 1});
    sample_.run(1, slots, std::vector<std::uint32_t>{0, 1});
    sample_.read<Step>(0, {&step, 1});
    return step;
  }

 private:
  static std::vector<std::size_t> buffer_bytes(std::size_t vocab_size) {
    return {sizeof(Step), slots * (vocab_size + 3) * 4, slots * parts_of(vocab_size) * std::size_t{16}, 4};
  }
  std::size_t vocab_size_;
  std::uint32_t parts_;
  ComputeKernel scan_, sample_;
};

StepSlot drawing(const Sampling& sampling, std::uint32_t position, std::span<const std::uint32_t> stop_tokens = {}) {
  StepSlot slot = sampling_slot(sampling, stop_tokens);
  slot.next_position = position;
  slot.stop_position = 1u << 30;
  return slot;
}

/// A pass after which every one of these slots draws.
Step drawing_step(const std::vector<StepSlot>& drawing_slots) {
  Step step{};
  step.token_count = step.head_rows = step.draw_count = step.live = static_cast<std::uint32_t>(drawing_slots.size());
  for (std::uint32_t slot = 0; slot < drawing_slots.size(); ++slot) {
    step.slots[slot] = drawing_slots[slot];
    step.rows[slot] = {slot, slot};
  }
  return step;
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
    constexpr float temperatures[] = {0.3f, 1.0f, 2.5f}, top_ps[] = {0.1f, 0.9f, 1.0f}, min_ps[] = {0, 0.01f, 0.3f};
    constexpr std::uint32_t top_ks[] = {0, 1, 40};
    std::vector<Sampling> made{{0, 0, 1, 0, 0}};
    // min_p so that every two settings meet.
    for (const std::size_t t : {0, 1, 2}) {
      for (const std::size_t k : {0, 1, 2}) {
        for (const std::size_t p : {0, 1, 2}) {
          made.push_back({temperatures[t], top_ks[k], top_ps[p], 0, min_ps[(t + k + p) % 3]});
        }
      }
    }
    return made;
  }();
  return all;
}

/// `rounds` sets of logits of every kind, each with every setting; counts of the draws and of the disagreements.
void compare(std::size_t vocab_size, int rounds) {
  const SamplingKernels kernels(vocab_size);
  const std::uint64_t seed = 1000 + vocab_size;
  for (const auto& device : compute_devices()) {
    for (const std::uint32_t workgroup_size : {64u, 96u, 128u, 256u}) {
      if (workgroup_size > device->limits.maxComputeWorkGroupInvocations) continue;
      if (workgroup_size == 96 && vocab_size > 3000) continue;  // no power of two: once is enough
      std::mt19937_64 generator(seed);
      DeviceSampler sampler(*device, kernels, workgroup_size, vocab_size);
      int wrong = 0;
      std::string first_wrong;
      for (int first = 0; first < rounds * kinds; first += slots) {
        std::vector<std::vector<float>> logits;
        for (int row = 0; row < static_cast<int>(slots); ++row) {
          logits.push_back(make_logits(vocab_size, (first + row) % kinds, generator));
        }
        sampler.set_logits(logits);
        // Of a large vocabulary a few settings each time, else all.
        for (std::size_t s = 0; s < settings().size(); ++s) {
          if (vocab_size > 3000 && generator() % 8 != 0) continue;
          std::vector<StepSlot> drawing_slots;
          for (std::size_t slot = 0; slot < slots; ++slot) {
            Sampling sampling = settings()[(s + slot) % settings().size()];
            sampling.seed = generator();
            drawing_slots.push_back(drawing(sampling, static_cast<std::uint32_t>(generator() % 5000)));
          }
          const Step after = sampler.run(drawing_step(drawing_slots));
          for (std::size_t slot = 0; slot < slots; ++slot) {
            const StepSlot& drawn = drawing_slots[slot];
            const bool drawable = are_finite(logits[slot]);
            REQUIRE(after.slots[slot].wrong == (drawable ? 0 : 1));
            REQUIRE(after.slots[slot].drawn == (drawable ? 1 : 0));
            if (!drawable) continue;
            const std::uint32_t expected = sample_token(logits[slot], drawn, drawn.next_position);
            const std::uint32_t found = after.drawn[slot * steps];
            if (found != expected && wrong++ == 0) {
              first_wrong = "logits of kind " + std::to_string((first + static_cast<int>(slot)) % kinds) +
                            ", setting " + std::to_string(s) + ": device " + std::to_string(found) + ", host " +
                            std::to_string(expected);
            }
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

TEST_CASE("device and host draw the same tokens from GPT-2's vocabulary") { compare(50257, 1); }

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
  // The logits are the masses' arguments; the three results stand side by side.
  const std::vector<std::uint32_t> spirv = sampling_kernel(count, R"(
#define main draw_main
#include "sample.glsl"
#undef main
void main() {
  const uint i = gl_GlobalInvocationID.x;
  settings = pass.slots[0];
  results[3 * i] = mass_below(logits[i], settings.inverse_temperature);
  results[3 * i + 1] = order_key(logits[i]);
  results[3 * i + 2] = random_bits(settings.seed_low, settings.seed_high, i);
}
)");
  constexpr std::uint64_t seed = 0x123456789abcdef0u;
  for (const auto& device : compute_devices()) {
    for (const float temperature : {1.0f, 0.7f, 3.0f}) {
      ComputeKernel kernel(*device, spirv, {{0, 64}}, {sizeof(Step), count * 4, 80, count * 12});
      const Step step = drawing_step({drawing({temperature, 0, 1, seed}, 1)});
      kernel.write<Step>(0, {&step, 1});
      kernel.write<float>(1, arguments);
      kernel.run(static_cast<std::uint32_t>(count / 64), 1, std::vector<std::uint32_t>{0, 1});
      std::vector<std::uint32_t> results(count * 3);
      kernel.read<std::uint32_t>(3, results);
      std::size_t wrong = 0, first_wrong = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const bool same = results[3 * i] == sampling::mass(arguments[i], step.slots[0].inverse_temperature) &&
                          results[3 * i + 1] == sampling::order_key(arguments[i]) &&
                          results[3 * i + 2] == sampling::random_bits(seed, static_cast<std::uint32_t>(i));
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
  const SamplingKernels kernels(logits.size());
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    DeviceSampler sampler(*device, kernels, 64, logits.size());
    sampler.set_logits({logits});
    for (std::uint32_t position = 0; position < 200; ++position) {
      const StepSlot slot = drawing({1, 0, 0.125f * static_cast<float>(1 + position % 8), 4}, position);
      CHECK(sampler.run(drawing_step({slot})).drawn[0] == sample_token(logits, slot, position));
    }
  }
}

TEST_CASE("device and host keep a token whose mass is exactly the least, and none of less") {
  const std::vector<float> logits{-0.5f, 0, -0.5f, -1};
  const std::uint32_t mass = sampling::mass(-0.5f, 1);
  const SamplingKernels kernels(logits.size());
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    DeviceSampler sampler(*device, kernels, 64, logits.size());
    sampler.set_logits({logits});
    for (const std::uint32_t above : {0u, 1u}) {
      Sampling sampling{1, 0, 1, 4};
      sampling.min_p = std::ldexp(static_cast<float>(mass + above), -24);
      std::vector<int> counts(logits.size());
      for (std::uint32_t position = 0; position < 100; ++position) {
        const StepSlot slot = drawing(sampling, position);
        const std::uint32_t id = sampler.run(drawing_step({slot})).drawn[0];
        CHECK(id == sample_token(logits, slot, position));
        ++counts[id];
      }
      CHECK(counts[1] > 0);
      CHECK((counts[0] > 0) == (above == 0));
      CHECK((counts[2] > 0) == (above == 0));
      CHECK(counts[3] == 0);
    }
  }
}

TEST_CASE("a draw makes its token the next pass's row, and leaves other slots alone") {
  const SamplingKernels kernels(8);
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    DeviceSampler sampler(*device, kernels, 64, 8);
    sampler.set_logits({{0, 0, 0, 0, 0, 9, 0, 0}, {0, 0, 7, 0, 0, 0, 0, 0}, {0, 0, 0, 8, 0, 0, 0, 0}});
    // Slots 2 and 0 draw, from rows 5 and 9 of a pass of 12 tokens; a third row's logits are only looked at.
    Step step{};
    step.token_count = 12;
    step.head_rows = 3;
    step.draw_count = step.live = 2;
    for (const std::uint32_t slot : {0u, 1u, 2u}) step.slots[slot] = drawing({}, 13 + slot);
    step.slots[2].drawn = 4;
    step.rows[0] = {5, 2};
    step.rows[1] = {9, 0};
    step.rows[2] = {11, 1};
    step = sampler.run(step);
    CHECK(step.drawn[2 * steps + 4] == 5);
    CHECK(step.drawn[0] == 2);
    CHECK(step.slots[2].drawn == 5);
    CHECK(step.slots[2].next_position == 16);
    CHECK(step.slots[0].next_position == 14);
    CHECK(step.slots[1].next_position == 14);
    CHECK(step.slots[1].drawn == 0);
    CHECK(step.token_count == 2);
    CHECK(step.head_rows == 2);
    CHECK(step.draw_count == 2);
    CHECK(step.live == 2);
    for (const std::uint32_t row : {0u, 1u}) {
      const std::uint32_t slot = row == 0 ? 2 : 0;
      CHECK(step.tokens[row].id == (row == 0 ? 5 : 2));
      CHECK(step.tokens[row].position == (row == 0 ? 15 : 13));
      CHECK(step.tokens[row].slot == slot);
      CHECK(step.tokens[row].flags == 1);
      CHECK(step.rows[row].row == row);
      CHECK(step.rows[row].slot == slot);
    }
    step = sampler.run(step);
    CHECK(step.drawn[2 * steps + 5] == 5);
    CHECK(step.slots[0].next_position == 15);
  }
}

TEST_CASE("a slot is done at a stop token and at its stop position, keeps its last position and writes nothing") {
  const SamplingKernels kernels(8);
  const std::vector<std::uint32_t> both{2, 5}, other{2};
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    DeviceSampler sampler(*device, kernels, 64, 8);
    const std::vector<float> row{0, 0, 0, 0, 0, 9, 0, 0};
    sampler.set_logits({row, row, row});
    StepSlot full = drawing({}, 11), room = drawing({}, 11);
    full.stop_position = 11;
    room.stop_position = 12;  // position 11 is drawn, and may still be filled
    Step step = sampler.run(drawing_step({drawing({}, 11, both), drawing({}, 11, other), full}));
    CHECK(step.slots[0].done == 1);
    CHECK(step.slots[1].done == 0);
    CHECK(step.slots[2].done == 1);
    CHECK(step.live == 1);
    CHECK(step.drawn[0] == 5);
    CHECK(step.tokens[0].flags == 0);
    CHECK(step.tokens[0].position == 10);
    CHECK(step.tokens[1].flags == 1);
    CHECK(step.tokens[1].position == 11);
    // What is done stays as it is while others go on.
    const Step next = sampler.run(step);
    CHECK(next.slots[0].drawn == 1);
    CHECK(next.slots[0].next_position == step.slots[0].next_position);
    CHECK(next.slots[1].drawn == 2);
    CHECK(next.live == 1);
    CHECK(sampler.run(drawing_step({room})).slots[0].done == 0);
  }
}

TEST_CASE("nothing is drawn from logits that are no finite numbers, and their slot is done") {
  const SamplingKernels kernels(8);
  const float infinity = std::numeric_limits<float>::infinity();
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    DeviceSampler sampler(*device, kernels, 64, 8);
    sampler.set_logits(
        {{0, 1, 2, 3, 4, 5, 6, std::nanf("")}, {0, 1, 2, 3, 4, 5, 6, 7}, {-infinity, 1, 0, 0, 0, 0, 0, 0}});
    Step step = sampler.run(drawing_step({drawing({}, 3), drawing({}, 3), drawing({}, 3)}));
    CHECK(step.slots[0].wrong == 1);
    CHECK(step.slots[1].wrong == 0);
    CHECK(step.slots[2].wrong == 1);
    for (const std::size_t slot : {0, 2}) {
      CHECK(step.slots[slot].done == 1);
      CHECK(step.slots[slot].drawn == 0);
      CHECK(step.slots[slot].next_position == 3);
      CHECK(step.tokens[slot].position == 2);
      CHECK(step.tokens[slot].flags == 0);
    }
    CHECK(step.slots[1].drawn == 1);
    CHECK(step.live == 1);
    step = sampler.run(step);
    CHECK(step.slots[0].drawn == 0);
    CHECK(step.slots[1].drawn == 2);
  }
}
