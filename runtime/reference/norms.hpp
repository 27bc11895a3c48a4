// Norms of the reference: RMSNorm (Zhang and Sennrich 2019), LayerNorm (Ba, Kiros and Hinton 2016) and ScaleNorm
// (Nguyen and Salazar 2019), of a whole row or of each run of `size` elements of it (of each head: Qwen 3's QK-norm).
// `offset` is added to the weights, which are 1 where `weight` is absent.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/reference/matrices.hpp"

namespace monomorph::reference {

/// 1 / sqrt(mean of squares + eps).
inline double inverse_rms(std::span<const double> x, double eps) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return 1 / std::sqrt(sum / static_cast<double>(x.size()) + eps);
}

/// What normed elements are multiplied by, and the bias: `size` of them.
template <std::int64_t size>
std::vector<double> norm_gain(const HostWeights& weights, std::int32_t weight, double offset) {
  if (weight == absent) return std::vector<double>(size, 1.0);
  std::vector<double> gain = weight_row<size>(weights, weight);
  for (double& element : gain) element += offset;
  return gain;
}

template <std::int64_t size>
std::vector<double> norm_bias(const HostWeights& weights, std::int32_t bias) {
  return bias == absent ? std::vector<double>(size, 0.0) : weight_row<size>(weights, bias);
}

/// x / sqrt(mean(x^2) + eps) * weight of each run of `size` elements. There are `weighted` weights: one run's for all
/// of them, or those of the whole row.
template <std::int64_t size, std::int64_t weighted = size, std::int64_t columns>
Activations<columns> rms_norm(const HostWeights& weights, std::int32_t weight, const Activations<columns>& x,
                              double eps, double offset = 0) {
  static_assert(columns % size == 0 && (weighted == size || weighted == columns));
  const std::vector<double> gain = norm_gain<weighted>(weights, weight, offset);
  Activations<columns> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    for (std::int64_t first = 0; first < columns; first += size) {
      const double* in = x.row(t).data() + first;
      double* out = y.row(t).data() + first;
      const double scale = inverse_rms(std::span(in, size), eps);
      const double* own = gain.data() + first % weighted;
      for (std::int64_t i = 0; i < size; ++i) out[i] = in[i] * scale * own[i];
    }
  }
  return y;
}

/// (x - mean) / sqrt(variance + eps) * weight + bias of each run of `size` elements, with weights as rms_norm has them;
/// `bias` may be absent.
template <std::int64_t size, std::int64_t weighted = size, std::int64_t columns>
Activations<columns> layer_norm(const HostWeights& weights, std::int32_t weight, std::int32_t bias,
                                const Activations<columns>& x, double eps, double offset = 0) {
  static_assert(columns % size == 0 && (weighted == size || weighted == columns));
  const std::vector<double> gain = norm_gain<weighted>(weights, weight, offset);
  const std::vector<double> offsets = norm_bias<weighted>(weights, bias);
  Activations<columns> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    for (std::int64_t first = 0; first < columns; first += size) {
      const std::span in(x.row(t).data() + first, size);
      const std::span out(y.row(t).data() + first, size);
      double mean = 0;
      for (const double value : in) mean += value;
      mean /= size;
      for (std::int64_t i = 0; i < size; ++i) out[i] = in[i] - mean;
      const double scale = inverse_rms(out, eps);
      const std::int64_t own = first % weighted;
      for (std::int64_t i = 0; i < size; ++i) out[i] = out[i] * scale * gain[own + i] + offsets[own + i];
    }
  }
  return y;
}

/// x / sqrt(sum of x^2 + eps) * weight, which is one number.
template <std::int64_t size, std::int64_t columns>
Activations<columns> scale_norm(const HostWeights& weights, std::int32_t weight, const Activations<columns>& x,
                                double eps, double offset = 0) {
  static_assert(columns == size);
  const double gain = norm_gain<1>(weights, weight, offset)[0];
  Activations<columns> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    double squares = 0;
    for (const double value : x.row(t)) squares += value * value;
    const double scale = gain / std::sqrt(squares + eps);
    for (std::int64_t i = 0; i < columns; ++i) y.row(t)[i] = x.row(t)[i] * scale;
  }
  return y;
}

}  // namespace monomorph::reference
