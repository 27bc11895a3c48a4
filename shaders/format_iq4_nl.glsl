// IQ4_NL: sixteen levels, an f16 scale for every 32.
const uint unit_groups = 1;
const bool has_minima = false;
const uint scale_units = 2;
#include "quantized.glsl"
#include "levels_iq4.glsl"
#include "unit_levels.glsl"

uvec4 read_scales(uint matrix, uint row, uint unit) {
  return uvec4(weight_word(matrix, row, scale_plane + unit / 2));
}

Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales) {
  Unit result = unit_of_levels(matrix, row, unit);
  result.scales[0] = half_of(scales.x, unit);
  return result;
}
