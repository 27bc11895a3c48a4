#include "runtime/reference/numerics.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace monomorph::reference;

TEST_CASE("sigmoid is right at both ends and finite for every finite argument") {
  CHECK(sigmoid(0) == 0.5);
  CHECK(sigmoid(2) == doctest::Approx(1 / (1 + std::exp(-2.0))).epsilon(1e-15));
  CHECK(sigmoid(-2) == doctest::Approx(1 / (1 + std::exp(2.0))).epsilon(1e-15));
  CHECK(sigmoid(-700) == doctest::Approx(std::exp(-700.0)).epsilon(1e-12));
  CHECK(sigmoid(1e308) == 1);
  CHECK(sigmoid(-1e308) == 0);
}
