// A graph evaluated operation by operation: what plans, kernels and the emitted reference are compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "tests/support/op_element.hpp"

namespace monomorph::test {

/// Element (row, column) of a weight in a layer (-1: of the model), as double.
using WeightReader =
    std::function<double(generator::WeightId weight, std::int64_t layer, std::int64_t row, std::int64_t column)>;

/// Cosine (even columns) or sine of an angle, from the f32 position times the f32 frequency of a sequence of `length`.
double angle_element(const generator::AnglesContract& angles, std::int64_t position, std::int64_t length,
                     std::int64_t column);
/// The same as the runtime has it: spans of what `rotary` holds.
RotaryFrequencies frequencies_of(const generator::RotaryContract& rotary);

/// Rows x columns, row by row.
struct EvaluatedValue {
  std::int64_t columns = 0;
  std::vector<double> elements;
  double at(std::int64_t row, std::int64_t column) const {
    return elements[static_cast<std::size_t>(row * columns + column)];
  }
};

/// The run of a layer whose state the nth run reads or writes: itself, or the last one of the kind that owns the state.
inline std::int64_t owner_of(const generator::Contract& contract, std::uint32_t state, std::int64_t nth) {
  if (contract.states[{state}].source()) return nth;
  const std::size_t kind = contract.states[{state}].scope.kind;
  while (contract.own().layer_kinds[static_cast<std::size_t>(nth % contract.own().num_hidden_layers)] != kind) --nth;
  return nth;
}

/// What each operation's result is rounded to; it is computed in double. In f32 two scores may be equal, and numbers
/// overflow, where in f64 they do not: what a device chooses is compared with f32.
enum class Precision { f64, f32 };

/// One sequence through a graph.
class GraphEvaluator {
 public:
  GraphEvaluator(const generator::Graph& graph, const generator::Contract& contract, WeightReader weights,
                 Precision precision = Precision::f64)
      : graph_(graph), contract_(contract), weights_(std::move(weights)), precision_(precision) {}

  /// Appends tokens at positions first..., after those before; gives the record that the head reads, by role. `types`:
  /// of each token; empty: all are 0.
  std::map<std::string, EvaluatedValue> run(std::span<const std::int32_t> tokens, std::int64_t first,
                                            std::span<const std::int32_t> types = {});
  /// Reads a source, in place of the one before; gives the encoder's record, by role.
  std::map<std::string, EvaluatedValue> encode(std::span<const std::int32_t> source);
  /// After each layer, as often as it runs: the hidden states.
  const std::vector<EvaluatedValue>& layers() const { return layers_; }
  /// What an operation of the last layer gave in the last run.
  const EvaluatedValue& value(generator::ValueId id) const { return last_layer_.at(id); }
  /// Logits of these rows of the last run.
  EvaluatedValue head(std::span<const std::int64_t> rows);

 private:
  using Values = std::map<generator::ValueId, EvaluatedValue>;
  Values evaluate(generator::FunctionId function, std::int64_t nth);
  double rounded(double x) const { return precision_ == Precision::f32 ? static_cast<float>(x) : x; }
  void begin(std::span<const std::int32_t> tokens, std::int64_t first, std::span<const std::int32_t> types);
  void run_function(generator::FunctionId function, std::int64_t nth);
  void run_stack(std::size_t stack);

  const generator::Graph& graph_;
  const generator::Contract& contract_;
  WeightReader weights_;
  Precision precision_;
  std::vector<std::int64_t> positions_, rows_;
  std::int64_t source_ = 0;  ///< tokens of the source
  std::vector<std::int32_t> tokens_, types_;
  std::map<std::string, EvaluatedValue> carried_;
  std::vector<EvaluatedValue> layers_;
  Values last_layer_;
  std::map<std::pair<std::uint32_t, std::int64_t>, EvaluatedValue> states_;  ///< by StateId and layer; of a
                                                                             ///< recurrence, row n after n tokens
};

}  // namespace monomorph::test
