// Rows of one or more matrices times one vector; a subgroup takes `tile_rows` rows. Two ways of keeping the vector at hand,
// one a device.
//
// The including kernel gives: row_units (units of a row), matrices, a Unit and what goes with it; rows_in_use(),
// prepare_input(pass_row), vec4 input_quad(pass_row, quad), store(pass_row, row, totals).
const uint padded_quads = row_units * unit_quads;

#include "matvec_shared.glsl"
#include "matvec_registers.glsl"

void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  prepare_input(pass_row);
  if (slow_loads) {
    multiply_registers(pass_row);
  } else {
    multiply_shared(pass_row);
  }
}
