// Rows of matrices: multiplied with rows of a pass, or gathered.
#pragma once

#include "runtime/cpu/kernels/norms.hpp"
#include "runtime/dtype.hpp"
#include "runtime/formats/quantized.hpp"

namespace monomorph::cpu {

constexpr Dtype dtype_named(std::string_view name) {
  std::size_t i = 0;
  while (dtype_rows[i].name != name) ++i;
  return static_cast<Dtype>(i);
}

/// A row of weights, as a file has it, as floats.
template <class P>
void decode_row(const std::byte* row, float* out) {
  constexpr Dtype dtype = dtype_named(P::dtype);
  decode_blocks(dtype, row, std::span(out, P::columns));
}

template <std::int64_t n>
float dot(const float* a, const float* b) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// The rows of a table that the pass's rows name: ids, positions, types, or rows whose logits are wanted.
template <class P>
struct Gather : OfRows<P, Gather<P>> {
  explicit Gather(const Call& call) : output(call), call(call) {}
  void row(std::int64_t row) const {
    constexpr std::size_t weights = place<P>("weights");
    const std::int64_t index = index_of(row) + P::offset;
    std::array<float, P::columns> decoded;
    const float* found = decoded.data();
    if constexpr (P::splits[weights]) {
      decode_row<P>(call.arguments[weights].rows[index], decoded.data());
    } else {
      found = data<const float>(call, weights) + index * row_stride(P::columns);
    }
    for (std::int64_t column = 0; column < P::columns; ++column) output.write(row, column, found[column]);
  }
  std::int64_t index_of(std::int64_t row) const {
    const auto at = static_cast<std::size_t>(row);
    if constexpr (P::index == "head_rows") {
      return call.pass.rows[at].row;
    } else if constexpr (P::index == "positions") {
      return call.pass.tokens[at].position;
    } else if constexpr (P::index == "token_types") {
      return call.pass.tokens[at].flags >> token_type_shift;
    } else {
      return call.pass.tokens[at].id;
    }
  }
  Epilogue<P> output;
  const Call& call;
};

/// Products of a matrix's rows, or of a bank's of them, with rows of the pass. A unit is some neighbouring rows of the
/// matrix, for everything that they are multiplied with: each row is decoded once.
template <class P>
struct Linear {
  static constexpr std::int64_t rows_of_unit = 16;

  static std::int64_t units(const Call& call) { return banks() * units_of_bank(call); }
  static void run(const Call& call, std::int64_t begin, std::int64_t end) {
    Linear linear(call);
    for (std::int64_t unit = begin; unit < end; ++unit) {
      linear.bank_ = unit / units_of_bank(call);
      if (!linear.is_wanted()) continue;
      const std::int64_t first = unit % units_of_bank(call) * rows_of_unit;
      for (std::int64_t row = first; row < std::min(first + rows_of_unit, call.rows); ++row) linear.multiply(row);
    }
  }

 private:
  explicit Linear(const Call& call) : output_(call), call_(call) {
    if constexpr (P::norm != "none") norm_rows();
  }

  static constexpr std::int64_t banks() {
    if constexpr (P::banked) {
      return P::banks;
    } else {
      return 1;
    }
  }
  static std::int64_t units_of_bank(const Call& call) { return (call.rows + rows_of_unit - 1) / rows_of_unit; }

  /// Rows of the pass, or the entries that each has.
  std::int64_t entries() const {
    const std::int64_t rows = rows_in_use<P>(call_.pass);
    if constexpr (P::banked) {
      return rows * P::choices;
    } else {
      return rows;
    }
  }
  std::int64_t bank_of([[maybe_unused]] std::int64_t entry) const {
    if constexpr (!P::banked) {
      return 0;
    } else if constexpr (P::chosen) {
      const float* choice = data<const float>(call_, place<P>("choice"));
      const float chosen = choice[entry / P::choices * P::choice_stride + P::choice_column + entry % P::choices];
      return std::min(static_cast<std::int64_t>(chosen), P::banks - 1);
    } else {
      return entry % P::choices;
    }
  }
  bool is_wanted() const {
    for (std::int64_t entry = 0; entry < entries(); ++entry) {
      if (bank_of(entry) == bank_) return true;
    }
    return false;
  }

  void norm_rows() {
    const RowNorm<P> norm(call_);
    normed_.resize(static_cast<std::size_t>(entries() * P::columns));
    for (std::int64_t entry = 0; entry < entries(); ++entry) {
      norm(input_row<P>(call_, entry), normed_.data() + entry * P::columns);
    }
  }
  const float* input(std::int64_t entry) const {
    if constexpr (P::norm != "none") {
      return normed_.data() + entry * P::columns;
    } else if constexpr (P::segments) {
      if constexpr (P::whole_quads) {
        return data<const float>(call_, place<P>("entry_quads")) + entry / P::choices * P::entry_quads_stride +
               P::entry_quads_column + entry % P::choices * P::columns;
      } else {
        return data<const float>(call_, place<P>("entry_inputs")) + entry / P::choices * P::entry_inputs_stride +
               P::entry_inputs_column + entry % P::choices * P::columns;
      }
    } else if constexpr (P::banked) {
      return input_row<P>(call_, entry / P::choices);
    } else {
      return input_row<P>(call_, entry);
    }
  }

  void multiply(std::int64_t row) {
    const std::int64_t stored = bank_ * call_.rows + row;
    std::array<float, P::columns> first, second;
    decode_row<P>(call_.arguments[place<P>("weights")].rows[stored], first.data());
    if constexpr (P::matrices == 2) {
      decode_row<P>(call_.arguments[place<P>("second_weights")].rows[stored], second.data());
    }
    float first_bias = 0, second_bias = 0;
    if constexpr (P::first_bias) first_bias = data<const float>(call_, place<P>("bias"))[stored];
    if constexpr (P::second_bias) second_bias = data<const float>(call_, place<P>("second_bias_vector"))[stored];
    for (std::int64_t entry = 0; entry < entries(); ++entry) {
      if (bank_of(entry) != bank_) continue;
      const float sum_0 = dot<P::columns>(first.data(), input(entry)) + first_bias;
      float sum_1 = 0;
      if constexpr (P::matrices == 2) sum_1 = dot<P::columns>(second.data(), input(entry)) + second_bias;
      if constexpr (P::banked) {
        output_.write(entry / P::choices, entry % P::choices * call_.rows + row, sum_0, sum_1);
      } else {
        output_.write(entry, row, sum_0, sum_1);
      }
    }
  }

  Epilogue<P> output_;
  const Call& call_;
  std::int64_t bank_ = 0;
  std::vector<float> normed_;
};

}  // namespace monomorph::cpu
