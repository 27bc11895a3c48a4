// Products of many inputs at once. Neighbouring inputs lie in the lanes of a vector, and are multiplied with an element
// of a row each: so what is read for a product is little, and its sum needs no adding up of lanes. Rows are decoded
// into a panel of some columns, which every input passes by. A sum has one order, that of its columns in panels, which
// is not that of products.hpp.
#pragma once

#include "runtime/cpu/levels/row_formats.hpp"

#ifndef MONOMORPH_LEVEL
#error "a unit of a level is told which (units.cmake)"
#endif

namespace monomorph::cpu {
namespace {

constexpr int panel_rows = 16, panel_columns = 256;
constexpr int most_vectors = 3;  ///< of inputs that a tile multiplies
/// Rows of a tile, by its vectors: their products take as many registers as there are.
constexpr int rows_of_tile(int vectors) { return registers == 32 || vectors == 1 ? 8 : 4; }
static_assert(panel_rows % rows_of_tile(1) == 0 && panel_rows % rows_of_tile(most_vectors) == 0);

/// Inputs lie in bundles of up to most_vectors vectors: the first element of all of a bundle's inputs, then their
/// second.
struct Bundles {
  explicit Bundles(std::int64_t input_count)
      : vectors((input_count + lanes - 1) / lanes), count((vectors + most_vectors - 1) / most_vectors) {}
  std::int64_t first(std::int64_t bundle) const {
    return vectors * bundle / count;
  }  ///< vector of it; shares are equal
  std::int64_t vectors, count;
};

[[maybe_unused]] void pack(const float* const* inputs, std::int64_t input_count, std::int64_t columns, float* packed) {
  constexpr std::int64_t columns_at_once = 64;  // what is written stays in the first cache until it is whole
  const Bundles bundles(input_count);
  for (std::int64_t bundle = 0; bundle < bundles.count; ++bundle) {
    const std::int64_t first = bundles.first(bundle) * lanes, width = bundles.first(bundle + 1) * lanes - first;
    float* const to = packed + first * columns;
    for (std::int64_t column = 0; column < columns; column += columns_at_once) {
      const std::int64_t end = smaller(column + columns_at_once, columns);
      for (std::int64_t i = 0; i < width; ++i) {
        const bool is_input = first + i < input_count;
        for (std::int64_t c = column; c < end; ++c) to[c * width + i] = is_input ? inputs[first + i][c] : 0;
      }
    }
  }
}

}  // namespace

namespace MONOMORPH_LEVEL {

/// A panel and the part of a bundle that it is multiplied with.
struct PanelProducts {
  const float* panel;  ///< rows, panel_columns apart
  std::int64_t rows;   ///< of whole tiles
  std::int64_t columns;
  const float* bundle;
  std::int64_t vectors;
  float* sums;  ///< to which products are added: of a row those of most_packed inputs
};

/// Of the level's own unit, for the others to call.
void add_panel_products(const PanelProducts& of);

}  // namespace MONOMORPH_LEVEL

namespace {

template <int rows, int vectors>
void add_tile(const float* panel, std::int64_t columns, const float* bundle, float* sums) {
  Floats products[rows][vectors]{};
  for (std::int64_t c = 0; c < columns; ++c) {
    Floats inputs[vectors];
    for (int v = 0; v < vectors; ++v) inputs[v] = load<Floats>(bundle + (c * vectors + v) * lanes);
    for (int r = 0; r < rows; ++r) {
      const Floats element = spread(panel[r * panel_columns + c]);
      for (int v = 0; v < vectors; ++v) products[r][v] = multiply_add(element, inputs[v], products[r][v]);
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      float* const sum = sums + r * most_packed + v * lanes;
      store(sum, load<Floats>(sum) + products[r][v]);
    }
  }
}
template <int vectors = most_vectors>
void add_tiles(const MONOMORPH_LEVEL::PanelProducts& of) {
  if constexpr (vectors > 1) {
    if (of.vectors < vectors) return add_tiles<vectors - 1>(of);
  }
  constexpr int rows = rows_of_tile(vectors);
  for (std::int64_t r = 0; r < of.rows; r += rows) {
    add_tile<rows, vectors>(of.panel + r * panel_columns, of.columns, of.bundle, of.sums + r * most_packed);
  }
}

/// Some rows, no more than a panel has, with packed inputs.
template <class Format>
class PackedBlock {
 public:
  PackedBlock(const PackedProducts& of, std::int64_t first_row)
      : of_(of), rows_(of.rows + first_row), row_count_(smaller(panel_rows, of.row_count - first_row)) {
    for (std::int64_t i = row_count_ * panel_columns; i < panel_rows * panel_columns; ++i) panel_[i] = 0;
  }

