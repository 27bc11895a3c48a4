//! columns = { type = "uint", sample = 12, is = "elements of a row" }
//! type = { type = "choice", values = ["softmax", "sum"], sample = "sum", is = "what the shares are of" }
//! eps = { type = "float", sample = 1e-20, is = "added to the sum", when = "type == sum" }
//! least = { type = "float", sample = 0.0, is = "what the sum is at least", when = "type == sum" }
//! inputs_stride = { type = "uint", sample = 12, is = "floats from one row of inputs to the next" }
//! inputs_column = { type = "uint", sample = 0, is = "of the first element" }
//! buffer.inputs = { view = "float", is = "rows x columns" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "epilogue.glsl"
#include "workgroup.glsl"

void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const uint row = pass_row * inputs_stride + inputs_column;
  float sum = 0.0;
//% if type == softmax
  float greatest = inputs[row];
  for (uint column = 1; column < columns; ++column) greatest = max(greatest, inputs[row + column]);
  for (uint column = gl_LocalInvocationIndex; column < columns; column += workgroup_size) {
    sum += exp(inputs[row + column] - greatest);
  }
  sum = workgroup_sum(sum);
  for (uint column = gl_LocalInvocationIndex; column < columns; column += workgroup_size) {
    write_output(pass_row, column, exp(inputs[row + column] - greatest) / sum);
  }
//% else
  for (uint column = gl_LocalInvocationIndex; column < columns; column += workgroup_size) sum += inputs[row + column];
  sum = max(workgroup_sum(sum) + eps, least);
  for (uint column = gl_LocalInvocationIndex; column < columns; column += workgroup_size) {
    write_output(pass_row, column, inputs[row + column] / sum);
  }
//% end
}
