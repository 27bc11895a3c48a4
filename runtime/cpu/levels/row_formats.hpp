// How rows are read: 32 elements at a time, a chunk, as vectors of floats. Every element is exactly what
// runtime/formats/quantized.cpp decodes. `rows_at_once`: rows that are multiplied with one input together, as measured:
// more of them wait for memory together, fewer leave registers to decode with. `by_elements`: elements stand by
// themselves, so that a row may end within a chunk, and vector() reads any vector of it.
#pragma once

#include "runtime/cpu/levels/level.hpp"
#include "runtime/cpu/levels/vectors.hpp"

namespace monomorph::cpu {
namespace {

constexpr int chunk = 32, vectors = chunk / lanes;  ///< elements, and the vectors that hold them

struct Chunk {
  Floats of[vectors];
};

/// How far behind the first of some rows the second begins; 0 where there is one.
constexpr std::int64_t distance_of_rows(const std::byte* const* rows, std::int64_t count) {
  return count == 1 ? 0 : rows[1] - rows[0];
}

/// What a block's chunks share, read once for them all: of most types nothing.
struct OneChunk {
  static constexpr int chunks = 1;
  struct Scales {};
  static Scales scales(const std::byte*, std::int64_t) { return {}; }
};

/// Types whose elements stand by themselves.
template <int bytes, Floats (*read)(const std::byte*)>
struct Plain : OneChunk {
  static constexpr bool of_states = true;
  static constexpr int rows_at_once = 8;
  static constexpr bool by_elements = true;
  static constexpr int element_bytes = bytes, chunk_bytes = chunk * bytes;
  static Floats vector(const std::byte* row, std::int64_t nth) { return read(row + nth * lanes * bytes); }
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales&) {
    Chunk decoded;
    for (int v = 0; v < vectors; ++v) decoded.of[v] = vector(row, nth * vectors + v);
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

/// 32 signed bytes times a scale, which is 2^24 times what is given.
[[maybe_unused]] Chunk scaled_signed(Sixteen first, Sixteen second, float scale) {
  Chunk decoded;
  for (int v = 0; v < vectors; ++v) {
    decoded.of[v] = widened_signed(v < of_sixteen ? first : second, v % of_sixteen) * spread(scale);
  }
  return decoded;
}
/// scale * code + minimum of sixteen codes, the nth of a chunk's two groups.
void decode_group(Sixteen codes, float scale, float minimum, int nth, Chunk& decoded) {
  for (int v = 0; v < of_sixteen; ++v) {
    decoded.of[nth * of_sixteen + v] = multiply_add(widened(codes, v), spread(scale), spread(minimum));
  }
}
/// The same of 32 codes.
Chunk scaled(Sixteen first, Sixteen second, float scale, float minimum) {
  Chunk decoded;
  decode_group(first, scale, minimum, 0, decoded);
  decode_group(second, scale, minimum, 1, decoded);
  return decoded;
}

/// Blocks of 32 elements.
struct Blocks : OneChunk {
  static constexpr bool of_states = false;
  static constexpr int rows_at_once = 4;
  static constexpr bool by_elements = false;
};

struct Q8_0 : Blocks {
  static constexpr int block_bytes = 34, chunk_bytes = block_bytes;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales&) {
    const std::byte* block = row + nth * chunk_bytes;
    return scaled_signed(load_sixteen(block + 2), load_sixteen(block + 18), load_scale(block) * 0x1p-24f);
  }
};

struct CodesAndScales : Blocks {
  static constexpr bool of_states = true;
  static constexpr int chunk_bytes = 32;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t columns, const Scales&) {
    const std::byte* codes = row + nth * chunk;
    return scaled_signed(load_sixteen(codes), load_sixteen(codes + 16), load_scale(row + columns + 2 * nth) * 0x1p-24f);
  }
};

struct Q4_0 : Blocks {
  static constexpr int block_bytes = 18, chunk_bytes = block_bytes;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales&) {
    const std::byte* block = row + nth * block_bytes;
    const Sixteen pairs = load_sixteen(block + 2);
    const float scale = load_scale(block);
    return scaled(low_bits(pairs, 0, 4), low_bits(pairs, 4, 4), scale, -8 * scale);
  }
};

