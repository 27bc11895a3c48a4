// The steps of an epilogue, as kernels in GLSL and in C++ spell them.
#pragma once

#include <string>

#include "generator/plan/plan.hpp"

namespace monomorph::generator {

/// What a step reads: "sum_0", "step_1", "operand_2", or "previous", the output as it was.
std::string operand_name(const StepOperand& operand);

}  // namespace monomorph::generator
