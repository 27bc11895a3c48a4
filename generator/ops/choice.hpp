// Choices: which columns of its scores, or banks of a matrix, each token has, as TopK gives them.
#pragma once

#include "generator/ops/op_type.hpp"

namespace monomorph::generator {

/// The axis that numbers the choices of an operand, which a TopK has chosen `among` the columns of this axis; says so
/// where it is no such choice, and then gives none.
AxisId choices_of(OperandCheck& check, std::size_t operand, AxisId among);

/// Whether an axis is an outer one times an inner one.
bool is_product(const AxisTable& axes, AxisId whole, AxisId outer, AxisId inner);

}  // namespace monomorph::generator
