#include "generator/emit/steps.hpp"

#include <fmt/format.h>

namespace monomorph::generator {

std::string operand_name(const StepOperand& operand) {
  switch (operand.from) {
    case StepOperand::From::sum:
      return fmt::format("sum_{}", operand.index);
    case StepOperand::From::step:
      return fmt::format("step_{}", operand.index);
    case StepOperand::From::buffer:
      return fmt::format("operand_{}", operand.index);
    case StepOperand::From::output:
      return "previous";
  }
  return "";
}

}  // namespace monomorph::generator