struct Q4_1 : Blocks {
  static constexpr int block_bytes = 20, chunk_bytes = block_bytes;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales&) {
    const std::byte* block = row + nth * block_bytes;
    const Sixteen pairs = load_sixteen(block + 4);
    return scaled(low_bits(pairs, 0, 4), low_bits(pairs, 4, 4), load_scale(block), load_scale(block + 2));
  }
};

/// The fifth bits of sixteen codes, which stand in two bytes, a bit each.
[[maybe_unused]] Sixteen fifth_bits(const std::byte* bits) {
  constexpr std::uint64_t in_each = 0x0101010101010101;
  const std::uint64_t spread_bits[2] = {static_cast<std::uint8_t>(bits[0]) * in_each,
                                        static_cast<std::uint8_t>(bits[1]) * in_each};
  constexpr std::uint8_t own_bit[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const Sixteen mask = load_sixteen(own_bit);
  return bits_as<Sixteen>((load_sixteen(spread_bits) & mask) == mask) & 16;
}

struct Q5_0 : Blocks {
  static constexpr int block_bytes = 22, chunk_bytes = block_bytes;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales&) {
    const std::byte* block = row + nth * block_bytes;
    const Sixteen pairs = load_sixteen(block + 6);
    const float scale = load_scale(block);
    return scaled(low_bits(pairs, 0, 4) | fifth_bits(block + 2), low_bits(pairs, 4, 4) | fifth_bits(block + 4), scale,
                  -16 * scale);
  }
};

struct Q5_1 : Blocks {
  static constexpr int block_bytes = 24, chunk_bytes = block_bytes;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales&) {
    const std::byte* block = row + nth * block_bytes;
    const Sixteen pairs = load_sixteen(block + 8);
    return scaled(low_bits(pairs, 0, 4) | fifth_bits(block + 4), low_bits(pairs, 4, 4) | fifth_bits(block + 6),
                  load_scale(block), load_scale(block + 2));
  }
};

// Codes of four bits that stand for levels (Iwan Kawrakow's IQ4; OCP's MXFP4, whose levels are doubled here).
constexpr std::int8_t iq4_levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr std::int8_t fp4_levels[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// Of 32 codes in sixteen bytes: their levels times a scale, which is 2^24 times what is given.
Chunk leveled(const std::int8_t* levels, const std::byte* codes, float scale) {
  const Sixteen pairs = load_sixteen(codes);
  return scaled_signed(looked_up(levels, low_bits(pairs, 0, 4)), looked_up(levels, low_bits(pairs, 4, 4)), scale);
}

struct Iq4Nl : Blocks {
  static constexpr int block_bytes = 18, chunk_bytes = block_bytes;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales&) {
    const std::byte* block = row + nth * chunk_bytes;
    return leveled(iq4_levels, block + 2, load_scale(block) * 0x1p-24f);
  }
};

/// A block's scale is a power of two of any size: levels are multiplied by it alone.
struct Mxfp4 : Blocks {
  static constexpr int block_bytes = 17, chunk_bytes = block_bytes;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales&) {
    const std::byte* block = row + nth * chunk_bytes;
    const auto exponent = static_cast<std::uint32_t>(block[0]);
    // Halved, since levels are doubled; below the second exponent it is subnormal, and the last one is no number.
    const std::uint32_t bits = exponent < 2 ? 0x00200000u << exponent : (exponent - 1) << 23;
    const Floats scale = spread(exponent == 255 ? __builtin_nanf("") : bits_as<float>(bits));
    Chunk decoded = leveled(fp4_levels, block + 1, 0x1p-24f);
    for (int v = 0; v < vectors; ++v) decoded.of[v] *= scale;
    return decoded;
  }
};

