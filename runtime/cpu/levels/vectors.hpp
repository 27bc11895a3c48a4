// Vectors of floats of this unit's level: what its instructions hold in a register, and what the language has no
// operator for. Whatever includes this is compiled for one level, and defines nothing that another unit could call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

// Without MONOMORPH_PORTABLE, which the units of the level `portable` are compiled with where they are tested.
#if defined(__x86_64__) && !defined(MONOMORPH_PORTABLE)
#define MONOMORPH_X86_64
#include <immintrin.h>
#elif defined(__aarch64__) && !defined(MONOMORPH_PORTABLE)
#define MONOMORPH_AARCH64
#include <arm_neon.h>
#endif

namespace monomorph::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int lanes = 16, registers = 32;
#elif defined(__AVX2__)
constexpr int lanes = 8, registers = 16;
#elif defined(MONOMORPH_AARCH64)
constexpr int lanes = 4, registers = 32;
#else
constexpr int lanes = 4, registers = 16;
#endif

#if defined(MONOMORPH_X86_64) && defined(__AVX2__)
#define MONOMORPH_DIGITS  // codes of two to six bits are multiplied in integers: digit_products.hpp
#ifdef __AVX512VNNI__
#define MONOMORPH_WIDE_DIGITS  // and of eight: products are added in 32 bits
#endif
#endif

typedef float Floats __attribute__((vector_size(lanes * 4)));
typedef std::int32_t Integers __attribute__((vector_size(lanes * 4)));
typedef std::uint32_t Words __attribute__((vector_size(lanes * 4)));
typedef std::uint16_t Halves __attribute__((vector_size(lanes * 2)));
typedef std::uint8_t Bytes __attribute__((vector_size(lanes)));

constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

/// act<0>(), act<1>(), as many as `count`. A loop would do, but GCC leaves arrays of vectors in memory that a loop goes
/// through.
template <int count, class Act>
void unrolled(const Act& act) {
  [&]<int... n>(std::integer_sequence<int, n...>) {
    (act.template operator()<n>(), ...);
  }(std::make_integer_sequence<int, count>());
}

template <class Vector>
Vector load(const void* from) {
  Vector vector;
  __builtin_memcpy(&vector, from, sizeof vector);
  return vector;
}
void store(float* to, Floats vector) { __builtin_memcpy(to, &vector, sizeof vector); }

template <class To, class From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

Floats spread(float value) { return value - Floats{}; }

/// a * b + c; rounded once where the level has such an instruction.
Floats multiply_add(Floats a, Floats b, Floats c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#elif defined(MONOMORPH_AARCH64)
  return vfmaq_f32(c, a, b);
#else
  return a * b + c;
#endif
}

/// f16 in the low half of each element.
[[maybe_unused]] Floats floats_of_f16_words(Words bits) {
  const Words magnitude = bits & 0x7fff;
  // 2^112 moves the exponent from f16's bias to f32's, subnormals included; beyond the range it is no finite number.
  const Floats value = bits_as<Floats>(magnitude << 13) * 0x1p112f;
  const Words infinite = bits_as<Words>(magnitude > 0x7bff) & 0x7f800000u;
  return bits_as<Floats>(bits_as<Words>(value) | infinite | (bits & 0x8000) << 16);
}

/// `lanes` f16 as floats.
Floats load_f16(const std::byte* from) {
#if defined(__AVX512F__)
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#elif defined(__F16C__)
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#elif defined(MONOMORPH_AARCH64)
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(reinterpret_cast<const std::uint16_t*>(from))));
#else
  return floats_of_f16_words(__builtin_convertvector(load<Halves>(from), Words));
#endif
}

Floats load_bf16(const std::byte* from) {
  return bits_as<Floats>(__builtin_convertvector(load<Halves>(from), Words) << 16);
}

/// Sixteen bytes that are to be widened. AVX2 moves bytes within halves of a register alone: both hold them.
#if defined(MONOMORPH_X86_64) && defined(__AVX2__) && !defined(__AVX512F__)
typedef std::uint8_t Sixteen __attribute__((vector_size(32)));
Sixteen load_sixteen(const void* from) { return bits_as<Sixteen>(_mm256_broadcastsi128_si256(load<__m128i>(from))); }
#else
typedef std::uint8_t Sixteen __attribute__((vector_size(16)));
Sixteen load_sixteen(const void* from) { return load<Sixteen>(from); }
#endif

/// Of each byte `count` bits from `first` on.
Sixteen low_bits(Sixteen bytes, int first, int count) {
  return bytes >> first & static_cast<std::uint8_t>((1 << count) - 1);
}

/// Of each of sixteen codes of four bits what stands for it in a table of sixteen bytes.
[[maybe_unused]] Sixteen looked_up(const std::int8_t* table, Sixteen codes) {
#if defined(MONOMORPH_X86_64) && defined(__AVX2__) && !defined(__AVX512F__)
  return bits_as<Sixteen>(_mm256_shuffle_epi8(bits_as<__m256i>(load_sixteen(table)), bits_as<__m256i>(codes)));
#elif defined(__AVX512F__)
  return bits_as<Sixteen>(_mm_shuffle_epi8(load<__m128i>(table), bits_as<__m128i>(codes)));
#elif defined(MONOMORPH_AARCH64)
  return vqtbl1q_u8(load<Sixteen>(table), codes);
#else
  for (int i = 0; i < 16; ++i) codes[i] = static_cast<std::uint8_t>(table[codes[i]]);
  return codes;
#endif
}

