// A cache of bf16, the upper half of an f32: a pair is one word, a quad two. Values are rounded to nearest, ties to even; an
// infinity stays one, and so does what is no number. runtime/formats/half.hpp has the twin.
uint bf16_bits(float value) {
  const uint bits = floatBitsToUint(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return bits >> 16 | 0x40u;
  return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
}
uint pack_bf16_pair(vec2 values) { return bf16_bits(values.x) | bf16_bits(values.y) << 16; }
vec4 unpack_bf16_quad(uvec2 words) {
  return uintBitsToFloat(uvec4(words.x << 16, words.x & 0xffff0000u, words.y << 16, words.y & 0xffff0000u));
}
