// What a kernel does with what it computed, element by element: the Maps that the plan fused with it, and the store.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "runtime/cpu/parameters.hpp"

namespace monomorph::cpu {

inline constexpr std::size_t most_operands = 6;

template <class P>
class Epilogue {
 public:
  explicit Epilogue(const Call& call) : outputs_(data(call, place<P>("outputs"))) {
    for_each(typename P::operands{}, [&]<class Operand, std::size_t i>() {
      operands_[i] = data<const float>(call, place<P>(Operand::buffer)) + Operand::column;
    });
  }

  /// Writes element `column` of row `row`; sum_1 where two matrices were multiplied.
  void write(std::int64_t row, std::int64_t column, float sum_0 = 0, float sum_1 = 0) const {
    float operands[most_operands];
    for_each(typename P::operands{}, [&]<class Operand, std::size_t i>() {
      const std::int64_t at = Operand::spread ? column / Operand::run : column;
      operands[i] = operands_[i][row * Operand::stride + at];
    });
    float& output = outputs_[row * P::outputs_stride + P::outputs_column + column];
    output = P::output(sum_0, sum_1, P::reads_output ? output : 0.0f, operands);
  }
  /// The same of neighbouring columns from `column` on.
  void write(std::int64_t row, std::int64_t column, std::span<const float> sums_0,
             std::span<const float> sums_1) const {
#pragma omp simd  // an element reads no other's
    for (std::size_t i = 0; i < sums_0.size(); ++i) {
      write(row, column + static_cast<std::int64_t>(i), sums_0[i], sums_1[i]);
    }
  }

 private:
  float* outputs_;
  std::array<const float*, most_operands> operands_{};
};

}  // namespace monomorph::cpu
