// Weights whose elements stand for themselves, `unit_quads` vec4s a unit: what a lane decodes at once.
const uint unit_groups = 1;
#include "inputs.glsl"

struct Unit {
  vec4 quads[unit_quads];
};

Unit read_unit(uint matrix, uint row, uint unit);

// No scales and no minima, as quantized.glsl has them.
const uint scale_units = 1;
void sum_inputs(inout Inputs x) {}
uvec4 read_scales(uint matrix, uint row, uint unit) { return uvec4(0); }
Unit read_unit(uint matrix, uint row, uint unit, uvec4 scales) { return read_unit(matrix, row, unit); }

float dot_unit(Unit unit, Inputs x) {
  float sum = dot(unit.quads[0], x.quads[0]);
  [[unroll]] for (uint quad = 1; quad < unit_quads; ++quad) sum += dot(unit.quads[quad], x.quads[quad]);
  return sum;
}

vec4 unit_quad(Unit unit, uint quad) { return unit.quads[quad]; }

Unit broadcast_unit(Unit unit, uint lane) {
  Unit result;
  [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) result.quads[quad] = subgroupBroadcast(unit.quads[quad], lane);
  return result;
}
