// IQ4_XS: sixteen levels; for every 32 a scale of six bits less 32, for every 256 an f16 scale of those. They stand in
// eight bytes: the f16, the scales' two high bits, their four low bits.
const uint unit_groups = 1;
const bool has_minima = false;
const uint scale_units = 4;
#include "quantized.glsl"
#include "levels_iq4.glsl"
#include "unit_levels.glsl"

uvec4 read_scales(uint matrix, uint row, uint unit) {
  const uint header = scale_plane + 2 * (unit / 8);
  return uvec4(weight_word(matrix, row, header), weight_word(matrix, row, header + 1), 0, 0);
}

Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales) {
  Unit result = unit_of_levels(matrix, row, unit);
  const uint in_block = unit % 8;
  const uint scale = scales.y >> 4 * in_block & 15 | (scales.x >> 16 + 2 * in_block & 3) << 4;
  result.scales[0] = unpackHalf2x16(scales.x).x * (float(scale) - 32.0);
  return result;
}
