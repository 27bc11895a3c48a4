// How rows are read: 32 elements at a time, a chunk, as vectors of floats. Every element is exactly what
// runtime/formats/quantized.cpp decodes. `rows_at_once`: rows that are multiplied with one input together, as measured:
// more of them wait for memory together, fewer leave registers to decode with.
#pragma once

#include "runtime/cpu/levels/level.hpp"
#include "runtime/cpu/levels/vectors.hpp"

namespace monomorph::cpu {
namespace {

constexpr int chunk = 32, vectors = chunk / lanes;  ///< elements, and the vectors that hold them

struct Chunk {
  Floats of[vectors];
};

/// What a block's chunks share, read once for them all: of most types nothing.
struct NoScales {};

/// Types whose elements stand by themselves: a row may end within a chunk.
template <int bytes, Floats (*read)(const std::byte*)>
struct Plain {
  static constexpr int rows_at_once = 8;
  static constexpr bool ends_anywhere = true;
  static constexpr int chunks = 1;
  using Scales = NoScales;
  static Scales scales(const std::byte*, std::int64_t) { return {}; }
  static constexpr int element_bytes = bytes, chunk_bytes = chunk * bytes;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales&) {
    Chunk decoded;
    for (int v = 0; v < vectors; ++v) decoded.of[v] = read(row + (nth * chunk + v * lanes) * bytes);
    return decoded;
  }
};
Floats load_f32(const std::byte* from) { return load<Floats>(from); }
using F32 = Plain<4, load_f32>;
using F16 = Plain<2, load_f16>;
using Bf16 = Plain<2, load_bf16>;

/// An f16 that scales a block, of a table: to convert it would take as long as to widen eight codes.
float load_scale(const std::byte* from) {
  std::uint16_t bits;
  __builtin_memcpy(&bits, from, sizeof bits);
  return f16_values[bits];
}

constexpr int of_sixteen = 16 / lanes;  ///< vectors that sixteen elements take

/// 32 signed codes times a scale.
Chunk scaled(const std::byte* codes, float scale) {
  const Floats factor = spread(scale * 0x1p-24f);
  Chunk decoded;
  for (int v = 0; v < vectors; ++v) {
    decoded.of[v] = widened_signed(load_sixteen(codes + v / of_sixteen * 16), v % of_sixteen) * factor;
  }
  return decoded;
}
/// scale * code + minimum of 32 codes.
Chunk scaled(Sixteen first, Sixteen second, float scale, float minimum) {
  Chunk decoded;
  for (int v = 0; v < vectors; ++v) {
    const Floats codes = widened(v < of_sixteen ? first : second, v % of_sixteen);
    decoded.of[v] = multiply_add(codes, spread(scale), spread(minimum));
  }
  return decoded;
}

/// Blocks of 32 elements.
struct Blocks {
  static constexpr int rows_at_once = 4;
  static constexpr bool ends_anywhere = false;
  static constexpr int chunks = 1;
  using Scales = NoScales;
  static Scales scales(const std::byte*, std::int64_t) { return {}; }
};

struct Q8_0 : Blocks {
  static constexpr int chunk_bytes = 34;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales&) {
    const std::byte* block = row + nth * 34;
    return scaled(block + 2, load_scale(block));
  }
};

struct CodesAndScales : Blocks {
  static constexpr int chunk_bytes = 32;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t columns, const Scales&) {
    return scaled(row + nth * chunk, load_scale(row + columns + 2 * nth));
  }
};

struct Q4_0 : Blocks {
  static constexpr int chunk_bytes = 18;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales&) {
    const std::byte* block = row + nth * 18;
    const Sixteen pairs = load_sixteen(block + 2);
    const float scale = load_scale(block);
    return scaled(low_bits(pairs, 0, 4), low_bits(pairs, 4, 4), scale, -8 * scale);
  }
};

struct Q4_1 : Blocks {
  static constexpr int chunk_bytes = 20;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales&) {
    const std::byte* block = row + nth * 20;
    const Sixteen pairs = load_sixteen(block + 4);
    return scaled(low_bits(pairs, 0, 4), low_bits(pairs, 4, 4), load_scale(block), load_scale(block + 2));
  }
};

