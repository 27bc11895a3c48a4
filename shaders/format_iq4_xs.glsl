// IQ4_XS: sixteen levels; for every 32 a scale of six bits less 32, for every 256 an f16 scale of those. They stand in
// eight bytes: the f16, the scales' two high bits, their four low bits.
const uint unit_groups = 1;
const bool has_minima = false;
#include "quantized.glsl"
#include "levels_iq4.glsl"
#include "unit_levels.glsl"

Unit read_unit(uint matrix, uint row, uint unit) {
  Unit result = unit_of_levels(matrix, row, unit);
  const uint header = scale_plane + 2 * (unit / 8), in_block = unit % 8;
  const uint first = weight_word(matrix, row, header), second = weight_word(matrix, row, header + 1);
  const uint scale = second >> 4 * in_block & 15 | (first >> 16 + 2 * in_block & 3) << 4;
  result.scales[0] = unpackHalf2x16(first).x * (float(scale) - 32.0);
  return result;
}
