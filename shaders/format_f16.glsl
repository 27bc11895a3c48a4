// f16 weights: a unit is 16 bytes, eight elements, unpacked exactly from 32-bit words on every driver.
const uint unit_quads = 2;
#include "unit_plain.glsl"

Unit read_unit(uint matrix, uint row, uint unit) {
  const uvec4 words = weight_quad(matrix, row, unit);
  Unit result;
  result.quads[0] = vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y));
  result.quads[1] = vec4(unpackHalf2x16(words.z), unpackHalf2x16(words.w));
  return result;
}
