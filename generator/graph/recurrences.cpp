#include "generator/graph/recurrences.hpp"

namespace monomorph::generator {

std::optional<RecurrenceShape> recurrence_shape(const Value& state, const AxisTable& axes) {
  if (state.storage != Storage::state || state.axes.size() != 4) return std::nullopt;
  const std::vector<AxisId>& matrices = axes[state.axes[3]].factors;
  if (matrices.size() != 2 || axes[matrices[1]].factors.size() != 2) return std::nullopt;
  const std::vector<AxisId>& matrix = axes[matrices[1]].factors;
  return RecurrenceShape{.heads = matrices[0], .key = matrix[1], .value = matrix[0]};
}

std::optional<MatrixStrides> matrix_strides(const Value& operand, const RecurrenceShape& shape, const AxisTable& axes) {
  const bool weight = operand.storage == Storage::weight && operand.axes.size() == 1;
  const bool row = operand.storage == Storage::activation && operand.axes.size() == 2;
  if (!weight && !row) return std::nullopt;
  const std::int64_t key = axes[shape.key].size, value = axes[shape.value].size;
  if (operand.axes.back() == shape.heads) return MatrixStrides{1, 0, 0};
  const std::vector<AxisId>& factors = axes[operand.axes.back()].factors;
  if (factors == std::vector{shape.heads, shape.key}) return MatrixStrides{key, 1, 0};
  if (factors == std::vector{shape.heads, shape.value}) return MatrixStrides{value, 0, 1};
  const bool of_elements = factors.size() == 2 && factors[1] == shape.key &&
                           axes[factors[0]].factors == std::vector{shape.heads, shape.value};
  if (of_elements) return MatrixStrides{value * key, 1, key};
  return std::nullopt;
}

}  // namespace monomorph::generator
