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
  /// The tensor is so many matrices of as many rows each, one after another; `transposed`, each is so by itself. 0:
  /// one.
  std::int64_t banks = 0;
  /// Of each transposed matrix, how many lines the tensor has, a line for each column, and which is the first of them
  /// that is a column of the weight. 0, 0: all are.
  std::int64_t lines = 0, first_line = 0;

  /// Rows of the tensor that are one matrix.
  constexpr std::int64_t bank_rows() const { return banks == 0 ? source_rows : source_rows / banks; }
  /// Whether the tensor's rows may be several such parts of as many rows, one after another.
  constexpr bool has_like_parts() const {
    return !transposed && run == 0 && banks == 0 && 0 < rows && rows < source_rows && source_rows % rows == 0;
  }
  /// Lines of each transposed matrix, of a weight of so many columns.
  constexpr std::int64_t lines_of(std::int64_t columns) const { return lines == 0 ? columns : lines; }
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
  /// Rows from `row` to here follow each other in one matrix of the tensor.
  constexpr std::int64_t end_of_run(std::int64_t row) const {
    if (halves != 0) return row + 1;
    if (apart != 0) return row + apart / 2 - row % (apart / 2);
    const std::int64_t end = run == 0 ? rows : std::min(rows, (row / run + 1) * run);
    return banks == 0 ? end : std::min(end, row + bank_rows() - source_of(row) % bank_rows());
  }
  /// The tensor's element that is one of the view, in the order of the file; of a vector, rows of one column.
  constexpr std::int64_t element_of(std::int64_t row, std::int64_t column, std::int64_t columns) const {
    const std::int64_t source = source_of(row);
    if (!transposed) return source * columns + column;
    const std::int64_t in_bank = source % bank_rows();
    return (source - in_bank) * lines_of(columns) + (first_line + column) * bank_rows() + in_bank;
  }
  bool operator==(const RowView&) const = default;
};

}  // namespace monomorph
