// Powers of e, as softmax takes them: of numbers that are no greater than 0.
#pragma once

#include "runtime/cpu/levels/vectors.hpp"

namespace monomorph::cpu {
namespace {

/// exp(x), x <= 0: 2^n exp(r) with the nearest n, where exp(r) is Cephes' polynomial (Moshier, expf). Below 2^-126 it
/// is 0; of what is no number it is none.
Floats exponential(Floats x) {
  constexpr float nearest = 0x1.8p23f;  // what is added to it loses its fraction
  const Floats moved = multiply_add(x, spread(1.44269504f), spread(nearest));
  const Floats n = moved - nearest;
  const Floats r = multiply_add(n, spread(2.12194440e-4f), multiply_add(n, spread(-0.693359375f), x));
  Floats p = spread(1.9875691500e-4f);
  constexpr float coefficients[] = {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f,
                                    5.0000001201e-1f};
  for (const float coefficient : coefficients) {
    p = multiply_add(p, r, spread(coefficient));
  }
  p = multiply_add(p, r * r, r) + 1;
  const Words power = (bits_as<Words>(moved) + 127) << 23;
  const Words vanishes = bits_as<Words>(x < -87.3f);
  return bits_as<Floats>(bits_as<Words>(p * bits_as<Floats>(power)) & ~vanishes);
}

float exponentials(float* values, std::int64_t count, float greatest) {
  Floats sums = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Floats power = exponential(load<Floats>(values + i) - greatest);
    store(values + i, power);
    sums += power;
  }
  if (i < count) {
    float rest[lanes];
    for (int n = 0; n < lanes; ++n) rest[n] = i + n < count ? values[i + n] - greatest : -1000.0f;
    const Floats power = exponential(load<Floats>(rest));
    store(rest, power);
    sums += power;
    for (int n = 0; i + n < count; ++n) values[i + n] = rest[n];
  }
  return sum_of(sums);
}

}  // namespace
}  // namespace monomorph::cpu
