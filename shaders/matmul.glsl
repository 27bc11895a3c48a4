// Rows of one or more matrices times many vectors, in tiles of tile_rows x tile_tokens. Weights and inputs are decoded
// into shared memory, 32 columns at a time. A lane is a token and a subgroup a band of rows, so that a weight is read at
// an address uniform over the subgroup and inputs at consecutive ones.
//
// The including kernel gives: columns, padded_quads, row_blocks, matrices, a Block; vec4 input_quad(token, quad),
// uvec4 weight_block(matrix, row, block), finish(row, token, sums).
const uint quads_per_block = block_elements / 4;
const uint step_quads = 8;
const uint rows_per_subgroup = tile_rows * subgroup_size / workgroup_size;
const uint tokens_per_lane = tile_tokens / subgroup_size;
shared vec4 weight_tile[matrices * tile_rows * step_quads];
shared vec4 input_tile[step_quads * tile_tokens];

/// Columns 4 * first_quad ... + 32 of the tile's rows and tokens, zero past the end of either.
void stage(uint first_quad, uint tile_row, uint tile_token) {
  const uint step_blocks = step_quads / quads_per_block;
  for (uint i = gl_LocalInvocationIndex; i < matrices * tile_rows * step_blocks; i += workgroup_size) {
    const uint block = i % step_blocks;
    const uint r = i / step_blocks % tile_rows;
    const uint matrix = i / (step_blocks * tile_rows);
    const uint source = first_quad / quads_per_block + block;
    const uint row = min(tile_row + r, row_count - 1);
    Block decoded = decode_block(uvec4(0));
    if (source < row_blocks) decoded = decode_block(weight_block(matrix, row, source));
    const uint target = (matrix * tile_rows + r) * step_quads + block * quads_per_block;
    for (uint quad = 0; quad < quads_per_block; ++quad) weight_tile[target + quad] = block_quad(decoded, quad);
  }
  for (uint i = gl_LocalInvocationIndex; i < step_quads * tile_tokens; i += workgroup_size) {
    const uint quad = i % step_quads;
    const uint token = i / step_quads;
    const bool inside = first_quad + quad < padded_quads && tile_token + token < state.seq_len;
    input_tile[quad * tile_tokens + token] = inside ? input_quad(tile_token + token, first_quad + quad) : vec4(0.0);
  }
}

void main() {
  const uint tile_token = gl_WorkGroupID.y * tile_tokens;
  if (state.done != 0 || tile_token >= state.seq_len) return;
  const uint tile_row = gl_WorkGroupID.x * tile_rows;
  const uint band = gl_SubgroupID * rows_per_subgroup;

  float sums[matrices * rows_per_subgroup * tokens_per_lane];
  for (uint i = 0; i < matrices * rows_per_subgroup * tokens_per_lane; ++i) sums[i] = 0.0;

  for (uint first_quad = 0; first_quad < padded_quads; first_quad += step_quads) {
    barrier();
    stage(first_quad, tile_row, tile_token);
    barrier();
    for (uint quad = 0; quad < step_quads; ++quad) {
      vec4 x[tokens_per_lane];
      for (uint t = 0; t < tokens_per_lane; ++t) {
        x[t] = input_tile[quad * tile_tokens + t * subgroup_size + gl_SubgroupInvocationID];
      }
      for (uint matrix = 0; matrix < matrices; ++matrix) {
        for (uint r = 0; r < rows_per_subgroup; ++r) {
          const vec4 w = weight_tile[(matrix * tile_rows + band + r) * step_quads + quad];
          for (uint t = 0; t < tokens_per_lane; ++t) {
            sums[(matrix * rows_per_subgroup + r) * tokens_per_lane + t] += dot(w, x[t]);
          }
        }
      }
    }
  }

  for (uint r = 0; r < rows_per_subgroup; ++r) {
    const uint row = tile_row + band + r;
    for (uint t = 0; t < tokens_per_lane; ++t) {
      const uint token = tile_token + t * subgroup_size + gl_SubgroupInvocationID;
      float totals[matrices];
      for (uint matrix = 0; matrix < matrices; ++matrix) {
        totals[matrix] = sums[(matrix * rows_per_subgroup + r) * tokens_per_lane + t];
      }
      if (row < row_count && token < state.seq_len) finish(first_row + row, token, totals);
    }
  }
}
