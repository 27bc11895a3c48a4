#include "runtime/chat/points_of_return.hpp"

#include <algorithm>
#include <utility>

namespace monomorph {

PointsOfReturn::PointsOfReturn(Engine& engine, std::int64_t slot, std::vector<std::int64_t> spare)
    : engine_(engine), slot_(slot), spare_(std::move(spare)) {
  const bool forgets = std::ranges::any_of(engine.program().states, [](const StateTable& state) {
    return state.kind == StateKind::ring || state.kind == StateKind::recurrent;
  });
  if (!forgets) spare_.clear();
}

bool PointsOfReturn::leads_to(std::int64_t slot, std::span<const std::int32_t> tokens) const {
  const std::span<const std::int32_t> kept = engine_.sequence(slot);
  return !kept.empty() && kept.size() < tokens.size() && std::ranges::equal(kept, tokens.first(kept.size()));
}

std::int64_t PointsOfReturn::go_back(std::span<const std::int32_t> tokens) {
  std::int64_t position = engine_.rewind_to_common(slot_, tokens);
  for (const std::int64_t spare : spare_) {
    const std::int64_t kept = engine_.position(spare);
    if (kept > position && leads_to(spare, tokens)) position = engine_.copy(spare, slot_, kept);
  }
  return position;
}

void PointsOfReturn::keep() {
  engine_.copy(slot_, spare_[oldest_], engine_.position(slot_));
  oldest_ = (oldest_ + 1) % spare_.size();
}

}  // namespace monomorph
