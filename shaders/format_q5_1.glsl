// Q5_1: five bits, an f16 scale and an f16 minimum, which is added, for every 32.
const uint unit_groups = 1;
const bool has_minima = true;
const uint scale_units = 1;
#include "quantized.glsl"

uvec4 read_scales(uint matrix, uint row, uint unit) {
  return uvec4(weight_word(matrix, row, scale_plane + unit));
}

Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales) {
  uvec4 codes[unit_quads];
  read_low_4(matrix, row, unit, codes);
  add_high_1(matrix, row, unit, 4, codes);
  Unit result = unit_of(codes, 0.0);
  const vec2 scale = unpackHalf2x16(scales.x);
  result.scales[0] = scale.x;
  result.minima[0] = -scale.y;
  return result;
}
