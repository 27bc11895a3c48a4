// GGUF files for tests: metadata and tensors of chosen names, types and bytes, whether they fit or not.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/formats/gguf.hpp"

namespace monomorph::tests {

template <class T>
std::string number_bytes(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
inline std::string gguf_string(const std::string& text) {
  return number_bytes(static_cast<std::uint64_t>(text.size())) + text;
}

/// A value with its type before it.
inline std::string gguf_value(GgufType type, const std::string& bytes) {
  return number_bytes(static_cast<std::uint32_t>(type)) + bytes;
}
inline std::string gguf_number(std::uint32_t value) { return gguf_value(GgufType::u32, number_bytes(value)); }
inline std::string gguf_text(const std::string& text) { return gguf_value(GgufType::string, gguf_string(text)); }
inline std::string gguf_array(GgufType type, std::uint64_t count, const std::string& elements) {
  return gguf_value(GgufType::array, number_bytes(static_cast<std::uint32_t>(type)) + number_bytes(count) + elements);
}

struct GgufTensorText {
  std::string name;
  std::uint32_t type;                  ///< ggml's number
  std::vector<std::uint64_t> extents;  ///< in the file's order, columns first
  std::string bytes;
  std::int64_t offset = -1;  ///< -1: behind the tensor before
};

struct GgufText {
  std::uint32_t version = 3;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<GgufTensorText> tensors;
  std::uint64_t alignment = 32;
  std::int64_t entry_count = -1, tensor_count = -1;  ///< -1: as many as there are

  std::string bytes() const {
    const auto count = [](std::int64_t said, std::size_t is) {
      return said < 0 ? static_cast<std::uint64_t>(is) : static_cast<std::uint64_t>(said);
    };
    std::string text = "GGUF" + number_bytes(version) + number_bytes(count(tensor_count, tensors.size())) +
                       number_bytes(count(entry_count, metadata.size()));
    for (const auto& [key, value] : metadata) text += gguf_string(key) + value;
    std::string data;
    for (const GgufTensorText& tensor : tensors) {
      text += gguf_string(tensor.name) + number_bytes(static_cast<std::uint32_t>(tensor.extents.size()));
      for (const std::uint64_t extent : tensor.extents) text += number_bytes(extent);
      data.resize((data.size() + alignment - 1) / alignment * alignment, '\0');
      const auto offset =
          tensor.offset < 0 ? static_cast<std::uint64_t>(data.size()) : static_cast<std::uint64_t>(tensor.offset);
      text += number_bytes(tensor.type) + number_bytes(offset);
      data += tensor.bytes;
    }
    text.resize((text.size() + alignment - 1) / alignment * alignment, '\0');
    return text + data;
  }
};

}  // namespace monomorph::tests
