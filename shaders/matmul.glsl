// Rows of one or more matrices times many vectors, in tiles of tile_rows x tile_tokens; a lane is a vector (or several), a
// subgroup a band of rows. Two ways of sharing what was loaded, one a device.
//
// The including kernel gives: row_units, matrices, a Unit and what goes with it; vec4 input_quad(entry, quad), begin_row()
// and end_row() (rows to multiply, of those of the grid), store(entry, row, totals). An entry is a row of the pass, or one
// of its choices. Which entries make up a tile is said by entries_in_order.glsl or entries_of_bank.glsl, included after;
// may_have_few, before, whether it is often less than full.
const uint padded_quads = row_units * unit_quads;
const uint subgroups = workgroup_size / subgroup_size;
const uint rows_per_subgroup = tile_rows / subgroups;
const uint tokens_per_lane = tile_tokens / subgroup_size;
float sums[matrices * rows_per_subgroup * tokens_per_lane];

bool first_tile();  // whether there is one
bool next_tile();
uint tile_size();         // entries of the tile, tile_tokens at most
uint tile_entry(uint n);  // where memory is shared
uint lane_entry(uint t);  // of the lane's own; past the tile's end, its last one

uint sum_index(uint matrix, uint r, uint t) { return (matrix * rows_per_subgroup + r) * tokens_per_lane + t; }

#include "multiplied_rows.glsl"
#include "matmul_shared.glsl"
#include "matmul_lanes.glsl"

void multiply_tile() {
  const uint tile_row = gl_WorkGroupID.x * tile_rows;
  const uint band = gl_SubgroupID * rows_per_subgroup;

  [[unroll]] for (uint i = 0; i < matrices * rows_per_subgroup * tokens_per_lane; ++i) sums[i] = 0.0;
  if (slow_loads) {
    multiply_lanes(tile_row + band);
  } else {
    multiply_shared(tile_row, band);
  }

  [[unroll]] for (uint r = 0; r < rows_per_subgroup; ++r) {
    const uint row = tile_row + band + r;
    [[unroll]] for (uint t = 0; t < tokens_per_lane; ++t) {
      const uint token = t * subgroup_size + gl_SubgroupInvocationID;
      float totals[matrices];
      [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) totals[matrix] = sums[sum_index(matrix, r, t)];
      if (stores_row(row) && token < tile_size()) store(lane_entry(t), row, totals);
    }
  }
}

void main() {
  if (pass.live == 0) return;
  for (bool more = first_tile(); more; more = next_tile()) multiply_tile();
}
