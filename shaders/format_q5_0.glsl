// Q5_0: five bits less 16, an f16 scale for every 32.
const uint unit_groups = 1;
const bool has_minima = false;
const uint scale_units = 2;
#include "quantized.glsl"

uvec4 read_scales(uint matrix, uint row, uint unit) {
  return uvec4(weight_word(matrix, row, scale_plane + unit / 2));
}

Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales) {
  uvec4 codes[unit_quads];
  read_low_4(matrix, row, unit, codes);
  add_high_1(matrix, row, unit, 4, codes);
  Unit result = unit_of(codes, 16.0);
  result.scales[0] = half_of(scales.x, unit);
  return result;
}
