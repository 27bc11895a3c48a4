// Convolutions of the reference against numbers worked out by hand.
#include "runtime/reference/convolution.hpp"

#include <doctest/doctest.h>

#include "runtime/reference/attention.hpp"

using namespace monomorph::reference;

TEST_CASE("a convolution sums what the last positions had, and nothing before the sequence") {
  // Two columns of three numbers: that of the token's own position is the last.
  const std::vector<double> taps = {100, 10, 1, 0.5, -1, 2}, bias = {1000, 0.25};
  std::vector<double> state;
  Activations<2> x(2);
  x.values = {1, 4, 2, 8};
  append(state, x, 0);
  CHECK(convolve<2, 3>(state, taps, 0).values == std::vector<double>{1, 8, 12, 12});
  CHECK(token_before<2>(state, 0).values == std::vector<double>{0, 0, 1, 4});
  CHECK(convolve<2, 3>(state, taps, bias, 0).values == std::vector<double>{1001, 8.25, 1012, 12.25});
  Activations<2> next(2);
  next.values = {3, 16, 4, 32};
  append(state, next, 2);
  CHECK(token_before<2>(state, 2).values == std::vector<double>{2, 8, 3, 16});
  CHECK(convolve<2, 3>(state, taps, 2).values == std::vector<double>{123, 26, 234, 52});
  // Back at position 1, what came after is forgotten.
  Activations<2> again(1);
  again.values = {7, 0};
  append(state, again, 1);
  CHECK(convolve<2, 3>(state, taps, 1).values == std::vector<double>{17, -4});
}
