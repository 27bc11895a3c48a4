#include "runtime/formats/half.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace monomorph;

namespace {

/// By definition: sign, exponent, mantissa.
double meaning_of_f16(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                           : exponent == 31 ? std::numeric_limits<double>::infinity()
                                            : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

bool is_nan_f16(std::uint16_t bits) { return (bits & 0x7fff) > 0x7c00; }

}  // namespace

static_assert(f16_from_f32(1.0f) == 0x3c00 && f32_from_f16(0x3c00) == 1.0f);

TEST_CASE("every f16 has its value as f32, and comes back the same") {
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float value = f32_from_f16(bits);
    if (is_nan_f16(bits)) {
      CHECK(std::isnan(value));
      CHECK(is_nan_f16(f16_from_f32(value)));
    } else {
      CHECK(static_cast<double>(value) == meaning_of_f16(bits));
      CHECK(std::signbit(value) == (bits >= 0x8000));
      CHECK(f16_from_f32(value) == bits);
    }
  }
}

TEST_CASE("between two neighbouring f16 values, the nearer is taken, halfway the even one") {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = meaning_of_f16(bits), high = meaning_of_f16(bits + 1);
    const float middle = static_cast<float>((low + high) / 2);
    CHECK(f16_from_f32(middle) == (bits % 2 == 0 ? bits : bits + 1));
    CHECK(f16_from_f32(std::nextafterf(middle, 0)) == bits);
    CHECK(f16_from_f32(std::nextafterf(middle, 1e9f)) == bits + 1);
    CHECK(f16_from_f32(-middle) == (0x8000 | (bits % 2 == 0 ? bits : bits + 1)));
  }
}

TEST_CASE("what is beyond f16 becomes infinity, from halfway on") {
  CHECK(f16_from_f32(65504.0f) == 0x7bff);
  CHECK(f16_from_f32(std::nextafterf(65520.0f, 0)) == 0x7bff);
  CHECK(f16_from_f32(65520.0f) == 0x7c00);
  CHECK(f16_from_f32(-1e30f) == 0xfc00);
  CHECK(f16_from_f32(std::numeric_limits<float>::infinity()) == 0x7c00);
}

TEST_CASE("every bf16 has its value as f32, and comes back the same") {
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float value = f32_from_bf16(bits);
    if ((bits & 0x7fff) > 0x7f80) {
      CHECK(std::isnan(value));
      CHECK(std::isnan(f32_from_bf16(bf16_from_f32(value))));
    } else {
      CHECK(bf16_from_f32(value) == bits);
    }
  }
  CHECK(f32_from_bf16(0x3f80) == 1.0f);
  CHECK(f32_from_bf16(0xc049) == -3.140625f);
}

TEST_CASE("rounding to bf16 takes the nearer value, halfway the even one") {
  CHECK(bf16_from_f32(std::bit_cast<float>(0x3f808000u)) == 0x3f80);
  CHECK(bf16_from_f32(std::bit_cast<float>(0x3f808001u)) == 0x3f81);
  CHECK(bf16_from_f32(std::bit_cast<float>(0x3f818000u)) == 0x3f82);
  CHECK(bf16_from_f32(std::bit_cast<float>(0x3f817fffu)) == 0x3f81);
  CHECK(bf16_from_f32(std::numeric_limits<float>::max()) == 0x7f80);
  CHECK(bf16_from_f32(std::bit_cast<float>(0x7f800001u)) == 0x7fc0);  // a NaN whose mantissa would be cut away
}
