// The plan: which kernels run, in what order, on which bytes. It is made once for all devices and stays within what
// Vulkan guarantees everywhere; the runtime joins or splits as a device allows. It holds numbers, ids and words; C++
// and GLSL are the emitter's.
//
//   graph ──► partition.cpp: groups of operations, one kernel each     (what makes a merge legal)
//         ──► fuse.cpp:      which merges are proposed, for each phase (a rule a function)
//         ──► place.cpp:     bytes of activations by lifetime, of states and weights
//         ──► ops/:          each group as a kernel and its arguments
//         ──► verify.cpp:    P1 to P7, always
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "generator/contract/contract.hpp"
#include "generator/graph/graph.hpp"
#include "generator/plan/phases.hpp"
#include "runtime/program/program.hpp"

namespace monomorph::generator {

struct Kernel;
struct Buffer;
struct Stored;
using KernelId = Id<Kernel>;
using BufferId = Id<Buffer>;
using StoredId = Id<Stored>;

// ------------------------------------------------------------------------------------------------------------- memory

/// What a buffer holds, as the emitted types call it.
enum class Element { f32, u32 };

/// A buffer of an arena: activations of one role, a table, the step.
struct Buffer {
  std::string word;                ///< the role of the values that it holds
  int number = 1;                  ///< of several with this word and these axes
  std::vector<std::string> users;  ///< identifiers of the layer kinds whose values it holds
  std::string role;                ///< in emitted C++: the word, numbered from the second on
  std::string name;                ///< of its constant there: the role, or qualified by the users
  std::vector<AxisId> axes;
  Element element = Element::f32;
  Arena arena = Arena::activations;
  std::int64_t offset = 0, bytes = 0;
};

/// Where an activation lies: columns of the rows of a buffer.
struct Place {
  BufferId buffer;
  std::int64_t first_column = 0;
};

/// Rows of a matrix on the device, or elements of a vector: those of a weight, or zeros.
struct StoredRows {
  WeightId weight;  ///< none: zeros
  std::int64_t rows = 0;
};

/// A matrix or vector as the device holds it: weights stacked by rows. Vectors are kept as f32, matrices as they are.
struct Stored {
  std::string role;  ///< in emitted C++: the weight's, or joined: "attention::qkv_proj"
  Scope scope;
  std::vector<AxisId> axes;
  Dtype format = Dtype::f32;
  std::vector<StoredRows> pieces;
  std::int64_t rows = 1, columns = 0;
  std::int64_t bytes = 0;  ///< rows padded
  bool shared = false;     ///< all of it is of tensors that several layers read
};

// ------------------------------------------------------------------------------------------------------------ kernels

/// An operand of a step of a kernel's epilogue.
struct StepOperand {
  enum class From { sum, step, buffer, output } from = From::sum;
  std::int64_t index = 0;  ///< of the matrix, of an earlier step, of the buffer "operand<index>"
};
/// A Map that a kernel computes on what it has, element by element.
struct MapStep {
  std::string result;  ///< the role it gives, for readers
  Expression expression;
  std::vector<std::string> names;
  std::vector<StepOperand> operands;
};

/// A function of a kernel: what it gives, of numbers that it may name.
struct KernelFunction {
  Expression gives;
  std::vector<std::pair<std::string, Type>> numbers;
};

struct Parameter;
using Parameters = std::map<std::string, Parameter>;
/// What a kernel's template is filled with.
struct Parameter {
  std::variant<bool, std::int64_t, double, std::string, KernelFunction, std::vector<MapStep>, std::vector<Parameters>>
      value;

