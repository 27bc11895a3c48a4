//! columns = { type = "uint", sample = 67, is = "elements of a run" }
//! runs = { type = "uint", sample = 3, is = "runs of a row" }
//! inputs_stride = { type = "uint", sample = 204, is = "floats from one row of inputs to the next" }
//! inputs_column = { type = "uint", sample = 0, is = "of the first element" }
//! run_weights_stride = { type = "uint", sample = 4, is = "floats from one row of weights to the next" }
//! run_weights_column = { type = "uint", sample = 0, is = "of the first weight" }
//! buffer.inputs = { view = "float", is = "rows x runs x columns" }
//! buffer.run_weights = { view = "float", is = "rows x runs" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "epilogue.glsl"

void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const uint row = pass_row * inputs_stride + inputs_column;
  const uint weights = pass_row * run_weights_stride + run_weights_column;
  for (uint column = gl_LocalInvocationIndex; column < columns; column += workgroup_size) {
    float sum = 0.0;
    for (uint run = 0; run < runs; ++run) sum += run_weights[weights + run] * inputs[row + run * columns + column];
    write_output(pass_row, column, sum);
  }
}
