// Which rows of a checkpoint's tensor are the rows of a weight.
#pragma once

#include <algorithm>
#include <cstdint>

namespace monomorph {

/// Some rows of a tensor, in order. Rows are those of the weight (outputs); a checkpoint that keeps the matrix as
/// [inputs, outputs] is `transposed`. Of a vector, elements.
struct RowView {
  std::int64_t rows;         ///< that it has
  std::int64_t source_row;   ///< the first of them in the tensor (after transposing)
  std::int64_t source_rows;  ///< that the tensor has (after transposing)
  bool transposed = false;
  /// Rows follow each other for `run` rows; the next run begins `run_stride` rows after the last began. 0: one run.
  std::int64_t run = 0, run_stride = 0;
  /// Of each so many rows, the first half's and the second half's stand in the tensor in turn. 0: they do not.
  std::int64_t halves = 0;
  /// Of each so many rows, the first half stands before the second halves of all. 0: they do not.
  std::int64_t apart = 0;

  /// The tensor's row that is row `row` of the view.
  constexpr std::int64_t source_of(std::int64_t row) const {
    if (halves != 0) {
      const std::int64_t in_whole = row % halves, half = halves / 2;
      row += 2 * (in_whole % half) + in_whole / half - in_whole;
    }
    if (apart != 0) {
      const std::int64_t half = apart / 2, nth = row / half;
      return source_row + nth % 2 * (rows / 2) + nth / 2 * half + row % half;
    }
    return source_row + (run == 0 ? row : row / run * run_stride + row % run);
  }
  /// Rows from `row` to here follow each other in the tensor.
  constexpr std::int64_t end_of_run(std::int64_t row) const {
    if (halves != 0) return row + 1;
    if (apart != 0) return row + apart / 2 - row % (apart / 2);
    return run == 0 ? rows : std::min(rows, (row / run + 1) * run);
  }
  bool operator==(const RowView&) const = default;
};

}  // namespace monomorph
