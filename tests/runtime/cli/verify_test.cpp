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

namespace {

double flat(std::int64_t) { return 1e-4; }

/// Of a model as wide as SmolLM2 135M, with an f16 cache.
double f16_tolerance(std::int64_t layers) { return default_tolerance(Dtype::f16, 1536, layers); }

/// Errors that a sound device has: a quarter of the tolerance.
std::vector<PhaseErrors> sound_layers(std::int64_t count) {
  std::vector<PhaseErrors> layers;
  for (std::int64_t layer = 1; layer <= count; ++layer) {
    const double rounding = 2 * 0x1p-11 / std::sqrt(3.0) * std::sqrt(static_cast<double>(layer));
    layers.push_back({rounding, rounding});
  }
  return layers;
}

}  // namespace

TEST_CASE("the tolerance is four roundings of each layer, which add up like a random walk") {
  // Half a unit in the last place of an f16, in the mean, of keys and of values.
  const double rounding = 2 * 0x1p-11 / std::sqrt(3.0);
  CHECK(default_tolerance(Dtype::f16, 1536, 1) == doctest::Approx(4 * rounding).epsilon(0.01));
  CHECK(default_tolerance(Dtype::f16, 1536, 16) == doctest::Approx(4 * default_tolerance(Dtype::f16, 1536, 1)));
  // Of an element that rounds to eight bits; of one in 127 steps, with a block's largest of 2.4 deviations.
  CHECK(default_tolerance(Dtype::bf16, 1536, 1) == doctest::Approx(4 * 8 * rounding).epsilon(0.01));
  CHECK(default_tolerance(Dtype::q8_0, 1536, 1) == doctest::Approx(4 * 2 * 2.4 / 127 / std::sqrt(12.0)).epsilon(0.01));
  // Sums of 1024 terms, and functions off by 16 units in the last place.
  CHECK(default_tolerance(Dtype::f32, 1024, 1) == doctest::Approx(4 * (32 + 16) * 0x1p-24));
  CHECK(default_tolerance(Dtype::f32, 1024, 9) == doctest::Approx(12 * (32 + 16) * 0x1p-24));
  // SmolLM2 135M, which is sound, was measured at 4.4e-3 after twelve layers.
  CHECK(f16_tolerance(12) > 1.5 * 4.4e-3);
}

TEST_CASE("an error of a fiftieth is above an f16 cache's tolerance, in any of 30 layers; its rounding is not") {
  Verification result{f16_tolerance, sound_layers(30), {5e-3, 5e-3}};
  CHECK(verification_failure(result).empty());
  for (std::size_t layer = 0; layer < 30; ++layer) {
    for (double PhaseErrors::* phase : {&PhaseErrors::prefill, &PhaseErrors::decode}) {
      Verification wrong = result;
      wrong.layers[layer].*phase = 0.02;
      INFO(layer);
      CHECK(tests::contains(verification_failure(wrong), "layer " + std::to_string(layer) + " is the first above"));
    }
  }
  // An early layer's may be smaller still.
  Verification early = result;
  early.layers[0].prefill = 3e-3;
  CHECK(tests::contains(verification_failure(early), "layer 0 is the first above its tolerance 2.3e-03, in prefill"));
  result.logits.decode = 0.02;
  CHECK(tests::contains(verification_failure(result), "the logits are above their tolerance 1.2e-02"));
}

TEST_CASE("the first layer above the tolerance is named, with its phase") {
  Verification result{flat, {{1e-6, 1e-6}, {1e-6, 2e-4}, {3e-4, 1}}, {1, 1}};
  CHECK(tests::contains(verification_failure(result), "layer 1 is the first above its tolerance 1.0e-04, in decode"));
  CHECK(tests::contains(verification_table(result),
                        "1             1.00e-06    2.00e-04     1.0e-04  above the tolerance"));
  result.layers[1].prefill = std::numeric_limits<double>::infinity();
  CHECK(tests::contains(verification_failure(result), "layer 1 is the first above its tolerance 1.0e-04, in prefill"));
}

TEST_CASE("the tolerance stands beside every error") {
  const std::string table = verification_table({f16_tolerance, {{1e-4, 2e-4}, {3e-4, 4e-4}}, {5e-4, 6e-4}});
  CHECK(tests::contains(table, "layer          prefill      decode   tolerance\n"));
  CHECK(tests::contains(table, "0             1.00e-04    2.00e-04     2.3e-03\n"));
  CHECK(tests::contains(table, "1             3.00e-04    4.00e-04     3.2e-03\n"));
  CHECK(tests::contains(table, "logits        5.00e-04    6.00e-04     3.2e-03\n"));
}

TEST_CASE("layers that read sources come first, and the model's own round after them") {
  Verification result{[](std::int64_t layers) { return 1e-4 * static_cast<double>(layers); },
                      {{1.5e-4, 1e-6}, {3.5e-4, 3.5e-4}},
                      {3.9e-4, 1e-6}};
  CHECK(tests::contains(verification_failure(result), "layer 0 is the first above its tolerance 1.0e-04, in prefill"));
  result.encoder = {5e-5, 1.9e-4};
  CHECK(verification_failure(result).empty());
  const std::string table = verification_table(result);
  CHECK(tests::contains(table,
                        "\nencoder 0     5.00e-05                 1.0e-04\n"
                        "encoder 1     1.90e-04                 2.0e-04\n"
                        "0             1.50e-04    1.00e-06     3.0e-04\n"));
  result.layers[1].decode = 4.1e-4;
  CHECK(tests::contains(verification_failure(result), "layer 1 is the first above its tolerance 4.0e-04, in decode"));
  result.encoder[1] = 2.1e-4;
  CHECK(
      tests::contains(verification_failure(result), "layer 1 of the encoder is the first above its tolerance 2.0e-04"));
  CHECK(tests::contains(verification_table(result), "2.0e-04  above the tolerance\n"));
}

TEST_CASE("near ties are told below the table where there are some") {
  Verification result{flat, {{1e-6, 1e-6}}, {1e-6, 1e-6}};
  CHECK_FALSE(tests::contains(verification_table(result), "near ties"));
  result.near_ties = {3, 2.5e-4};
  CHECK(tests::contains(verification_table(result),
                        "\nnear ties: choices compared as the device made them: 3, by at most 2.5e-04 of a row's "
                        "largest score\n"));
}

TEST_CASE("logits alone above the tolerance point at the head; nothing above is no failure") {
  Verification result{flat, {{1e-6, 1e-6}}, {1e-6, 1e-3}};
  CHECK(tests::contains(verification_failure(result), "the head"));
  result.logits.decode = 1e-4;
  CHECK(verification_failure(result).empty());
}
