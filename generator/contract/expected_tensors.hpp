// The tensors that a contract's model needs of its checkpoint, one by one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "generator/contract/contract.hpp"

namespace monomorph::generator {

struct ExpectedTensor {
  std::string pattern;       ///< with {i}, and with {j} of a part that has several
  std::int64_t layer = -1;   ///< -1: outside the layers
  std::size_t stack = 0;     ///< whose layer that is
  std::int64_t number = -1;  ///< among the part's tensors; -1: it has one
  AxisId counted;            ///< what these are one for each of; none where it has one, or rows of no such factor
  std::string part;          ///< of the weight, with {i}
  std::vector<std::int64_t> shape;
  std::vector<std::vector<std::int64_t>> others;  ///< that the same elements may have in the same order
  std::vector<AxisId> axes;  ///< of the shape; none where a tensor's rows are those of several weights
  Dtype dtype = Dtype::f32;

  /// Whether a tensor of this shape has the elements in their order.
  bool fits(const std::vector<std::int64_t>& given) const;
};

/// By name, without the prefix.
std::map<std::string, ExpectedTensor> expected_tensors(const Contract& contract);

/// A name whose number stands for a layer: "a.3.b.w" -> "a.{i}.b.w" and 3. The first number counts; without one, the
/// name itself and -1.
struct LayerName {
  std::string pattern;
  std::int64_t layer = -1;
};
LayerName split_layer(const std::string& name);

}  // namespace monomorph::generator
