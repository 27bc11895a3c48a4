// A kernel and its arguments while an operation's type makes them (ops/): bindings and arguments grow side by side.
#pragma once

#include <string>
#include <vector>

#include "generator/plan/partition.hpp"

namespace monomorph::generator {

/// Floats from one row of an activation of `columns` elements to the next.
inline std::int64_t row_stride(std::int64_t columns) { return row_bytes(Dtype::f32, columns) / 4; }

/// Storage buffers that a kernel may bind, the step among them: what phones have. Groups that need more stay apart.
inline constexpr std::int64_t max_bindings = 8;
/// Buffers that steps of an epilogue may read beside the output, of a kernel that binds others; and of one that does
/// not: as many as templates/kernels/epilogue.glsl declares.
inline constexpr std::int64_t max_step_operands = 2, max_map_operands = max_bindings - 2;

/// What templates/kernels/epilogue.glsl reads beside its output, in the order of the buffers operand0, operand1 ...
struct EpilogueOperand {
  std::int64_t stride = 0;  ///< from one row to the next; 0: all rows read the same
  std::int64_t column = 0;
  std::int64_t run = 1;  ///< neighbouring elements of the output to each of its own
};
/// The parameters of templates/kernels/epilogue.glsl that say so. `sums`: values that the kernel computes itself.
void set_epilogue(Parameters& parameters, const std::vector<EpilogueOperand>& operands, std::int64_t sums);

/// Where things lie, as far as a kernel asks.
class Placement {
 public:
  virtual ~Placement() = default;
  virtual Place place(ValueId activation) const = 0;
  virtual const Buffer& buffer(BufferId id) const = 0;
  /// The matrix or vector on the device whose rows are those of these weights, zeros for those that are absent.
  virtual StoredId store(const std::vector<ValueId>& weights, const std::vector<AxisId>& rows) = 0;
  virtual const Stored& stored(StoredId id) const = 0;
  virtual BufferId angles(AnglesId id) const = 0;
};

/// A call whose kernel has not been interned.
class Draft {
 public:
  Draft(const Group& group, const Planning& planning, Placement& placement)
      : group_(group), planning_(planning), placement_(placement) {
    call.computes = group;
  }

  Kernel kernel;
  Call call;

  const Group& group() const { return group_; }
  const Planning& planning() const { return planning_; }
  Placement& placement() { return placement_; }

  void set(const std::string& name, Parameter value) { kernel.parameters.insert_or_assign(name, std::move(value)); }

  /// Binds matrices or vectors: `weights` by rows, absent ones as zeros over `rows`.
  const Stored& weight(const std::string& name, const std::vector<ValueId>& weights, const std::vector<AxisId>& rows,
                       bool splits);
  const Stored& weight(const std::string& name, ValueId weight, bool splits = false);
  /// Says how a matrix's rows lie, for kernels that read them by units.
  void row_layout(Dtype format, std::int64_t columns);
  /// Binds an activation and sets <name>_stride and <name>_column, in floats.
  void activation(const std::string& name, ValueId value, Access access);
  /// Binds an activation that is read or written four elements at a time, from the first column on.
  void rows(const std::string& name, ValueId value, Access access);
  /// Binds a state and says how its entries lie; all that a kernel has lie alike. Sets <name>_dtype and <name>_stride,
  /// in groups of so many elements as the kernel moves together, or of blocks in words. Gives the bytes of an entry.
  std::int64_t state(const std::string& name, ValueId value, Access access, std::int64_t together);
  void angles(const std::string& name, ValueId value);
  /// Binds an activation or a vector, and gives where its rows lie.
  EpilogueOperand operand(const std::string& name, ValueId value);

  /// The Maps of the group as steps; binds their operands, then the output. `first` are the values that the kernel
  /// computes itself, by matrix. `quads`: all of it is done four elements at a time. `in_place`: the kernel reads the
  /// output's bytes before it writes them.
  void epilogue(const std::vector<ValueId>& first, bool quads, bool in_place = false);
  /// Whether an activation that the group reads lies where its one result will.
  bool shares_output(ValueId value) const;

 private:
  void bind(const std::string& name, Access access, bool splits, Argument argument);

  const Group& group_;
  const Planning& planning_;
  Placement& placement_;
};

/// The Maps of a group are a chain that its kernel can compute: each reads what the kernel computed (`first`), earlier
/// ones, and at most `operands` values that the group is given; all but the last one's result is read by them. What is
/// computed has one shape. Without Maps `first` is one value. `quads`: operands have that shape too, and begin rows of
/// their own.
bool accepts_epilogue(const Group& group, const Planning& planning, const std::vector<ValueId>& first,
                      std::int64_t operands, bool quads);
/// What the epilogue binds: its operands and the output.
std::int64_t epilogue_bindings(const Group& group, const Planning& planning);
/// Whether the group is its anchor and such Maps of what that gives, with no more bindings than devices have; `own`:
/// those that the anchor's kernel has beside the epilogue's.
bool accepts_maps_alone(const Group& group, const Planning& planning, std::int64_t own);

/// Whether a value is written as columns of a row that it may share with others: by a matrix, read by floats.
bool is_column(ValueId value, const Planning& planning);

/// Values of a group's Maps that it is given: what its epilogue reads.
std::vector<ValueId> step_operands(const Group& group, const Planning& planning);

template <class T>
std::vector<OpId> ops_of(const Group& group, const Planning& planning) {
  std::vector<OpId> result;
  for (const OpId id : group.ops) {
    if (as<T>(planning.op(id)) != nullptr) result.push_back(id);
  }
  return result;
}

/// "q_proj", "k_proj", "v_proj" -> "qkv_proj"; "gate_proj", "up_proj" -> "gate_up_proj".
std::string join_words(const std::vector<std::string>& words);
/// Words of the group in the order of computation: what[_norm][_add].
std::string words_of(const Group& group, const Planning& planning);
/// What the group computes, in roles: "hidden_states = hidden_states + o_proj x attention::attended".
std::string about_of(const Group& group, const Planning& planning);
/// "attention::queries" -> "queries".
std::string last_word(const std::string& role);

}  // namespace monomorph::generator
