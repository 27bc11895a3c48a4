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

TEST_CASE("the functions of an expression are those of real numbers") {
  CHECK(min(1, -2) == -2);
  CHECK(max(1, -2) == 1);
  CHECK(clamp(3, -1, 1) == 1);
  CHECK(clamp(-3, -1, 1) == -1);
  CHECK(clamp(0.25, -1, 1) == 0.25);
  CHECK(abs(-2.5) == 2.5);
  CHECK(pow(2.0, 0.5) == sqrt(2.0));
  CHECK(exp(log(3.0)) == doctest::Approx(3).epsilon(1e-15));
  CHECK(erf(0.5) == doctest::Approx(0.5204998778130465).epsilon(1e-15));
  CHECK(tanh(0.5) == doctest::Approx(0.46211715726000976).epsilon(1e-15));
  CHECK(sin(1.0) * sin(1.0) + cos(1.0) * cos(1.0) == doctest::Approx(1).epsilon(1e-15));
}
