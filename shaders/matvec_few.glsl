// Rows of one or more matrices times a few vectors: each weight is read and decoded once for all of them. A workgroup
// takes at most `tile_tokens` rows of the pass, a subgroup of it `tile_rows` rows of the matrix, a lane columns. Two ways of
// keeping the sums, one a device.
// What a row of the pass gives does not depend on how many others there are.
//
// The including kernel gives: row_units (units of a row), matrices, a Unit and what goes with it; rows_in_use(),
// vec4 input_quad(entry, quad), begin_row() and end_row(), store(entry, row, totals).
uint first_entry, entry_count;  // rows of the pass that the workgroup takes

#include "multiplied_rows.glsl"
#include "matvec_few_registers.glsl"
#include "matvec_few_streamed.glsl"

void main() {
  first_entry = gl_WorkGroupID.y * tile_tokens;
  if (pass.live == 0 || first_entry >= rows_in_use()) return;
  entry_count = min(tile_tokens, rows_in_use() - first_entry);
  if (slow_loads) {
    multiply_streamed();
  } else {
    multiply_in_registers();
  }
}
