// Without shared memory or barriers: each lane loads a block of another row, and hands its weights to the others by
// broadcast; a lane's inputs stay in registers over all rows of the band. On CPU drivers, whose loads go lane by lane and
// whose barriers switch stacks, every loaded word then serves a whole subgroup or a whole band.
void multiply_lanes(uint first_row_of_band, uint tile_token) {
  for (uint block = 0; block < row_blocks; ++block) {
    Block x[tokens_per_lane];
    [[unroll]] for (uint t = 0; t < tokens_per_lane; ++t) {
      // Tokens past the end are computed from the last one and not written.
      const uint token = min(tile_token + t * subgroup_size + gl_SubgroupInvocationID, rows_in_use() - 1);
      const uint quad = block * quads_per_block;
      x[t] = block_of(input_quad(token, quad), input_quad(token, quad + quads_per_block - 1));
    }
    [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
      [[unroll]] for (uint rows = 0; rows < rows_per_subgroup; rows += subgroup_size) {
        const uint row = min(first_row_of_band + rows + gl_SubgroupInvocationID, row_count - 1);
        const Block own = decode_block(weight_block(matrix, row, block));
        [[unroll]] for (uint lane = 0; lane < subgroup_size; ++lane) {
          const Block w = broadcast_block(own, lane);
          [[unroll]] for (uint t = 0; t < tokens_per_lane; ++t) {
            sums[sum_index(matrix, rows + lane, t)] += dot_block(w, x[t]);
          }
        }
      }
    }
  }
}
