// Mixtures of the reference: choices of a row's largest scores (Shazeer et al. 2017; by groups: DeepSeek-AI 2024),
// what the chosen ones give, and matrices whose rows are those of banks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "runtime/reference/choices.hpp"
#include "runtime/reference/matrices.hpp"

namespace monomorph::reference {

/// Indices in the order of their values, the largest first and of equal ones the first; what is no number is larger
/// than all.
inline std::vector<std::int64_t> largest_first(const std::vector<double>& values) {
  std::vector<std::int64_t> order(values.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const auto key = [&](std::int64_t i) {
    const double value = values[static_cast<std::size_t>(i)];
    return std::isnan(value) ? std::tuple(1, 0.0, -i) : std::tuple(0, value, -i);
  };
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return key(a) > key(b); });
  return order;
}

/// Of each row, the columns of the largest scores + bias among those of the `kept` groups of neighbours that are worth
/// most, of `groups`: [tokens, choices], whole numbers. worth(scores of a group, largest first).
template <std::int64_t choices, std::int64_t groups, std::int64_t kept, std::int64_t columns, class Worth>
Activations<choices> choose(const Activations<columns>& scores, const std::vector<double>& bias, const Worth& worth) {
  constexpr std::int64_t of_a_group = columns / groups;
  Activations<choices> chosen(scores.tokens());
  if (choices_of_pass != nullptr) choices_of_pass->begin_choice();
  for (std::int64_t t = 0; t < scores.tokens(); ++t) {
    std::vector<double> row(scores.row(t).begin(), scores.row(t).end());
    double scale = 0;
    for (const double score : row) scale = std::max(scale, std::abs(score));
    const auto settle = [&](std::vector<std::int64_t>& order, const std::vector<double>& values, std::int64_t first,
                            std::int64_t last, bool of_groups) {
      if (choices_of_pass != nullptr) choices_of_pass->settle(t, order, values, first, last, scale, of_groups);
    };
    for (std::size_t i = 0; i < bias.size(); ++i) row[i] += bias[i];
    std::vector<double> worths;
    for (std::int64_t group = 0; group < groups; ++group) {
      const auto begin = row.begin() + group * of_a_group;
      std::vector<double> of;
      for (const std::int64_t i : largest_first({begin, begin + of_a_group})) of.push_back(begin[i]);
      worths.push_back(worth(of));
    }
    std::vector<std::int64_t> best = largest_first(worths);
    settle(best, worths, kept, kept, true);
    best.resize(kept);
    std::vector<std::int64_t> order = largest_first(row);
    std::erase_if(order,
                  [&](std::int64_t i) { return std::find(best.begin(), best.end(), i / of_a_group) == best.end(); });
    settle(order, row, 1, choices, false);
    std::copy_n(order.begin(), choices, chosen.row(t).begin());
  }
  return chosen;
}

/// Groups are worth their largest score.
template <std::int64_t choices, std::int64_t groups, std::int64_t kept, std::int64_t columns>
Activations<choices> top_k(const Activations<columns>& scores, const std::vector<double>& bias = {}) {
  return choose<choices, groups, kept>(scores, bias, [](const std::vector<double>& of) { return of[0]; });
}

/// Groups are worth the sum of their two largest.
template <std::int64_t choices, std::int64_t groups, std::int64_t kept, std::int64_t columns>
Activations<choices> top_k_by_two(const Activations<columns>& scores, const std::vector<double>& bias = {}) {
  return choose<choices, groups, kept>(scores, bias, [](const std::vector<double>& of) { return of[0] + of[1]; });
}

/// The chosen columns of each row.
template <std::int64_t columns, std::int64_t choices>
Activations<choices> pick(const Activations<columns>& x, const Activations<choices>& choice) {
  Activations<choices> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    for (std::int64_t c = 0; c < choices; ++c) y.row(t)[c] = x.row(t)[static_cast<std::size_t>(choice.row(t)[c])];
  }
  return y;
}

/// SparseMixer's (Liu et al. 2023): of each choice, its softmax among the columns that were not chosen before it and
/// that are no further below it than 2 * jitter times the greater of its score and their magnitude.
template <std::int64_t columns, std::int64_t choices>
Activations<choices> sparse_mixer(const Activations<columns>& x, const Activations<choices>& choice, double jitter) {
  Activations<choices> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    std::vector<bool> left(columns, true);
    for (std::int64_t c = 0; c < choices; ++c) {
      const auto chosen = static_cast<std::size_t>(choice.row(t)[c]);
      const double picked = x.row(t)[chosen];
      double sum = 0;
      for (std::size_t i = 0; i < left.size(); ++i) {
        const double score = x.row(t)[i];
        const bool near = picked - score <= 2 * jitter * std::max(std::abs(score), picked);
        if (left[i] && near) sum += std::exp(score - picked);
      }
      y.row(t)[c] = 1 / sum;
      left[chosen] = false;
    }
  }
  return y;
}

