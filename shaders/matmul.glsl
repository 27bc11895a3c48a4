// Rows of one or more matrices times many vectors, in tiles of tile_rows x tile_tokens; a lane is a vector (or several), a
// subgroup a band of rows. Two ways of sharing what was loaded, one a device.
//
// The including kernel gives: row_units, matrices, a Unit and what goes with it; vec4 input_quad(token, quad),
// rows_in_use(), store(token, row, totals).
const uint padded_quads = row_units * unit_quads;
const uint subgroups = workgroup_size / subgroup_size;
const uint rows_per_subgroup = tile_rows / subgroups;
const uint tokens_per_lane = tile_tokens / subgroup_size;
float sums[matrices * rows_per_subgroup * tokens_per_lane];

uint sum_index(uint matrix, uint r, uint t) { return (matrix * rows_per_subgroup + r) * tokens_per_lane + t; }

#include "matmul_shared.glsl"
#include "matmul_lanes.glsl"

void main() {
  const uint tile_token = gl_WorkGroupID.y * tile_tokens;
  if (pass.live == 0 || tile_token >= rows_in_use()) return;
  const uint tile_row = gl_WorkGroupID.x * tile_rows;
  const uint band = gl_SubgroupID * rows_per_subgroup;

  [[unroll]] for (uint i = 0; i < matrices * rows_per_subgroup * tokens_per_lane; ++i) sums[i] = 0.0;
  if (slow_loads) {
    multiply_lanes(tile_row + band, tile_token);
  } else {
    multiply_shared(tile_row, band, tile_token);
  }

  [[unroll]] for (uint r = 0; r < rows_per_subgroup; ++r) {
    const uint row = tile_row + band + r;
    [[unroll]] for (uint t = 0; t < tokens_per_lane; ++t) {
      const uint token = tile_token + t * subgroup_size + gl_SubgroupInvocationID;
      float totals[matrices];
      [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) totals[matrix] = sums[sum_index(matrix, r, t)];
      if (row < row_count && token < rows_in_use()) store(token, first_row + row, totals);
    }
  }
}
