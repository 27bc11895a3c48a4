// Random bits by counter: Philox4x32-10 (Salmon et al. 2011). The same seed and counter give the same bits, in any
// order.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace monomorph {

using PhiloxBlock = std::array<std::uint32_t, 4>;

/// The 128 bits of a counter.
constexpr PhiloxBlock philox(std::uint64_t seed, PhiloxBlock counter) {
  std::uint32_t key[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xcd9e8d57u} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9e3779b9u;
    key[1] += 0xbb67ae85u;
  }
  return counter;
}

/// The two numbers of a block, each in (0, 1): 53 bits and a half.
constexpr std::pair<double, double> uniform_pair(const PhiloxBlock& bits) {
  const auto number = [](std::uint32_t high, std::uint32_t low) {
    const std::uint64_t whole = (std::uint64_t{high} << 32 | low) >> 11;
    return (static_cast<double>(whole) + 0.5) * 0x1p-53;
  };
  return {number(bits[0], bits[1]), number(bits[2], bits[3])};
}

}  // namespace monomorph
