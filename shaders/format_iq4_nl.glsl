// IQ4_NL: sixteen levels, an f16 scale for every 32.
const uint unit_groups = 1;
const bool has_minima = false;
#include "quantized.glsl"
#include "levels_iq4.glsl"
#include "unit_levels.glsl"

Unit read_unit(uint matrix, uint row, uint unit) {
  Unit result = unit_of_levels(matrix, row, unit);
  result.scales[0] = plane_half(matrix, row, scale_plane, unit);
  return result;
}
