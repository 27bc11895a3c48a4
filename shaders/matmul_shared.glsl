// Weights and inputs are decoded into shared memory, 32 columns at a time. A weight is then read at an address uniform
// over the subgroup, inputs at consecutive ones.
const uint step_quads = 8;
shared vec4 weight_tile[matrices * tile_rows * step_quads];
shared vec4 input_tile[step_quads * tile_tokens];

/// Columns 4 * first_quad ... + 32 of the tile's rows and tokens, zero past the end of either.
void stage(uint first_quad, uint tile_row) {
  const uint step_units = step_quads / unit_quads;
  for (uint i = gl_LocalInvocationIndex; i < matrices * tile_rows * step_units; i += workgroup_size) {
    const uint unit = i % step_units;
    const uint r = i / step_units % tile_rows;
    const uint matrix = i / (step_units * tile_rows);
    const uint source = first_quad / unit_quads + unit;
    const bool inside = source < row_units;
    const uint row = multiplied_row(tile_row + r);
    const Unit decoded = read_unit(matrix, row, inside ? source : 0);
    const uint target = (matrix * tile_rows + r) * step_quads + unit * unit_quads;
    [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) {
      weight_tile[target + quad] = inside ? unit_quad(decoded, quad) : vec4(0.0);
    }
  }
  for (uint i = gl_LocalInvocationIndex; i < step_quads * tile_tokens; i += workgroup_size) {
    const uint quad = i % step_quads;
    const uint token = i / step_quads;
    const bool inside = first_quad + quad < padded_quads && token < tile_size();
    input_tile[quad * tile_tokens + token] = inside ? input_quad(tile_entry(token), first_quad + quad) : vec4(0.0);
  }
}

void multiply_shared(uint tile_row, uint band) {
  for (uint first_quad = 0; first_quad < padded_quads; first_quad += step_quads) {
    barrier();
    stage(first_quad, tile_row);
    barrier();
    for (uint quad = 0; quad < step_quads; ++quad) {
      vec4 x[tokens_per_lane];
      [[unroll]] for (uint t = 0; t < tokens_per_lane; ++t) {
        x[t] = input_tile[quad * tile_tokens + t * subgroup_size + gl_SubgroupInvocationID];
      }
      [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
        [[unroll]] for (uint r = 0; r < rows_per_subgroup; ++r) {
          const vec4 w = weight_tile[(matrix * tile_rows + band + r) * step_quads + quad];
          [[unroll]] for (uint t = 0; t < tokens_per_lane; ++t) sums[sum_index(matrix, r, t)] += dot(w, x[t]);
        }
      }
    }
  }
}
