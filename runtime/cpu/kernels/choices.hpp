// Choices of a row's largest scores, and what they are worth.
#pragma once

#include <array>

#include "runtime/cpu/kernels/rows.hpp"

namespace monomorph::cpu {

/// In the order of what they are of: -0 is 0, and what is no number is the largest.
inline std::uint32_t order_key(float value) {
  if (std::isnan(value)) return 0xffffffffu;
  const auto bits = std::bit_cast<std::uint32_t>(value == 0 ? 0.0f : value);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

/// The indices of a row's largest scores, the largest first and of equal ones the first; of the best groups alone where
/// they are grouped.
template <class P>
struct TopK : OfRows<P, TopK<P>> {
  explicit TopK(const Call& call) : call(call) {}
  void row(std::int64_t row) const {
    const float* given = data<const float>(call, place<P>("scores")) + row * P::scores_stride + P::scores_column;
    std::array<float, P::columns> scores;
    for (std::int64_t column = 0; column < P::columns; ++column) {
      scores[column] = given[column];
      if constexpr (P::biased) scores[column] += data<const float>(call, place<P>("selection_bias"))[column];
    }
    std::array<bool, P::columns> competes;
    competes.fill(true);
    if constexpr (P::grouped) choose_groups(scores, competes);
    float* chosen = data(call, place<P>("chosen")) + row * P::chosen_stride + P::chosen_column;
    for (std::int64_t choice = 0; choice < P::choices; ++choice) {
      std::int64_t best = P::columns;
      for (std::int64_t column = 0; column < P::columns; ++column) {
        if (!competes[column]) continue;
        if (best == P::columns || order_key(scores[column]) > order_key(scores[best])) best = column;
      }
      if (best < P::columns) competes[best] = false;
      chosen[choice] = static_cast<float>(best);
    }
  }
  template <class Scores, class Competes>
  static void choose_groups(const Scores& scores, Competes& competes) {
    constexpr std::int64_t size = P::columns / P::groups;
    std::array<std::uint32_t, P::groups> worth;
    for (std::int64_t group = 0; group < P::groups; ++group) {
      std::array<float, size> own;
      std::copy_n(scores.begin() + group * size, size, own.begin());
      std::sort(own.begin(), own.end(), [](float a, float b) { return order_key(a) > order_key(b); });
      worth[group] = order_key(P::group_score == "max" ? own[0] : own[0] + own[size > 1 ? 1 : 0]);
    }
    competes.fill(false);
    std::array<bool, P::groups> kept{};
    for (std::int64_t n = 0; n < P::groups_kept; ++n) {
      std::int64_t best = P::groups;
      for (std::int64_t group = 0; group < P::groups; ++group) {
        if (!kept[group] && (best == P::groups || worth[group] > worth[best])) best = group;
      }
      kept[best] = true;
      std::fill_n(competes.begin() + best * size, size, true);
    }
  }
  const Call& call;
};

/// The scores that were chosen; or each one's softmax among those near it, without what was chosen before
/// (SparseMixer, Liu et al. 2023).
template <class P>
struct Pick : OfRows<P, Pick<P>> {
  explicit Pick(const Call& call) : output(call), call(call) {}
  void row(std::int64_t row) const {
    const float* inputs = inputs_of<P>(call, row);
    for (std::int64_t c = 0; c < P::choices; ++c) {
      const float picked = inputs[chosen(row, c)];
      if constexpr (P::mixed) {
        float sum = 0;
        for (std::int64_t column = 0; column < P::columns; ++column) {
          const float score = inputs[column];
          bool competes = picked - score <= P::tolerance * std::max(std::fabs(score), picked);
          for (std::int64_t before = 0; before < c; ++before) competes = competes && chosen(row, before) != column;
          if (competes) sum += std::exp(score - picked);
        }
        output.write(row, c, 1 / sum);
      } else {
        output.write(row, c, picked);
      }
    }
  }
  std::int64_t chosen(std::int64_t row, std::int64_t c) const {
    const float* choice = data<const float>(call, place<P>("choice")) + row * P::choice_stride + P::choice_column;
    return std::min(static_cast<std::int64_t>(choice[c]), P::columns - 1);
  }
  Epilogue<P> output;
  const Call& call;
};

}  // namespace monomorph::cpu