/// Of sixteen bytes those that the nth vector of them has, an element each, at the element's lowest bits or its
/// highest.
template <bool highest>
Integers placed(Sixteen bytes, int nth) {
#if defined(__AVX512F__)
  (void)nth;
  const __m512i low = _mm512_cvtepu8_epi32(bits_as<__m128i>(bytes));
  return bits_as<Integers>(highest ? _mm512_slli_epi32(low, 24) : low);
#elif defined(__AVX2__)
  // A place with its top bit set gives 0.
  const auto place = [&](int element) {
    const int at = 8 * nth + element;
    return highest ? at << 24 | 0x808080 : static_cast<int>(0x80808000u) | at;
  };
  const __m256i places =
      _mm256_setr_epi32(place(0), place(1), place(2), place(3), place(4), place(5), place(6), place(7));
  return bits_as<Integers>(_mm256_shuffle_epi8(bits_as<__m256i>(bytes), places));
#elif defined(MONOMORPH_X86_64)
  const __m128i zero = _mm_setzero_si128(), all = bits_as<__m128i>(bytes);
  const auto wider = [&](bool upper, bool of_bytes, __m128i from) {
    const __m128i a = highest ? zero : from, b = highest ? from : zero;
    if (of_bytes) return upper ? _mm_unpackhi_epi8(a, b) : _mm_unpacklo_epi8(a, b);
    return upper ? _mm_unpackhi_epi16(a, b) : _mm_unpacklo_epi16(a, b);
  };
  return bits_as<Integers>(wider(nth % 2 == 1, false, wider(nth / 2 == 1, true, all)));
#else
  Bytes own;
  __builtin_memcpy(&own, reinterpret_cast<const std::uint8_t*>(&bytes) + nth * lanes, sizeof own);
  const Words low = __builtin_convertvector(own, Words);
  return bits_as<Integers>(highest ? low << 24 : low);
#endif
}
/// Bytes as floats, and signed ones times 2^24.
Floats widened(Sixteen bytes, int nth) { return __builtin_convertvector(placed<false>(bytes, nth), Floats); }
Floats widened_signed(Sixteen bytes, int nth) { return __builtin_convertvector(placed<true>(bytes, nth), Floats); }

/// The compiler computes `first` before it reads at `next`. Otherwise it decodes several rows at once, and has not
/// registers enough to hold them.
[[maybe_unused]] void finish_before([[maybe_unused]] Floats& first, [[maybe_unused]] const std::byte*& next) {
#if defined(MONOMORPH_X86_64)
  __asm__ volatile("" : "+x"(first), "+r"(next));
#elif defined(MONOMORPH_AARCH64)
  __asm__ volatile("" : "+w"(first), "+r"(next));
#endif
}

typedef float FourFloats __attribute__((vector_size(16)));
/// The sum of all elements: halves are added until one is left.
float sum_of(FourFloats vector) {
  const FourFloats halves = vector + __builtin_shufflevector(vector, vector, 2, 3, 0, 1);
  return halves[0] + halves[1];
}
/// sum_of() of four vectors at once, to the last bit.
[[maybe_unused]] FourFloats sums_of_each(const FourFloats* of) {
  const FourFloats a =
      __builtin_shufflevector(of[0], of[1], 0, 1, 4, 5) + __builtin_shufflevector(of[0], of[1], 2, 3, 6, 7);
  const FourFloats b =
      __builtin_shufflevector(of[2], of[3], 0, 1, 4, 5) + __builtin_shufflevector(of[2], of[3], 2, 3, 6, 7);
  return __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
}
#if defined(__AVX2__)
typedef float EightFloats __attribute__((vector_size(32)));
float sum_of(EightFloats vector) {
  return sum_of(__builtin_shufflevector(vector, vector, 0, 1, 2, 3) +
                __builtin_shufflevector(vector, vector, 4, 5, 6, 7));
}
/// Of eight. Vectors that are four apart come to stand in the two halves of one.
[[maybe_unused]] EightFloats sums_of_each(const EightFloats* of) {
  const auto halves = [&](int n) {
    return __builtin_shufflevector(of[n], of[n + 4], 0, 1, 2, 3, 8, 9, 10, 11) +
           __builtin_shufflevector(of[n], of[n + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  };
  const auto quarters = [&](int n) {
    const EightFloats a = halves(n), b = halves(n + 1);
    return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
           __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  };
  const EightFloats a = quarters(0), b = quarters(2);
  return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
         __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}
#endif
#if defined(__AVX512F__)
/// Of sixteen: once the halves of each are added, of eight by themselves and eight.
[[maybe_unused]] Floats sums_of_each(const Floats* of) {
  EightFloats halved[16];
  for (int n = 0; n < 16; ++n) {
    halved[n] = __builtin_shufflevector(of[n], of[n], 0, 1, 2, 3, 4, 5, 6, 7) +
                __builtin_shufflevector(of[n], of[n], 8, 9, 10, 11, 12, 13, 14, 15);
  }
  return __builtin_shufflevector(sums_of_each(halved), sums_of_each(halved + 8), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                                 12, 13, 14, 15);
}
float sum_of(Floats vector) {
  return sum_of(__builtin_shufflevector(vector, vector, 0, 1, 2, 3, 4, 5, 6, 7) +
                __builtin_shufflevector(vector, vector, 8, 9, 10, 11, 12, 13, 14, 15));
}
#endif

}  // namespace
}  // namespace monomorph::cpu
