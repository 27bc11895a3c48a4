// What the operands of a Recurrence and of a WeightedMean are, and how they lie: for the verifier, the kernel and the
// reference alike.
#pragma once

#include <cstdint>
#include <optional>

#include "generator/graph/graph.hpp"

namespace monomorph::generator {

/// Operands of a Recurrence, in order; from `decays` on, those that its decay names.
struct RecurrenceOperand {
  static constexpr std::size_t state = 0, queries = 1, keys = 2, values = 3, removed = 4, rates = 5, bonus = 6,
                               decays = 7;
};

/// Operands of a WeightedMean, in order.
struct WeightedMeanOperand {
  static constexpr std::size_t state = 0, log_weights = 1, values = 2, decays = 3, bonus = 4, count = 5;
};
/// What its decay calls the element's number.
inline constexpr const char* decay_name = "x";
/// Numbers that its state has of each element.
inline constexpr std::int64_t weighted_mean_numbers = 3;

/// Rows of a head's matrix at most: a kernel's invocation keeps a column of it.
inline constexpr std::int64_t max_recurrent_keys = 256;
/// Heads at most: each is a row of a dispatch, of which every device has as many.
inline constexpr std::int64_t max_recurrent_heads = 65535;

/// Of a state's heads, each a matrix of value x key.
struct RecurrenceShape {
  AxisId heads, key, value;
};
/// None where the value is no state of such heads.
std::optional<RecurrenceShape> recurrence_shape(const Value& state, const AxisTable& axes);

/// Which of its elements head h, key k and value v of the matrix have: h * head + k * key + v * value.
struct MatrixStrides {
  std::int64_t head = 0, key = 0, value = 0;
};
/// Of a number for each head, for each head and key, head and value, or element; none: it is nothing of this kind.
std::optional<MatrixStrides> matrix_strides(const Value& operand, const RecurrenceShape& shape, const AxisTable& axes);

}  // namespace monomorph::generator
