// What an emitted kernel's parameters are read with. They are a struct P: each parameter of the plan is a constant of
// it, or a function where it is an expression, or a type for each record where it is a list of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "runtime/program/cpu_kernel.hpp"

namespace monomorph::cpu {

/// Records of a list, a type each.
template <class... Records>
struct List {
  static constexpr std::size_t size = sizeof...(Records);
};

/// Calls visit.template operator()<Record, i>() for each record.
template <class... Records, class Visit>
constexpr void for_each(List<Records...>, const Visit& visit) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (visit.template operator()<Records, i>(), ...);
  }(std::index_sequence_for<Records...>());
}

/// The place of a binding among a kernel's.
template <class P>
consteval std::size_t place(std::string_view binding) {
  for (std::size_t i = 0; i < std::size(P::bindings); ++i) {
    if (P::bindings[i] == binding) return i;
  }
  throw "the kernel has no such binding";
}

/// Floats of an arena, or of a vector of weights.
template <class T = float>
T* data(const Call& call, std::size_t binding) {
  return reinterpret_cast<T*>(call.arguments[binding].data);
}

/// Rows of an activation, where a kernel reads and writes one: "inputs" and "outputs".
template <class P>
const float* inputs_of(const Call& call, std::int64_t row) {
  return data<const float>(call, place<P>("inputs")) + row * P::inputs_stride + P::inputs_column;
}
template <class P>
float* outputs_of(const Call& call, std::int64_t row) {
  return data(call, place<P>("outputs")) + row * P::outputs_stride + P::outputs_column;
}

/// The run of the pass that a row is of.
inline const StepRun& run_of(const Pass& pass, std::int64_t row) {
  std::size_t nth = 0;
  while (nth + 1 < pass.runs.size() && row >= pass.runs[nth].first_row + pass.runs[nth].rows) ++nth;
  return pass.runs[nth];
}

/// Rows that the kernel is about: tokens of the pass, or rows whose logits are wanted.
template <class P>
std::int64_t rows_in_use(const Pass& pass) {
  return P::stage == "head" ? pass.head_rows : pass.token_count;
}

/// Floats from one row of an activation to the next, which begins on 16 bytes.
constexpr std::int64_t row_stride(std::int64_t columns) { return (columns + 3) / 4 * 4; }

}  // namespace monomorph::cpu
