// Attention over the keys that a query sees, with the softmax's maximum taken first.
#pragma once

#include <limits>
#include <vector>

#include "runtime/cpu/kernels/heads.hpp"
#include "runtime/cpu/numerics.hpp"

namespace monomorph::cpu {

/// A unit is a row of the pass and a head of keys and values, whose group of query heads it serves.
template <class P>
struct Attention {
  static std::int64_t units(const Call& call) { return call.pass.token_count * call.rows; }
  static void run(const Call& call, std::int64_t begin, std::int64_t end) {
    Attention attention(call);
    for (std::int64_t unit = begin; unit < end; ++unit) attention.group(unit / call.rows, unit % call.rows);
  }

 private:
  static constexpr bool causal = P::has_state && !P::of_source;

  explicit Attention(const Call& call) : call_(call), scale_(P::attention_scale) {
    if constexpr (P::has_layer_scale) scale_ *= data<const float>(call, place<P>("layer_scale"))[0];
  }

  void group(std::int64_t row, std::int64_t kv_head) {
    const StepToken& token = call_.pass.tokens[static_cast<std::size_t>(row)];
    const StepRun& run = run_of(call_.pass, row);
    run_row_ = run.first_row;
    run_position_ = call_.pass.tokens[run.first_row].position;
    slot_ = token.slot;
    kv_head_ = kv_head;
    const auto query = static_cast<std::int64_t>(token.position);
    see(query, run_position_ + run.rows);
    for (std::int64_t n = 0; n < P::kv_group_size; ++n) attend(row, query, kv_head * P::kv_group_size + n);
  }

  /// Lists the keys that the query sees, in order.
  void see(std::int64_t query, std::int64_t run_end) {
    std::int64_t key = causal || P::of_source ? 0 : run_position_;
    const std::int64_t end = causal         ? query + 1
                             : P::of_source ? call_.pass.slots[static_cast<std::size_t>(slot_)].source_length
                                            : run_end;
    keys_.clear();
    for (; key < end; ++key) {
      if constexpr (P::has_window) {
        if (key >= P::window_first) key = std::max(key, std::max(query + 1, P::window_recent) - P::window_recent);
      }
      if constexpr (P::has_mask) {
        if (!P::mask(static_cast<int>(query), static_cast<int>(key))) continue;
      }
      keys_.push_back(key);
    }
  }

  void attend(std::int64_t row, std::int64_t query, std::int64_t head) {
    load_queries(row, head);
    float largest = std::numeric_limits<float>::lowest(), sum = 0;
    if constexpr (P::has_sinks) {
      largest = data<const float>(call_, place<P>("sinks"))[head];
      sum = 1;
    }
    const float first_largest = largest;
    scores_.resize(keys_.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      scores_[i] = scored(product(query, keys_[i]), query, keys_[i], head);
      largest = std::max(largest, scores_[i]);
    }
    if constexpr (P::has_sinks) sum = std::exp(first_largest - largest);
    std::array<float, P::value_dim> attended{}, value;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const float weight = std::exp(scores_[i] - largest);
      sum += weight;
      const float* kept = load_value(keys_[i], value.data());
      for (std::int64_t d = 0; d < P::value_dim; ++d) attended[d] += weight * kept[d];
    }
    float* to = data(call_, place<P>("attended")) + row * P::attended_stride + P::attended_column + head * P::value_dim;
    for (std::int64_t d = 0; d < P::value_dim; ++d) to[d] = attended[d] / sum;
  }

  void load_queries(std::int64_t row, std::int64_t head) {
    const float* queries = data<const float>(call_, place<P>("queries")) + row * P::queries_stride + P::queries_column +
                           head * P::head_dim;
    for (std::int64_t d = 0; d < P::head_dim; ++d) query_[d] = queries[d] * scale_;
    if constexpr (P::has_second_term) {
      const float* second = data<const float>(call_, place<P>("second_queries")) + row * P::second_queries_stride +
                            P::second_queries_column + head * P::second_dim;
      for (std::int64_t d = 0; d < P::second_dim; ++d) query_[P::head_dim + d] = second[d] * scale_;
    }
  }

