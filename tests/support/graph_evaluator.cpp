#include "tests/support/graph_evaluator.hpp"

#include <cmath>

namespace monomorph::test {

using namespace generator;

RotaryFrequencies frequencies_of(const RotaryContract& rotary) {
  return {rotary.frequencies, rotary.factor,  rotary.original_length, rotary.of_longer,
          rotary.theta,       rotary.stretch, rotary.first_position};
}

double angle_element(const AnglesContract& angles, std::int64_t position, std::int64_t length, std::int64_t column) {
  std::vector<float> computed;
  const std::span<const float> frequencies = frequencies_at(frequencies_of(angles.rotary), length, computed);
  const auto angle = static_cast<double>(static_cast<float>(angles.rotary.first_position + position) *
                                         frequencies[static_cast<std::size_t>(column / 2)]);
  return static_cast<double>(angles.rotary.factor) * (column % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

void GraphEvaluator::begin(std::span<const std::int32_t> tokens, std::int64_t first,
                           std::span<const std::int32_t> types) {
  tokens_.assign(tokens.begin(), tokens.end());
  types_.assign(types.begin(), types.end());
  types_.resize(tokens.size());
  positions_.clear();
  for (std::size_t t = 0; t < tokens.size(); ++t) positions_.push_back(first + static_cast<std::int64_t>(t));
  carried_.clear();
}

void GraphEvaluator::run_function(FunctionId id, std::int64_t nth) {
  Values values = evaluate(id, nth);
  for (const ValueId result : graph_.functions[id].results) {
    const Value& value = graph_.values[result];
    if (value.storage == Storage::activation) carried_[value.role] = values.at(result);
  }
  last_layer_ = std::move(values);
}

void GraphEvaluator::run_stack(std::size_t index) {
  const Stack& stack = graph_.stacks[index];
  const StackContract& contract = contract_.stacks[index];
  run_function(stack.embed, -1);
  const std::string hidden_states = graph_.values[stack.hidden_states].role;
  layers_.clear();
  const std::size_t layers = contract.layer_kinds.size();
  for (std::size_t nth = 0; nth < layers * static_cast<std::size_t>(contract.repeat); ++nth) {
    run_function(graph_.layers[contract.layer_kinds[nth % layers]], static_cast<std::int64_t>(nth));
    layers_.push_back(carried_[hidden_states]);
  }
  if (stack.finish) run_function(stack.finish, -1);
}

std::map<std::string, EvaluatedValue> GraphEvaluator::run(std::span<const std::int32_t> tokens, std::int64_t first,
                                                          std::span<const std::int32_t> types) {
  begin(tokens, first, types);
  run_stack(own_stack);
  return carried_;
}

std::map<std::string, EvaluatedValue> GraphEvaluator::encode(std::span<const std::int32_t> source) {
  begin(source, 0, {});
  source_ = std::ssize(source);
  run_stack(encoder_stack);
  const StackContract& own = contract_.own();
  const std::size_t layers = own.layer_kinds.size();
  for (std::size_t nth = 0; nth < layers * static_cast<std::size_t>(own.repeat); ++nth) {
    const FunctionId keeps = graph_.sources[own.layer_kinds[nth % layers]];
    if (keeps) run_function(keeps, static_cast<std::int64_t>(nth));
  }
  return carried_;
}

EvaluatedValue GraphEvaluator::head(std::span<const std::int64_t> rows) {
  rows_.assign(rows.begin(), rows.end());
  return evaluate(graph_.head, -1).at(graph_.functions[graph_.head].results[0]);
}

GraphEvaluator::Values GraphEvaluator::evaluate(FunctionId id, std::int64_t nth) {
  const std::size_t kind = graph_.kind_of(id);
  const std::int64_t layer = kind == Scope::model ? -1 : nth % contract_.stack_of(kind).num_hidden_layers;
  const Function& function = graph_.functions[id];
  Values values;
  for (const ValueId parameter : function.parameters) {
    const Value& value = graph_.values[parameter];
    if (value.storage == Storage::activation) {
      values[parameter] = carried_.at(value.role);
    } else {
      EvaluatedValue& state = states_[{value.declared, owner_of(contract_, value.declared, nth)}];
      state.columns = contract_.axes[value.axes[1]].size * contract_.axes[value.axes[3]].size;
      values[parameter] = state;
    }
  }
  for (const OpId op_id : function.ops) {
    const Op& op = graph_.ops[op_id];
    const Value& out = graph_.values[op.out];
    // Found once an operation: elements are read by the million.
    std::vector<const EvaluatedValue*> computed;
    for (const ValueId operand : op.in) {
      const auto found = values.find(operand);
      computed.push_back(found == values.end() ? nullptr : &found->second);
    }
    const OperandReader read = [&](std::size_t operand, std::int64_t row, std::int64_t column) -> double {
      const Value& value = graph_.values[op.in[operand]];
      switch (value.storage) {
        case Storage::weight:
          return weights_({value.declared}, layer, row, column);
        case Storage::angles:
          return angle_element(contract_.angles[{value.declared}], positions_[static_cast<std::size_t>(row)],
                               positions_.back() + 1, column);
        case Storage::host:
          if (value.list == HostList::token_ids) return tokens_[static_cast<std::size_t>(row)];
          if (value.list == HostList::token_types) return types_[static_cast<std::size_t>(row)];
          return static_cast<double>(
              (value.list == HostList::positions ? positions_ : rows_)[static_cast<std::size_t>(row)]);
        default:
          return computed[operand]->at(row, column);
      }
    };
    EvaluatedValue result;
    std::int64_t rows = 0;
    if (out.storage == Storage::state) {
      result.columns = contract_.axes[out.axes[1]].size * contract_.axes[out.axes[3]].size;
      rows = positions_.back() + 1;
    } else {
      result.columns = graph_.axes[out.axes[1]].size;
      rows = static_cast<std::int64_t>(graph_.axes[out.axes[0]].live == Live::rows ? rows_.size() : tokens_.size());
    }
    EvaluatedValue matrices;  // of a recurrence, row n after n tokens of the sequence
    const OperandReader read_matrices = [&](std::size_t operand, std::int64_t row, std::int64_t column) {
      return operand == 0 ? matrices.at(positions_.front() + row, column) : read(operand, row, column);
    };
    if (op.next) {
      matrices = values.at(op.in[0]);
      matrices.elements.resize(static_cast<std::size_t>((positions_.front() + 1) * matrices.columns));
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < matrices.columns; ++column) {
          const std::int64_t position = positions_.front() + row;
          matrices.elements.push_back(rounded(state_element(graph_, op, read_matrices, position, row, column)));
        }
      }
      states_[{graph_.values[op.next].declared, nth}] = values[op.next] = matrices;
    }
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < result.columns; ++column) {
        const OperandReader& operands = op.next ? read_matrices : read;
        result.elements.push_back(rounded(op_element(graph_, op, operands, positions_, row, column, source_)));
      }
    }
    if (out.storage == Storage::state) states_[{out.declared, nth}] = result;
    values[op.out] = std::move(result);
  }
  return values;
}

}  // namespace monomorph::test
