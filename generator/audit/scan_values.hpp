// Looks for values that are no numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/formats/checkpoint.hpp"

namespace monomorph::generator {

struct NotFinite {
  std::int64_t count = 0;
  std::int64_t first = 0;  ///< index of the first, row after row
  float value = 0;         ///< it
};

/// NaN and infinity in a tensor, of quantized ones in the scales of blocks; nullopt when all values are finite.
std::optional<NotFinite> find_not_finite(const CheckpointTensor& tensor);

}  // namespace monomorph::generator
