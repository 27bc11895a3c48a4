// Builds functions of a graph: each call appends one operation and gives its value. Roles are "<instance>::<word>";
// weights, states and tables are found by role in the contract.
#pragma once

#include <string>
#include <vector>

#include "generator/graph/graph.hpp"

namespace monomorph::generator {

/// What attention reads: queries, keys and values, and what else there is. `attended`: the result's axis, where values
/// are not as wide as queries.
struct AttentionOperands {
  ValueId queries, keys, values;
  ValueId sinks = {}, relative = {}, layer_scale = {};
  ValueId second_queries = {}, second_keys = {};
  AxisId attended = {};
};

/// What a recurrence reads beside its state (Recurrence in graph/op.hpp).
struct RecurrenceOperands {
  ValueId queries = {}, keys = {}, values, removed = {}, rates = {}, bonus = {};
  std::vector<ValueId> decays = {};  ///< by the decay's names
};

/// What a weighted mean reads beside its state (WeightedMean in graph/op.hpp).
struct WeightedMeanOperands {
  ValueId log_weights, values, decays, bonus;
};

/// What banks of a matrix are multiplied with: `in`, or the run of it that each choice has. `choice`: none where each
/// bank is multiplied.
struct BankOperands {
  ValueId in, choice = {};
  bool segments = false;
};

class Builder {
 public:
  /// Opens a function; its layer kind is `scope`. `rows_of`: the stack whose tokens its rows are. That is the kind's,
  /// but where what a layer keeps of a source is computed.
  Builder(const Contract& contract, Graph& graph, const std::string& name, Scope scope,
          std::size_t rows_of = own_stack);

  /// What the following roles begin with: "attention", or "" for none.
  void enter(const std::string& instance) { instance_ = instance; }

  /// A value that the function takes, of the type of `like`.
  ValueId parameter(ValueId like);
  void result(ValueId value);
  /// A field of the record that an earlier layer gave as "<instance>::<word>", with the axes of `like`.
  ValueId taken(const std::string& word, ValueId like);

  /// The same, taken once however often it is asked for.
  ValueId taken_once(const std::string& word, ValueId like);

  ValueId gather(const std::string& word, ValueId table, ValueId indices, const std::string& role,
                 std::int64_t offset = 0);
  /// [rows, hidden]: of each wanted row, the mean of its run.
  ValueId pool(const std::string& word, ValueId in, ValueId rows, const std::string& role);
  /// [tokens, columns], of each position's angles.
  ValueId sinusoids(const std::string& word, RotaryLayout layout, AnglesId angles, AxisId columns,
                    const std::string& role);
  /// Normed over the last axis; where `over` is given, over each run that this factor says.
  ValueId norm(const std::string& word, const NormContract& norm, const std::string& weight, ValueId in,
               const std::string& role, AxisId over = {});
  /// The weight `<word>_proj` or `word`, with its bias where the contract has one.
  ValueId linear(const std::string& word, const std::string& weight, const std::string& bias, ValueId in,
                 const std::string& role);
  /// The same of banks; `to` is choices x rows of a bank.
  ValueId linear_of_banks(const std::string& word, const std::string& weight, const std::string& bias,
                          const BankOperands& operands, AxisId to, const std::string& role);
  /// The matrix of this word of the sub-block that has been entered, of which each token has the banks that it chose.
  ValueId chosen_projection(const std::string& word, const BankOperands& operands, const std::string& role);
  /// The same, of which each bank is multiplied with its own run of `in`.
  ValueId projection_by_bank(const std::string& word, ValueId in, const std::string& role);
  /// As many choices as `choices` has; `bias`: the word of a vector, or "".
  ValueId top_k(const std::string& word, const TopK& how, ValueId scores, const std::string& bias, AxisId choices,
                const std::string& role);
  ValueId pick(const std::string& word, const Pick& how, ValueId in, ValueId choice, const std::string& role);
  ValueId shares(const std::string& word, const Shares& how, ValueId in, const std::string& role);
  /// `weights`: none where runs are added as they are.
  ValueId combine(const std::string& word, ValueId in, ValueId weights, const std::string& role);
  /// Both side by side.
  ValueId concat(const std::string& word, ValueId first, ValueId second, const std::string& role);
  ValueId map(const std::string& word, const Expression& expression, const std::vector<std::string>& names,
              const std::vector<ValueId>& in, const std::string& role);
  ValueId rotary(const Rotary& how, AnglesId angles, ValueId in, const std::string& role);
  /// What the slot keeps of its source.
  ValueId source_state(const std::string& state);
  /// A state of the last layer of another kind, which this one only reads. Layers of one class read those of one.
  ValueId state_of(const std::string& kind, const std::string& state);
  /// The state's next version.
  ValueId append(const std::string& state, ValueId in);
  ValueId attention(const Attention& how, const AttentionOperands& operands, const std::string& role);
  /// [tokens, heads x value], and the state's next version. `operands`: those of graph/recurrences.hpp, but for the
  /// state.
  ValueId recurrence(const std::string& word, const Recurrence& how, const std::string& state,
                     const RecurrenceOperands& operands, const std::string& role);
  ValueId weighted_mean(const std::string& word, const WeightedMean& how, const std::string& state,
                        const WeightedMeanOperands& operands, const std::string& role);
  /// Of a state to which `in` was appended, with the vector of this word, and its bias where it has one.
  ValueId convolve(const std::string& word, ValueId state, ValueId in, const std::string& role);
  /// Of a state to which `in` was appended, what the token before has.
  ValueId token_before(const std::string& word, ValueId state, ValueId in, const std::string& role);

