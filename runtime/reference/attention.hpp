// Attention and positions of the reference: rotary embedding, sines and cosines, keys and values kept from one call
// to the next, and causal softmax attention with any number of query heads to a KV head. Keys and values stay in double
// whatever the device keeps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/program/rotary.hpp"
#include "runtime/reference/activations.hpp"
#include "runtime/reference/parallel.hpp"

namespace monomorph::reference {

/// Rotates the first rotary_dim values of each head: angle j turns element j * step with the one `distance` after it.
/// The angle is f32 position times f32 frequency, rounded to f32, as the models were trained; there are rotary_dim / 2
/// frequencies, those of a sequence of `length` tokens.
template <std::int64_t heads, std::int64_t head_dim, std::int64_t rotary_dim, std::int64_t step, std::int64_t distance>
Activations<heads * head_dim> rotary(const RotaryFrequencies& angles, const Activations<heads * head_dim>& x,
                                     std::int64_t first_position, std::int64_t length) {
  static_assert(rotary_dim % 2 == 0 && rotary_dim <= head_dim);
  std::vector<float> computed;
  const std::span<const float> frequencies = frequencies_at(angles, length, computed);
  Activations<heads * head_dim> y = x;
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    const float position = static_cast<float>(first_position + t);
    for (std::int64_t j = 0; j < rotary_dim / 2; ++j) {
      const float angle = position * frequencies[static_cast<std::size_t>(j)];
      const auto factor = static_cast<double>(angles.factor);
      const double cosine = factor * std::cos(static_cast<double>(angle));
      const double sine = factor * std::sin(static_cast<double>(angle));
      for (std::int64_t head = 0; head < heads; ++head) {
        double* values = y.row(t).data() + head * head_dim + j * step;
        const double a = values[0], b = values[distance];
        values[0] = a * cosine - b * sine;
        values[distance] = b * cosine + a * sine;
      }
    }
  }
  return y;
}

/// Element j turns with element j + rotary_dim / 2.
template <std::int64_t heads, std::int64_t head_dim, std::int64_t rotary_dim>
Activations<heads * head_dim> rotary_half(const RotaryFrequencies& angles, const Activations<heads * head_dim>& x,
                                          std::int64_t first_position, std::int64_t length = 0) {
  return rotary<heads, head_dim, rotary_dim, 1, rotary_dim / 2>(angles, x, first_position, length);
}

/// Element 2j turns with element 2j + 1.
template <std::int64_t heads, std::int64_t head_dim, std::int64_t rotary_dim>
Activations<heads * head_dim> rotary_interleaved(const RotaryFrequencies& angles,
                                                 const Activations<heads * head_dim>& x, std::int64_t first_position,
                                                 std::int64_t length = 0) {
  return rotary<heads, head_dim, rotary_dim, 2, 1>(angles, x, first_position, length);
}

/// Of each position, the sines and cosines of its angles: sine j in column j * step, its cosine `distance` after it.
/// The angles are formed as those of the rotary embedding.
template <std::int64_t columns, std::int64_t step, std::int64_t distance>
Activations<columns> sinusoids(const RotaryFrequencies& angles, std::span<const std::int64_t> positions) {
  static_assert(columns % 2 == 0);
  Activations<columns> y(static_cast<std::int64_t>(positions.size()));
  for (std::int64_t t = 0; t < y.tokens(); ++t) {
    const auto position = static_cast<float>(angles.first_position + positions[static_cast<std::size_t>(t)]);
    for (std::int64_t j = 0; j < columns / 2; ++j) {
      const auto angle = static_cast<double>(position * angles.frequencies[static_cast<std::size_t>(j)]);
      double* values = y.row(t).data() + j * step;
      values[0] = std::sin(angle);
      values[distance] = std::cos(angle);
    }
  }
  return y;
}

/// All sines before all cosines.
template <std::int64_t columns>
Activations<columns> sinusoids_half(const RotaryFrequencies& angles, std::span<const std::int64_t> positions) {
  return sinusoids<columns, 1, columns / 2>(angles, positions);
}

/// Each sine before the cosine of its angle.
template <std::int64_t columns>
Activations<columns> sinusoids_interleaved(const RotaryFrequencies& angles, std::span<const std::int64_t> positions) {
  return sinusoids<columns, 2, 1>(angles, positions);
}

