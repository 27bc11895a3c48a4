// Q8_0: signed bytes, an f16 scale for every 32.
const uint unit_groups = 1;
const bool has_minima = false;
#include "quantized.glsl"

Unit read_unit(uint matrix, uint row, uint unit) {
  Unit result;
  [[unroll]] for (uint half_unit = 0; half_unit < 2; ++half_unit) {
    const uvec4 words = weight_quad(matrix, row, 2 * unit + half_unit);
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      result.codes[4 * half_unit + i] = vec4(ivec4(uvec4(words[i]) << uvec4(24, 16, 8, 0)) >> 24);
    }
  }
  result.scales[0] = plane_half(matrix, row, scale_plane, unit);
  result.minima[0] = 0.0;
  return result;
}
