// Q3_K: three bits less 4; for every 16 a scale of six bits less 32, for every 256 an f16 scale of those.
const uint unit_groups = 2;
const bool has_minima = false;
#include "quantized.glsl"

Unit read_unit(uint matrix, uint row, uint unit) {
  uvec4 codes[unit_quads];
  read_low_2(matrix, row, unit, codes);
  add_high_1(matrix, row, unit, 2, codes);
  Unit result = unit_of(codes, 4.0);
  const uint block = unit / 8, in_block = unit % 8;
  const uint scales_of_block = scale_plane + 3 * block;
  const uint low = plane_byte(matrix, row, scales_of_block, in_block);
  const uint high = weight_word(matrix, row, scales_of_block + 2) >> 4 * in_block & 15;
  const vec2 scales = vec2(six_bits(low, high)) - 32.0;
  const float of_block = plane_half(matrix, row, block_plane, block);
  result.scales[0] = of_block * scales.x;
  result.scales[1] = of_block * scales.y;
  return result;
}
