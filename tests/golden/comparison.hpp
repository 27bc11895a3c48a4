// How far logits are from a golden's: the relative L2 difference of each row, and the worst of them.
//
// That the likeliest token is the same needs no check of its own: where the golden's margin is more than twice the
// row's largest difference it follows, and no difference is larger than the row's in L2.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/golden/golden.hpp"

namespace monomorph::golden {

/// |ours - golden| / |golden|; infinite where ours has a NaN or another size.
double row_error(std::span<const float> ours, std::span<const float> golden);

/// One way of computing the rows ("prefill", "decode", "prompt of 63"), compared as rows arrive.
class Comparison {
 public:
  /// Of so many rows; 0: all that are kept of the whole sequence.
  Comparison(const Golden& golden, std::string mode, std::size_t rows = 0)
      : golden_(golden),
        mode_(std::move(mode)),
        expected_(static_cast<std::int64_t>(rows == 0 ? golden.rows.size() : rows)) {}

  /// The next token's logits; compared where the golden keeps them.
  void next(std::span<const float> logits);
  /// So many tokens whose logits nobody asked for; none of their rows is kept.
  void skip(std::int64_t count) { position_ += count; }
  std::int64_t position() const { return position_; }
  /// Logits of the last of `length` tokens.
  void last_of_prompt(std::int64_t length, std::span<const float> logits);
  /// Logits of the last token of a call, the calls of all patterns counted through.
  void last_of_call(std::size_t call, std::span<const float> logits);

  const std::string& mode() const { return mode_; }
  std::int64_t compared() const { return compared_; }
  /// Whether every row came.
  bool complete() const { return compared_ == expected_; }
  std::int64_t worst_row() const { return worst_row_; }
  double worst() const { return worst_; }

 private:
  void compare(std::size_t kept, std::span<const float> logits);

  const Golden& golden_;
  std::string mode_;
  std::int64_t expected_ = 0;
  std::int64_t position_ = 0;
  std::size_t next_kept_ = 0;
  std::int64_t compared_ = 0;
  std::int64_t worst_row_ = -1;
  double worst_ = 0;
};

}  // namespace monomorph::golden
