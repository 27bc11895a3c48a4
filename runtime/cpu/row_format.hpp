// Which reader of a level reads rows of a type.
#pragma once

#include <string_view>

#include "runtime/cpu/levels/level.hpp"
#include "runtime/dtype.hpp"

namespace monomorph::cpu {

constexpr Dtype dtype_named(std::string_view name) {
  std::size_t i = 0;
  while (dtype_rows[i].name != name) ++i;
  return static_cast<Dtype>(i);
}

/// How a level reads rows of a type.
constexpr RowFormat row_format(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return RowFormat::f32;
    case Dtype::f16:
      return RowFormat::f16;
    case Dtype::bf16:
      return RowFormat::bf16;
    case Dtype::q4_0:
      return RowFormat::q4_0;
    case Dtype::q4_1:
      return RowFormat::q4_1;
    case Dtype::q5_0:
      return RowFormat::q5_0;
    case Dtype::q5_1:
      return RowFormat::q5_1;
    case Dtype::q8_0:
      return RowFormat::q8_0;
    case Dtype::q2_k:
      return RowFormat::q2_k;
    case Dtype::q3_k:
      return RowFormat::q3_k;
    case Dtype::q4_k:
      return RowFormat::q4_k;
    case Dtype::q5_k:
      return RowFormat::q5_k;
    case Dtype::q6_k:
      return RowFormat::q6_k;
    case Dtype::iq4_nl:
      return RowFormat::iq4_nl;
    case Dtype::iq4_xs:
      return RowFormat::iq4_xs;
    case Dtype::mxfp4:
      return RowFormat::mxfp4;
  }
  __builtin_unreachable();  // a type without a line: no constant, and so no engine
}

}  // namespace monomorph::cpu
