// What the stages know of an operation, a row a type: each stage calls its own column and asks nothing else. A new
// operation is a member of Attributes (graph/op.hpp), a file here and a line in op_types.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/graph/graph.hpp"

namespace monomorph::generator {

class Draft;
struct Group;
struct Planning;
struct ReferenceCall;

/// Collects what G3 finds wrong with one operation's operands.
class OperandCheck {
 public:
  OperandCheck(const Graph& graph, const Op& op, std::vector<std::string>& faults)
      : graph_(graph), op_(op), faults_(faults) {}

  /// The signature: the number of operands; those from `required` on may be absent.
  bool operands(std::size_t count, std::size_t required);
  void storage(std::size_t operand, Storage storage);
  /// Whether the operand's axes are these.
  void axes(std::size_t operand, const std::vector<AxisId>& axes);
  void result(Storage storage, const std::vector<AxisId>& axes);
  /// Whether what stands beside the result is the next version of this operand, a state.
  void next_version(std::size_t operand);
  void fault(const std::string& what) { faults_.push_back(what); }

  const Value& in(std::size_t operand) const { return graph_.values[op_.in[operand]]; }
  bool given(std::size_t operand) const { return static_cast<bool>(op_.in[operand]); }
  /// Whether rows of this axis are the heads x head that a state's entries have: one head may be the row itself.
  bool is_row_of(const Value& state, AxisId row) const;
  /// Whether the operand is tokens (or rows) x an axis; says so where it is not.
  bool matrix(std::size_t operand);
  const Axis& axis(AxisId id) const { return graph_.axes[id]; }
  const Graph& graph() const { return graph_; }

 private:
  const Graph& graph_;
  const Op& op_;
  std::vector<std::string>& faults_;
};

struct OpType {
  const char* name;
  /// What it does with the entries of a state among its operands. Where it writes them, its result is the state's next
  /// version; where it reads and writes them, that stands beside its result.
  Access states;
  /// G3: operands, storages, axes. The only place where shapes are judged.
  void (*verify)(const Op&, OperandCheck&);
  /// Whether kernels read this operand four elements at a time: it then begins a row of its own.
  bool (*reads_quads)(const Op&, std::size_t operand, const Graph&);
  /// Whether the kernel of this operation, as anchor, computes this group; true of a group of one.
  bool (*accepts)(const Group&, const Planning&);
  /// Fills in the kernel of a group that it accepts, and its arguments.
  void (*plan)(Draft&);
  /// The line that computes it in the emitted reference.
  ReferenceCall (*reference)(const Op&, const Graph&);
};

// Rows of the table, each in the file of its name.
extern const OpType gather_type, norm_type, linear_type, map_type, rotary_type, sinusoids_type, append_type,
    attention_type, differential_type, top_k_type, pick_type, shares_type, combine_type, pool_type, convolve_type,
    recurrence_type, weighted_mean_type, concat_type;

const OpType& type_of(const Op& op);

}  // namespace monomorph::generator
