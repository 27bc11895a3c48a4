//! columns = { type = "uint", sample = 12, is = "elements of a row" }
//! choices = { type = "uint", sample = 3, is = "how many of them are chosen" }
//! inputs_stride = { type = "uint", sample = 12, is = "floats from one row of inputs to the next" }
//! inputs_column = { type = "uint", sample = 0, is = "of the first element" }
//! choice_stride = { type = "uint", sample = 4, is = "floats from one row of choices to the next" }
//! choice_column = { type = "uint", sample = 0, is = "of the first choice" }
//! buffer.inputs = { view = "float", is = "rows x columns" }
//! buffer.choice = { view = "float", is = "rows x choices, whole numbers" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "epilogue.glsl"

void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  for (uint c = gl_LocalInvocationIndex; c < choices; c += workgroup_size) {
    const uint column = min(uint(choice[pass_row * choice_stride + choice_column + c]), columns - 1);
    write_output(pass_row, c, inputs[pass_row * inputs_stride + inputs_column + column]);
  }
}
