#include "runtime/program/rotary.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace monomorph;

namespace {

constexpr float frequencies[] = {1.0f, 0.31622776f, 0.01f};

}  // namespace

TEST_CASE("a row of angles holds cosine and sine of the f32 angle, multiplied by the factor after they are rounded") {
  for (const float factor : {1.0f, 1.1386294f}) {
    for (const std::int64_t position : {0, 1, 77, 499, 1000003}) {
      float pairs[6];
      write_angles(frequencies, factor, position, pairs);
      for (std::size_t j = 0; j < 3; ++j) {
        const auto angle = static_cast<double>(static_cast<float>(position) * frequencies[j]);
        CHECK(pairs[2 * j] == static_cast<float>(std::cos(angle)) * factor);
        CHECK(pairs[2 * j + 1] == static_cast<float>(std::sin(angle)) * factor);
      }
    }
  }
}

TEST_CASE("longer sequences have frequencies of their own from the token after the original length on") {
  constexpr float longer[] = {0.5f, 0.25f, 0.125f};
  const RotaryAngles angles[] = {{{}, 1, {frequencies}}, {{}, 1, {frequencies, 1.5f, 64, longer}}};
  std::vector<float> computed;
  CHECK(frequencies_at(angles[0].rotary, 1000, computed).data() == frequencies);
  CHECK(frequencies_at(angles[1].rotary, 64, computed).data() == frequencies);
  CHECK(frequencies_at(angles[1].rotary, 65, computed).data() == longer);
  CHECK(longest_alike(angles, 1) == 64);
  CHECK(longest_alike(angles, 64) == 64);
  CHECK(longest_alike(angles, 65) > 1000000);
  CHECK(longest_alike({angles, 1}, 1) > 1000000);
}

// torch 2.15, transformers 5.23: _compute_dynamic_ntk_parameters of head_dim 6, rope_theta 10000, factor 4 and
// max_position_embeddings 64, seq_len = torch.tensor(length).
TEST_CASE("the base of dynamic NTK grows with the length, as transformers computes it") {
  constexpr float plain[] = {1.0f, 0.046415888f, 0.0021544348f};
  const RotaryAngles angles[] = {{{}, 1, {plain, 1, 64, {}, 10000, 4}}};
  std::vector<float> computed;
  CHECK(frequencies_at(angles[0].rotary, 64, computed).data() == plain);
  const auto near = [&](std::int64_t length, std::vector<float> expected) {
    const std::span<const float> found = frequencies_at(angles[0].rotary, length, computed);
    REQUIRE(found.size() == expected.size());
    for (std::size_t j = 0; j < found.size(); ++j) {
      CHECK(found[j] >= std::nextafter(expected[j], 0.0f));
      CHECK(found[j] <= std::nextafter(expected[j], 2.0f));
    }
  };
  near(65, {1.0f, 0.04503002f, 0.002027703f});
  near(100, {1.0f, 0.0257469f, 0.00066290284f});
  near(4096, {1.0f, 0.0029181414f, 8.515549e-06f});
  CHECK(longest_alike(angles, 1) > 1000000);
}

TEST_CASE("frequencies below 0 turn the other way, whatever the base of dynamic NTK is") {
  constexpr float forward[] = {1.0f, 0.046415888f, 0.0021544348f}, reversed[] = {-1.0f, -0.046415888f, -0.0021544348f};
  std::vector<float> one, other;
  frequencies_at({forward, 1, 64, {}, 10000, 4}, 100, one);
  frequencies_at({reversed, 1, 64, {}, 10000, 4}, 100, other);
  REQUIRE(one.size() == other.size());
  for (std::size_t j = 0; j < one.size(); ++j) CHECK(other[j] == -one[j]);
  float pairs[6], turned[6];
  write_angles(one, 1, 77, pairs);
  write_angles(other, 1, 77, turned);
  for (std::size_t j = 0; j < 6; ++j) CHECK(turned[j] == (j % 2 == 0 ? pairs[j] : -pairs[j]));
}
