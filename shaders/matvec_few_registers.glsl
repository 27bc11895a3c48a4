// The sums of every vector stay in registers: for GPUs. Vectors come from the caches: what a workgroup reads of them, others
// have just read.
const uint subgroup_rows = matrices * tile_rows;

void multiply_in_registers() {
  const uint first = gl_WorkGroupID.x * gl_NumSubgroups * tile_rows + gl_SubgroupID;
  float sums[subgroup_rows * tile_tokens];
  [[unroll]] for (uint i = 0; i < subgroup_rows * tile_tokens; ++i) sums[i] = 0.0;

  for (uint unit = gl_SubgroupInvocationID; unit < row_units; unit += gl_SubgroupSize) {
    Unit units[subgroup_rows];
    [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
      [[unroll]] for (uint r = 0; r < tile_rows; ++r) {
        units[matrix * tile_rows + r] = read_unit(matrix, multiplied_row(first + r * gl_NumSubgroups), unit);
      }
    }
    [[unroll]] for (uint t = 0; t < tile_tokens; ++t) {
      if (t < entry_count) {
        Inputs x;
        [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) {
          x.quads[quad] = input_quad(first_entry + t, unit * unit_quads + quad);
        }
        sum_inputs(x);
        [[unroll]] for (uint i = 0; i < subgroup_rows; ++i) sums[i * tile_tokens + t] += dot_unit(units[i], x);
      }
    }
  }

  // Lane r takes row r, so that the epilogue runs once for all rows of the subgroup: tile_rows <= subgroup_size.
  const uint row = first + gl_SubgroupInvocationID * gl_NumSubgroups;
  [[unroll]] for (uint t = 0; t < tile_tokens; ++t) {
    if (t < entry_count) {
      float totals[matrices];
      [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
        totals[matrix] = 0.0;
        [[unroll]] for (uint r = 0; r < tile_rows; ++r) {
          const float total = subgroupAdd(sums[(matrix * tile_rows + r) * tile_tokens + t]);
          totals[matrix] = gl_SubgroupInvocationID == r ? total : totals[matrix];
        }
      }
      if (gl_SubgroupInvocationID < tile_rows && stores_row(row)) store(first_entry + t, row, totals);
    }
  }
}
