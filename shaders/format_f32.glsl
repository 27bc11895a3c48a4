// f32 weights: a unit is 16 bytes, four elements.
const uint unit_quads = 1;
#include "unit_plain.glsl"

Unit read_unit(uint matrix, uint row, uint unit) {
  Unit result;
  result.quads[0] = uintBitsToFloat(weight_quad(matrix, row, unit));
  return result;
}