/// Blocks of 256 elements.
struct LargeBlocks {
  static constexpr int rows_at_once = 8;
  static constexpr bool of_states = false;
  static constexpr bool by_elements = false;
  static constexpr int chunks = 8;
};

/// Groups of 32 with a scale and a minimum of six bits each, which begin a block of so many bytes.
template <int bytes>
struct ScalesOfSixBits : LargeBlocks {
  static constexpr int block_bytes = bytes;
  struct Scales {
    float scale[8], minimum[8];
  };
  static Scales scales(const std::byte* row, std::int64_t nth_block) {
    const std::byte* block = row + nth_block * block_bytes;
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
};

struct Q4K : ScalesOfSixBits<144> {
  static constexpr int chunk_bytes = 18;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales& scales) {
    const auto group = static_cast<int>(nth % 8);
    const std::byte* pairs = row + nth / 8 * block_bytes + 16 + 32 * (group / 2);
    const int shift = 4 * (group % 2);
    return scaled(low_bits(load_sixteen(pairs), shift, 4), low_bits(load_sixteen(pairs + 16), shift, 4),
                  scales.scale[group], scales.minimum[group]);
  }
};

struct Q5K : ScalesOfSixBits<176> {
  static constexpr int chunk_bytes = 22;
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales& scales) {
    const auto group = static_cast<int>(nth % 8);
    const std::byte* block = row + nth / 8 * block_bytes;
    const auto codes = [&](int half) {
      return low_bits(load_sixteen(block + 48 + 32 * (group / 2) + 16 * half), 4 * (group % 2), 4) |
             low_bits(load_sixteen(block + 16 + 16 * half), group, 1) << 4;
    };
    return scaled(codes(0), codes(1), scales.scale[group], scales.minimum[group]);
  }
};

/// Groups of 16 with a scale and a minimum of four bits each.
struct Q2K : LargeBlocks {
  static constexpr int block_bytes = 84, chunk_bytes = 10;
  struct Scales {
    float scale[16], minimum[16];
  };
  static Scales scales(const std::byte* row, std::int64_t nth_block) {
    const std::byte* block = row + nth_block * block_bytes;
    const Sixteen pairs = load_sixteen(block);
    const Floats scale = spread(load_scale(block + 80)), minimum = spread(-load_scale(block + 82));
    Scales scales;
    for (int v = 0; v < of_sixteen; ++v) {
      store(scales.scale + v * lanes, widened(low_bits(pairs, 0, 4), v) * scale);
      store(scales.minimum + v * lanes, widened(low_bits(pairs, 4, 4), v) * minimum);
    }
    return scales;
  }
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales& scales) {
    const auto group = static_cast<int>(nth % 8);
    const std::byte* quads = row + nth / 8 * block_bytes + 16 + 32 * (group / 4);
    Chunk decoded;
    for (int n = 0; n < 2; ++n) {
      const Sixteen codes = low_bits(load_sixteen(quads + 16 * n), 2 * (group % 4), 2);
      decode_group(codes, scales.scale[2 * group + n], scales.minimum[2 * group + n], n, decoded);
    }
    return decoded;
  }
};

