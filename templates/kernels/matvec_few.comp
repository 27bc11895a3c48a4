//! norm = { sample = "none" }
//! banked = { sample = false }
//! segments = { sample = false }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "norm_parts.glsl"
//% include "linear_parts.glsl"
vec4 input_quad(uint pass_row, uint quad) {
  return quad < column_quads ? raw_quad(input_row(pass_row), quad) : vec4(0.0);
}

#include "matvec_few.glsl"
