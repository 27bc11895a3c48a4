#include "runtime/program/hazards.hpp"

#include <algorithm>

namespace monomorph {
namespace {

bool conflict(const ByteAccess& earlier, const ByteAccess& later) {
  if (earlier.resource != later.resource || (!earlier.writes && !later.writes)) return false;
  return earlier.offset < later.offset + later.bytes && later.offset < earlier.offset + earlier.bytes;
}

}  // namespace

bool HazardTracker::add(std::span<const ByteAccess> accesses) {
  const bool needed = std::any_of(accesses.begin(), accesses.end(), [&](const ByteAccess& later) {
    return std::any_of(pending_.begin(), pending_.end(),
                       [&](const ByteAccess& earlier) { return conflict(earlier, later); });
  });
  if (needed) pending_.clear();
  pending_.insert(pending_.end(), accesses.begin(), accesses.end());
  return needed;
}

}  // namespace monomorph
