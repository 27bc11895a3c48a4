// Without shared memory or barriers: each lane loads a unit of another row, and hands its weights to the others by
// broadcast; a lane's inputs stay in registers over all rows of the band. On CPU drivers, whose loads go lane by lane and
// whose barriers switch stacks, every loaded word then serves a whole subgroup or a whole band.
//
// Where a tile may have few entries, there is code for a quarter of the lanes' tokens too: more sizes would cost drivers more
// time to compile than they save.
void multiply_lane_tokens(uint first_row_of_band, uint lane_tokens) {
  uint entries[tokens_per_lane];
  // Tokens past the end are computed from the last one and not written.
  [[unroll]] for (uint t = 0; t < lane_tokens; ++t) entries[t] = lane_entry(t);
  for (uint unit = 0; unit < row_units; ++unit) {
    Inputs x[tokens_per_lane];
    [[unroll]] for (uint t = 0; t < lane_tokens; ++t) {
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
          [[unroll]] for (uint t = 0; t < lane_tokens; ++t) {
            sums[sum_index(matrix, rows + lane, t)] += dot_unit(w, x[t]);
          }
        }
      }
    }
  }
}

void multiply_lanes(uint first_row_of_band) {
  const uint few = (tokens_per_lane + 3) / 4;
  if (may_have_few && few < tokens_per_lane && tile_size() <= few * subgroup_size) {
    multiply_lane_tokens(first_row_of_band, few);
  } else {
    multiply_lane_tokens(first_row_of_band, tokens_per_lane);
  }
}