/// Of 256 elements: groups of 32 with a scale and a minimum of six bits each.
struct Q4K {
  static constexpr int chunk_bytes = 18;
  static constexpr int rows_at_once = 8;
  static constexpr bool ends_anywhere = false;
  static constexpr int chunks = 8;
  struct Scales {
    float scale[8], minimum[8];
  };
  static Scales scales(const std::byte* row, std::int64_t nth_block) {
    const std::byte* block = row + nth_block * 144;
    std::uint32_t words[3];
    __builtin_memcpy(words, block + 4, sizeof words);
    constexpr std::uint32_t low_six = 0x3f3f3f3f, low_four = 0x0f0f0f0f, low_two = 0x03030303;
    const std::uint32_t of_bytes[4] = {words[0] & low_six, (words[2] & low_four) | (words[0] >> 6 & low_two) << 4,
                                       words[1] & low_six, (words[2] >> 4 & low_four) | (words[1] >> 6 & low_two) << 4};
    const Sixteen six_bits = load_sixteen(of_bytes);
    const float scale = load_scale(block), minimum = -load_scale(block + 2);
    float all[16];
    for (int v = 0; v < of_sixteen; ++v) store(all + v * lanes, widened(six_bits, v));
    Scales scales;
    for (int group = 0; group < 8; ++group) {
      scales.scale[group] = all[group] * scale;
      scales.minimum[group] = all[8 + group] * minimum;
    }
    return scales;
  }
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales& scales) {
    const auto group = static_cast<int>(nth % 8);
    const std::byte* pairs = row + nth / 8 * 144 + 16 + 32 * (group / 2);
    const int shift = 4 * (group % 2);
    return scaled(low_bits(load_sixteen(pairs), shift, 4), low_bits(load_sixteen(pairs + 16), shift, 4),
                  scales.scale[group], scales.minimum[group]);
  }
};

/// Of 256 elements: groups of 16 with a scale of eight bits each.
struct Q6K {
  static constexpr int chunk_bytes = 26;
  static constexpr int rows_at_once = 8;
  static constexpr bool ends_anywhere = false;
  static constexpr int chunks = 8;
  struct Scales {
    float scale[16];
  };
  static Scales scales(const std::byte* row, std::int64_t nth_block) {
    const std::byte* block = row + nth_block * 210;
    const Floats scale = spread(load_scale(block + 208) * 0x1p-24f);
    Scales scales;
    for (int v = 0; v < of_sixteen; ++v) {
      store(scales.scale + v * lanes, widened_signed(load_sixteen(block + 192), v) * scale);
    }
    return scales;
  }
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales& scales) {
    const std::byte* block = row + nth / 8 * 210;
    const auto group = static_cast<int>(nth % 8);
    const int half = group / 4, quarter = group % 4;
    const std::byte* low = block + 64 * half + 32 * (quarter % 2);
    const std::byte* high = block + 128 + 32 * half;
    Chunk decoded;
    for (int n = 0; n < 2; ++n) {
      const Sixteen codes = low_bits(load_sixteen(low + 16 * n), 4 * (quarter / 2), 4) |
                            low_bits(load_sixteen(high + 16 * n), 2 * quarter, 2) << 4;
      const Floats scale = spread(scales.scale[2 * group + n]), minimum = -32 * scale;
      for (int v = 0; v < of_sixteen; ++v) {
        decoded.of[n * of_sixteen + v] = multiply_add(widened(codes, v), scale, minimum);
      }
    }
    return decoded;
  }
};

/// The chunk in which a row ends, what is beyond it being 0. Of a type whose elements stand by themselves.
template <class Format>
void decode_end(const std::byte* row, std::int64_t columns, float* out) {
  const std::int64_t nth = columns / chunk;
  std::byte copy[chunk * Format::element_bytes] = {};
  __builtin_memcpy(copy, row + nth * chunk * Format::element_bytes,
                   static_cast<std::size_t>((columns - nth * chunk) * Format::element_bytes));
  const Chunk decoded = Format::decode(copy, 0, columns, {});
  __builtin_memcpy(out, &decoded, sizeof decoded);
}

}  // namespace
}  // namespace monomorph::cpu