/// Forgets what a state has at `first_position` and after, then appends: [positions, columns]. Positions before it are
/// present.
template <std::int64_t columns>
void append(std::vector<double>& state, const Activations<columns>& x, std::int64_t first_position) {
  state.resize(static_cast<std::size_t>(first_position * columns));
  state.insert(state.end(), x.values.begin(), x.values.end());
}

/// Heads of two terms beside each other: of each head, its elements of the first and those of the second. Their product
/// with others so joined is the sum of the terms' products.
template <std::int64_t heads, std::int64_t first, std::int64_t second>
std::vector<double> joined(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result;
  result.reserve(a.size() + b.size());
  const auto count = static_cast<std::int64_t>(a.size()) / first;  // rows times heads
  for (std::int64_t head = 0; head < count; ++head) {
    result.insert(result.end(), a.begin() + head * first, a.begin() + (head + 1) * first);
    result.insert(result.end(), b.begin() + head * second, b.begin() + (head + 1) * second);
  }
  return result;
}

template <std::int64_t heads, std::int64_t first, std::int64_t second>
Activations<heads*(first + second)> joined(const Activations<heads * first>& a, const Activations<heads * second>& b) {
  Activations<heads*(first + second)> result(a.tokens());
  result.values = joined<heads, first, second>(a.values, b.values);
  return result;
}

/// One head's attention of one query over `kv_len` positions: softmax(score(p, scale * q.k)) v, of those that it sees;
/// what it does not see is not read. `sink`: one more score, of a value that is 0; -infinity: none. An entry has keys
/// and values of kv_heads heads.
template <std::int64_t kv_heads, std::int64_t head_dim, std::int64_t value_dim, class Score, class Sees>
void attend(const Score& score, const Sees& sees, const double* query, const double* keys, const double* values,
            std::int64_t kv_len, double scale, double sink, std::vector<double>& scores, double* out) {
  scores.assign(static_cast<std::size_t>(kv_len), -std::numeric_limits<double>::infinity());
  for (std::int64_t p = 0; p < kv_len; ++p) {
    if (sees(p))
      scores[static_cast<std::size_t>(p)] = score(scale * dot<head_dim>(query, keys + p * kv_heads * head_dim), p);
  }
  const double largest = std::max(sink, *std::max_element(scores.begin(), scores.end()));
  double total = std::exp(sink - largest);
  for (double& weight : scores) {
    weight = std::exp(weight - largest);
    total += weight;
  }
  std::fill(out, out + value_dim, 0.0);
  for (std::int64_t p = 0; p < kv_len; ++p) {
    if (!sees(p)) continue;
    const double probability = scores[static_cast<std::size_t>(p)] / total;
    for (std::int64_t i = 0; i < value_dim; ++i) out[i] += probability * values[p * kv_heads * value_dim + i];
  }
}

/// Attention of queries at first_position...: of the first `end(query)` entries each query attends to those that
/// `sees(query, key)` says, with score(scaled product, query, key, head, the query's elements); entry 0 is the key at
/// position `first_key`. `sinks`: one more score of each head, or none.
template <std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim, std::int64_t value_dim = head_dim,
          class Score, class Sees, class End>
Activations<heads * value_dim> attention_over(const Score& score, const Sees& sees,
                                              const Activations<heads * head_dim>& queries,
                                              const std::vector<double>& keys, const std::vector<double>& values,
                                              const std::vector<double>& sinks, double scale,
                                              std::int64_t first_position, std::int64_t first_key, const End& end) {
  static_assert(heads % kv_heads == 0);
  constexpr std::int64_t kv_group_size = heads / kv_heads;
  const std::int64_t tokens = queries.tokens();
  Activations<heads * value_dim> out(tokens);
  const std::int64_t operations = tokens * (first_position + tokens - first_key) * heads * head_dim;
  parallel_for(tokens * heads, operations, [&](std::int64_t begin, std::int64_t last) {
    std::vector<double> scores;
    for (std::int64_t i = begin; i < last; ++i) {
      const std::int64_t t = i / heads, head = i % heads, query = first_position + t;
      const std::int64_t kv_head = head / kv_group_size;
      const double* of_query = queries.row(t).data() + head * head_dim;
      attend<kv_heads, head_dim, value_dim>(
          [&](double x, std::int64_t entry) { return score(x, query, first_key + entry, head, of_query); },
          [&](std::int64_t entry) { return sees(query, first_key + entry); }, of_query,
          keys.data() + kv_head * head_dim, values.data() + kv_head * value_dim, end(query), scale,
          sinks.empty() ? -std::numeric_limits<double>::infinity() : sinks[static_cast<std::size_t>(head)], scores,
          out.row(t).data() + head * value_dim);
    }
  });
  return out;
}

