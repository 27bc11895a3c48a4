// Mixtures of random graphs: choices by scores, banks of matrices that are chosen by them or multiplied each with a run
// of its own, and sums of what they give.
#pragma once

#include <string>

#include "tests/support/random_attention.hpp"

namespace monomorph::test {

class RandomMixture : protected RandomAttention {
 protected:
  using RandomAttention::RandomAttention;

  /// A known value through banks that another, or the same, chooses; the sum has the axis `to`.
  void mix(Builder& build, std::size_t from, AxisId to);
  /// Each head of a known value, whose axis is q_, through a matrix of its own.
  void by_head(Builder& build, std::size_t from);

 private:
  /// Axes of both tables.
  AxisId product(const std::string& word, AxisId outer, AxisId inner);
  /// A value that is computed and read, and that others may read as well.
  ValueId passed(ValueId value);
  struct Chosen {
    ValueId choice, weights;
  };
  /// Which of `banks` each token has, and what they weigh.
  Chosen choose(Builder& build, const std::string& name, std::size_t from, AxisId banks, std::int64_t groups);
  /// A matrix of banks, by name, with its bias at times.
  ValueId banks_times(Builder& build, const std::string& word, AxisId banks, AxisId rows, AxisId columns,
                      AxisId choices, const BankOperands& operands);
};

}  // namespace monomorph::test
