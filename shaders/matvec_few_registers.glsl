// The sums of every vector stay in registers: for GPUs. Vectors come from the caches: what a workgroup reads of them, others
// have just read.
// Rows of a subgroup are decoded side by side, so that what is read of a vector serves all of them; units of 32 elements fill
// the registers sooner.
const uint most_rows = unit_quads > 2 ? 2 : 4;
const uint group_rows = tile_rows < most_rows ? tile_rows : most_rows;
const uint decoded_rows = matrices * group_rows;

/// Rows `first`, `first + gl_NumSubgroups` and so on, `count` of them at most.
void multiply_group(uint first, uint count) {
  float sums[decoded_rows * tile_tokens];
  [[unroll]] for (uint i = 0; i < decoded_rows * tile_tokens; ++i) sums[i] = 0.0;

  for (uint unit = gl_SubgroupInvocationID; unit < row_units; unit += gl_SubgroupSize) {
    Unit units[decoded_rows];
    [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
      [[unroll]] for (uint r = 0; r < group_rows; ++r) {
        units[matrix * group_rows + r] = read_unit(matrix, multiplied_row(first + r * gl_NumSubgroups), unit);
      }
    }
    [[unroll]] for (uint t = 0; t < tile_tokens; ++t) {
      if (t < entry_count) {
        Inputs x;
        [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) {
          x.quads[quad] = input_quad(first_entry + t, unit * unit_quads + quad);
        }
        sum_inputs(x);
        [[unroll]] for (uint i = 0; i < decoded_rows; ++i) sums[i * tile_tokens + t] += dot_unit(units[i], x);
      }
    }
  }

  // Lane r takes row r, so that the epilogue runs once for all of them: group_rows <= subgroup_size.
  const uint row = first + gl_SubgroupInvocationID * gl_NumSubgroups;
  [[unroll]] for (uint t = 0; t < tile_tokens; ++t) {
    if (t < entry_count) {
      float totals[matrices];
      [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
        totals[matrix] = 0.0;
        [[unroll]] for (uint r = 0; r < group_rows; ++r) {
          const float total = subgroupAdd(sums[(matrix * group_rows + r) * tile_tokens + t]);
          totals[matrix] = gl_SubgroupInvocationID == r ? total : totals[matrix];
        }
      }
      const uint lanes = group_rows < count ? group_rows : count;
      if (gl_SubgroupInvocationID < lanes && stores_row(row)) store(first_entry + t, row, totals);
    }
  }
}

void multiply_in_registers() {
  const uint first = gl_WorkGroupID.x * gl_NumSubgroups * tile_rows + gl_SubgroupID;
  for (uint r = 0; r < tile_rows; r += group_rows) multiply_group(first + r * gl_NumSubgroups, tile_rows - r);
}
