// Scalar products of rows with inputs. Each is a vector of partial sums, to which chunks are added in order, whatever
// tile of rows and inputs it is computed in: so its bits depend on the row and the input alone.
//
// Few inputs: rows are decoded in registers, and each is read once. Many: some rows are decoded into a panel of 256
// columns, which stays in the first cache while every input passes by it.
#pragma once

#include "runtime/cpu/levels/panels.hpp"

namespace monomorph::cpu {
namespace {

constexpr int most_inputs = 128, block_rows = 16;

/// Fetches the next rows while these are multiplied. Rows that stand one after another are fetched in order: the
/// processor's own prefetcher joins in. Rows that others lie between are fetched side by side, and so are long ones: in
/// order their first lines would have left the first cache before they are read.
template <int rows, int bytes_of_step>
class FetchBehind {
 public:
  FetchBehind(const std::byte* const* row, std::int64_t row_bytes) {
    const std::int64_t distance = rows == 1 ? 0 : row[rows == 1 ? 0 : 1] - row[0], ahead = rows * distance;
    const bool in_order = 0 < distance && distance < 2 * row_bytes && ahead <= most_in_order;
    for (int r = 0; r < rows; ++r) from_[r] = ahead + (in_order ? row[0] + r * bytes_of_step : row[r]);
    stride_ = in_order ? rows * bytes_of_step : bytes_of_step;
  }
  /// The step numbered rows * n + row.
  void at_step(std::int64_t n, int row) const {
    for (int line = 0; line < bytes_of_step; line += 64) __builtin_prefetch(from_[row] + n * stride_ + line);
  }

 private:
  static constexpr std::int64_t most_in_order = 16 << 10;  // half of a first cache
  const std::byte* from_[rows];
  std::int64_t stride_;
};

/// Adds `chunks` chunks of rows and inputs to their partial sums: those of an input stand together, and those of the
/// next `stride` behind them.
template <class Format, int rows, int inputs>
void add_products(const std::byte* const* row, std::int64_t chunks, std::int64_t columns, const float* const* input,
                  Floats* partial, int stride) {
  Floats sums[rows][inputs];
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < inputs; ++i) sums[r][i] = partial[i * stride + r];
  }
  const FetchBehind<rows, Format::chunk_bytes> fetch(row, chunks * Format::chunk_bytes);
  const std::byte* at[rows];
  for (int r = 0; r < rows; ++r) at[r] = row[r];
  for (std::int64_t block = 0; block < chunks; block += Format::chunks) {
    typename Format::Scales scales[rows];
    for (int r = 0; r < rows; ++r) scales[r] = Format::scales(row[r], block / Format::chunks);
    for (std::int64_t c = block; c < block + Format::chunks; ++c) {
      for (int r = 0; r < rows; ++r) {
        fetch.at_step(c, r);
        const Chunk weights = Format::decode(at[r], c, columns, scales[r]);
        for (int v = 0; v < vectors; ++v) {
          for (int i = 0; i < inputs; ++i) {
            sums[r][i] = multiply_add(weights.of[v], load<Floats>(input[i] + c * chunk + v * lanes), sums[r][i]);
          }
        }
        if (r + 1 < rows) finish_before(sums[r][inputs - 1], at[r + 1]);
      }
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < inputs; ++i) partial[i * stride + r] = sums[r][i];
  }
}

