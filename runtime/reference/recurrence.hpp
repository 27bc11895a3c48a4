// Recurrences of the reference: a matrix for each head, which every token changes and reads. One function serves S6
// (Gu and Dao 2023), SSD (Dao and Gu 2024), the delta rule (Yang et al. 2024), RWKV (Peng et al. 2024), retention (Sun
// et al. 2023) and gated linear attention (Yang et al. 2023).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/reference/activations.hpp"

namespace monomorph::reference {

/// What a slot remembers of a recurrence: the matrices that the last call left, and those that it began with, so that a
/// sequence can go on from either. Matrices are [heads, key, value].
class RecurrentState {
 public:
  /// Those of `first_position`, copied to be changed into those of `end`: 0 at position 0. Throws Error(internal) where
  /// neither is of that position.
  std::vector<double>& begin(std::int64_t first_position, std::int64_t end, std::size_t elements) {
    std::size_t from = 0;
    if (first_position == 0) {
      copies_[0] = {};
    } else {
      while (from < copies_.size() && copies_[from].position != first_position) ++from;
      if (from == copies_.size()) throw Error(ErrorKind::internal, "the reference has no matrices of this position");
    }
    Copy& to = copies_[1 - from];
    to.position = end;
    if (first_position == 0) {
      to.matrices.assign(elements, 0.0);
    } else {
      to.matrices = copies_[from].matrices;
    }
    return to.matrices;
  }

