// A partition of a function's operations into groups, each computed by one kernel. The graph is never edited: a kernel
// computes a group, and the plain kernel of an operation is that of the group of one.
//
// What makes a merge legal is judged here and nowhere else:
//   - a value that becomes interior (it is read inside, and so never written to memory) has no reader outside the group
//     and is no result of the function;
//   - the group is convex: nothing outside it both reads from it and is read by it, so that groups can be ordered;
//   - the kernel of the anchor accepts the group.
#pragma once

#include <string>
#include <vector>

#include "generator/plan/plan.hpp"

namespace monomorph::generator {

/// Which judgements a plan is made with. All of them, but for tests that show what each is good for.
struct Judgements {
  bool single_reader = true;
  bool convex = true;
  bool live_in_place = true;  ///< a result takes an operand's bytes only where nobody reads the operand later
};

/// What operations may ask while they are grouped and become kernels.
struct Planning {
  const Contract& contract;
  const Graph& graph;
  const AxisTable& axes;  ///< the plan's: the graph's, and those that it adds
  const PhaseRow& phase;
  std::int64_t max_rows = 1;  ///< of the phase

  const Op& op(OpId id) const { return graph.ops[id]; }
  const Value& value(ValueId id) const { return graph.values[id]; }
  const Axis& axis(AxisId id) const { return axes[id]; }
  /// The type that a weight has on the device.
  Dtype format(ValueId weight) const;
  /// Whether operands are the same element by element: tokens x one axis.
  bool elementwise(ValueId a, ValueId b) const { return value(a).axes == value(b).axes; }
  /// Values that the group writes to memory: those read outside it, results, states.
  std::vector<ValueId> outputs(const Group& group) const;
  /// Values that the group reads and does not write, in order of their first reading, each once.
  std::vector<ValueId> inputs(const Group& group) const;
};

struct GroupIndex;
using GroupId = Id<GroupIndex>;

class Partition {
 public:
  Partition(const Planning& planning, const Function& function, const Judgements& judgements = {});

  const Planning& planning() const { return planning_; }
  const Function& function() const { return function_; }
  /// The group that computes an operation.
  GroupId of(OpId op) const;
  const Group& operator[](GroupId id) const { return groups_[id.index]; }
  /// The group that writes a value; none where it is given.
  GroupId writer(ValueId value) const;
  /// The groups that read a value.
  std::vector<GroupId> readers(ValueId value) const;

  /// Merges these groups into one, if that is legal.
  bool merge(const std::vector<GroupId>& ids, OpId anchor);

  /// The groups in an order in which each follows what it reads.
  std::vector<Group> ordered() const;

 private:
  bool hides_what_others_read(const Group& group) const;
  bool is_convex(const Group& group) const;
  /// Operations that must precede `op`: writers of what it reads, and readers of the state that it replaces.
  const std::vector<OpId>& before(OpId op) const { return before_[op.index]; }

  const Planning& planning_;
  const Function& function_;
  const Judgements judgements_;
  std::vector<std::vector<OpId>> before_;  ///< by operation of the graph; of other functions': empty
  std::vector<Group> groups_;              ///< merged ones are empty
  std::vector<GroupId> of_;                ///< by operation of the graph; of other functions': none
};

/// What is tried, for each operation in order.
struct Rule {
  const char* name;
  bool (*apply)(Partition&, OpId);
};
/// In the order in which they are tried: each is an improvement alone, and takes what the earlier ones made.
extern const std::vector<Rule> rules;

/// Tries every rule on every operation. `fired` counts by rule, where it is given.
void fuse(Partition& partition, std::vector<std::int64_t>* fired = nullptr);

}  // namespace monomorph::generator