  /// The first minus the second times what the vectors of these words give (Differential).
  ValueId differential(ValueId first, ValueId second, const std::vector<std::string>& vectors, const std::string& role);

  /// A matrix of the sub-block that has been entered, with its bias where it has one: `word` is "q", "up" ...
  ValueId projection(const std::string& word, ValueId in, const std::string& role);
  /// The same of a matrix that Declarations::matrix has declared.
  ValueId matrix(const std::string& word, ValueId in, const std::string& role);
  /// A vector of the sub-block that has been entered, as Declarations::vector has declared it: an operand of map.
  ValueId vector(const std::string& word);
  /// `scale` times the value.
  ValueId scaled(ValueId in, double scale, const std::string& role);
  /// The first of these with all others, times `scale`, added.
  ValueId sum(const std::vector<ValueId>& terms, const std::string& role, double scale = 1);

  /// A weight of this layer kind or of the model; before and after the encoder's layers, of the encoder. None where the
  /// contract has none.
  ValueId weight(const std::string& role);
  ValueId weight_of_model(const std::string& role);
  ValueId host(HostList list);
  /// An axis that the contract has.
  AxisId axis(const std::string& word, std::int64_t size, const std::vector<AxisId>& factors = {});
  const AxisTable& axes() const { return graph_.axes; }
  const Contract& contract() const { return contract_; }
  /// The axes of a value.
  const std::vector<AxisId>& axes_of(ValueId value) const { return graph_.values[value].axes; }

  /// Closes the function: the newest versions of the states it appended to become results.
  FunctionId finish();

 private:
  /// Of a value: what stands between layers of the encoder is called after it, as what it has before and after them.
  std::string role(const std::string& word) const;
  /// Of a weight of the sub-block that has been entered.
  std::string own_role(const std::string& word) const { return instance_.empty() ? word : instance_ + "::" + word; }
  ValueId add(const std::string& word, Attributes what, std::vector<ValueId> in, const std::string& role,
              std::vector<AxisId> axes);
  ValueId declared(Storage storage, std::uint32_t index);
  /// The axis of the rows of a pass.
  AxisId tokens();
  /// A state as it is when the function begins.
  ValueId state_parameter(StateId id);
  /// The version of the entered sub-block's state that the function has so far; it takes one where it has none.
  ValueId newest(const std::string& state);
  /// The last operation, which gives `out`, gives the state's next version after `before` beside it.
  ValueId with_next(ValueId out, ValueId before);
  /// The last operation's value `after` is the version of the state that comes after `before`.
  void replace(ValueId before, ValueId after);

  const Contract& contract_;
  Graph& graph_;
  FunctionId function_;
  Scope scope_;
  std::size_t rows_of_;
  std::string instance_;
  std::vector<ValueId> states_;  ///< newest versions
};

/// An expression of names that is known to be right.
Expression known_expression(const std::string& text, const std::vector<std::string>& names);

}  // namespace monomorph::generator
