// Attention over the keys that a query sees, with the softmax's maximum taken first. A level's loops read keys and
// values where they are kept, each once for some query heads.
#pragma once

#include <limits>
#include <vector>

#include "runtime/cpu/kernels/heads.hpp"
#include "runtime/cpu/levels/row_loops.hpp"
#include "runtime/cpu/numerics.hpp"
#include "runtime/cpu/row_format.hpp"

namespace monomorph::cpu {

/// A unit is a row of the pass, a head of keys and values, and up to eight of the query heads that it serves.
template <class P>
struct Attention {
  static std::int64_t units(const Call& call) { return call.pass.token_count * call.rows * parts; }
  static void run(const Call& call, std::int64_t begin, std::int64_t end) {
    Attention attention(call);
    for (std::int64_t unit = begin; unit < end; ++unit) {
      attention.attend(unit / parts / call.rows, unit / parts % call.rows, unit % parts);
    }
  }

 private:
  static constexpr bool causal = P::has_state && !P::of_source;
  static constexpr std::int64_t group_size = P::kv_group_size, most_heads = std::min<std::int64_t>(group_size, 8);
  static constexpr std::int64_t parts = (group_size + most_heads - 1) / most_heads;

  explicit Attention(const Call& call) : call_(call), scale_(P::attention_scale) {
    if constexpr (P::has_layer_scale) scale_ *= data<const float>(call, place<P>("layer_scale"))[0];
  }

  void attend(std::int64_t row, std::int64_t kv_head, std::int64_t part) {
    const StepToken& token = call_.pass.tokens[static_cast<std::size_t>(row)];
    const StepRun& run = run_of(call_.pass, row);
    run_row_ = run.first_row;
    run_position_ = call_.pass.tokens[run.first_row].position;
    slot_ = token.slot;
    kv_head_ = kv_head;
    query_ = static_cast<std::int64_t>(token.position);
    head_ = kv_head * group_size + part * most_heads;
    heads_ = std::min(most_heads, group_size - part * most_heads);
    see(run_position_ + run.rows);
    score(row);
    for (std::int64_t n = 0; n < heads_; ++n) totals_[static_cast<std::size_t>(n)] = weigh(n);
    blend(row);
  }

  /// Lists the keys that the query sees, in order.
  void see(std::int64_t run_end) {
    std::int64_t key = causal || P::of_source ? 0 : run_position_;
    const std::int64_t end = causal         ? query_ + 1
                             : P::of_source ? call_.pass.slots[static_cast<std::size_t>(slot_)].source_length
                                            : run_end;
    keys_.clear();
    for (; key < end; ++key) {
      if constexpr (P::has_window) {
        if (key >= P::window_first) key = std::max(key, std::max(query_ + 1, P::window_recent) - P::window_recent);
      }
      if constexpr (P::has_mask) {
        if (!P::mask(static_cast<int>(query_), static_cast<int>(key))) continue;
      }
      keys_.push_back(key);
    }
  }

  std::int64_t key_count() const { return std::ssize(keys_); }

  /// The products of the queries with every key: products_[query head][key].
  void score(std::int64_t row) {
    products_.resize(static_cast<std::size_t>(key_count() * heads_));
    list_keys();
    load_queries<P::head_dim>(data<const float>(call_, place<P>("queries")) + row * P::queries_stride +
                              P::queries_column);
    multiply<P::head_dim, keys_format()>(products_);
    if constexpr (P::has_relative_keys) {
      const float* relative = data<const float>(call_, place<P>("relative"));
      list([&](std::int64_t key) { return bytes_of(relative + distance_row(key) * P::head_dim); });
      add_products<P::head_dim, RowFormat::f32>();
    }
    if constexpr (P::has_second_term) {
      list_second_keys();
      load_queries<P::second_dim>(data<const float>(call_, place<P>("second_queries")) +
                                  row * P::second_queries_stride + P::second_queries_column);
      add_products<P::second_dim, second_keys_format()>();
    }
  }

  /// What softmax has above the fraction's line of a query head, in weights_; returns their sum.
  float weigh(std::int64_t nth) {
    weights_.resize(products_.size());
    float* const weights = weights_.data() + nth * key_count();
    float largest = std::numeric_limits<float>::lowest();
    if constexpr (P::has_sinks) largest = data<const float>(call_, place<P>("sinks"))[head_ + nth];
    const float sink = largest;
    for (std::int64_t i = 0; i < key_count(); ++i) {
      const float product = products_[static_cast<std::size_t>(nth * key_count() + i)];
      weights[i] = scored(product, keys_[static_cast<std::size_t>(i)], head_ + nth);
      largest = std::max(largest, weights[i]);
    }
    const float sum = call_.level.exponentials(weights, key_count(), largest);
    return P::has_sinks ? sum + std::exp(sink - largest) : sum;
  }

  void blend(std::int64_t row) {
    list_values();
    blended_.resize(static_cast<std::size_t>(heads_ * P::value_dim));
    row_loops<values_format()>(call_.level)
        .blend({rows_.data(), key_count(), P::value_dim, weights_.data(), heads_, blended_.data()});
    float* to =
        data(call_, place<P>("attended")) + row * P::attended_stride + P::attended_column + head_ * P::value_dim;
    for (std::int64_t i = 0; i < heads_ * P::value_dim; ++i) {
      to[i] = blended_[static_cast<std::size_t>(i)] / totals_[static_cast<std::size_t>(i / P::value_dim)];
    }
  }

