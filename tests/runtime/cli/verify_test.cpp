#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "runtime/cli/verify_report.hpp"
#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::cli;

TEST_CASE("the error is that of the worst row, relative to the reference's length") {
  const std::vector<double> reference = {3, 4, 30, 40};
  CHECK(worst_row_error(std::vector<float>{3, 4, 30, 40}, reference, 2) == 0);
  CHECK(worst_row_error(std::vector<float>{3, 5, 30, 40}, reference, 2) == doctest::Approx(0.2));
  CHECK(worst_row_error(std::vector<float>{3, 4, 30, 45}, reference, 2) == doctest::Approx(0.1));
  CHECK(worst_row_error(std::vector<float>{3, 5, 30, 45}, reference, 2) == doctest::Approx(0.2));
}

TEST_CASE("a NaN, an infinity, and something where nothing should be, are infinitely wrong") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isinf(worst_row_error(std::vector<float>{nan, 4}, std::vector<double>{3, 4}, 2)));
  CHECK(std::isinf(worst_row_error(std::vector<float>{HUGE_VALF, 4}, std::vector<double>{3, 4}, 2)));
  CHECK(std::isinf(worst_row_error(std::vector<float>{1, 0}, std::vector<double>{0, 0}, 2)));
  CHECK(worst_row_error(std::vector<float>{0, 0}, std::vector<double>{0, 0}, 2) == 0);
}

TEST_CASE("an f16 cache is allowed more than an f32 cache") {
  CHECK(default_tolerance(Dtype::f32) == 1e-4);
  CHECK(default_tolerance(Dtype::f16) == 5e-3);
}

TEST_CASE("the first layer above the tolerance is named, with its phase") {
  Verification result{1e-4, {{1e-6, 1e-6}, {1e-6, 2e-4}, {3e-4, 1}}, {1, 1}};
  CHECK(tests::contains(verification_failure(result), "layer 1 is the first above the tolerance 1e-04, in decode"));
  CHECK(tests::contains(verification_table(result), "1             1.00e-06    2.00e-04  above the tolerance"));
  result.layers[1].prefill = std::numeric_limits<double>::infinity();
  CHECK(tests::contains(verification_failure(result), "layer 1 is the first above the tolerance 1e-04, in prefill"));
}

TEST_CASE("logits alone above the tolerance point at the head; nothing above is no failure") {
  Verification result{1e-4, {{1e-6, 1e-6}}, {1e-6, 1e-3}};
  CHECK(tests::contains(verification_failure(result), "the head"));
  result.logits.decode = 1e-4;
  CHECK(verification_failure(result).empty());
}
