#include "runtime/formats/pytorch.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace monomorph {
namespace {

bool begins_with(std::span<const std::byte> bytes, std::span<const std::uint8_t> start) {
  return bytes.size() >= start.size() &&
         std::equal(start.begin(), start.end(), bytes.begin(),
                    [](std::uint8_t a, std::byte b) { return a == std::to_integer<std::uint8_t>(b); });
}

}  // namespace

bool is_pytorch(std::span<const std::byte> bytes) {
  // As the length of a safetensors header, neither is one that a file may have.
  constexpr std::array<std::uint8_t, 8> zip = {'P', 'K', 3, 4, 0, 0, 8, 8};
  constexpr std::array<std::uint8_t, 4> pickle = {0x80, 2, 0x8a, 10};  // protocol 2, and the magic number's length
  return begins_with(bytes, zip) || begins_with(bytes, pickle);
}

bool is_pytorch_name(std::string_view name) {
  return (name.starts_with("pytorch_model") && (name.ends_with(".bin") || name.ends_with(".bin.index.json"))) ||
         name.ends_with(".pth") || name.ends_with(".pt");
}

}  // namespace monomorph
