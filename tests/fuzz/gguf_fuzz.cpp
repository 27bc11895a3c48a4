// Any bytes as a GGUF file: refused, or read within their bounds.
#include <cstdint>

#include "runtime/error.hpp"
#include "runtime/formats/gguf.hpp"
#include "runtime/formats/quantized.hpp"

using namespace monomorph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const GgufFile file = read_gguf(std::as_bytes(std::span(data, size)), "fuzz.gguf");
    std::size_t sum = 0;
    for (const GgufEntry& entry : file.metadata) {
      if (const auto* array = std::get_if<GgufArray>(&entry.value)) sum += array->values().size();
      if (const auto* text = std::get_if<std::string_view>(&entry.value)) {
        for (const char c : *text) sum += static_cast<unsigned char>(c);
      }
    }
    for (const GgufTensor& tensor : file.tensors) {
      for (const DtypeRow& row : dtype_rows) {
        const auto block = static_cast<std::size_t>(row.block_bytes);
        if (tensor.type != row.header || tensor.data.size() < block) continue;
        std::vector<float> elements(static_cast<std::size_t>(row.block_elements));
        decode_blocks(static_cast<Dtype>(&row - dtype_rows), tensor.data.data() + tensor.data.size() - block, elements);
        sum += elements.size();
      }
    }
    return sum == SIZE_MAX ? 1 : 0;
  } catch (const Error&) {
    return 0;
  }
}
