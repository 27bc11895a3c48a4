//! columns = { type = "uint", sample = 67, is = "elements of a row" }
//! inputs_stride = { type = "uint", sample = 68, is = "floats from one row of inputs to the next" }
//! inputs_column = { type = "uint", sample = 0, is = "of the first element" }
//! buffer.inputs = { view = "float", is = "tokens x columns" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "epilogue.glsl"

/// The run of the pass that row `row` is of.
StepRun run_of(uint row) {
  const uint runs = pass.run_count;
  for (uint r = 0; r < runs; ++r) {
    const StepRun run = pass.runs[r];
    if (row >= run.first_row && row - run.first_row < run.rows) return run;
  }
  return StepRun(row, 1u);
}

void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const StepRun run = run_of(pass.rows[pass_row].row);
  for (uint column = gl_LocalInvocationIndex; column < columns; column += workgroup_size) {
    // Sums of sums: the error of one long sum grows with its length. Their order is the run's own, whatever is beside it.
    float sum = 0.0;
    for (uint begin = 0; begin < run.rows; begin += 64) {
      float part = 0.0;
      const uint end = min(begin + 64, run.rows);
      for (uint n = begin; n < end; ++n) part += inputs[(run.first_row + n) * inputs_stride + inputs_column + column];
      sum += part;
    }
    write_output(pass_row, column, sum / float(run.rows));
  }
}
