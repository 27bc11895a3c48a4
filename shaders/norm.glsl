// A norm of each row, one workgroup a row. The including kernel gives column_quads, rows_in_use(), input_row(pass_row),
// prepare_normalize(row), vec4 normalize_quad(row, quad) and finish(pass_row, quad, values).
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const uint row = input_row(pass_row);
  prepare_normalize(row);
  for (uint quad = gl_LocalInvocationIndex; quad < column_quads; quad += workgroup_size) {
    finish(pass_row, quad, normalize_quad(row, quad));
  }
}
