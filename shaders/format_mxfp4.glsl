// MXFP4: FP4 (E2M1) in halves, a power of two for every 32. OCP Microscaling Formats, version 1.0.
const uint unit_groups = 1;
const bool has_minima = false;
const uint scale_units = 4;
#include "quantized.glsl"
const float levels[16] = float[](0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 0.0, -1.0, -2.0, -3.0, -4.0, -6.0, -8.0, -12.0);
#include "unit_levels.glsl"

uvec4 read_scales(uint matrix, uint row, uint unit) {
  return uvec4(weight_word(matrix, row, scale_plane + unit / 4));
}

Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales) {
  Unit result = unit_of_levels(matrix, row, unit);
  const uint exponent = byte_of(scales.x, unit);
  // 2^(exponent - 128): half of what the exponent says, since the levels are doubled.
  result.scales[0] = uintBitsToFloat(exponent < 2 ? 0x00200000u << exponent : exponent - 1 << 23);
  return result;
}
