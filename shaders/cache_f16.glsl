// A cache of f16: a pair is one word, a quad two. Finite values beyond f16's range are clamped, since packHalf2x16 of them is
// infinite on some drivers and not a number on others. What is no finite number becomes no number, and shows in the logits.
uint f16_bits(float value) {
  const bool finite = (floatBitsToUint(value) & 0x7f800000u) != 0x7f800000u;
  return finite ? packHalf2x16(vec2(clamp(value, -65504.0, 65504.0), 0.0)) : 0x7e00u;
}
uint pack_f16_pair(vec2 values) { return f16_bits(values.x) | f16_bits(values.y) << 16; }
vec4 unpack_f16_quad(uvec2 words) { return vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y)); }