  void multiply() {
    for (std::int64_t first = 0; first < of_.columns; first += panel_columns) {
      const std::int64_t columns = smaller(panel_columns, of_.columns - first);
      fill_panel(first, columns);
      for (std::int64_t bundle = 0; bundle < bundles_.count; ++bundle) {
        fetch_next_panel(first + columns, bundle);
        const std::int64_t begin = bundles_.first(bundle), vectors = bundles_.first(bundle + 1) - begin;
        MONOMORPH_LEVEL::add_panel_products(
            {.panel = panel_,
             .rows = (row_count_ + rows_of_tile(1) - 1) / rows_of_tile(1) * rows_of_tile(1),
             .columns = columns,
             .bundle = of_.packed + (begin * of_.columns + first * vectors) * lanes,
             .vectors = vectors,
             .sums = sums_ + begin * lanes});
      }
    }
  }
  /// to[input * rows + row], where `rows` is how many rows the caller has.
  void store_sums(float* to, std::int64_t rows) const {
    for (std::int64_t input = 0; input < of_.input_count; ++input) {
      for (std::int64_t r = 0; r < row_count_; ++r) to[input * rows + r] = sums_[r * most_packed + input];
    }
  }

 private:
  void fill_panel(std::int64_t first, std::int64_t columns) {
    for (std::int64_t r = 0; r < row_count_; ++r) {
      float* const to = panel_ + r * panel_columns;
      typename Format::Scales scales{};
      for (std::int64_t c = 0; c < columns / chunk; ++c) {
        const std::int64_t nth = first / chunk + c;
        if (c % Format::chunks == 0) scales = Format::scales(rows_[r], nth / Format::chunks);
        const Chunk decoded = Format::decode(rows_[r], nth, of_.columns, scales);
        __builtin_memcpy(to + c * chunk, &decoded, sizeof decoded);
      }
      if constexpr (Format::by_elements) {
        if (columns % chunk != 0) decode_end<Format>(rows_[r], of_.columns, to + columns / chunk * chunk);
      }
    }
  }

  /// Fetches a bundle's share of what the next panel is decoded from: that of these rows, or of those behind them.
  void fetch_next_panel(std::int64_t next, std::int64_t bundle) const {
    constexpr std::int64_t line = 64, lines = panel_columns / chunk * Format::chunk_bytes / line + 1;
    const std::int64_t from =
        next < of_.columns ? next / chunk * Format::chunk_bytes : row_count_ * distance_of_rows(rows_, row_count_);
    const std::int64_t all = row_count_ * lines;
    for (std::int64_t n = all * bundle / bundles_.count; n < all * (bundle + 1) / bundles_.count; ++n) {
      __builtin_prefetch(rows_[n / lines] + from + n % lines * line);
    }
  }

  const PackedProducts& of_;
  const std::byte* const* const rows_;
  const std::int64_t row_count_;
  const Bundles bundles_{of_.input_count};
  alignas(64) float sums_[panel_rows * most_packed]{};
  alignas(64) float panel_[panel_rows * panel_columns];  ///< rows that a tile lacks are zeros
};

template <class Format>
void multiply_packed(const PackedProducts& of) {
  for (std::int64_t row = 0; row < of.row_count; row += panel_rows) {
    PackedBlock<Format> block(of, row);
    block.multiply();
    block.store_sums(of.sums + row, of.row_count);
  }
}

}  // namespace
}  // namespace monomorph::cpu
