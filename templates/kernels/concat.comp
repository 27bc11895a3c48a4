//! columns = { type = "uint", sample = 67, is = "elements of a row of the result" }
//! first_columns = { type = "uint", sample = 31, is = "of these, those of the first" }
//! first_stride = { type = "uint", sample = 32, is = "floats from one row of the first to the next" }
//! first_column = { type = "uint", sample = 0, is = "of its first element" }
//! second_stride = { type = "uint", sample = 36, is = "floats from one row of the second to the next" }
//! second_column = { type = "uint", sample = 0, is = "of its first element" }
//! buffer.first = { view = "float", is = "rows x first_columns" }
//! buffer.second = { view = "float", is = "rows x the other columns" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "epilogue.glsl"

void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const uint in_first = pass_row * first_stride + first_column, in_second = pass_row * second_stride + second_column;
  for (uint column = gl_LocalInvocationIndex; column < columns; column += workgroup_size) {
    const bool is_first = column < first_columns;
    write_output(pass_row, column, is_first ? first[in_first + column] : second[in_second + column - first_columns]);
  }
}
