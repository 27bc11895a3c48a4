// Rows of one or more matrices times one vector. The vector is staged in shared memory, a segment at a time; each
// subgroup then takes `tile_rows` rows and reads them side by side, so that a value of the vector is loaded once for all.
// They lie as far apart as there are subgroups: one after another, the subgroups then read tile_rows long streams, which
// a CPU's prefetchers follow (neighbouring rows, short and in one page, are read at half the rate).
//
// The including kernel gives: padded_quads (vec4s of a padded row), row_blocks (uvec4s of a padded row),
// matrices, a Block; rows_in_use(), prepare_input(pass_row), vec4 input_quad(pass_row, quad),
// uvec4 weight_block(matrix, row, block), store(pass_row, row, totals).
const uint quads_per_block = block_elements / 4;
const uint segment_quads = min(padded_quads, 512);  // 8 KiB of shared memory
shared vec4 staged[segment_quads];

void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  prepare_input(pass_row);

  const uint first = gl_WorkGroupID.x * gl_NumSubgroups * tile_rows + gl_SubgroupID;
  float sums[matrices * tile_rows];
  [[unroll]] for (uint i = 0; i < matrices * tile_rows; ++i) sums[i] = 0.0;

  for (uint segment = 0; segment < padded_quads; segment += segment_quads) {
    const uint quads = min(segment_quads, padded_quads - segment);
    barrier();
    for (uint quad = gl_LocalInvocationIndex; quad < quads; quad += workgroup_size) {
      staged[quad] = input_quad(pass_row, segment + quad);
    }
    barrier();
    const uint first_block = segment / quads_per_block;
    for (uint block = gl_SubgroupInvocationID; block < quads / quads_per_block; block += gl_SubgroupSize) {
      const uint quad = block * quads_per_block;
      const Block x = block_of(staged[quad], staged[quad + quads_per_block - 1]);
      [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
        [[unroll]] for (uint r = 0; r < tile_rows; ++r) {
          // Rows past the end are computed from the last one and not written.
          const uint row = min(first + r * gl_NumSubgroups, row_count - 1);
          sums[matrix * tile_rows + r] += dot_block(decode_block(weight_block(matrix, row, first_block + block)), x);
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
  if (gl_SubgroupInvocationID < tile_rows && row < row_count) store(pass_row, first_row + row, totals);
}
