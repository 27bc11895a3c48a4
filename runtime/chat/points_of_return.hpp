// Where a conversation can go back to without being read anew. A slot whose states forget (recurrent ones, and rings
// that are full) goes back to where its last submission began, or to nothing. So spare slots keep what it was where the
// last answers began: an answer that is drawn anew costs a token, and one that is read again as other tokens, or as
// others than the template has of it later, costs no more than itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/engine/engine.hpp"

namespace monomorph {

class PointsOfReturn {
 public:
  /// `spare`: slots that nobody else uses. None is used where no state forgets.
  PointsOfReturn(Engine& engine, std::int64_t slot, std::vector<std::int64_t> spare);

  /// Goes back to the furthest position from which `tokens` go on: what Engine::rewind_to_common gives, or what a spare
  /// slot keeps. Gives the position: `tokens` from there on are the rest, at least one.
  std::int64_t go_back(std::span<const std::int32_t> tokens);

  /// Whether there is a spare slot to keep something in.
  bool any() const { return !spare_.empty(); }
  /// Keeps what the slot is now, in place of what was kept first.
  void keep();

 private:
  /// Whether a slot has some tokens, and `tokens` begins with them and goes on.
  bool leads_to(std::int64_t slot, std::span<const std::int32_t> tokens) const;

  Engine& engine_;
  std::int64_t slot_;
  std::vector<std::int64_t> spare_;
  std::size_t oldest_ = 0;  ///< of the spare slots
};

}  // namespace monomorph