/// Groups of 16 with a scale of six bits each, of which the low four stand in eight bytes and the high two in four.
struct Q3K : LargeBlocks {
  static constexpr int block_bytes = 110, chunk_bytes = 13;
  struct Scales {
    float scale[16];
  };
  static Scales scales(const std::byte* row, std::int64_t nth_block) {
    const std::byte* block = row + nth_block * block_bytes;
    std::uint32_t words[3];
    __builtin_memcpy(words, block + 96, sizeof words);
    constexpr std::uint32_t low_four = 0x0f0f0f0f, low_two = 0x03030303;
    const std::uint32_t of_bytes[4] = {(words[0] & low_four) | (words[2] & low_two) << 4,
                                       (words[1] & low_four) | (words[2] >> 2 & low_two) << 4,
                                       (words[0] >> 4 & low_four) | (words[2] >> 4 & low_two) << 4,
                                       (words[1] >> 4 & low_four) | (words[2] >> 6 & low_two) << 4};
    const Sixteen six_bits = load_sixteen(of_bytes);
    const Floats scale = spread(load_scale(block + 108));
    Scales scales;
    for (int v = 0; v < of_sixteen; ++v) store(scales.scale + v * lanes, (widened(six_bits, v) - 32) * scale);
    return scales;
  }
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales& scales) {
    const auto group = static_cast<int>(nth % 8);
    const std::byte* block = row + nth / 8 * block_bytes;
    Chunk decoded;
    for (int n = 0; n < 2; ++n) {
      const Sixteen codes = low_bits(load_sixteen(block + 32 + 32 * (group / 4) + 16 * n), 2 * (group % 4), 2) |
                            low_bits(load_sixteen(block + 16 * n), group, 1) << 2;
      const float scale = scales.scale[2 * group + n];
      decode_group(codes, scale, -4 * scale, n, decoded);
    }
    return decoded;
  }
};

/// Groups of 32 with a scale of six bits each.
struct Iq4Xs : LargeBlocks {
  static constexpr int block_bytes = 136, chunk_bytes = 17;
  struct Scales {
    float scale[8];
  };
  static Scales scales(const std::byte* row, std::int64_t nth_block) {
    const std::byte* block = row + nth_block * block_bytes;
    const float scale = load_scale(block);
    std::uint16_t high;
    std::uint32_t low;
    __builtin_memcpy(&high, block + 2, sizeof high);
    __builtin_memcpy(&low, block + 4, sizeof low);
    Scales scales;
    for (int group = 0; group < 8; ++group) {
      const int six_bits = static_cast<int>((low >> (4 * group) & 15) | (high >> (2 * group) & 3u) << 4);
      scales.scale[group] = scale * static_cast<float>(six_bits - 32) * 0x1p-24f;
    }
    return scales;
  }
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales& scales) {
    const auto group = static_cast<int>(nth % 8);
    return leveled(iq4_levels, row + nth / 8 * block_bytes + 8 + 16 * group, scales.scale[group]);
  }
};

/// Groups of 16 with a scale of eight bits each.
struct Q6K : LargeBlocks {
  static constexpr int block_bytes = 210, chunk_bytes = 26;
  struct Scales {
    float scale[16];
  };
  static Scales scales(const std::byte* row, std::int64_t nth_block) {
    const std::byte* block = row + nth_block * block_bytes;
    const Floats scale = spread(load_scale(block + 208) * 0x1p-24f);
    Scales scales;
    for (int v = 0; v < of_sixteen; ++v) {
      store(scales.scale + v * lanes, widened_signed(load_sixteen(block + 192), v) * scale);
    }
    return scales;
  }
  static Chunk decode(const std::byte* row, std::int64_t nth, std::int64_t, const Scales& scales) {
    const std::byte* block = row + nth / 8 * block_bytes;
    const auto group = static_cast<int>(nth % 8);
    const int half = group / 4, quarter = group % 4;
    const std::byte* low = block + 64 * half + 32 * (quarter % 2);
    const std::byte* high = block + 128 + 32 * half;
    Chunk decoded;
    for (int n = 0; n < 2; ++n) {
      const Sixteen codes = low_bits(load_sixteen(low + 16 * n), 4 * (quarter / 2), 4) |
                            low_bits(load_sixteen(high + 16 * n), 2 * quarter, 2) << 4;
      const float scale = scales.scale[2 * group + n];
      decode_group(codes, scale, -32 * scale, n, decoded);
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
