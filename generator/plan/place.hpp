// Where activations lie. Values of one function that are alive at once have bytes of their own; a buffer is of one
// role, so that its C++ type says what it holds.
#pragma once

#include <map>
#include <vector>

#include "generator/plan/partition.hpp"

namespace monomorph::generator {

/// Buffers of activations while sections are placed, with the calls between which each is in use.
class ActivationPlaces {
 public:
  explicit ActivationPlaces(Plan& plan) : plan_(plan) {}

  /// Places what the groups of a function, in this order, write. Carried values lie where the embedding leaves them.
  void place(const Planning& planning, const std::vector<Group>& groups, const Judgements& judgements,
             Section& section);
  /// Lays the buffers out so that two share bytes only where they are never in use at once; gives the arena's size.
  std::int64_t lay_out();

 private:
  /// From the call that writes to the last that reads, both counted; -1: given, the number of calls: a result.
  struct Use {
    std::size_t section;
    std::int64_t first, last;
  };
  struct Entry {
    BufferId buffer;
    std::vector<Use> uses;
  };

  Entry& entry(BufferId id);
  /// A buffer of this role and shape that is free for the use; made where there is none. A carried buffer only where it
  /// is `own`: the one in which this value is carried on.
  BufferId free_buffer(const std::string& role, const std::vector<AxisId>& axes, const Use& use, BufferId own);
  /// The buffers of the record that goes from function to function, in the order in which its fields are given.
  void carry(const Planning& planning);
  bool is_carried(BufferId id) const;
  void use(BufferId id, const Use& use, const std::string& user);

  Plan& plan_;
  std::vector<Entry> entries_;
  std::size_t sections_ = 0;
};

/// Operands whose bytes the group's one result may take, if nobody reads them later: each element is written after the
/// last reading of that operand's same element (or, by a norm, of its row).
std::vector<ValueId> in_place_operands(const Group& group, const Planning& planning);

inline constexpr std::int64_t view_alignment = 256;
inline std::int64_t aligned(std::int64_t bytes) {
  return (bytes + view_alignment - 1) / view_alignment * view_alignment;
}
/// Bytes of axes whose last one is a row, padded to 16 bytes.
std::int64_t padded_bytes(const AxisTable& axes, const std::vector<AxisId>& shape, Dtype element);
/// The axis of rows that stand one after the other: "q_kv_kv".
AxisId joined_axis(AxisTable& axes, const std::vector<AxisId>& parts);

}  // namespace monomorph::generator
