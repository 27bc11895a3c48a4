// Kernels that compute each row of a pass by itself, of rows of activations alone.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "runtime/cpu/epilogue.hpp"
#include "runtime/cpu/states.hpp"

namespace monomorph::cpu {

/// A unit is a row of the pass: K::row(call, row) computes it.
template <class P, class K>
struct OfRows {
  static std::int64_t units(const Call& call) { return rows_in_use<P>(call.pass); }
  static void run(const Call& call, std::int64_t begin, std::int64_t end) {
    const K kernel(call);
    for (std::int64_t row = begin; row < end; ++row) kernel.row(row);
  }
};

/// Maps of rows alone.
template <class P>
struct Map : OfRows<P, Map<P>> {
  explicit Map(const Call& call) : output(call) {}
  void row(std::int64_t row) const {
    for (std::int64_t column = 0; column < P::columns; ++column) output.write(row, column);
  }
  Epilogue<P> output;
};

/// Two rows, one after the other.
template <class P>
struct Concat : OfRows<P, Concat<P>> {
  explicit Concat(const Call& call) : output(call), call(call) {}
  void row(std::int64_t row) const {
    const float* first = data<const float>(call, place<P>("first")) + row * P::first_stride + P::first_column;
    const float* second = data<const float>(call, place<P>("second")) + row * P::second_stride + P::second_column;
    for (std::int64_t column = 0; column < P::columns; ++column) {
      output.write(row, column, column < P::first_columns ? first[column] : second[column - P::first_columns]);
    }
  }
  Epilogue<P> output;
  const Call& call;
};

/// The sum of a row's runs, each by its weight.
template <class P>
struct Combine : OfRows<P, Combine<P>> {
  explicit Combine(const Call& call) : output(call), call(call) {}
  void row(std::int64_t row) const {
    const float* inputs = inputs_of<P>(call, row);
    for (std::int64_t column = 0; column < P::columns; ++column) {
      float sum = 0;
      for (std::int64_t run = 0; run < P::runs; ++run) sum += weight(row, run) * inputs[run * P::columns + column];
      output.write(row, column, sum);
    }
  }
  float weight(std::int64_t row, std::int64_t run) const {
    if constexpr (P::weighed) {
      return data<const float>(call,
                               place<P>("run_weights"))[row * P::run_weights_stride + P::run_weights_column + run];
    } else {
      return 1;
    }
  }
  Epilogue<P> output;
  const Call& call;
};

/// What each element of a row is of them all: its softmax, or its part of their sum.
template <class P>
struct Shares : OfRows<P, Shares<P>> {
  explicit Shares(const Call& call) : output(call), call(call) {}
  void row(std::int64_t row) const {
    const float* inputs = inputs_of<P>(call, row);
    float sum = 0;
    if constexpr (P::type == "softmax") {
      float greatest = inputs[0];
      for (std::int64_t column = 1; column < P::columns; ++column) greatest = std::max(greatest, inputs[column]);
      for (std::int64_t column = 0; column < P::columns; ++column) sum += std::exp(inputs[column] - greatest);
      for (std::int64_t column = 0; column < P::columns; ++column) {
        output.write(row, column, std::exp(inputs[column] - greatest) / sum);
      }
    } else {
      for (std::int64_t column = 0; column < P::columns; ++column) sum += inputs[column];
      sum = std::max(sum + P::eps, P::least);
      for (std::int64_t column = 0; column < P::columns; ++column) output.write(row, column, inputs[column] / sum);
    }
  }
  Epilogue<P> output;
  const Call& call;
};

/// The mean of a run's rows: sums of 64 of them, summed, since the error of one long sum grows with its length.
template <class P>
struct Pool : OfRows<P, Pool<P>> {
  explicit Pool(const Call& call) : output(call), call(call) {}
  void row(std::int64_t row) const {
    const StepRun& run = run_of(call.pass, call.pass.rows[static_cast<std::size_t>(row)].row);
    const float* inputs = data<const float>(call, place<P>("inputs")) + P::inputs_column;
    constexpr std::int64_t part_rows = 64;
    for (std::int64_t column = 0; column < P::columns; ++column) {
      float sum = 0;
      for (std::int64_t begin = 0; begin < run.rows; begin += part_rows) {
        float part = 0;
        for (std::int64_t n = begin; n < std::min<std::int64_t>(begin + part_rows, run.rows); ++n) {
          part += inputs[(run.first_row + n) * P::inputs_stride + column];
        }
        sum += part;
      }
      output.write(row, column, sum / static_cast<float>(run.rows));
    }
  }
  Epilogue<P> output;
  const Call& call;
};

/// Sines and cosines of a row's position (Vaswani et al. 2017).
template <class P>
struct Sinusoids : OfRows<P, Sinusoids<P>> {
  explicit Sinusoids(const Call& call) : call(call) {}
  void row(std::int64_t row) const {
    const StepToken& token = call.pass.tokens[static_cast<std::size_t>(row)];
    const std::uint32_t angle_row = token.position + call.pass.slots[token.slot].angle_offset;
    const float* angles = data<const float>(call, place<P>("angles")) + 2 * angle_row * P::angle_stride;
    float* to = outputs_of<P>(call, row);
    for (std::int64_t j = 0; j < P::columns / 2; ++j) {
      const bool half = P::layout == "half";
      to[half ? j : 2 * j] = angles[2 * j + 1];
      to[half ? j + P::columns / 2 : 2 * j + 1] = angles[2 * j];
    }
  }
  const Call& call;
};

/// A causal convolution of each element alone, whose state has the pass's own tokens already; without taps, an element
/// is what the position before has.
template <class P>
struct Convolve : OfRows<P, Convolve<P>> {
  explicit Convolve(const Call& call) : output(call), call(call) {}
  void row(std::int64_t row) const {
    const StepToken& token = call.pass.tokens[static_cast<std::size_t>(row)];
    for (std::int64_t column = 0; column < P::columns; ++column) output.write(row, column, value(token, column));
  }
  float value(const StepToken& token, std::int64_t column) const {
    const std::int64_t head = column / P::head_dim, element = column % P::head_dim;
    const float* state = data<const float>(call, place<P>("state"));
    const auto kept = [&](std::int64_t back) {
      return state[state_row<P>(token.slot, head, token.position - back) * P::state_stride + element];
    };
    if constexpr (!P::has_taps) {
      return token.position == 0 ? 0 : kept(1);
    } else {
      float sum = 0;
      if constexpr (P::has_bias) sum = data<const float>(call, place<P>("bias"))[column];
      const float* taps = data<const float>(call, place<P>("taps")) + column * P::tap_count;
      // What is before the sequence is 0.
      for (std::int64_t back = std::min<std::int64_t>(P::tap_count - 1, token.position); back >= 0; --back) {
        sum += kept(back) * taps[P::tap_count - 1 - back];
      }
      return sum;
    }
  }
  Epilogue<P> output;
  const Call& call;
};

}  // namespace monomorph::cpu
