#include "generator/blocks/distances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "generator/blocks/position.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

/// On either side, and rows of a table: beyond any model, and little work where each distance is looked at.
constexpr std::int64_t max_distances = 4096, max_buckets = 2 * max_distances;

bool has_buckets(const PositionSection& position) { return position.type.value == "relative_buckets"; }
bool has_keys(const PositionSection& position) { return position.type.value == "relative"; }

/// Buckets of the keys on one side of a query.
std::int64_t buckets_of_side(const PositionSection& position, bool causal) {
  return causal ? position.num_buckets.value : position.num_buckets.value / 2;
}

/// The bucket of a distance on one side: the first half have one each, the others grow with the logarithm. In f32, in
/// the order in which T5 computes it: where buckets end depends on it.
std::int32_t bucket_of(std::int64_t distance, std::int64_t buckets, std::int64_t max_distance) {
  const std::int64_t exact = buckets / 2;
  if (distance < exact) return static_cast<std::int32_t>(distance);
  const float turns = std::log(static_cast<float>(distance) / static_cast<float>(exact));
  const auto most = static_cast<float>(std::log(static_cast<double>(max_distance) / static_cast<double>(exact)));
  const auto further = static_cast<std::int64_t>(turns / most * static_cast<float>(buckets - exact));
  return static_cast<std::int32_t>(std::min(exact + further, buckets - 1));
}

}  // namespace

void check_distances(const BlockContext& context, bool causal, Diagnostics& diagnostics) {
  const PositionSection& position = position_of(context);
  const Field<std::int64_t>& buckets = position.num_buckets;
  if (has_keys(position)) {
    check_range(position.max_distance, "position.max_distance", 0, max_distances, diagnostics);
    check_range(position.max_distance_ahead, "position.max_distance_ahead", 0, max_distances, diagnostics);
  } else if (has_buckets(position)) {
    check_range(position.max_distance, "position.max_distance", 2, max_distances, diagnostics);
    check_range(buckets, "position.num_buckets", causal ? 2 : 4, max_buckets, diagnostics);
    if (!causal && buckets.value % 2 != 0) {
      diagnostics.error(
          "position.num_buckets_even", buckets.span,
          fmt::format("num_buckets is {}; where attention.causal is false, half of them are of keys after "
                      "the query: {} or {}",
                      buckets.value, buckets.value - 1, buckets.value + 1));
    }
    const std::int64_t exact = buckets_of_side(position, causal) / 2;
    if (usable(position.max_distance) && exact >= position.max_distance.value) {
      diagnostics.error("position.max_distance_beyond_buckets", position.max_distance.span,
                        fmt::format("max_distance is {}, and distances below {} have a bucket each; give a larger "
                                    "max_distance, or fewer num_buckets than {}",
                                    position.max_distance.value, exact, buckets.value));
    }
  }
}

Distances distances_of(const BlockContext& context, bool causal) {
  const PositionSection& position = position_of(context);
  if (has_keys(position)) return {position.max_distance.value, position.max_distance_ahead.value, {}};
  if (!has_buckets(position)) return {};
  const std::int64_t furthest = position.max_distance.value, side = buckets_of_side(position, causal);
  Distances distances{furthest, causal ? 0 : furthest, {}};
  for (std::int64_t distance = -distances.back; distance <= distances.ahead; ++distance) {
    const std::int64_t before = distance > 0 ? side : 0;
    distances.buckets.push_back(static_cast<std::int32_t>(before) + bucket_of(std::abs(distance), side, furthest));
  }
  return distances;
}

void declare_distances(const BlockContext& context, AxisId heads, AxisId head, Declarations& declare) {
  const PositionSection& position = position_of(context);
  const auto rows = [&](const char* word, const char* axis, std::int64_t count, AxisId of_row, const Span& field) {
    const AxisId distances = declare.axis("distances", count, field);
    const std::int64_t elements = count * declare.contract().axes[of_row].size;
    declare.vector(word, declare.axis(axis, elements, field, {distances, of_row}));
  };
  if (has_buckets(position)) {
    rows("relative_bias", "distance_biases", sane(position.num_buckets, max_buckets), heads, position.num_buckets.span);
  } else if (has_keys(position)) {
    const std::int64_t back = std::clamp<std::int64_t>(position.max_distance.value, 0, max_distances);
    const std::int64_t ahead = std::clamp<std::int64_t>(position.max_distance_ahead.value, 0, max_distances);
    rows("relative_keys", "distance_vectors", back + 1 + ahead, head, position.max_distance.span);
  }
}

ValueId build_distances(const BlockContext& context, Builder& build) {
  const PositionSection& position = position_of(context);
  return has_buckets(position) ? build.vector("relative_bias")
         : has_keys(position)  ? build.vector("relative_keys")
                               : ValueId{};
}

}  // namespace monomorph::generator
