// Double-entry bookkeeping of structs that host and device share: the layout that Clang gives the C++ and that the
// shipped SPIR-V declares must both be the expected one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "generator/clang/clang.hpp"
#include "runtime/program/step.hpp"

namespace monomorph::generator {

struct ExpectedField {
  std::string name;
  std::int64_t offset = 0;              ///< bytes
  std::int64_t size = 0;                ///< bytes, the whole array where it is one
  std::int64_t array_stride = 0;        ///< bytes from one element to the next; 0: no array
  std::vector<ExpectedField> fields{};  ///< of a struct, or of an array's elements: compared in the SPIR-V
};

struct ExpectedStruct {
  std::string name;  ///< qualified in C++: "tiny::Step"
  std::int64_t size = 0;
  std::vector<ExpectedField> fields;  ///< in order
};

/// The step of a program with these lengths, as runtime/program/step.hpp lays it out; `name` is that of its C++ type.
ExpectedStruct expected_step(const std::string& name, const StepLayout& layout);
/// The structs that it is made of: "monomorph::StepSlot" ...
std::vector<ExpectedStruct> expected_step_parts();

/// The C++ twins in `header`. A difference is an InternalError naming record and field, with both values.
void verify_layouts(const CppInput& header, const std::vector<ExpectedStruct>& expected);

/// The twin in a kernel: the struct at `binding` of set 0 (the block itself, or the one struct it holds). A kernel that
/// does not use the binding has nothing to compare. `kernel` names it in the InternalError.
void verify_spirv_layout(const std::string& kernel, std::span<const std::uint32_t> spirv, std::uint32_t binding,
                         const ExpectedStruct& expected);

}  // namespace monomorph::generator