 private:
  struct Copy {
    std::int64_t position = -1;  ///< tokens that made it; -1: none have
    std::vector<double> matrices;
  };
  std::array<Copy, 2> copies_;
};

/// Element k of the run that head h has of a row; heads share runs where there are fewer of them. Operands that a
/// recurrence does without are `absent`, an integer.
template <std::int64_t heads, std::int64_t key_size, std::int64_t size>
double key_element(const Activations<size>& x, std::int64_t t, std::int64_t h, std::int64_t k) {
  constexpr std::int64_t runs = size / key_size;
  static_assert(size % key_size == 0 && heads % runs == 0);
  return x.row(t)[static_cast<std::size_t>(h / (heads / runs) * key_size + k)];
}
template <std::int64_t, std::int64_t>
double key_element(std::int32_t, std::int64_t, std::int64_t, std::int64_t) {
  return 1;
}

template <std::int64_t size>
double number_of(const Activations<size>& x, std::int64_t t, std::int64_t i) {
  return x.row(t)[static_cast<std::size_t>(i)];
}
inline double number_of(std::int32_t, std::int64_t, std::int64_t) { return 1; }
inline double number_of(const std::vector<double>& x, std::int64_t, std::int64_t i) {
  return x[static_cast<std::size_t>(i)];
}

/// For each token t and head h, with its matrix S [key_size, value_size], which is 0 before the sequence:
///   S' = D * S + keys (x) values - erased (x) u,    u = rate * removed . (D * S), or rate * removed . S if
///   `removed_first`
///   y = queries . S', or with a bonus of each head and key, queries . (S + bonus * keys (x) values)
/// `normalized`: keys (x) values of S' are multiplied by sqrt(1 - D^2), but for the token at position 0 (RG-LRU, De et
/// al. 2024).
/// D = exp(log_decay(h, numbers...)) of each element: number i of `decays` is that at h * head + k * key + v * value,
/// whose three factors stand in `strides`. Queries, keys and what is removed: [tokens, runs x key_size], with as many
/// heads or fewer. What is erased is what is removed; `erased_beside`: `removed` is [tokens, 2 x heads x key_size], and
/// its second half is erased. Rates: [tokens, heads], or the same for all tokens; values and the result: [tokens,
/// heads x value_size].
template <std::int64_t heads, std::int64_t key_size, std::int64_t value_size, std::int64_t removed_first,
          std::int64_t erased_beside, std::int64_t normalized, std::int64_t... strides, class LogDecay, class Queries,
          class Keys, class Removed, class Rates, class Bonus, class... Rest>
Activations<heads * value_size> recurrence(const LogDecay& log_decay, RecurrentState& state, const Queries& queries,
                                           const Keys& keys, const Activations<heads * value_size>& values,
                                           const Removed& removed, const Rates& rates, const Bonus& bonus,
                                           const Rest&... rest) {
  constexpr bool deletes = !std::is_same_v<Removed, std::int32_t>, has_bonus = !std::is_same_v<Bonus, std::int32_t>;
  constexpr std::size_t decays = sizeof...(strides) / 3;
  constexpr std::array<std::int64_t, sizeof...(strides) + 1> stride = {strides..., 0};
  const auto all = std::tie(rest...);  // the decay's numbers, then the first position
  const std::int64_t first_position = std::get<decays>(all), tokens = values.tokens();
  const auto removes = [&](std::int64_t t, std::int64_t h, std::int64_t k) {
    if constexpr (erased_beside) {
      return number_of(removed, t, h * key_size + k);
    } else {
      return key_element<heads, key_size>(removed, t, h, k);
    }
  };
  const auto erased = [&](std::int64_t t, std::int64_t h, std::int64_t k) {
    return removes(t, erased_beside ? heads + h : h, k);
  };
  const auto log_decay_of = [&](std::int64_t t, std::int64_t h, std::int64_t k, std::int64_t v) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return log_decay(
          static_cast<double>(h),
          number_of(std::get<i>(all), t, h * stride[3 * i] + k * stride[3 * i + 1] + v * stride[3 * i + 2])...);
    }(std::make_index_sequence<decays>());
  };
  std::vector<double>& matrices =
      state.begin(first_position, first_position + tokens, static_cast<std::size_t>(heads * key_size * value_size));
  Activations<heads * value_size> y(tokens);
  // Mostly all columns of a matrix decay alike.
  bool by_value = false;
  for (std::size_t i = 0; i < decays; ++i) by_value |= stride[3 * i + 2] != 0;
  std::array<double, key_size> decay = {};
  for (std::int64_t t = 0; t < tokens; ++t) {
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t k = 0; k < key_size && !by_value; ++k) decay[k] = std::exp(log_decay_of(t, h, k, 0));
      for (std::int64_t v = 0; v < value_size; ++v) {
        const auto element = [&](std::int64_t k) -> double& {
          return matrices[static_cast<std::size_t>((h * key_size + k) * value_size + v)];
        };
        const auto decay_of = [&](std::int64_t k) { return by_value ? std::exp(log_decay_of(t, h, k, v)) : decay[k]; };
        const double value = values.row(t)[static_cast<std::size_t>(h * value_size + v)];
        double read = 0, u = 0;
        for (std::int64_t k = 0; k < key_size; ++k) {
          const double key = key_element<heads, key_size>(keys, t, h, k);
          if constexpr (has_bonus) {
            read += key_element<heads, key_size>(queries, t, h, k) *
                    (element(k) + bonus[static_cast<std::size_t>(h * key_size + k)] * key * value);
          }
          if constexpr (deletes && removed_first) u += removes(t, h, k) * element(k);
          element(k) *= decay_of(k);
          if constexpr (deletes && !removed_first) u += removes(t, h, k) * element(k);
        }
        u *= number_of(rates, t, h);
        for (std::int64_t k = 0; k < key_size; ++k) {
          double added = key_element<heads, key_size>(keys, t, h, k) * value;
          if (normalized && first_position + t > 0) added *= std::sqrt(-std::expm1(2 * log_decay_of(t, h, k, v)));
          element(k) += added;
          if constexpr (deletes) element(k) -= erased(t, h, k) * u;
          if constexpr (!has_bonus) read += key_element<heads, key_size>(queries, t, h, k) * element(k);
        }
        y.row(t)[static_cast<std::size_t>(h * value_size + v)] = read;
      }
    }
  }
  return y;
}

}  // namespace monomorph::reference
