// Q5_K: five bits; scales and minima as block_header.glsl has them.
const uint unit_groups = 1;
const bool has_minima = true;
const uint scale_units = 4;
#include "quantized.glsl"
#include "block_header.glsl"

Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales) {
  uvec4 codes[unit_quads];
  read_low_4(matrix, row, unit, codes);
  add_high_1(matrix, row, unit, 4, codes);
  Unit result = unit_of(codes, 0.0);
  set_scales(scales, unit, result);
  return result;
}
