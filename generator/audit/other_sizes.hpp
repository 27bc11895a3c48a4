// A checkpoint of another model: the sizes by which it is another, in place of every tensor that they change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "generator/audit/other_types.hpp"
#include "generator/contract/expected_tensors.hpp"

namespace monomorph::generator {

class OtherSizes {
 public:
  /// Nothing differs where fewer than three names have another shape: each of these is to be told.
  OtherSizes(const Contract& contract, const Present& present, const Checkpoint& checkpoint);

  bool found() const { return found_; }
  /// "num_hidden_layers is 4, not 30; hidden is 256, not 576".
  std::string described() const;
  /// Whether a tensor has the shape that the checkpoint's sizes give it.
  bool explain(const CheckpointTensor& tensor, const ExpectedTensor& expected) const;
  /// Whether a layer is in one of the two models alone.
  bool explain(std::int64_t layer) const;

 private:
  bool has_shape(const CheckpointTensor& tensor, const ExpectedTensor& expected) const;

  const Contract& contract_;
  std::map<AxisId, std::int64_t> sizes_;  ///< that most tensors have
  std::vector<AxisId> other_;             ///< axes of another size
  std::int64_t layers_ = 0;               ///< of the checkpoint
  bool found_ = false;
};

}  // namespace monomorph::generator
