#include "generator/audit/scan_values.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/formats/half.hpp"
#include "runtime/formats/quantized.hpp"
#include "runtime/formats/split_blocks.hpp"

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

/// All elements of the first block whose scale is not finite.
std::optional<NotFinite> scan_blocks(const DtypeRow& row, const CheckpointTensor& tensor) {
  const auto dtype = static_cast<Dtype>(&row - dtype_rows);
  std::int64_t bad = -1;
  if (tensor.scales.empty()) {
    bad = find_bad_scale(dtype, tensor.data.data(), static_cast<std::int64_t>(tensor.data.size()) / row.block_bytes);
  } else {
    std::vector<std::byte> block(static_cast<std::size_t>(row.block_bytes));
    for (std::size_t i = 0; i < tensor.scales.size() && bad < 0; ++i) {
      copy_split_blocks(tensor.data.data() + i * split_block_bytes, &tensor.scales[i], block);
      if (find_bad_scale(dtype, block.data(), 1) >= 0) bad = static_cast<std::int64_t>(i);
    }
  }
  if (bad < 0) return std::nullopt;
  return NotFinite{row.block_elements, bad * row.block_elements, std::numeric_limits<float>::quiet_NaN()};
}

}  // namespace

std::optional<NotFinite> find_not_finite(const CheckpointTensor& tensor) {
  if (tensor.dtype == "F32") {
    return scan<std::uint32_t>(tensor.data, 0x7f800000u, [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
  }
  if (tensor.dtype == "F16") return scan<std::uint16_t>(tensor.data, 0x7c00u, f32_from_f16);
  if (tensor.dtype == "BF16") return scan<std::uint16_t>(tensor.data, 0x7f80u, f32_from_bf16);
  for (const DtypeRow& row : dtype_rows) {
    if (tensor.dtype == row.header) return scan_blocks(row, tensor);
  }
  return std::nullopt;
}

}  // namespace monomorph::generator
