// An input in integers, each of three signed digits of base 256: 24 bits of the largest of each 32 elements.
#pragma once

#include "runtime/cpu/levels/row_formats.hpp"

#ifdef MONOMORPH_DIGITS

namespace monomorph::cpu {
namespace {

/// The digits of an integer of at most 0x7f7f7f in size.
void cut(std::int32_t number, std::int8_t* lowest, std::int8_t* middle, std::int8_t* highest) {
  *lowest = static_cast<std::int8_t>(number);
  number = (number - *lowest) >> 8;
  *middle = static_cast<std::int8_t>(number);
  *highest = static_cast<std::int8_t>((number - *middle) >> 8);
}

template <class Integer>
std::int32_t sum_of_sixteen(const Integer* numbers) {
  std::int32_t sum = 0;
  for (int i = 0; i < 16; ++i) sum += numbers[i];
  return sum;
}

void cut_into_digits(const float* input, std::int64_t columns, DigitBlock* out) {
  constexpr std::int32_t largest_number = 0x7f7f00;  // so that what is rounded up still has three digits
  for (std::int64_t b = 0; b < columns / chunk; ++b, input += chunk) {
    DigitBlock& block = out[b];
    std::uint32_t greatest = 0;
    for (int i = 0; i < chunk; ++i) {
      std::uint32_t bits;
      __builtin_memcpy(&bits, input + i, sizeof bits);
      greatest = (bits & 0x7fffffff) > greatest ? bits & 0x7fffffff : greatest;
    }
    float size;
    __builtin_memcpy(&size, &greatest, sizeof size);
    const float scale = size / largest_number;
    const bool finite = greatest < 0x7f800000, counts = finite && scale >= 0x1p-126f;
    const float inverse = counts ? largest_number / size : 0;
    block.scale = counts ? scale : finite ? 0 : __builtin_nanf("");
    std::int32_t numbers[chunk];
    for (int i = 0; i < chunk; ++i)
      numbers[i] = counts ? static_cast<std::int32_t>(__builtin_rintf(input[i] * inverse)) : 0;
    for (int i = 0; i < chunk; ++i) cut(numbers[i], &block.digits[0][i], &block.digits[1][i], &block.digits[2][i]);
    std::int32_t totals[2], lower[2];
    for (int half = 0; half < 2; ++half) {
      totals[half] = sum_of_sixteen(numbers + 16 * half);
      lower[half] = sum_of_sixteen(block.digits[0] + 16 * half);
    }
    const auto part = [&](std::int32_t total, std::int32_t lower) {
      return DigitBlock::Part{
          .upper = (total - lower) / 256, .lower = lower, .total = static_cast<float>(total) * block.scale};
    };
    for (int half = 0; half < 2; ++half) block.parts[half] = part(totals[half], lower[half]);
    block.parts[2] = part(totals[0] + totals[1], lower[0] + lower[1]);
  }
}

}  // namespace
}  // namespace monomorph::cpu

#endif
