// The host's sampler against what the definition says, in double.
#include "runtime/engine/sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace monomorph;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

StepSlot drawing(float temperature, std::uint32_t top_k = 0, float top_p = 1, std::uint64_t seed = 1) {
  return sampling_slot({temperature, top_k, top_p, seed}, {});
}

std::vector<float> random_logits(std::size_t vocab_size, std::uint64_t seed, float spread) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<float> normal(0, spread);
  std::vector<float> logits(vocab_size);
  for (float& logit : logits) logit = normal(generator);
  return logits;
}

/// Probabilities by sorting and double arithmetic.
std::vector<double> exact_distribution(const std::vector<float>& logits, double temperature, std::size_t top_k,
                                       double top_p) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  if (top_k != 0) order.resize(std::min(top_k, order.size()));
  std::vector<double> masses(logits.size());
  double total = 0;
  for (const std::size_t id : order) {
    masses[id] = std::exp((static_cast<double>(logits[id]) - logits[order[0]]) / temperature);
    total += masses[id];
  }
  double kept = 0;
  for (const std::size_t id : order) {
    if (kept >= top_p * total) masses[id] = 0;
    kept += masses[id];
  }
  for (double& mass : masses) mass /= kept;
  return masses;
}

/// Chi-square of `draws` draws at successive positions; bins expected to have fewer than 10 are joined.
void check_distribution(const std::vector<float>& logits, float temperature, std::uint32_t top_k, float top_p,
                        std::uint64_t seed) {
  constexpr int draws = 40000;
  const std::vector<double> expected = exact_distribution(logits, temperature, top_k, top_p);
  std::vector<int> counts(logits.size());
  const StepSlot slot = drawing(temperature, top_k, top_p, seed);
  for (int position = 0; position < draws; ++position) {
    ++counts[sample_token(logits, slot, static_cast<std::uint32_t>(position))];
  }
  double chi_square = 0, rare_expected = 0, rare_count = 0;
  int bins = 0;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    const double want = expected[id] * draws;
    if (expected[id] == 0) CHECK_MESSAGE(counts[id] == 0, "token ", id, " was not to be drawn");
    if (want < 10) {
      rare_expected += want;
      rare_count += counts[id];
      continue;
    }
    chi_square += (counts[id] - want) * (counts[id] - want) / want;
    ++bins;
  }
  if (rare_expected >= 10) {
    chi_square += (rare_count - rare_expected) * (rare_count - rare_expected) / rare_expected;
    ++bins;
  }
  // Five standard deviations: the seeds are fixed, so this passes always or never.
  const double limit = bins - 1 + 5 * std::sqrt(2.0 * std::max(bins - 1, 1));
  INFO("temperature ", temperature, ", top_k ", top_k, ", top_p ", top_p, ", seed ", seed, ": chi-square ", chi_square,
       " over ", bins, " bins");
  CHECK(chi_square <= limit);
}

}  // namespace

TEST_CASE("the random bits are Philox4x32-10's") {
  // The first word of Random123's known answer for counter and key 0.
  CHECK(sampling::random_bits(0, 0) == 0x6627e8d5u);
}

TEST_CASE("masses are the exponential in units of 2^-24") {
  CHECK(sampling::mass(0, 1) == (1u << 24) - 1);
  CHECK(sampling::mass(-1e-30f, 1) == (1u << 24) - 1);
  CHECK(sampling::mass(-infinity, 1) == 0);
  CHECK(sampling::mass(-40, 1) == 0);
  double worst = 0;
  for (int i = 1; i <= 200000; ++i) {
    const float below = -static_cast<float>(i) * 1e-4f;
    const double exact = std::exp(static_cast<double>(below)) * (1 << 24);
    // Half a unit of rounding, one at the top where 2^24 itself does not fit, and f32's error of the exponent.
    worst = std::max(worst,
                     std::abs(sampling::mass(below, 1) - exact) / (0.51 + 1.5e-6 * exact + (exact > 16777214 ? 1 : 0)));
  }
  CHECK(worst <= 1);
}

TEST_CASE("keys order logits as numbers, NaN below all and both zeros equal") {
  const std::vector<float> ascending{-infinity, -1e30f, -1, -1e-40f, 0, 1e-40f, 1, 1e30f, infinity};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    CHECK(sampling::order_key(ascending[i - 1]) < sampling::order_key(ascending[i]));
  }
  CHECK(sampling::order_key(-0.0f) == sampling::order_key(0.0f));
  CHECK(sampling::order_key(not_a_number) < sampling::order_key(-infinity));
  CHECK(sampling::order_key(-not_a_number) < sampling::order_key(-infinity));
}

TEST_CASE("temperature 0 takes the likeliest token, the lowest id on a tie, never NaN") {
  CHECK(sample_token(std::vector<float>{1, 3, 2}, drawing(0), 0) == 1);
  CHECK(sample_token(std::vector<float>{1, 3, 3}, drawing(0), 7) == 1);
  CHECK(sample_token(std::vector<float>{-0.0f, 0.0f}, drawing(0), 0) == 0);
  CHECK(sample_token(std::vector<float>{not_a_number, -infinity, -5}, drawing(0), 0) == 2);
  CHECK(sample_token(std::vector<float>{not_a_number, not_a_number}, drawing(0), 0) == 0);
}

