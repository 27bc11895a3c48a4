// Q5_0: five bits less 16, an f16 scale for every 32.
const uint unit_groups = 1;
const bool has_minima = false;
#include "quantized.glsl"

Unit read_unit(uint matrix, uint row, uint unit) {
  uvec4 codes[unit_quads];
  read_low_4(matrix, row, unit, codes);
  add_high_1(matrix, row, unit, 4, codes);
  Unit result = unit_of(codes, 16.0);
  result.scales[0] = plane_half(matrix, row, scale_plane, unit);
  return result;
}
