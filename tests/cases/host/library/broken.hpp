// An emitted header edited by hand until it no longer fits.
#pragma once

#include "runtime/program/tensor.hpp"

namespace broken {

struct rows {
  static constexpr std::int64_t size = 4;
};
struct values;
inline constexpr monomorph::Tensor<values, monomorph::f32, rows> input{};
inline constexpr monomorph::Tensor<values, monomorph::f16, rows> output = input;

}  // namespace broken