/// Causal attention: each query attends to the positions up to its own that it sees. Keys and values are states,
/// [positions, kv_heads * head_dim], of every position: no window shortens them.
template <std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim, std::int64_t value_dim = head_dim,
          class Score, class Sees>
Activations<heads * value_dim> scored_attention(const Score& score, const Sees& sees,
                                                const Activations<heads * head_dim>& queries,
                                                const std::vector<double>& keys, const std::vector<double>& values,
                                                const std::vector<double>& sinks, double scale,
                                                std::int64_t first_position) {
  return attention_over<heads, kv_heads, head_dim, value_dim>(score, sees, queries, keys, values, sinks, scale,
                                                              first_position, 0,
                                                              [](std::int64_t query) { return query + 1; });
}

template <std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim, std::int64_t value_dim = head_dim,
          class Score, class Sees>
Activations<heads * value_dim> scored_attention(const Score& score, const Sees& sees,
                                                const Activations<heads * head_dim>& queries,
                                                const std::vector<double>& keys, const std::vector<double>& values,
                                                double scale, std::int64_t first_position) {
  return scored_attention<heads, kv_heads, head_dim, value_dim>(score, sees, queries, keys, values, {}, scale,
                                                                first_position);
}

/// Attention over the keys and values of all tokens of the call: those after a query too.
template <std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim, std::int64_t value_dim = head_dim,
          class Score, class Sees>
Activations<heads * value_dim> pass_attention(const Score& score, const Sees& sees,
                                              const Activations<heads * head_dim>& queries,
                                              const Activations<kv_heads * head_dim>& keys,
                                              const Activations<kv_heads * value_dim>& values,
                                              const std::vector<double>& sinks, double scale,
                                              std::int64_t first_position) {
  return attention_over<heads, kv_heads, head_dim, value_dim>(score, sees, queries, keys.values, values.values, sinks,
                                                              scale, first_position, first_position,
                                                              [&](std::int64_t) { return keys.tokens(); });
}

template <std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim, std::int64_t value_dim = head_dim,
          class Score, class Sees>
Activations<heads * value_dim> pass_attention(const Score& score, const Sees& sees,
                                              const Activations<heads * head_dim>& queries,
                                              const Activations<kv_heads * head_dim>& keys,
                                              const Activations<kv_heads * value_dim>& values, double scale,
                                              std::int64_t first_position) {
  return pass_attention<heads, kv_heads, head_dim, value_dim>(score, sees, queries, keys, values, {}, scale,
                                                              first_position);
}

/// Attention over the keys and values of a source, [source's tokens, kv_heads * head_dim], all of which each query
/// sees.
template <std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim, std::int64_t value_dim = head_dim,
          class Score, class Sees>
Activations<heads * value_dim> source_attention(const Score& score, const Sees& sees,
                                                const Activations<heads * head_dim>& queries,
                                                const std::vector<double>& keys, const std::vector<double>& values,
                                                const std::vector<double>& sinks, double scale,
                                                std::int64_t first_position) {
  const auto length = static_cast<std::int64_t>(keys.size()) / (kv_heads * head_dim);
  return attention_over<heads, kv_heads, head_dim, value_dim>(
      score, sees, queries, keys, values, sinks, scale, first_position, 0, [length](std::int64_t) { return length; });
}

template <std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim, std::int64_t value_dim = head_dim,
          class Score, class Sees>
Activations<heads * value_dim> source_attention(const Score& score, const Sees& sees,
                                                const Activations<heads * head_dim>& queries,
                                                const std::vector<double>& keys, const std::vector<double>& values,
                                                double scale, std::int64_t first_position) {
  return source_attention<heads, kv_heads, head_dim, value_dim>(score, sees, queries, keys, values, {}, scale,
                                                                first_position);
}

/// With every score as it is, over all positions up to the query's.
template <std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim, std::int64_t value_dim = head_dim>
Activations<heads * value_dim> attention(const Activations<heads * head_dim>& queries, const std::vector<double>& keys,
                                         const std::vector<double>& values, double scale, std::int64_t first_position) {
  return scored_attention<heads, kv_heads, head_dim, value_dim>(
      [](double score, std::int64_t, std::int64_t, std::int64_t, const double*) { return score; },
      [](std::int64_t, std::int64_t) { return true; }, queries, keys, values, scale, first_position);
}

}  // namespace monomorph::reference
