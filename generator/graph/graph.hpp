// The graph: the forward pass as operations on values, each written once. It is built once and planned for every phase,
// so a step cannot exist in one and be missing in the other. It has no split, concat or transpose: what a checkpoint
// fuses is told apart by the contract, what kernels want side by side is the plan's business.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "generator/graph/op.hpp"

namespace monomorph::generator {

/// A straight line of operations. Between functions goes a record of values, known by role: each takes some, gives
/// some, and the others pass it by.
struct Function {
  std::string name;  ///< "embed", "finish", "head", or the layer kind's identifier; "encoder_embed", "decoder_source"
  std::vector<ValueId> parameters;  ///< of the record, and the states as they were
  std::vector<OpId> ops;            ///< operands before their readers
  std::vector<ValueId> results;     ///< for the record, and the states as they are now
};

/// What stands before and after the layers of a stack.
struct Stack {
  FunctionId embed;       ///< token ids -> the record
  ValueId hidden_states;  ///< the residual stream, as `embed` gives it: what a layer's output is
  FunctionId finish;  ///< hidden states of the last layer -> those that are pooled, or are a source's; none: they are
                      ///< the same
};

struct Graph {
  AxisTable axes;
  Table<Value> values;
  Table<Op> ops;
  Table<Function> functions;
  std::vector<Stack> stacks = std::vector<Stack>(1);  ///< as the contract's
  std::vector<FunctionId> layers;   ///< for each kind of the contract: of the record, states -> for the record, states
  std::vector<FunctionId> sources;  ///< for each kind: of the encoder's record, what it keeps of a source -> that;
                                    ///< none: it keeps nothing
  FunctionId head;                  ///< of the record -> logits, or a text's vector

  Stack& own() { return stacks[own_stack]; }
  const Stack& own() const { return stacks[own_stack]; }

  /// Whether it is a function of a kind of layer; which kind's, Scope::model where it is none of one.
  bool is_layer(FunctionId function) const { return std::ranges::find(layers, function) != layers.end(); }
  std::size_t kind_of(FunctionId function) const;
  /// Those of the kinds that keep something of a source, in order.
  std::vector<FunctionId> source_functions() const;
  const Function& function_of(const Op& op) const { return functions[op.function]; }
  /// Operations of the same function that read a value, in order.
  std::vector<OpId> readers(ValueId value) const;
  bool is_result(ValueId value) const;
  bool is_parameter(ValueId value) const;
  /// Neighbouring elements of a row of `whole` to each element of a Map's operand: 1 where they are alike; 0 where it
  /// is no operand for such rows.
  std::int64_t run_of(ValueId whole, ValueId operand) const;
};

/// Positions that a Convolve sees, its token's own among them; 0 where its taps say none.
std::int64_t convolved_positions(const Op& op, const Graph& graph);

/// Builds the forward pass of an accepted contract.
Graph build_graph(const Contract& contract);

/// What a graph breaks, by invariant:
///   G1  an activation has one writer; what is declared or given has none
///   G2  operands stand before their readers; a function touches its own values and what is declared for its layers
///   G3  operands have the storages and axes that the operation's type wants (ops/); the head computes rows alone
///   G4  of a state, only the newest version is read or given back
///   G5  every declared weight, state and table is read, and every operation's result is used
///   G6  what a function takes of the record has been given before, a role has one type, and what is given is taken;
///       the embedding gives the hidden states; a function gives back its own layers' states, and those of another
///       kind that it reads are of that kind's last layer; what is kept of a source one function gives, and its layer
///       reads
///   G7  attention and convolutions see no more of a ring than has entries
struct Complaint {
  std::string invariant;
  std::string message;
};
std::vector<Complaint> check_graph(const Graph& graph, const Contract& contract);
/// Throws InternalError with the first complaint.
void verify_graph(const Graph& graph, const Contract& contract);

std::string dump_graph(const Graph& graph, const Contract& contract);

}  // namespace monomorph::generator