template <std::int64_t columns>
Activations<columns> softmax(const Activations<columns>& x) {
  Activations<columns> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    const double greatest = *std::max_element(x.row(t).begin(), x.row(t).end());
    double sum = 0;
    for (std::int64_t c = 0; c < columns; ++c) sum += y.row(t)[c] = std::exp(x.row(t)[c] - greatest);
    for (double& share : y.row(t)) share /= sum;
  }
  return y;
}

/// x / max(sum of the row + eps, least)
template <std::int64_t columns>
Activations<columns> shares(const Activations<columns>& x, double eps, double least) {
  Activations<columns> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    const double sum = std::max(std::accumulate(x.row(t).begin(), x.row(t).end(), 0.0) + eps, least);
    for (std::int64_t c = 0; c < columns; ++c) y.row(t)[c] = x.row(t)[c] / sum;
  }
  return y;
}

/// The sum of a row's runs of `size`, each times its weight.
template <std::int64_t size, std::int64_t columns, std::int64_t runs>
Activations<size> combine(const Activations<columns>& x, const Activations<runs>& weights) {
  static_assert(columns == runs * size);
  Activations<size> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    for (std::int64_t run = 0; run < runs; ++run) {
      for (std::int64_t c = 0; c < size; ++c) y.row(t)[c] += weights.row(t)[run] * x.row(t)[run * size + c];
    }
  }
  return y;
}

/// The sum of a row's runs of `size`.
template <std::int64_t size, std::int64_t columns>
Activations<size> combine(const Activations<columns>& x) {
  Activations<size> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    for (std::int64_t c = 0; c < columns; ++c) y.row(t)[c % size] += x.row(t)[c];
  }
  return y;
}

/// Banks of `rows` rows times x, or times the run of it that each entry has: [tokens, entries x rows]. bank(token,
/// entry): which one. A row of a bank is decoded once and used for every entry that has the bank.
template <std::int64_t out, std::int64_t rows, std::int64_t width, std::int64_t columns, class BankOf>
Activations<out> linear_of_banks(const HostWeights& weights, std::int32_t weight, std::int32_t bias,
                                 const Activations<columns>& x, const BankOf& bank) {
  constexpr std::int64_t entries = out / rows;
  static_assert(columns == width || columns == entries * width);
  std::vector<std::vector<std::int64_t>> of_bank;  // tokens x entries + entry
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    for (std::int64_t entry = 0; entry < entries; ++entry) {
      const auto which = static_cast<std::size_t>(bank(t, entry));
      if (of_bank.size() <= which) of_bank.resize(which + 1);
      of_bank[which].push_back(t * entries + entry);
    }
  }
  Activations<out> y(x.tokens());
  const auto banks = static_cast<std::int64_t>(of_bank.size());
  parallel_for(rows, rows * width * entries * x.tokens(), [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> stored(width);
    std::vector<double> row(width);
    for (std::int64_t b = 0; b < banks; ++b) {
      const std::vector<std::int64_t>& having = of_bank[static_cast<std::size_t>(b)];
      for (std::int64_t r = begin; r < end && !having.empty(); ++r) {
        weights.row(weight, b * rows + r, stored);
        std::copy(stored.begin(), stored.end(), row.begin());
        const double offset = bias == absent ? 0 : weights.at(bias, 0, b * rows + r);
        for (const std::int64_t each : having) {
          const std::int64_t t = each / entries, entry = each % entries;
          const double* from = x.row(t).data() + (columns == width ? 0 : entry * width);
          y.row(t)[entry * rows + r] = offset + dot<width>(row.data(), from);
        }
      }
    }
  });
  return y;
}

/// Entry c of a token has the bank that it chose.
template <std::int64_t out, std::int64_t rows, std::int64_t width, std::int64_t columns, std::int64_t choices>
Activations<out> linear_of_chosen(const HostWeights& weights, std::int32_t weight, std::int32_t bias,
                                  const Activations<columns>& x, const Activations<choices>& choice) {
  return linear_of_banks<out, rows, width>(weights, weight, bias, x, [&](std::int64_t t, std::int64_t c) {
    return static_cast<std::int64_t>(choice.row(t)[c]);
  });
}

/// Entry c of each token has bank c.
template <std::int64_t out, std::int64_t rows, std::int64_t width, std::int64_t columns>
Activations<out> linear_by_bank(const HostWeights& weights, std::int32_t weight, std::int32_t bias,
                                const Activations<columns>& x) {
  return linear_of_banks<out, rows, width>(weights, weight, bias, x,
                                           [](std::int64_t, std::int64_t entry) { return entry; });
}

}  // namespace monomorph::reference
