// Q4_0: four bits less 8, an f16 scale for every 32.
const uint unit_groups = 1;
const bool has_minima = false;
const uint scale_units = 2;
#include "quantized.glsl"

uvec4 read_scales(uint matrix, uint row, uint unit) {
  return uvec4(weight_word(matrix, row, scale_plane + unit / 2));
}

Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales) {
  // With the highest bit turned, a code less 8 is a signed number of four bits.
  const uvec4 words = weight_quad(matrix, row, unit) ^ 0x88888888u;
  Unit result;
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    result.codes[2 * i] = vec4(ivec4(uvec4(words[i]) << uvec4(28, 24, 20, 16)) >> 28);
    result.codes[2 * i + 1] = vec4(ivec4(uvec4(words[i]) << uvec4(12, 8, 4, 0)) >> 28);
  }
  result.minima[0] = 0.0;
  result.scales[0] = half_of(scales.x, unit);
  return result;
}
