// Where T5's buckets begin. The distances are those of transformers' T5Attention._relative_position_bucket.
#include <doctest/doctest.h>

#include "generator/graph/distances.hpp"
#include "generator/graph/graph.hpp"
#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

/// How distances find their rows in a model whose [position] has these settings.
Distances distances(std::vector<Override> settings) {
  settings.push_back({"checkpoint.tensors.\"layers.{i}.attention.relative_bias\"", "layers.{i}.bias"});
  const Judged judged = judge(tiny, settings);
  REQUIRE_MESSAGE(judged.contract, render(judged.diagnostics));
  const Graph graph = build_graph(*judged.contract);
  for (const Op& op : graph.ops) {
    if (const auto* attention = as<Attention>(op)) return attention->distances;
  }
  FAIL("no attention");
  return {};
}

Distances buckets(std::int64_t count, std::int64_t furthest, bool causal) {
  return distances({{"position.type", "relative_buckets"},
                    {"position.num_buckets", std::to_string(count)},
                    {"position.max_distance", std::to_string(furthest)},
                    {"attention.causal", causal ? "true" : "false"}});
}

/// The distances whose bucket is another than that of the one before.
std::vector<std::int64_t> changes(const Distances& distances) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 1; i < distances.buckets.size(); ++i) {
    if (distances.buckets[i] != distances.buckets[i - 1])
      result.push_back(static_cast<std::int64_t>(i) - distances.back);
  }
  return result;
}

}  // namespace

TEST_CASE("an expression gives each distance its row") {
  for (const Distances& each : {buckets(32, 128, true), buckets(32, 128, false), buckets(4, 5, false),
                                Distances{3, 2, {7, 7, 0, 3, 6, 6}}, Distances{2, 1, {}}, Distances{0, 0, {4}}}) {
    const Expression row = row_of_distance(each);
    CAPTURE(row.text);
    for (std::int64_t distance = -each.back; distance <= each.ahead; ++distance) {
      const auto nth = static_cast<std::size_t>(distance + each.back);
      const double expected = each.buckets.empty() ? static_cast<double>(nth) : each.buckets[nth];
      CHECK(evaluate(row, {{"distance", static_cast<double>(distance)}}) == expected);
    }
  }
}

TEST_CASE("buckets of the keys before a query") {
  const Distances usual = buckets(32, 128, true);
  CHECK(usual.back == 128);
  CHECK(usual.ahead == 0);
  CHECK(usual.buckets.front() == 31);
  CHECK(usual.buckets.back() == 0);
  CHECK(changes(usual) == std::vector<std::int64_t>{-112, -98, -86, -76, -66, -58, -51, -45, -39, -34, -30,
                                                    -26,  -23, -20, -18, -15, -14, -13, -12, -11, -10, -9,
                                                    -8,   -7,  -6,  -5,  -4,  -3,  -2,  -1,  0});
  CHECK(changes(buckets(8, 256, true)) == std::vector<std::int64_t>{-90, -31, -11, -3, -2, -1, 0});
  CHECK(changes(buckets(10, 23, true)) == std::vector<std::int64_t>{-16, -12, -9, -6, -4, -3, -2, -1, 0});
}

TEST_CASE("buckets of the keys on both sides of a query") {
  const Distances usual = buckets(32, 128, false);
  CHECK(usual.back == 128);
  CHECK(usual.ahead == 128);
  CHECK(usual.buckets.front() == 15);
  CHECK(usual.buckets[128] == 0);
  CHECK(usual.buckets[129] == 17);  // the 16th is that of no key: 0 is before
  CHECK(usual.buckets.back() == 31);
  CHECK(changes(usual) == std::vector<std::int64_t>{-90, -63, -45, -31, -22, -15, -11, -7, -6, -5, -4, -3, -2, -1, 0,
                                                    1,   2,   3,   4,   5,   6,   7,   8,  12, 16, 23, 32, 46, 64, 91});
  const auto sum = [](const Distances& distances) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < distances.buckets.size(); ++i)
      total += static_cast<std::int64_t>(i) * distances.buckets[i];
    return total;
  };
  CHECK(sum(buckets(64, 1024, false)) == 108210176);
  CHECK(sum(buckets(320, 800, false)) == 312867200);
}
