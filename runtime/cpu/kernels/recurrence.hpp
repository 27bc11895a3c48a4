// What every token of a slot changes and reads: matrices of heads, and means that weigh less the longer ago it was.
#pragma once

#include "runtime/cpu/kernels/rows.hpp"
#include "runtime/cpu/numerics.hpp"

namespace monomorph::cpu {

/// Of a run of the pass: its first token, and the copies of the slot's state that it reads and writes.
struct RunOfSlot {
  RunOfSlot(const Pass& pass, std::int64_t nth)
      : run(pass.runs[static_cast<std::size_t>(nth)]),
        token(pass.tokens[run.first_row]),
        from(copy_read(pass, token.slot)),
        to(copy_written(pass, token.slot)) {}
  bool begins() const { return token.position == 0; }  ///< the sequence: the state was 0
  bool writes() const { return (token.flags & token_writes) != 0; }
  const StepRun& run;
  const StepToken& token;
  std::int64_t from, to;
};

/// A unit is a run of the pass and a head, whose columns it takes one after the other.
template <class P>
struct Recurrence {
  static std::int64_t units(const Call& call) { return std::ssize(call.pass.runs) * call.rows; }
  static void run(const Call& call, std::int64_t begin, std::int64_t end) {
    const Recurrence recurrence(call);
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const RunOfSlot run(call.pass, unit / call.rows);
      for (std::int64_t column = 0; column < P::value_dim; ++column) recurrence.go(run, unit % call.rows, column);
    }
  }

 private:
  explicit Recurrence(const Call& call) : output_(call), call_(call) {}

  const float* floats(std::size_t binding, std::int64_t at) const { return data<const float>(call_, binding) + at; }

  /// The part of an element that goes, below 0.
  float loss(std::int64_t row, std::int64_t head, std::int64_t key, std::int64_t column) const {
    if constexpr (P::decay_by == "none") {
      return 0;
    } else if constexpr (P::decay_by == "constant") {
      return P::losses[head];
    } else {
      std::array<float, 2> numbers{};
      for_each(typename P::decay_numbers{}, [&]<class Number, std::size_t i>() {
        numbers[i] = *floats(place<P>(Number::buffer), row * Number::row + Number::column + head * Number::head +
                                                           key * Number::key + column * Number::value);
      });
      constexpr std::size_t count = decltype(typename P::decay_numbers{})::size;
      float decay = 0;
      if constexpr (P::decay_of_head && count == 0) decay = P::log_decay(static_cast<float>(head));
      if constexpr (P::decay_of_head && count == 1) decay = P::log_decay(static_cast<float>(head), numbers[0]);
      if constexpr (P::decay_of_head && count == 2) {
        decay = P::log_decay(static_cast<float>(head), numbers[0], numbers[1]);
      }
      if constexpr (!P::decay_of_head && count == 1) decay = P::log_decay(numbers[0]);
      if constexpr (!P::decay_of_head && count == 2) decay = P::log_decay(numbers[0], numbers[1]);
      return numerics::safe_expm1(decay);
    }
  }

  /// Of a row, a head's run of keys; heads may share one.
  const float* queries(std::int64_t row, std::int64_t head) const {
    return floats(place<P>("queries"),
                  row * P::queries_stride + P::queries_column + head / P::queries_heads * P::key_dim);
  }
  const float* keys(std::int64_t row, std::int64_t head) const {
    return floats(place<P>("keys"), row * P::keys_stride + P::keys_column + head / P::keys_heads * P::key_dim);
  }
  const float* removed(std::int64_t row, std::int64_t head) const {
    if constexpr (P::removes_keys) {
      return keys(row, head);
    } else {
      return floats(place<P>("removed"),
                    row * P::removed_stride + P::removed_column + head / P::removed_heads * P::key_dim);
    }
  }
  /// What is erased of it stands behind what all heads remove, or is the same.
  const float* erased(std::int64_t row, std::int64_t head) const {
    if constexpr (P::erased_beside) {
      return removed(row, head) + P::heads * P::key_dim;
    } else {
      return removed(row, head);
    }
  }

  void go(const RunOfSlot& of, std::int64_t head, std::int64_t column) const {
    float* state = data(call_, place<P>("state"));
    const std::int64_t in_copy = (head * P::value_dim + column) * P::key_dim;
    const float* before = state + state_row<P>(of.token.slot, 0, of.from) * P::state_stride + in_copy;
    std::array<float, P::key_dim> matrix{};
    if (!of.begins()) std::copy_n(before, P::key_dim, matrix.begin());
    for (std::int64_t row = of.run.first_row; row < of.run.first_row + of.run.rows; ++row) {
      const bool first_of_all = of.begins() && row == of.run.first_row;
      output_.write(row, head * P::value_dim + column, pass(matrix, row, head, column, first_of_all));
    }
    if (!of.writes()) return;
    std::ranges::copy(matrix, state + state_row<P>(of.token.slot, 0, of.to) * P::state_stride + in_copy);
  }

