#include "generator/graph/distances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace monomorph::generator {
namespace {

/// Neighbouring distances, from `first` on, whose rows are offset + slope * distance.
struct Piece {
  std::int64_t first, offset, slope;
};

std::string text_of(const Piece& piece) {
  const auto& [first, offset, slope] = piece;
  if (slope == 0) return std::to_string(offset);
  if (slope == 1 || slope == -1) return fmt::format("{} {} distance", offset, slope > 0 ? '+' : '-');
  return fmt::format("{} + {} * distance", offset, slope);
}

std::vector<Piece> pieces_of(const Distances& distances) {
  const std::vector<std::int32_t>& rows = distances.buckets;
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < rows.size();) {
    const std::int64_t first = static_cast<std::int64_t>(i) - distances.back;
    std::size_t last = std::min(i + 1, rows.size() - 1);
    const std::int64_t slope = rows[last] - rows[i];
    while (last + 1 < rows.size() && rows[last + 1] - rows[last] == slope) ++last;
    pieces.push_back({first, rows[i] - slope * first, slope});
    i = last + 1;
  }
  return pieces;
}

/// A choice among pieces, halved as often as need be.
std::string choice(std::span<const Piece> pieces) {
  if (pieces.size() == 1) return text_of(pieces.front());
  const auto half = pieces.size() / 2;
  return fmt::format("distance < {} ? ({}) : ({})", pieces[half].first, choice(pieces.first(half)),
                     choice(pieces.subspan(half)));
}

}  // namespace

Expression row_of_distance(const Distances& distances) {
  const std::string text =
      distances.buckets.empty() ? fmt::format("distance + {}", distances.back) : choice(pieces_of(distances));
  Diagnostics none;
  return parse_expression(text, {}, {{"distance", {Type::integer}}}, Type::integer, none).value();
}

}  // namespace monomorph::generator
