//! norm = { sample = "none" }
//! picked_rows = { sample = false }
//! banked = { sample = true }
//! segments = { sample = true }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "norm_parts.glsl"
//% include "linear_parts.glsl"
vec4 input_quad(uint pass_row, uint quad) {
  return quad < column_quads ? raw_quad(input_row(pass_row), quad) : vec4(0.0);
}

//% if banked
const bool may_have_few = true;
#include "matmul.glsl"
#include "entries_of_bank.glsl"
//% else
const bool may_have_few = false;
#include "matmul.glsl"
#include "entries_in_order.glsl"
//% end
