// Q2_K: two bits; for every 16 a scale and a minimum of four bits, for every 256 an f16 scale of either.
const uint unit_groups = 2;
const bool has_minima = true;
const uint scale_units = 2;
#include "quantized.glsl"

uvec4 read_scales(uint matrix, uint row, uint unit) {
  return uvec4(weight_word(matrix, row, scale_plane + unit / 2), weight_word(matrix, row, block_plane + unit / 8), 0, 0);
}

Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales) {
  uvec4 codes[unit_quads];
  read_low_2(matrix, row, unit, codes);
  Unit result = unit_of(codes, 0.0);
  const uint of_unit = short_of(scales.x, unit);
  const vec2 of_block = unpackHalf2x16(scales.y);
  [[unroll]] for (uint group = 0; group < 2; ++group) {
    const uint scale = of_unit >> 8 * group;
    result.scales[group] = of_block.x * float(scale & 15);
    result.minima[group] = of_block.y * float(scale >> 4 & 15);
  }
  return result;
}
