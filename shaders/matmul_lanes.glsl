// Without shared memory or barriers: each lane loads a unit of another row, and hands its weights to the others by
// broadcast; a lane's inputs stay in registers over all rows of the band. On CPU drivers, whose loads go lane by lane and
// whose barriers switch stacks, every loaded word then serves a whole subgroup or a whole band.
void multiply_lanes(uint first_row_of_band) {
  uint entries[tokens_per_lane];
  [[unroll]] for (uint t = 0; t < tokens_per_lane; ++t) {
    // Tokens past the end are computed from the last one and not written.
    entries[t] = tile_entry(min(t * subgroup_size + gl_SubgroupInvocationID, tile_size() - 1));
  }
  for (uint unit = 0; unit < row_units; ++unit) {
    Inputs x[tokens_per_lane];
    [[unroll]] for (uint t = 0; t < tokens_per_lane; ++t) {
      [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) {
        x[t].quads[quad] = input_quad(entries[t], unit * unit_quads + quad);
      }
      sum_inputs(x[t]);
    }
    [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
      [[unroll]] for (uint rows = 0; rows < rows_per_subgroup; rows += subgroup_size) {
        const uint row = multiplied_row(first_row_of_band + rows + gl_SubgroupInvocationID);
        const Unit own = read_unit(matrix, row, unit);
        [[unroll]] for (uint lane = 0; lane < subgroup_size; ++lane) {
          const Unit w = broadcast_unit(own, lane);
          [[unroll]] for (uint t = 0; t < tokens_per_lane; ++t) {
            sums[sum_index(matrix, rows + lane, t)] += dot_unit(w, x[t]);
          }
        }
      }
    }
  }
}
