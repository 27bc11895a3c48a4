// Rows of a cache of q8_0, made a word at a time. The including kernel gives head_dim, a multiple of 32, and float
// kept_value(d), an element of the row. Whoever makes a word looks through its whole block, so that no word has two writers
// and no lane waits for another.
//
// Scales and codes are those of ggml's quantize_row_q8_0_ref (https://github.com/ggml-org/ggml, ggml-quants.c): the largest
// magnitude / 127, rounded to f16, and value / (largest / 127), rounded half away from zero. Beyond that a block in which
// anything is no finite number is no number as a whole, and shows in the logits; and what is beyond 127 times the largest f16
// is clamped. runtime/formats/conversion.cpp has the twin.

const uint q8_0_row_words = head_dim / 4 + (head_dim / 32 + 1) / 2;

/// The bits of the largest magnitude of a block, which are in the order of magnitudes; above them what is no finite number.
uint largest_bits(uint block) {
  uint largest = 0;
  for (uint i = 0; i < 32; ++i) largest = max(largest, floatBitsToUint(kept_value(32 * block + i)) & 0x7fffffffu);
  return largest;
}

float q8_0_scale(uint largest) { return min(uintBitsToFloat(largest) / 127.0, 65504.0); }

uint q8_0_scale_bits(uint block) {
  const uint largest = largest_bits(block);
  return largest < 0x7f800000u ? packHalf2x16(vec2(q8_0_scale(largest), 0.0)) : 0x7e00u;
}

/// Four codes. A scale too small to have an inverse is zero as f16, whatever the codes are.
uint q8_0_codes(uint word) {
  const float scale = q8_0_scale(largest_bits(word / 8));
  const float inverse = scale < 1.17549435e-38 ? 0.0 : 1.0 / scale;
  uint codes = 0;
  for (uint i = 0; i < 4; ++i) {
    precise const float code = kept_value(4 * word + i) * inverse;
    const float whole = trunc(code);
    const float rounded = whole + (abs(code - whole) < 0.5 ? 0.0 : sign(code));
    codes |= (uint(int(clamp(rounded, -127.0, 127.0))) & 255u) << 8 * i;
  }
  return codes;
}

/// A word of the row: of codes, and then of scales.
uint q8_0_word(uint word) {
  const uint blocks = head_dim / 32, code_words = head_dim / 4;
  if (word < code_words) return q8_0_codes(word);
  const uint block = 2 * (word - code_words);
  return q8_0_scale_bits(block) | (block + 1 < blocks ? q8_0_scale_bits(block + 1) << 16 : 0u);
}
