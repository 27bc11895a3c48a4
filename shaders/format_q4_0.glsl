// Q4_0: four bits less 8, an f16 scale for every 32.
const uint unit_groups = 1;
const bool has_minima = false;
#include "quantized.glsl"

Unit read_unit(uint matrix, uint row, uint unit) {
  uvec4 codes[unit_quads];
  read_low_4(matrix, row, unit, codes);
  Unit result = unit_of(codes, 8.0);
  result.scales[0] = plane_half(matrix, row, scale_plane, unit);
  return result;
}
