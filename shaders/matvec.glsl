// Rows of one or more matrices times one vector; a subgroup takes `tile_rows` rows. Two ways of keeping the vector at hand,
// one a device.
//
// The including kernel gives: row_units (units of a row), matrices, a Unit and what goes with it; begin_entry(entry),
// prepare_input(entry), vec4 input_quad(entry, quad), begin_row() and end_row() (rows to multiply, of those of the grid),
// store(entry, row, totals). An entry is a row of the pass, or one of its choices.
const uint padded_quads = row_units * unit_quads;

#include "multiplied_rows.glsl"
#include "matvec_shared.glsl"
#include "matvec_registers.glsl"

void main() {
  const uint entry = gl_WorkGroupID.y;
  if (pass.live == 0 || !begin_entry(entry)) return;
  prepare_input(entry);
  if (slow_loads) {
    multiply_registers(entry);
  } else {
    multiply_shared(entry);
  }
}
