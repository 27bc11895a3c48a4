// How near the choices of the reference's mixtures are to others, and which of them are to be made the other way: a
// device's scores are rounded, and where two of them nearly tie it may choose the other one.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace monomorph::reference {

/// Two neighbours in the order that a choice is the beginning of.
struct Neighbours {
  std::int64_t slot, position;
  std::int64_t choice;  ///< which of a pass's
  std::int64_t place;   ///< of the second one; 0: the last group that competes, and the first that does not
  auto operator<=>(const Neighbours&) const = default;
};

/// Of a slot's passes, one after the other.
class Choices {
 public:
  struct Margin {
    Neighbours of;
    std::int64_t layer;
    double margin;  ///< the first less the second, as a share of the largest score of the row
  };

  std::set<Neighbours> turned;  ///< these change places whenever they are neighbours
  std::vector<Margin> margins;  ///< of the last pass; of equal ones, which no rounding parts, there are none

  /// `layers`: where the pass puts each layer's output; null: nobody asks which layer a choice is of.
  void begin_pass(std::int64_t slot, std::int64_t first_position, const std::vector<std::vector<double>>* layers) {
    slot_ = slot, first_position_ = first_position, layers_ = layers, choice_ = -1;
    margins.clear();
  }
  void begin_choice() { ++choice_; }
  /// Whether the last pass had a choice to make.
  bool chose() const { return choice_ >= 0; }
  /// `order` is that of `values`, the largest first, of which `first` to `last` are chosen up to; `scale`: the largest
  /// score of the token's row.
  void settle(std::int64_t token, std::vector<std::int64_t>& order, const std::vector<double>& values,
              std::int64_t first, std::int64_t last, double scale, bool of_groups) {
    for (std::int64_t place = first; place <= std::min(last, static_cast<std::int64_t>(order.size()) - 1); ++place) {
      std::int64_t &one = order[static_cast<std::size_t>(place - 1)], &other = order[static_cast<std::size_t>(place)];
      const Neighbours of{slot_, first_position_ + token, choice_, of_groups ? 0 : place};
      const double margin = values[static_cast<std::size_t>(one)] - values[static_cast<std::size_t>(other)];
      if (margin > 0) {
        margins.push_back({of, layers_ == nullptr ? 0 : static_cast<std::int64_t>(layers_->size()), margin / scale});
      }
      if (turned.contains(of)) std::swap(one, other);
    }
  }

 private:
  std::int64_t slot_ = 0, first_position_ = 0, choice_ = -1;
  const std::vector<std::vector<double>>* layers_ = nullptr;
};

/// Those of the pass that this thread computes; null: nobody asks.
inline thread_local Choices* choices_of_pass = nullptr;

/// While it lives, this thread's pass is one of these.
class InPass {
 public:
  explicit InPass(Choices& choices) { choices_of_pass = &choices; }
  ~InPass() { choices_of_pass = nullptr; }
  InPass(const InPass&) = delete;
  InPass& operator=(const InPass&) = delete;
};

}  // namespace monomorph::reference