  Parameter(bool flag) : value(flag) {}
  Parameter(std::int64_t number) : value(number) {}
  Parameter(int number) : value(std::int64_t{number}) {}
  Parameter(double number) : value(number) {}
  Parameter(const char* word) : value(std::string(word)) {}
  Parameter(std::string word) : value(std::move(word)) {}
  Parameter(KernelFunction function) : value(std::move(function)) {}
  Parameter(std::vector<MapStep> steps) : value(std::move(steps)) {}
  Parameter(std::vector<Parameters> list) : value(std::move(list)) {}
};

struct KernelBinding {
  std::string name;  ///< in the template: "inputs"
  Access access = Access::read;
  bool splits = false;
};

/// A shader: a template and what fills it. Binding 0 is the step, then `bindings` in order. Calls whose kernels are
/// alike share one.
struct Kernel {
  std::string name;
  std::string about;
  std::string path;  ///< of the template: "kernels/matvec.comp"
  KernelKind kind = KernelKind::norm;
  Parameters parameters;
  std::vector<KernelBinding> bindings;
  Access step_access = Access::read;
  KernelCost cost{};
  Expression sees;  ///< of query and key, where a mask hides keys between others: KernelCost::sees
  std::int64_t max_tile_tokens = 1;
  std::int64_t lanes = 1;  ///< of a recurrence: that share a column
};

/// A sum of axes' sizes.
using Extent = std::vector<AxisId>;

/// What one argument of a call is.
using Argument = std::variant<BufferId, StoredId, StateId>;

/// Operations that one kernel computes.
struct Group {
  std::vector<OpId> ops;  ///< in the order of the function
  OpId anchor;            ///< the one whose kernel it is
};

/// One dispatch of a phase.
struct Call {
  KernelId kernel;
  std::string word;                 ///< of the C++ function: what and what is fused with it
  std::string about;                ///< what it computes of what, in roles; a kernel has that of its first call
  std::vector<Argument> arguments;  ///< parallel to the kernel's bindings
  Extent rows;
  Count count = Count::rows;
  AxisId per_row;  ///< query rows, or entries, that a token has for each row of the dispatch, or columns that a run
                   ///< has; none: one
  AxisId banks;    ///< of what splits: its rows are these times `rows`; none: one
  Group computes;  ///< empty: sampling, and copies
  ValueId copies;  ///< a result that is copied to where its field of the record lies
};

/// The calls of one function in one phase, and where its activations lie.
struct Section {
  FunctionId function;              ///< none: sampling
  std::size_t kind = Scope::model;  ///< of layer, whose function it is
  std::vector<Call> calls;
  std::map<ValueId, Place> places;
};

struct PhasePlan {
  const PhaseRow* row = nullptr;
  std::int64_t max_rows = 1;
  std::vector<Section> sections;  ///< of a stack: embedding, then kind by kind, then what follows the last where it is
                                  ///< there; then what kinds of layer keep of a source

  const Section& section_of(FunctionId function) const;
};

struct Plan {
  AxisTable axes;
  Table<Buffer> buffers;
  Table<Stored> stored;            ///< of the model first, then kind by kind
  std::vector<StateTable> states;  ///< by StateId; the contract has their names
  std::vector<BufferId> angles;    ///< by AnglesId
  BufferId step;
  BufferId output;                      ///< what the head gives: logits, or texts' vectors
  std::vector<BufferId> carried;        ///< the record that goes from function to function
  std::vector<BufferId> hidden_states;  ///< of it: the residual stream of each stack
  Table<Kernel> kernels;
  std::vector<PhasePlan> phases;  ///< in the order of the table of phases
  std::int64_t decode_steps = 0;

  std::int64_t weight_bytes = 0, state_bytes = 0, activation_bytes = 0, host_bytes = 0;
  std::int64_t shared_bytes = 0;  ///< of the weights', those of tensors that layers share

  const PhasePlan& phase(const char* name) const;
  /// Where the field of the record lies that has this role.
  BufferId carried_as(const std::string& role) const;
  /// Those of a kind, or of the model, in the contract's order of their first weights.
  std::vector<StoredId> stored_of(Scope scope) const;
  /// Of a dispatch.
  std::int64_t rows_of(const Call& call) const;
  /// Dispatches of one decoded token, sampling included, where no tensor has to be split.
  std::int64_t decode_dispatches(const Contract& contract) const;
};

Plan make_plan(const Contract& contract, const Graph& graph);

/// What a plan breaks, by invariant:
///   P1  in each phase, every operation of its functions is computed by exactly one call
///   P2  a value inside a call has no reader outside it; what a call reads, an earlier call wrote; a call binds nothing
///       that it does not read or write
///   P3  values alive at once share bytes only as an in-place pair or as columns of one row; what a function does not
///       give anew of the record outlives it
///   P4  all versions of a state lie in one place, and so does each field of the record
///   P5  two arguments of one call never have the same C++ type, one value that is read twice aside
///   P6  a binding that splits is a weight with the call's rows
///   P7  offsets, arenas, rows, bindings and shared memory are within what Vulkan guarantees
std::vector<Complaint> check_plan(const Plan& plan, const Graph& graph, const Contract& contract);
/// Throws InternalError with the first complaint.
void verify_plan(const Plan& plan, const Graph& graph, const Contract& contract);

std::string dump_plan(const Plan& plan, const Graph& graph, const Contract& contract);

}  // namespace monomorph::generator
