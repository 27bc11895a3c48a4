//! columns = { type = "uint", sample = 67, is = "elements of a run" }
//! runs = { type = "uint", sample = 3, is = "runs of a row" }
//! inputs_stride = { type = "uint", sample = 204, is = "floats from one row of inputs to the next" }
//! inputs_column = { type = "uint", sample = 0, is = "of the first element" }
//! weighed = { type = "bool", sample = true, is = "each run is multiplied by its weight" }
//! run_weights_stride = { type = "uint", sample = 4, is = "floats from one row of weights to the next", when = "weighed" }
//! run_weights_column = { type = "uint", sample = 0, is = "of the first weight", when = "weighed" }
//! buffer.inputs = { view = "float", is = "rows x runs x columns" }
//! buffer.run_weights = { view = "float", when = "weighed", is = "rows x runs" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "epilogue.glsl"

float weight_of(uint pass_row, uint run) {
//% if weighed
  return run_weights[pass_row * run_weights_stride + run_weights_column + run];
//% else
  return 1.0;
//% end
}

void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const uint row = pass_row * inputs_stride + inputs_column;
  for (uint column = gl_LocalInvocationIndex; column < columns; column += workgroup_size) {
    float sum = 0.0;
    for (uint run = 0; run < runs; ++run) sum += weight_of(pass_row, run) * inputs[row + run * columns + column];
    write_output(pass_row, column, sum);
  }
}
