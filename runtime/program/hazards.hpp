// Where barriers are needed: two dispatches may overlap in time unless a barrier stands between them, so one must stand
// wherever the later touches bytes that the earlier writes, or writes bytes that it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace monomorph {

/// Bytes of a resource (a number the caller gives) that a dispatch touches.
struct ByteAccess {
  std::size_t resource;
  std::int64_t offset, bytes;
  bool reads, writes;
};

/// Follows dispatches in order. Barriers are global: one orders everything before it with everything after it.
class HazardTracker {
 public:
  /// True when a barrier must stand before a dispatch with these accesses; it then counts as placed.
  bool add(std::span<const ByteAccess> accesses);
  /// A barrier stands here anyway.
  void barrier() { pending_.clear(); }

 private:
  std::vector<ByteAccess> pending_;  ///< since the last barrier
};

}  // namespace monomorph
