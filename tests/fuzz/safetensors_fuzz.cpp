// Any text as the header of a safetensors file, and as an index of shards: refused, or read.
#include <cstdint>

#include "runtime/error.hpp"
#include "runtime/formats/safetensors_header.hpp"

using namespace monomorph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const SafetensorsEntry& entry : read_safetensors_header(text, 24, "fuzz.safetensors")) {
      if (entry.begin > entry.end || entry.end > 24) __builtin_trap();
    }
  } catch (const Error&) {
  }
  try {
    read_safetensors_index(text, "fuzz.index.json");
  } catch (const Error&) {
  }
  return 0;
}
