// Q8_0: signed bytes, an f16 scale for every 32.
const uint unit_groups = 1;
const bool has_minima = false;
const uint scale_units = 2;
#include "quantized.glsl"

uvec4 read_scales(uint matrix, uint row, uint unit) {
  return uvec4(weight_word(matrix, row, scale_plane + unit / 2));
}

Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales) {
  Unit result;
  [[unroll]] for (uint half_unit = 0; half_unit < 2; ++half_unit) {
    const uvec4 words = weight_quad(matrix, row, 2 * unit + half_unit);
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      result.codes[4 * half_unit + i] = vec4(ivec4(uvec4(words[i]) << uvec4(24, 16, 8, 0)) >> 24);
    }
  }
  result.scales[0] = half_of(scales.x, unit);
  result.minima[0] = 0.0;
  return result;
}
