// Q3_K: three bits less 4; for every 16 a scale of six bits less 32, for every 256 an f16 scale of those.
const uint unit_groups = 2;
const bool has_minima = false;
const uint scale_units = 4;
#include "quantized.glsl"

uvec4 read_scales(uint matrix, uint row, uint unit) {
  const uint block = unit / 8, of_groups = scale_plane + 3 * block;
  return uvec4(weight_word(matrix, row, of_groups + unit % 8 / 4), weight_word(matrix, row, of_groups + 2),
               weight_word(matrix, row, block_plane + block / 2), 0);
}

Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales) {
  uvec4 codes[unit_quads];
  read_low_2(matrix, row, unit, codes);
  add_high_1(matrix, row, unit, 2, codes);
  Unit result = unit_of(codes, 4.0);
  const vec2 of_groups = vec2(six_bits(byte_of(scales.x, unit), scales.y >> 4 * (unit % 8) & 15)) - 32.0;
  const float of_block = half_of(scales.z, unit / 8);
  result.scales[0] = of_block * of_groups.x;
  result.scales[1] = of_block * of_groups.y;
  return result;
}
