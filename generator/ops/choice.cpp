#include "generator/ops/choice.hpp"

#include <fmt/format.h>

namespace monomorph::generator {

AxisId choices_of(OperandCheck& check, std::size_t operand, AxisId among) {
  if (!check.matrix(operand)) return {};
  const OpId writer = check.in(operand).writer;
  const bool chosen = writer && as<TopK>(check.graph().ops[writer]) != nullptr;
  if (!chosen || check.graph().values[check.graph().ops[writer].in[0]].axes[1] != among) {
    check.fault(fmt::format("wants operand {} as a choice among {}", operand, check.axis(among).word));
    return {};
  }
  return check.in(operand).axes[1];
}

bool is_product(const AxisTable& axes, AxisId whole, AxisId outer, AxisId inner) {
  return axes[whole].factors == std::vector{outer, inner};
}

}  // namespace monomorph::generator
