// The functions of an expression in f32: what they are where C leaves it open, and that they are those of f32.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "runtime/cpu/numerics.hpp"
#include "runtime/cpu/states.hpp"

using namespace monomorph::cpu;

TEST_CASE("functions of floats give floats") {
  static_assert(std::is_same_v<decltype(numerics::exp(1.0f)), float>);
  static_assert(std::is_same_v<decltype(numerics::abs(-1.0f)), float>);
  static_assert(std::is_same_v<decltype(numerics::abs(-1)), int>);
  static_assert(std::is_same_v<decltype(numerics::larger(1, 2)), int>);
}

TEST_CASE("sigmoid is finite for every finite number") {
  CHECK(numerics::sigmoid(0.0f) == 0.5f);
  CHECK(numerics::sigmoid(200.0f) == 1.0f);
  CHECK(numerics::sigmoid(-200.0f) == doctest::Approx(0));
  CHECK(std::isnan(numerics::sigmoid(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("a whole power is multiplied out, below 0 too") {
  CHECK(numerics::whole_power(-2.0f, 3) == -8.0f);
  CHECK(numerics::whole_power(2.0f, -2) == 0.25f);
  CHECK(numerics::whole_power(5.0f, 0) == 1.0f);
}

TEST_CASE("a floored remainder has the sign of the divisor, and is 0 where that is 0") {
  CHECK(numerics::floor_mod(7, 3) == 1);
  CHECK(numerics::floor_mod(-7, 3) == 2);
  CHECK(numerics::floor_mod(7, -3) == -2);
  CHECK(numerics::floor_mod(-6, 3) == 0);
  CHECK(numerics::floor_mod(7, 0) == 0);
}

TEST_CASE("entries of f16 are clamped, and what is no finite number becomes no number") {
  const float values[] = {1e6f, -1e6f, std::numeric_limits<float>::infinity(), 0.5f};
  std::byte kept[8];
  store_entry("f16", values, 4, kept);
  float read[4];
  load_entry("f16", kept, 4, read);
  CHECK(read[0] == 65504.0f);
  CHECK(read[1] == -65504.0f);
  CHECK(std::isnan(read[2]));
  CHECK(read[3] == 0.5f);
}

TEST_CASE("entries of q8_0 are codes and then scales, and a block with what is no finite number is none as a whole") {
  float values[64];
  for (int i = 0; i < 64; ++i) values[i] = i < 32 ? static_cast<float>(i - 16) : 1.0f;
  values[40] = std::numeric_limits<float>::quiet_NaN();
  std::byte kept[68];
  store_entry("q8_0", values, 64, kept);
  float read[64];
  load_entry("q8_0", kept, 64, read);
  CHECK(kept[0] == std::byte{0x81});  // -127
  CHECK(read[0] == doctest::Approx(-16).epsilon(1e-3));
  CHECK(read[31] == doctest::Approx(15).epsilon(5e-3));
  CHECK(std::isnan(read[32]));
}

TEST_CASE("powers of e are within two units in the last place, and beyond the range what they should be") {
  double worst = 0;
  for (float x = -87.0f; x < 88.7f; x += 0.0371f) {
    const double expected = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::abs(numerics::exp(x) - expected) / expected);
  }
  CHECK(worst < 0x1p-22);
  CHECK(numerics::exp(0.0f) == 1);
  CHECK(numerics::exp(-1000.0f) == 0);
  CHECK(numerics::exp(-std::numeric_limits<float>::infinity()) == 0);
  CHECK(std::isinf(numerics::exp(1000.0f)));
  CHECK(std::isinf(numerics::exp(std::numeric_limits<float>::infinity())));
  CHECK(numerics::exp(-100.0f) == doctest::Approx(std::exp(-100.0)).epsilon(1e-2));  // below the normal numbers
  CHECK(std::isnan(numerics::exp(std::numeric_limits<float>::quiet_NaN())));
}
