// Ids: an index into a table that cannot be taken for an index into another. A default Id names nothing.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace monomorph::generator {

template <class Of>
struct Id {
  static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t index = nothing;

  explicit operator bool() const { return index != nothing; }
  auto operator<=>(const Id&) const = default;
};

/// Rows in order of their making, found by Id.
template <class Of>
class Table {
 public:
  Id<Of> add(Of row) {
    rows_.push_back(std::move(row));
    return {static_cast<std::uint32_t>(rows_.size() - 1)};
  }
  Of& operator[](Id<Of> id) { return rows_.at(id.index); }
  const Of& operator[](Id<Of> id) const { return rows_.at(id.index); }
  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }

  auto begin() { return rows_.begin(); }
  auto end() { return rows_.end(); }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

  /// Every id, in order.
  std::vector<Id<Of>> ids() const {
    std::vector<Id<Of>> result;
    for (std::uint32_t i = 0; i < rows_.size(); ++i) result.push_back({i});
    return result;
  }

 private:
  std::vector<Of> rows_;
};

}  // namespace monomorph::generator