  /// A token changes a column of a head's matrix; gives what its query reads there.
  float pass(std::array<float, P::key_dim>& matrix, std::int64_t row, std::int64_t head, std::int64_t column,
             [[maybe_unused]] bool first_of_all) const {
    const float value =
        *floats(place<P>("values"), row * P::values_stride + P::values_column + head * P::value_dim + column);
    constexpr bool by_key = P::decay_by == "key" || P::decay_by == "element";
    float gone = 0, seen = 0, goes = by_key ? 0 : loss(row, head, 0, column);
    [[maybe_unused]] std::array<float, P::key_dim> gains;
    for (std::int64_t key = 0; key < P::key_dim; ++key) {
      const float before = matrix[key];
      if constexpr (by_key) goes = loss(row, head, key, column);
      if constexpr (P::decay_by != "none") matrix[key] += matrix[key] * goes;
      if constexpr (P::normalized) gains[key] = first_of_all ? 1.0f : std::sqrt(-goes * (2 + goes));
      if constexpr (P::has_bonus) {
        const float bonus = *floats(place<P>("bonus"), head * P::key_dim + key);
        seen += queries(row, head)[key] * (before + bonus * keys(row, head)[key] * value);
      }
      if constexpr (P::removes) gone += removed(row, head)[key] * (P::removed_first ? before : matrix[key]);
    }
    if constexpr (P::removes && P::has_rates) {
      gone *= *floats(place<P>("rates"), row * P::rates_stride + P::rates_column + head);
    }
    for (std::int64_t key = 0; key < P::key_dim; ++key) {
      float added = value;
      if constexpr (P::has_keys) added *= keys(row, head)[key];
      if constexpr (P::normalized) added *= gains[key];
      if constexpr (P::removes) added -= erased(row, head)[key] * gone;
      matrix[key] += added;
      if constexpr (P::has_keys && !P::has_bonus) {
        seen += queries(row, head)[key] * matrix[key];
      } else if constexpr (!P::has_bonus) {
        seen += matrix[key];
      }
    }
    return seen;
  }

  Epilogue<P> output_;
  const Call& call_;
};

/// Of each element, the mean of what a slot's tokens had there (RWKV-4, Peng et al. 2023): templates/kernels/
/// weighted_mean.comp tells how it keeps its digits. A unit is a run of the pass and a head.
template <class P>
struct WeightedMean {
  static std::int64_t units(const Call& call) { return std::ssize(call.pass.runs) * call.rows; }
  static void run(const Call& call, std::int64_t begin, std::int64_t end) {
    const Epilogue<P> output(call);
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const RunOfSlot run(call.pass, unit / call.rows);
      for (std::int64_t element = 0; element < P::value_dim; ++element) {
        go(call, output, run, unit % call.rows * P::value_dim + element);
      }
    }
  }

 private:
  /// Both sums are kept without exp(exponent), their common factor.
  struct Mean {
    float weighted = 0, weights = 0, exponent = -3.0e38f;

    void add(float log_weight, float value) {
      const float larger = std::max(exponent, log_weight);
      const float past = std::exp(exponent - larger), now = std::exp(log_weight - larger);
      *this = {weighted * past + now * value, weights * past + now, larger};
    }
    void decay(float log_decay) {
      constexpr float slow = -0.5f, fast = -20.0f;
      if (log_decay < fast) {
        exponent += log_decay;
      } else if (log_decay < slow) {
        const float left = std::exp(log_decay);
        weighted *= left;
        weights *= left;
      } else {
        const float loss = numerics::safe_expm1(log_decay);
        weighted += weighted * loss;
        weights += weights * loss;
      }
    }
    void renormalize() {
      constexpr float smallest = 0x1p-20f;
      if (weights < smallest) *this = {weighted / weights, 1, exponent + std::log(weights)};
    }
  };

  static void go(const Call& call, const Epilogue<P>& output, const RunOfSlot& of, std::int64_t column) {
    float* state = data(call, place<P>("state"));
    const auto at = [&](std::int64_t copy) {
      return state + state_row<P>(of.token.slot, 0, copy) * P::state_stride + 3 * column;
    };
    Mean mean;
    if (!of.begins()) mean = {at(of.from)[0], at(of.from)[1], at(of.from)[2]};
    const float log_decay = P::log_decay(data<const float>(call, place<P>("decays"))[column]);
    const float bonus = data<const float>(call, place<P>("bonus"))[column];
    const float* log_weights = data<const float>(call, place<P>("log_weights")) + P::log_weights_column + column;
    const float* values = data<const float>(call, place<P>("values")) + P::values_column + column;
    for (std::int64_t row = of.run.first_row; row < of.run.first_row + of.run.rows; ++row) {
      const float log_weight = log_weights[row * P::log_weights_stride], value = values[row * P::values_stride];
      Mean seen = mean;
      seen.add(log_weight + bonus, value);
      output.write(row, column, seen.weighted / seen.weights);
      mean.decay(log_decay);
      mean.add(log_weight, value);
      mean.renormalize();
    }
    if (!of.writes()) return;
    float* const written = at(of.to);
    written[0] = mean.weighted;
    written[1] = mean.weights;
    written[2] = mean.exponent;
  }
};

}  // namespace monomorph::cpu