TEST_CASE("what cannot be drawn is not: NaN, minus infinity, and all but an infinite logit") {
  for (std::uint32_t position = 0; position < 200; ++position) {
    CHECK(sample_token(std::vector<float>{not_a_number, 1, -infinity, 1}, drawing(1), position) % 2 == 1);
    CHECK(sample_token(std::vector<float>{5, infinity, 1e30f}, drawing(1), position) == 1);
    CHECK(sample_token(std::vector<float>{not_a_number, not_a_number}, drawing(1), position) == 0);
    CHECK(sample_token(std::vector<float>{not_a_number, -infinity, -infinity}, drawing(1), position) >= 1);
  }
}

TEST_CASE("draws follow the distribution that double arithmetic gives") {
  check_distribution(random_logits(50, 11, 1), 1.0f, 0, 1.0f, 101);
  check_distribution(random_logits(300, 12, 2), 0.7f, 0, 1.0f, 102);
  check_distribution(random_logits(300, 13, 2), 1.3f, 40, 1.0f, 103);
  check_distribution(random_logits(300, 14, 2), 1.0f, 0, 0.9f, 104);
  check_distribution(random_logits(300, 15, 1), 1.0f, 100, 0.5f, 105);
  check_distribution(random_logits(300, 16, 1), 1.0f, 1, 1.0f, 106);
  check_distribution(random_logits(2, 17, 1), 1.0f, 0, 1.0f, 107);
}

TEST_CASE("the chi-square test sees a temperature that is off by a tenth") {
  const std::vector<float> logits = random_logits(50, 11, 1);
  const std::vector<double> expected = exact_distribution(logits, 1.1, 0, 1);
  constexpr int draws = 40000;
  std::vector<int> counts(logits.size());
  for (std::uint32_t position = 0; position < draws; ++position) {
    ++counts[sample_token(logits, drawing(1, 0, 1, 101), position)];
  }
  double chi_square = 0;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    chi_square += std::pow(counts[id] - expected[id] * draws, 2) / (expected[id] * draws);
  }
  CHECK(chi_square > 49 + 5 * std::sqrt(2.0 * 49));
}

TEST_CASE("equal logits at top-k's threshold all stay") {
  const std::vector<float> logits{0, 2, 1, 1, 1, -3};
  std::vector<int> counts(logits.size());
  for (std::uint32_t position = 0; position < 2000; ++position) ++counts[sample_token(logits, drawing(2, 2), position)];
  CHECK(counts[0] + counts[5] == 0);
  for (const int id : {1, 2, 3, 4}) CHECK(counts[id] > 0);
}

TEST_CASE("top-p keeps exactly the tokens that reach its share") {
  // Eight logits so near each other that all have the same mass: half of it is the four highest.
  std::vector<float> logits(8);
  for (std::size_t id = 0; id < logits.size(); ++id) logits[id] = -1e-12f * static_cast<float>(id);
  std::vector<int> counts(logits.size());
  for (std::uint32_t i = 0; i < 500; ++i) ++counts[sample_token(logits, drawing(1, 0, 0.5f), i)];
  for (std::size_t id = 0; id < logits.size(); ++id) CHECK((counts[id] > 0) == (id < 4));
  // A share that is no token's whole mass takes the highest token.
  CHECK(sample_token(logits, drawing(1, 0, 1e-7f), 0) == 0);
}

TEST_CASE("seed and position decide the draw, and both matter") {
  const std::vector<float> logits = random_logits(1000, 3, 0.1f);
  int same_position = 0, same_seed = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const std::uint32_t token = sample_token(logits, drawing(1, 0, 1, 5), i);
    CHECK(token == sample_token(logits, drawing(1, 0, 1, 5), i));
    same_seed += token == sample_token(logits, drawing(1, 0, 1, 5), i + 1);
    same_position += token == sample_token(logits, drawing(1, 0, 1, 5 + (1ull << 32)), i);
  }
  CHECK(same_seed < 10);
  CHECK(same_position < 10);
}

TEST_CASE("settings become what the device reads") {
  const std::vector<std::uint32_t> eos{7, 9};
  const StepSlot settings = sampling_slot({0.5f, 40, 0.5f, (5ull << 32) + 3}, eos);
  CHECK(settings.inverse_temperature == 2);
  CHECK(settings.top_k == 40);
  CHECK(settings.top_p == 1u << 23);
  CHECK(settings.seed_low == 3);
  CHECK(settings.seed_high == 5);
  CHECK(settings.eos_count == 2);
  CHECK(settings.eos_tokens[1] == 9);
  CHECK(sampling_slot({}, {}).inverse_temperature == 0);
  CHECK(sampling_slot({1, 0, 1, 0}, {}).top_p == 0);
  CHECK(sampling_slot({1, 0, 1e-9f, 0}, {}).top_p == 1);
  CHECK(settings.least_mass == 0);
  CHECK(sampling_slot({1, 0, 1, 0, 0.25f}, {}).least_mass == 1u << 22);
  CHECK(sampling_slot({1, 0, 1, 0, std::nextafter(1.0f, 0.0f)}, {}).least_mass == (1u << 24) - 1);
  CHECK_THROWS_AS(sampling_slot({}, std::vector<std::uint32_t>(9)), Error);
}
