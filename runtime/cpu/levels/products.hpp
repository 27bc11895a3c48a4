// Scalar products of rows with inputs. Each is a vector of partial sums, to which chunks are added in order, whatever
// tile of rows and inputs it is computed in: so its bits depend on the row and the input alone. Rows are decoded in
// registers.
#pragma once

#include "runtime/cpu/levels/row_formats.hpp"

namespace monomorph::cpu {
namespace {

constexpr int block_rows = 16, block_inputs = 4;

constexpr int into_first_cache = 3, into_second_cache = 2;  ///< as __builtin_prefetch() numbers them

/// Fetches what is to be multiplied soon. Rows that stand apart belong in the second cache: the first can wait for few
/// lines at once, and has not sets enough for rows that are 4 KB apart.
template <int bytes, int cache = into_second_cache>
void fetch(const std::byte* from) {
  for (int line = 0; line < bytes; line += 64) __builtin_prefetch(from + line, 0, cache);
}

/// Adds the products of chunk `c`, whose vectors are read one by one: of an input once for all rows.
template <class Format, int rows, int inputs>
void add_vectors(const std::byte** row, std::int64_t c, const float* const* input, Floats (&sums)[rows][inputs]) {
  unrolled<vectors>([&]<int v>() {
    const std::int64_t nth = c * vectors + v;
    Floats given[inputs];
    unrolled<inputs>([&]<int i>() { given[i] = load<Floats>(input[i] + nth * lanes); });
    unrolled<rows>([&]<int r>() {
      const Floats weights = Format::vector(row[r], nth);
      unrolled<inputs>([&]<int i>() { sums[r][i] = multiply_add(weights, given[i], sums[r][i]); });
    });
    finish_before(sums[rows - 1][inputs - 1], row[0]);
  });
}

/// Adds the products of chunk `c` of a row, which is decoded at once.
template <class Format, int inputs>
void add_decoded(const std::byte* row, std::int64_t c, std::int64_t columns, const typename Format::Scales& scales,
                 const float* const* input, Floats (&sums)[inputs]) {
  const Chunk weights = Format::decode(row, c, columns, scales);
  for (int v = 0; v < vectors; ++v) {
    for (int i = 0; i < inputs; ++i) {
      sums[i] = multiply_add(weights.of[v], load<Floats>(input[i] + c * chunk + v * lanes), sums[i]);
    }
  }
}

/// The products of whole chunks of rows and inputs, as partial sums: of an input those of block_rows rows stand
/// together. Not inlined: its loop was measured to be faster alone than beside those of other tiles.
template <class Format, int rows, int inputs>
__attribute__((noinline)) void multiply_tile(const std::byte* const* row, std::int64_t columns,
                                             const float* const* input, Floats* partial) {
  Floats sums[rows][inputs]{};
  const std::int64_t chunks = columns / chunk;
  const std::int64_t ahead = rows * distance_of_rows(row, rows);  // the rows behind these
  const std::byte* at[rows];
  for (int r = 0; r < rows; ++r) at[r] = row[r];
  for (std::int64_t block = 0; block < chunks; block += Format::chunks) {
    typename Format::Scales scales[rows];
    for (int r = 0; r < rows; ++r) scales[r] = Format::scales(row[r], block / Format::chunks);
    for (std::int64_t c = block; c < block + Format::chunks; ++c) {
      if constexpr (Format::by_elements && inputs > 1) {
        for (int r = 0; r < rows; ++r) fetch<Format::chunk_bytes>(at[r] + ahead + c * Format::chunk_bytes);
        add_vectors<Format>(at, c, input, sums);
      } else {
        for (int r = 0; r < rows; ++r) {
          fetch<Format::chunk_bytes>(at[r] + ahead + c * Format::chunk_bytes);
          add_decoded<Format>(at[r], c, columns, scales[r], input, sums[r]);
          if (r + 1 < rows) finish_before(sums[r][inputs - 1], at[r + 1]);
        }
      }
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < inputs; ++i) partial[i * block_rows + r] = sums[r][i];
  }
}

/// Some rows with some inputs, no more than a block has.
template <class Format>
class Block {
 public:
  Block(const Products& of, std::int64_t first_row, std::int64_t row_count, std::int64_t first_input,
        std::int64_t input_count)
      : of(of),
        rows(of.rows + first_row),
        row_count(static_cast<int>(row_count)),
        inputs(of.inputs + first_input),
        input_count(static_cast<int>(input_count)) {}

  void multiply() {
    for (int r = 0; r < row_count;) r += multiply_rows<block_inputs>(r);
    if constexpr (Format::by_elements) {
      if (of.columns % chunk != 0) add_ends();
    }
  }
  /// What was added up: to[input * rows + row], where `rows` is how many rows the caller has.
  void sum(float* to, std::int64_t rows) {
    for (int input = 0; input < input_count; ++input) {
      int row = 0;
      for (; row + lanes <= row_count; row += lanes) {
        const Floats sums = sums_of_each(&partial(row, input));
        store(to + input * rows + row, sums);
      }
      for (; row < row_count; ++row) to[input * rows + row] = sum_of(partial(row, input));
    }
  }

 private:
  Floats& partial(int row, int input) { return partials[input * block_rows + row]; }

  /// Of the rows from `r` on as many as fit; returns how many these were. Its inputs are no more than inputs_here.
  template <int inputs_here>
  int multiply_rows(int r) {
    if constexpr (inputs_here > 1) {
      if (input_count < inputs_here) return multiply_rows<inputs_here - 1>(r);
    }
    const auto multiply = [&]<int rows_here>() {
      multiply_tile<Format, rows_here, inputs_here>(rows + r, of.columns, inputs, &partial(r, 0));
      return rows_here;
    };
    // More rows wait for memory together, fewer leave registers for inputs.
    constexpr int most = inputs_here == 1 ? Format::rows_at_once : inputs_here == 2 || registers == 32 ? 4 : 2;
    if (r + most <= row_count) return multiply.template operator()<most>();
    if constexpr (most > 4) {
      if (r + 4 <= row_count) return multiply.template operator()<4>();
    }
    return multiply.template operator()<1>();
  }

  /// Where rows end within a chunk.
  void add_ends() {
    alignas(64) float input_ends[block_inputs][chunk], row_end[chunk];
    for (int i = 0; i < input_count; ++i) {
      decode_end<F32>(reinterpret_cast<const std::byte*>(inputs[i]), of.columns, input_ends[i]);
    }
    for (int r = 0; r < row_count; ++r) {
      decode_end<Format>(rows[r], of.columns, row_end);
      for (int i = 0; i < input_count; ++i) {
        Floats& sum = partial(r, i);
        for (int v = 0; v < chunk; v += lanes) {
          sum = multiply_add(load<Floats>(row_end + v), load<Floats>(input_ends[i] + v), sum);
        }
      }
    }
  }

  const Products& of;
  const std::byte* const* rows;
  const int row_count;
  const float* const* inputs;
  const int input_count;
  Floats partials[block_rows * block_inputs];
};

template <class Format>
void multiply(const Products& of) {
  for (std::int64_t row = 0; row < of.row_count; row += block_rows) {
    const std::int64_t rows = smaller(block_rows, of.row_count - row);
    for (std::int64_t input = 0; input < of.input_count; input += block_inputs) {
      Block<Format> block(of, row, rows, input, smaller(block_inputs, of.input_count - input));
      block.multiply();
      block.sum(of.sums + input * of.row_count + row, of.row_count);
    }
  }
}

}  // namespace
}  // namespace monomorph::cpu