  /// An entry of a state as floats: where it lies, or in `out`.
  template <std::int64_t n>
  const float* load(std::string_view dtype, std::size_t binding, std::int64_t stride, std::int64_t position,
                    float* out) const {
    const std::int64_t bytes = entry_bytes(dtype, stride, 4);
    const std::byte* entry = call_.arguments[binding].data + state_row<P>(slot_, kv_head_, position) * bytes;
    if (dtype == "f32") return reinterpret_cast<const float*>(entry);
    load_entry(dtype, entry, n, out);
    return out;
  }
  const float* of_pass(std::size_t binding, std::int64_t stride, std::int64_t column, std::int64_t n,
                       std::int64_t position) const {
    return data<const float>(call_, binding) + (run_row_ + position - run_position_) * stride + column + kv_head_ * n;
  }
  const float* load_key(std::int64_t position, float* out) const {
    if constexpr (P::has_state) {
      return load<P::head_dim>(P::keys_dtype, place<P>("keys"), P::keys_stride, position, out);
    } else {
      return of_pass(place<P>("pass_keys"), P::pass_keys_stride, P::pass_keys_column, P::head_dim, position);
    }
  }
  const float* load_value(std::int64_t position, float* out) const {
    if constexpr (P::has_state) {
      return load<P::value_dim>(P::values_dtype, place<P>("values"), P::values_stride, position, out);
    } else {
      return of_pass(place<P>("pass_values"), P::pass_values_stride, P::pass_values_column, P::value_dim, position);
    }
  }
  const float* load_second_key(std::int64_t position, float* out) const {
    if constexpr (P::has_state) {
      return load<P::second_dim>(P::second_keys_dtype, place<P>("second_keys"), P::second_keys_stride, position, out);
    } else {
      return of_pass(place<P>("pass_second_keys"), P::pass_second_keys_stride, P::pass_second_keys_column,
                     P::second_dim, position);
    }
  }

  float product(std::int64_t query, std::int64_t position) const {
    std::array<float, P::head_dim> key;
    const float* kept = load_key(position, key.data());
    float sum = 0;
    if constexpr (P::has_relative_keys) {
      const float* relative = data<const float>(call_, place<P>("relative")) + row_of(query, position) * P::head_dim;
      for (std::int64_t d = 0; d < P::head_dim; ++d) sum += query_[d] * (kept[d] + relative[d]);
    } else {
#pragma omp simd reduction(+ : sum)
      for (std::int64_t d = 0; d < P::head_dim; ++d) sum += query_[d] * kept[d];
    }
    if constexpr (P::has_second_term) {
      std::array<float, P::second_dim> second;
      const float* other = load_second_key(position, second.data());
      for (std::int64_t d = 0; d < P::second_dim; ++d) sum += query_[P::head_dim + d] * other[d];
    }
    return sum;
  }

  /// The row of what the distance of a key gives.
  static std::int64_t row_of(std::int64_t query, std::int64_t key) {
    return P::row(static_cast<int>(std::clamp(key - query, -P::most_back, P::most_ahead)));
  }

  float scored(float score, std::int64_t query, std::int64_t key, std::int64_t head) const {
    if constexpr (!P::has_score) {
      return score;
    } else {
      float slope = 0, bias = 0;
      if constexpr (P::has_slopes) slope = P::slopes[head];
      if constexpr (P::has_bias) {
        bias = data<const float>(call_, place<P>("relative"))[row_of(query, key) * P::heads + head];
      }
      return P::score(score, static_cast<int>(query), static_cast<int>(key), static_cast<int>(head), slope, bias);
    }
  }

  static constexpr std::int64_t query_size() {
    if constexpr (P::has_second_term) {
      return P::head_dim + P::second_dim;
    } else {
      return P::head_dim;
    }
  }

  const Call& call_;
  float scale_;
  std::array<float, query_size()> query_;
  std::vector<std::int64_t> keys_;  ///< that the query sees
  std::vector<float> scores_;
  // Of the run of the row at hand:
  std::int64_t run_row_ = 0, run_position_ = 0, slot_ = 0, kv_head_ = 0;
};

}  // namespace monomorph::cpu
