// What compiled SPIR-V says about its buffers, through SPIRV-Cross.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace monomorph::generator {

struct ReflectedField {
  std::string name;  ///< "" where debug names were stripped
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::int64_t array_stride = 0;         ///< 0: no array
  std::vector<ReflectedField> fields{};  ///< of a struct, or of an array's elements
};

struct ReflectedStruct {
  std::vector<ReflectedField> fields;
};

/// The storage or uniform buffer at `binding` of set 0; where its block holds nothing but one struct, that struct. None
/// where the module has no such binding. SPIR-V that cannot be read is an InternalError.
std::optional<ReflectedStruct> reflect_struct(std::span<const std::uint32_t> spirv, std::uint32_t binding);

}  // namespace monomorph::generator
