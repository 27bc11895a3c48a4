// A call of the reference's runtime (runtime/reference/), as data: the emitter spells it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "generator/graph/op.hpp"

namespace monomorph::generator {

/// Arguments stand in the order of these members.
struct ReferenceCall {
  std::string function;                                        ///< "rms_norm"
  std::vector<std::variant<AxisId, std::int64_t>> sizes = {};  ///< template arguments
  bool weights = false;                                        ///< it reads weights by id; else they are numbers
  const Expression* expression = nullptr;                      ///< a lambda of these names
  std::vector<std::string> names = {};
  const Attention* attention = nullptr;      ///< lambdas of its score and its mask
  ValueId relative = {};                     ///< what its distances give, where it has any
  std::optional<AxisId> relative_head = {};  ///< the elements of a head, where keys have it added
  std::vector<ValueId> operands = {};        ///< none: `absent`
  std::vector<ValueId> second_term = {};     ///< joined to the first operands, head by head
  std::vector<AxisId> term_heads = {};       ///< the elements of a head in either
  std::vector<double> numbers = {};
  ValueId factor = {};     ///< a weight of one number, by which the numbers are multiplied
  bool positions = false;  ///< the first position of the call
  bool length = false;     ///< the length of the sequence, where an operand's angles depend on it
};

}  // namespace monomorph::generator
