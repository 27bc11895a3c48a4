// Checkpoints for tests: tensors of chosen name, type, shape and bytes, as a .safetensors file's text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace monomorph::tests {

struct TensorText {
  std::string name;
  std::string dtype;  ///< "F32" ...
  std::vector<std::int64_t> shape;
  std::string bytes;  ///< as many as type and shape need; fewer are filled up with zeros
};

inline std::string bytes_of(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

inline std::string safetensors(const std::vector<TensorText>& tensors) {
  std::string header = "{";
  std::string data;
  for (const TensorText& tensor : tensors) {
    std::size_t size = tensor.dtype == "F32" ? 4 : tensor.dtype == "F64" ? 8 : tensor.dtype.ends_with("8") ? 1 : 2;
    std::string shape;
    for (const std::int64_t extent : tensor.shape) {
      size *= static_cast<std::size_t>(extent);
      shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    }
    std::string bytes = tensor.bytes;
    bytes.resize(size, '\0');
    if (header.size() > 1) header += ",";
    header += "\"" + tensor.name + "\":{\"dtype\":\"" + tensor.dtype + "\",\"shape\":[" + shape +
              "],\"data_offsets\":[" + std::to_string(data.size()) + "," + std::to_string(data.size() + size) + "]}";
    data += bytes;
  }
  header += "}";
  while (header.size() % 8 != 0) header += ' ';
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> (8 * i) & 0xff);
  return length + header + data;
}

}  // namespace monomorph::tests
