// bf16 weights: a unit is 16 bytes, eight elements; a bf16 is the upper half of an f32.
const uint unit_quads = 2;
#include "unit_plain.glsl"

vec4 decode_bf16(uvec2 words) {
  return uintBitsToFloat(uvec4(words.x << 16, words.x & 0xffff0000u, words.y << 16, words.y & 0xffff0000u));
}

Unit read_unit(uint matrix, uint row, uint unit) {
  const uvec4 words = weight_quad(matrix, row, unit);
  Unit result;
  result.quads[0] = decode_bf16(words.xy);
  result.quads[1] = decode_bf16(words.zw);
  return result;
}
