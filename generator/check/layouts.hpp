// Double-entry bookkeeping of structs that host and device share. They are emitted as twins, C++ and GLSL, from one
// record of the plan; the layout that Clang gives the C++ and that the shipped SPIR-V declares must both be the plan's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "generator/clang/clang.hpp"

namespace monomorph::generator {

struct ExpectedField {
  std::string name;
  std::int64_t offset = 0;        ///< bytes
  std::int64_t size = 0;          ///< bytes, the whole array where it is one
  std::int64_t array_stride = 0;  ///< bytes from one element to the next; 0: no array
};

struct ExpectedStruct {
  std::string name;  ///< qualified in C++: "tiny::SequenceState"
  std::int64_t size = 0;
  std::vector<ExpectedField> fields;  ///< in order
};

/// The C++ twins in `header`. A difference is an InternalError naming record and field, with both values.
void verify_layouts(const CppInput& header, const std::vector<ExpectedStruct>& expected);

/// The twin in a kernel: the struct at `binding` of set 0 (the block itself, or the one struct it holds). A kernel that
/// does not use the binding has nothing to compare. `kernel` names it in the InternalError.
void verify_spirv_layout(const std::string& kernel, std::span<const std::uint32_t> spirv, std::uint32_t binding,
                         const ExpectedStruct& expected);

}  // namespace monomorph::generator
