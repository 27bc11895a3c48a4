// Q6_K: six bits less 32; for every 16 a signed byte as scale, for every 256 an f16 scale of those.
const uint unit_groups = 2;
const bool has_minima = false;
#include "quantized.glsl"

Unit read_unit(uint matrix, uint row, uint unit) {
  uvec4 codes[unit_quads];
  read_low_4(matrix, row, unit, codes);
  add_high_2(matrix, row, unit, 4, codes);
  Unit result = unit_of(codes, 32.0);
  const uint scales = plane_short(matrix, row, scale_plane, unit);
  const float of_block = plane_half(matrix, row, block_plane, unit / 8);
  result.scales[0] = of_block * float(int(scales << 24) >> 24);
  result.scales[1] = of_block * float(int(scales << 16) >> 24);
  return result;
}