  /// Queries of the unit's heads, scaled.
  template <std::int64_t n>
  void load_queries(const float* queries) {
    queries_.resize(static_cast<std::size_t>(heads_ * n));
    for (std::int64_t i = 0; i < heads_ * n; ++i)
      queries_[static_cast<std::size_t>(i)] = queries[head_ * n + i] * scale_;
  }
  /// The products of the rows that are listed with the queries that are loaded.
  template <std::int64_t n, RowFormat format>
  void multiply(std::vector<float>& products) const {
    std::array<const float*, most_heads> queries;
    for (std::int64_t head = 0; head < heads_; ++head)
      queries[static_cast<std::size_t>(head)] = queries_.data() + head * n;
    row_loops<format>(call_.level).multiply({rows_.data(), key_count(), n, queries.data(), heads_, products.data()});
  }
  template <std::int64_t n, RowFormat format>
  void add_products() {
    further_.resize(products_.size());
    multiply<n, format>(further_);
    for (std::size_t i = 0; i < products_.size(); ++i) products_[i] += further_[i];
  }

  static const std::byte* bytes_of(const float* row) { return reinterpret_cast<const std::byte*>(row); }
  /// How rows lie: those of a state by its type, those of the pass as floats.
  static constexpr RowFormat format_of_state(std::string_view dtype) {
    return dtype == "q8_0" ? RowFormat::codes_and_scales : row_format(dtype_named(dtype));
  }
  static constexpr RowFormat keys_format() {
    if constexpr (P::has_state) return format_of_state(P::keys_dtype);
    return RowFormat::f32;
  }
  static constexpr RowFormat values_format() {
    if constexpr (P::has_state) return format_of_state(P::values_dtype);
    return RowFormat::f32;
  }
  static constexpr RowFormat second_keys_format() {
    if constexpr (P::has_state) return format_of_state(P::second_keys_dtype);
    return RowFormat::f32;
  }
  /// Lists where a row of each key is.
  template <class RowOf>
  void list(const RowOf& row_of) {
    rows_.clear();
    for (const std::int64_t key : keys_) rows_.push_back(row_of(key));
  }
  /// Of a state.
  void list_kept(std::size_t binding, std::string_view dtype, std::int64_t stride) {
    const std::int64_t bytes = entry_bytes(dtype, stride, 4);
    const std::byte* const state = call_.arguments[binding].data;
    list([&](std::int64_t key) { return state + state_row<P>(slot_, kv_head_, key) * bytes; });
  }
  /// Of rows of the pass, each with n elements of every head.
  void list_of_pass(std::size_t binding, std::int64_t stride, std::int64_t column, std::int64_t n) {
    const float* const first = data<const float>(call_, binding) + column + kv_head_ * n;
    list([&](std::int64_t key) { return bytes_of(first + (run_row_ + key - run_position_) * stride); });
  }
  void list_keys() {
    if constexpr (P::has_state) {
      list_kept(place<P>("keys"), P::keys_dtype, P::keys_stride);
    } else {
      list_of_pass(place<P>("pass_keys"), P::pass_keys_stride, P::pass_keys_column, P::head_dim);
    }
  }
  void list_values() {
    if constexpr (P::has_state) {
      list_kept(place<P>("values"), P::values_dtype, P::values_stride);
    } else {
      list_of_pass(place<P>("pass_values"), P::pass_values_stride, P::pass_values_column, P::value_dim);
    }
  }
  void list_second_keys() {
    if constexpr (P::has_state) {
      list_kept(place<P>("second_keys"), P::second_keys_dtype, P::second_keys_stride);
    } else {
      list_of_pass(place<P>("pass_second_keys"), P::pass_second_keys_stride, P::pass_second_keys_column, P::second_dim);
    }
  }

  /// The row of what the distance of a key gives.
  std::int64_t distance_row(std::int64_t key) const {
    return P::row(static_cast<int>(std::clamp(key - query_, -P::most_back, P::most_ahead)));
  }

  float scored(float score, std::int64_t key, std::int64_t head) const {
    if constexpr (!P::has_score) {
      return score;
    } else {
      float slope = 0, bias = 0;
      if constexpr (P::has_slopes) slope = P::slopes[head];
      if constexpr (P::has_bias) {
        bias = data<const float>(call_, place<P>("relative"))[distance_row(key) * P::heads + head];
      }
      return P::score(score, static_cast<int>(query_), static_cast<int>(key), static_cast<int>(head), slope, bias);
    }
  }

  const Call& call_;
  float scale_;
  // Of the unit at hand:
  std::int64_t run_row_ = 0, run_position_ = 0, slot_ = 0, kv_head_ = 0;
  std::int64_t query_ = 0;             ///< its position
  std::int64_t head_ = 0, heads_ = 0;  ///< the first query head, and how many there are
  std::vector<std::int64_t> keys_;     ///< that the query sees
  std::vector<const std::byte*> rows_;
  std::vector<float> queries_, products_, further_, weights_, blended_;
  std::array<float, most_heads> totals_{};
};

}  // namespace monomorph::cpu
