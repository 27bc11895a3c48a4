// One element of what an operation of the graph gives, in double: written from the operations' definitions, and knowing
// nothing of kernels, groups or places. Both evaluators of graphs ask it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "generator/graph/graph.hpp"

namespace monomorph::test {

/// Element (row, column) of an operand. Rows of a state are positions and its columns heads x head; a vector is row 0;
/// of angles, column 2j is the cosine and 2j + 1 the sine of frequency j; what the host says is column 0.
using OperandReader = std::function<double(std::size_t operand, std::int64_t row, std::int64_t column)>;

/// Element `column` of a Recurrence's state, or a WeightedMean's, after token `row` of the pass, which stands at
/// `position`, where the reader's row n of the state is what it was before token n.
double state_element(const generator::Graph& graph, const generator::Op& op, const OperandReader& read,
                     std::int64_t position, std::int64_t row, std::int64_t column);

/// Element (row, column) of the operation's result, for tokens at `positions`, which answer to a source of `source`
/// tokens. An append's row is a position. Of a Recurrence and a WeightedMean, the reader's row n of the state is what
/// it was before token n of the pass, also of n = row + 1.
double op_element(const generator::Graph& graph, const generator::Op& op, const OperandReader& read,
                  std::span<const std::int64_t> positions, std::int64_t row, std::int64_t column,
                  std::int64_t source = 0);

}  // namespace monomorph::test
