// A call of the reference's runtime (runtime/reference/), as data: the emitter spells it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "generator/graph/op.hpp"

namespace monomorph::generator {

struct ReferenceCall {
  std::string function;                                   ///< "rms_norm"
  std::vector<std::variant<AxisId, std::int64_t>> sizes;  ///< template arguments
  std::vector<ValueId> operands;                          ///< none: `absent`
  std::vector<double> numbers;                            ///< after the operands
  const Map* map = nullptr;                               ///< a lambda of its names, before the operands
  bool positions = false;                                 ///< the first position of the call comes last
  const Attention* attention = nullptr;                   ///< lambdas of its score and its mask, before the operands
};

}  // namespace monomorph::generator
