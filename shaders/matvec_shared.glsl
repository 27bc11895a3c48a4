// The vector is staged in shared memory, a segment at a time; each subgroup reads its rows side by side, so that a value of
// the vector is loaded once for all. Neighbouring subgroups read neighbouring rows.
const uint segment_quads = min(padded_quads, 512);  // 8 KiB of shared memory
shared vec4 staged[segment_quads];

void multiply_shared(uint entry) {
  const uint first = gl_WorkGroupID.x * gl_NumSubgroups * tile_rows + gl_SubgroupID;
  float sums[matrices * tile_rows];
  [[unroll]] for (uint i = 0; i < matrices * tile_rows; ++i) sums[i] = 0.0;

  for (uint segment = 0; segment < padded_quads; segment += segment_quads) {
    const uint quads = min(segment_quads, padded_quads - segment);
    barrier();
    for (uint quad = gl_LocalInvocationIndex; quad < quads; quad += workgroup_size) {
      staged[quad] = input_quad(entry, segment + quad);
    }
    barrier();
    const uint first_unit = segment / unit_quads;
    for (uint unit = gl_SubgroupInvocationID; unit < quads / unit_quads; unit += gl_SubgroupSize) {
      Inputs x;
      [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) x.quads[quad] = staged[unit * unit_quads + quad];
      sum_inputs(x);
      [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
        [[unroll]] for (uint r = 0; r < tile_rows; ++r) {
          const uint row = multiplied_row(first + r * gl_NumSubgroups);
          sums[matrix * tile_rows + r] += dot_unit(read_unit(matrix, row, first_unit + unit), x);
        }
      }
    }
  }

  // Lane r takes row r, so that the epilogue runs once for all rows of the subgroup: tile_rows <= subgroup_size.
  float totals[matrices];
  [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
    totals[matrix] = 0.0;
    [[unroll]] for (uint r = 0; r < tile_rows; ++r) {
      const float total = subgroupAdd(sums[matrix * tile_rows + r]);
      totals[matrix] = gl_SubgroupInvocationID == r ? total : totals[matrix];
    }
  }
  const uint row = first + gl_SubgroupInvocationID * gl_NumSubgroups;
  if (gl_SubgroupInvocationID < tile_rows && stores_row(row)) store(entry, row, totals);
}
