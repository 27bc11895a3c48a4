// [checkpoint]: where the weights stand, and their types.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "generator/spec/spec.hpp"

namespace monomorph::generator {

struct CheckpointSection {
  Span span;
  Field<std::string> names;  ///< a family, whose names the tensors have; lines of `tensors` override them
  Field<std::string> dtype;  ///< f32 | f16 | bf16
  std::vector<std::pair<std::string, Field<std::string>>> dtypes;  ///< pattern of part names -> dtype, where it differs
  Field<std::vector<std::string>> prefix;     ///< one of these stands before every name; "" is no prefix
  std::map<std::string, TensorName> tensors;  ///< part ("layers.{i}.attention.q") -> name: the family's, overridden
  std::vector<IgnoredTensor> ignore;
};

}  // namespace monomorph::generator
