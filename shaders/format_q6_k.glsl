// Q6_K: six bits less 32; for every 16 a signed byte as scale, for every 256 an f16 scale of those.
const uint unit_groups = 2;
const bool has_minima = false;
const uint scale_units = 2;
#include "quantized.glsl"

uvec4 read_scales(uint matrix, uint row, uint unit) {
  return uvec4(weight_word(matrix, row, scale_plane + unit / 2), weight_word(matrix, row, block_plane + unit / 16), 0, 0);
}

Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales) {
  uvec4 codes[unit_quads];
  read_low_4(matrix, row, unit, codes);
  add_high_2(matrix, row, unit, 4, codes);
  Unit result = unit_of(codes, 32.0);
  const uint of_groups = short_of(scales.x, unit);
  const float of_block = half_of(scales.y, unit / 8);
  result.scales[0] = of_block * float(int(of_groups << 24) >> 24);
  result.scales[1] = of_block * float(int(of_groups << 16) >> 24);
  return result;
}
