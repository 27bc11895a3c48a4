//! columns = { type = "uint", sample = 67, is = "elements of a row" }
//! sum_count = { sample = 0 }
//! steps = { sample = [ { function = "map_0", parameters = "float a, float b", expression = "a + b", name = "step_0", arguments = "previous, operand_0", about = "sum" } ] }
//! result = { sample = "step_0" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "epilogue.glsl"

void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  for (uint column = gl_LocalInvocationIndex; column < columns; column += workgroup_size) write_output(pass_row, column);
}
