#include "generator/audit/scan_values.hpp"

#include <cmath>
#include <cstring>

#include "runtime/formats/half.hpp"

namespace monomorph::generator {
namespace {

/// `mask`: the exponent's bits, all set in what is not finite.
template <class Bits, class Widen>
std::optional<NotFinite> scan(std::span<const std::byte> data, Bits mask, Widen widen) {
  NotFinite found;
  const auto count = static_cast<std::int64_t>(data.size() / sizeof(Bits));
  for (std::int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, data.data() + static_cast<std::size_t>(i) * sizeof(Bits), sizeof(Bits));
    if ((bits & mask) != mask) continue;
    if (found.count == 0) {
      found.first = i;
      found.value = widen(bits);
    }
    ++found.count;
  }
  return found.count == 0 ? std::nullopt : std::optional<NotFinite>(found);
}

}  // namespace

std::optional<NotFinite> find_not_finite(const CheckpointTensor& tensor) {
  if (tensor.dtype == "F32") {
    return scan<std::uint32_t>(tensor.data, 0x7f800000u, [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
  }
  if (tensor.dtype == "F16") return scan<std::uint16_t>(tensor.data, 0x7c00u, f32_from_f16);
  if (tensor.dtype == "BF16") return scan<std::uint16_t>(tensor.data, 0x7f80u, f32_from_bf16);
  return std::nullopt;
}

}  // namespace monomorph::generator
