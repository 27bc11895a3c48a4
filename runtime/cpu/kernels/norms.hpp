// Norms of rows: RMSNorm (Zhang and Sennrich 2019), LayerNorm (Ba, Kiros and Hinton 2016), whose variance is about the
// mean in a second pass, and ScaleNorm (Nguyen and Salazar 2019).
#pragma once

#include "runtime/cpu/kernels/rows.hpp"

namespace monomorph::cpu {

template <std::int64_t n>
float sum_of(const float* x) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

/// Of squares of what x has above `mean`.
template <std::int64_t n>
float squares_of(const float* x, float mean) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += (x[i] - mean) * (x[i] - mean);
  return sum;
}

/// What an element is multiplied by, whose weight is given.
template <class P>
float norm_gain(float weight) {
  if constexpr (P::norm_offset) {
    return P::weight_offset + weight;
  } else {
    return weight;
  }
}

/// The norm of a row that a kernel's parameters tell, before what follows it.
template <class P>
struct RowNorm {
  explicit RowNorm(const Call& call) {
    if constexpr (P::norm_weighted) weight = data<const float>(call, place<P>("norm_weight"));
    if constexpr (P::norm_bias) bias = data<const float>(call, place<P>("norm_bias_vector"));
  }
  void operator()(const float* x, float* out) const {
    constexpr auto n = P::columns;
    float mean = 0;
    if constexpr (P::norm == "layer_norm") mean = sum_of<n>(x) / static_cast<float>(n);
    const float squares = squares_of<n>(x, mean);
    const float scale = 1 / std::sqrt((P::norm == "scale_norm" ? squares : squares / static_cast<float>(n)) + P::eps);
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = (x[i] - mean) * scale * gain(P::norm == "scale_norm" ? 0 : i);
      if constexpr (P::norm_bias) out[i] += bias[i];
    }
  }
  float gain(std::int64_t i) const {
    if constexpr (!P::norm_weighted) {
      return 1;
    } else {
      return norm_gain<P>(weight[i]);
    }
  }
  const float *weight = nullptr, *bias = nullptr;
};

/// The rows that a kernel reads: those of the pass, or those whose logits are wanted.
template <class P>
const float* input_row(const Call& call, std::int64_t row) {
  if constexpr (P::picked_rows) row = call.pass.rows[static_cast<std::size_t>(row)].row;
  const std::size_t binding = [] {
    if constexpr (P::in_place) {
      return place<P>("outputs");
    } else {
      return place<P>("inputs");
    }
  }();
  return data<const float>(call, binding) + row * row_stride(P::columns);
}

template <class P>
struct Norm : OfRows<P, Norm<P>> {
  explicit Norm(const Call& call) : norm(call), call(call) {}
  void row(std::int64_t row) const {
    std::array<float, P::columns> normed;
    norm(input_row<P>(call, row), normed.data());
    const std::int64_t first = row * row_stride(P::columns);
    float* outputs = data(call, place<P>("outputs")) + first;
    for (std::int64_t i = 0; i < P::columns; ++i) {
      float operands[most_operands];
      if constexpr (P::operand0) operands[0] = data<const float>(call, place<P>("operand0"))[first + i];
      if constexpr (P::operand1) operands[1] = data<const float>(call, place<P>("operand1"))[first + i];
      outputs[i] = P::output(normed[i], 0, P::reads_output ? outputs[i] : 0.0f, operands);
    }
  }
  RowNorm<P> norm;
  const Call& call;
};

}  // namespace monomorph::cpu
