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
  std::vector<std::int64_t> other;  ///< that the same elements may have in the same order; empty: none
  std::vector<AxisId> axes;         ///< of the shape; none where a tensor's rows are those of several weights
  Dtype dtype = Dtype::f32;

  bool fits(const std::vector<std::int64_t>& given) const {
    const bool scalar = given.empty() && shape == std::vector<std::int64_t>{1};  // a number may stand without an axis
    // A vector may stand as a matrix of one row, and the other way round.
    const bool row = shape.size() == 1 && given == std::vector<std::int64_t>{1, shape[0]};
    const bool vector = shape.size() == 2 && shape[0] == 1 && given == std::vector<std::int64_t>{shape[1]};
    // Numbers of each channel alone may have an axis of one between theirs, as those of a Conv1d.
    const bool grouped = other.size() == 2 && given == std::vector<std::int64_t>{other[0], 1, other[1]};
    return given == shape || scalar || row || vector || grouped || (!other.empty() && given == other);
  }
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
