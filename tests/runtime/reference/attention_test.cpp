// Attention of two terms, whose values have a width of their own, against the formula written out.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "runtime/reference/ops.hpp"

using namespace monomorph::reference;

namespace {

constexpr std::int64_t heads = 4, kv_heads = 2, first = 3, second = 2, value = 5, tokens = 6;
constexpr double scale = 0.3;

template <std::int64_t columns>
Activations<columns> drawn(std::mt19937_64& random) {
  Activations<columns> x(tokens);
  for (double& element : x.values) element = std::normal_distribution<double>()(random);
  return x;
}

template <std::int64_t columns>
double product(const Activations<heads * columns>& queries, const Activations<kv_heads * columns>& keys,
               std::int64_t query, std::int64_t key, std::int64_t head) {
  double sum = 0;
  for (std::int64_t i = 0; i < columns; ++i) {
    sum += queries.row(query)[static_cast<std::size_t>(head * columns + i)] *
           keys.row(key)[static_cast<std::size_t>(head / (heads / kv_heads) * columns + i)];
  }
  return sum;
}

}  // namespace

TEST_CASE("products of two terms are added, and the result is as wide as the values") {
  std::mt19937_64 random(3);
  const auto queries = drawn<heads * first>(random);
  const auto keys = drawn<kv_heads * first>(random);
  const auto more_queries = drawn<heads * second>(random);
  const auto more_keys = drawn<kv_heads * second>(random);
  const auto values = drawn<kv_heads * value>(random);
  const auto expected = [&](std::int64_t query, std::int64_t last, std::int64_t head, std::int64_t element) {
    double total = 0, sum = 0;
    for (std::int64_t key = 0; key <= last; ++key) {
      const double score =
          product<first>(queries, keys, query, key, head) + product<second>(more_queries, more_keys, query, key, head);
      const double weight = std::exp(scale * score);
      total += weight;
      sum += weight * values.row(key)[static_cast<std::size_t>(head / (heads / kv_heads) * value + element)];
    }
    return sum / total;
  };
  const auto joined_queries = joined<heads, first, second>(queries, more_queries);
  const auto kept = attention<heads, kv_heads, first + second, value>(
      joined_queries, joined<kv_heads, first, second>(keys.values, more_keys.values), values.values, scale, 0);
  const auto of_pass = pass_attention<heads, kv_heads, first + second, value>(
      [](double score, std::int64_t, std::int64_t, std::int64_t, const double*) { return score; },
      [](std::int64_t, std::int64_t) { return true; }, joined_queries, joined<kv_heads, first, second>(keys, more_keys),
      values, scale, 0);
  for (std::int64_t query = 0; query < tokens; ++query) {
    for (std::int64_t column = 0; column < heads * value; ++column) {
      const auto at = static_cast<std::size_t>(column);
      const std::int64_t head = column / value, element = column % value;
      CHECK(kept.row(query)[at] == doctest::Approx(expected(query, query, head, element)).epsilon(1e-12));
      CHECK(of_pass.row(query)[at] == doctest::Approx(expected(query, tokens - 1, head, element)).epsilon(1e-12));
    }
  }
}
