// Sums of rows, each by a weight: what attention makes of values. A row's chunk is decoded once for some blends.
#pragma once

#include "runtime/cpu/levels/row_formats.hpp"

namespace monomorph::cpu {
namespace {

constexpr int most_blends = registers * 3 / 4 / vectors < 8 ? registers * 3 / 4 / vectors : 8;

/// A row's nth chunk, or the one in which it ends.
template <class Format, bool end>
Chunk chunk_of(const std::byte* row, std::int64_t nth, std::int64_t columns) {
  if constexpr (end) {
    float decoded[chunk];
    decode_end<Format>(row, columns, decoded);
    return load<Chunk>(decoded);
  } else {
    return Format::decode(row, nth, columns, {});
  }
}

/// Rows are added up by so many, and then these sums: of thousands of rows one sum would lose digits.
constexpr std::int64_t rows_of_sum = 64;

template <class Format, int blends, bool end>
void blend_chunk(const Blends& of, std::int64_t first, std::int64_t nth) {
  Chunk sums[blends] = {};
  for (std::int64_t block = 0; block < of.row_count; block += rows_of_sum) {
    Chunk of_block[blends] = {};
    for (std::int64_t r = block; r < smaller(block + rows_of_sum, of.row_count); ++r) {
      const Chunk values = chunk_of<Format, end>(of.rows[r], nth, of.columns);
      for (int b = 0; b < blends; ++b) {
        const Floats weight = spread(of.weights[(first + b) * of.row_count + r]);
        for (int v = 0; v < vectors; ++v) of_block[b].of[v] = multiply_add(weight, values.of[v], of_block[b].of[v]);
      }
    }
    for (int b = 0; b < blends; ++b) {
      for (int v = 0; v < vectors; ++v) sums[b].of[v] += of_block[b].of[v];
    }
  }
  const std::int64_t columns = smaller(chunk, of.columns - nth * chunk);
  for (int b = 0; b < blends; ++b) {
    __builtin_memcpy(of.sums + (first + b) * of.columns + nth * chunk, &sums[b],
                     static_cast<std::size_t>(columns) * sizeof(float));
  }
}

template <class Format, int blends>
void blend_some(const Blends& of, std::int64_t first, std::int64_t count) {
  if constexpr (blends > 1) {
    if (count < blends) return blend_some<Format, blends - 1>(of, first, count);
  }
  const std::int64_t whole = of.columns / chunk;
  for (std::int64_t nth = 0; nth < whole; ++nth) blend_chunk<Format, blends, false>(of, first, nth);
  if constexpr (Format::by_elements) {
    if (of.columns % chunk != 0) blend_chunk<Format, blends, true>(of, first, whole);
  }
}

template <class Format>
void blend(const Blends& of) {
  const std::int64_t groups = (of.blend_count + most_blends - 1) / most_blends;
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::int64_t first = of.blend_count * group / groups;
    blend_some<Format, most_blends>(of, first, of.blend_count * (group + 1) / groups - first);
  }
}

}  // namespace
}  // namespace monomorph::cpu