/// Some rows, no more than a block, with some inputs, no more than most_inputs.
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
    for (int i = 0; i < row_count * input_count; ++i) partials[i] = Floats{};
    const std::int64_t whole = of.columns / chunk;
    if (input_count <= most_fused_inputs) {
      for (int r = 0; r < row_count;) r += add_fused<most_fused_inputs>(r, whole);
    } else {
      for (std::int64_t first = 0; first < whole; first += panel_chunks) {
        const std::int64_t chunks = smaller(panel_chunks, whole - first);
        add_panel(first, chunks);
      }
    }
    if constexpr (Format::ends_anywhere) {
      if (of.columns % chunk != 0) add_ends();
    }
  }
  /// What was added up: to[input * rows + row], where `rows` is how many rows the caller has.
  void sum(float* to, std::int64_t rows) {
    constexpr int inputs_at_once = lanes / tile_rows;
    int row = 0;
    for (; row + tile_rows <= row_count; row += tile_rows) {
      int input = 0;
      for (; input + inputs_at_once <= input_count; input += inputs_at_once) {
        const Floats sums = sums_of_each(&partial(row, input));
        for (int i = 0; i < inputs_at_once; ++i) {
          __builtin_memcpy(to + (input + i) * rows + row, reinterpret_cast<const float*>(&sums) + i * tile_rows,
                           tile_rows * sizeof(float));
        }
      }
      for (; input < input_count; ++input) {
        for (int r = row; r < row + tile_rows; ++r) to[input * rows + r] = sum_of(partial(r, input));
      }
    }
    for (; row < row_count; ++row) {
      for (int input = 0; input < input_count; ++input) to[input * rows + row] = sum_of(partial(row, input));
    }
  }

 private:
  static constexpr int most_fused_inputs = 4;

  /// Whether a row is one of tile_rows that are computed together.
  bool in_tile(int row) const { return row - row % tile_rows + tile_rows <= row_count; }

  /// Partial sums of a tile's rows stand together for each input: those that are read together are neighbours.
  Floats& partial(int row, int input) {
    return partials[in_tile(row) ? (row - row % tile_rows) * input_count + input * tile_rows + row % tile_rows
                                 : row * input_count + input];
  }

  /// Of the rows from `r` on as many as fit; returns how many these were. Its inputs are no more than inputs_here.
  template <int inputs_here>
  int add_fused(int r, std::int64_t chunks) {
    if constexpr (inputs_here > 1) {
      if (input_count < inputs_here) return add_fused<inputs_here - 1>(r, chunks);
    }
    // More rows wait for memory together, fewer leave registers for inputs.
    constexpr int together = inputs_here == 1 ? Format::rows_at_once : inputs_here == 2 ? tile_rows : tile_rows / 2;
    Floats* const at = &partial(r, 0);
    if (r + together <= row_count && (inputs_here == 1 || in_tile(r))) {
      add_products<Format, together, inputs_here>(rows + r, chunks, of.columns, inputs, at, tile_rows);
      return together;
    }
    if (inputs_here == 1 && in_tile(r)) {
      add_products<Format, tile_rows, 1>(rows + r, chunks, of.columns, inputs, at, tile_rows);
      return tile_rows;
    }
    add_products<Format, 1, inputs_here>(rows + r, chunks, of.columns, inputs, at, 1);
    return 1;
  }

  void add_panel(std::int64_t first, std::int64_t chunks) {
    typename Format::Scales scales{};
    alignas(64) float panel[block_rows * panel_chunks * chunk];
    for (int r = 0; r < row_count; ++r) {
      for (std::int64_t c = 0; c < chunks; ++c) {
        if (c % Format::chunks == 0) scales = Format::scales(rows[r], (first + c) / Format::chunks);
        const Chunk decoded = Format::decode(rows[r], first + c, of.columns, scales);
        __builtin_memcpy(panel + (r * panel_chunks + c) * chunk, &decoded, sizeof decoded);
      }
    }
    // Equal shares: a tile of one input would wait for its loads.
    const int tiles = (input_count + most_tile_inputs - 1) / most_tile_inputs;
    for (int tile = 0; tile < tiles; ++tile) {
      fetch_next_panel(first + chunks, tile, tiles);
      const int begin = input_count * tile / tiles, count = input_count * (tile + 1) / tiles - begin;
      for (int r = 0; r < row_count;) {
        const int rows_here = in_tile(r) ? tile_rows : 1;
        MONOMORPH_LEVEL::multiply_panel({.row_count = rows_here,
                                         .input_count = count,
                                         .weights = panel + r * panel_chunks * chunk,
                                         .chunks = chunks,
                                         .inputs = inputs + begin,
                                         .column = first * chunk,
                                         .partial = &partial(r, begin)});
        r += rows_here;
      }
    }
  }

  /// Fetches a share of what the next panel is decoded from: that of these rows, or of those behind them.
  void fetch_next_panel(std::int64_t next, int share, int shares) const {
    constexpr int line = 64, lines = panel_chunks * Format::chunk_bytes / line + 1;
    const bool of_these = next < of.columns / chunk;
    const std::int64_t behind = row_count == 1 ? 0 : row_count * (rows[row_count == 1 ? 0 : 1] - rows[0]);
    const std::int64_t from = of_these ? next * Format::chunk_bytes : behind;
    const int all = row_count * lines;
    for (int n = all * share / shares; n < all * (share + 1) / shares; ++n) {
      __builtin_prefetch(rows[n / lines] + from + n % lines * line);
    }
  }

  /// Where rows end within a chunk.
  void add_ends() {
    alignas(64) float input_ends[most_inputs][chunk], row_end[chunk];
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
  Floats partials[block_rows * most_inputs];
};

template <class Format>
void multiply(const Products& of) {
  for (std::int64_t input = 0; input < of.input_count; input += most_inputs) {
    const std::int64_t inputs = smaller(most_inputs, of.input_count - input);
    for (std::int64_t row = 0; row < of.row_count; row += block_rows) {
      const std::int64_t rows = smaller(block_rows, of.row_count - row);
      Block<Format> block(of, row, rows, input, inputs);
      block.multiply();
      block.sum(of.sums + input * of.row_count + row, of.row_count);
    }
  }
}

}  // namespace
}  // namespace monomorph::cpu
