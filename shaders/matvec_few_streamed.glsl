// A lane has rows of its own, and the vectors pass by, one after another: for CPU drivers, whose loads go lane by lane. Some
// units of the rows stay in registers, and a vector's part that they are multiplied with is loaded once by all lanes, a
// quad each, and handed on by broadcast. Sums lie in memory between the parts.
//
// There are as many vectors as there are, not a multiple of anything, so that a pass of one more row costs that row's
// multiplications alone, and there is code for one vector, which is quickly compiled.
const uint most_kept_quads = 128, most_kept_units = 64;  // which drivers do not take long to compile
const uint lane_rows = (tile_rows + subgroup_size - 1) / subgroup_size;
const uint kept_rows = matrices * lane_rows;
const uint by_quads = most_kept_quads / (kept_rows * unit_quads), by_units = most_kept_units / kept_rows;
const uint fitting_units = by_quads < by_units ? by_quads : by_units;
const uint kept_units = fitting_units == 0 ? 1 : fitting_units;  // of each row
const uint shared_scales = scale_units < kept_units ? scale_units : kept_units;
const uint lane_quads_of_part = (kept_units * unit_quads + subgroup_size - 1) / subgroup_size;
// Memory is read four numbers at a time.
const uint sum_quads = (kept_rows + 3) / 4;
shared vec4 few_sums[slow_loads ? tile_tokens * sum_quads * workgroup_size : 1];

uint sum_place(uint t, uint quad) { return (t * sum_quads + quad) * workgroup_size + gl_LocalInvocationIndex; }

void multiply_streamed() {
  const uint first_row = (gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID) * tile_rows + gl_SubgroupInvocationID;
  for (uint t = 0; t < entry_count; ++t) {
    [[unroll]] for (uint quad = 0; quad < sum_quads; ++quad) few_sums[sum_place(t, quad)] = vec4(0.0);
  }
  for (uint part = 0; part < row_units; part += kept_units) {
    Unit units[kept_rows * kept_units];
    [[unroll]] for (uint i = 0; i < kept_rows; ++i) {
      const uint matrix = i / lane_rows, row = multiplied_row(first_row + i % lane_rows * subgroup_size);
      uvec4 scales;
      [[unroll]] for (uint u = 0; u < kept_units; ++u) {
        // Units past the end are those of the last one; what they are multiplied with is zero.
        const uint unit = min(part + u, row_units - 1);
        if (u % shared_scales == 0) scales = read_scales(matrix, row, unit);
        units[i * kept_units + u] = read_unit(matrix, row, unit, scales);
      }
    }
    for (uint t = 0; t < entry_count; ++t) {
      vec4 own[lane_quads_of_part];
      [[unroll]] for (uint quad = 0; quad < lane_quads_of_part; ++quad) {
        own[quad] = input_quad(first_entry + t, part * unit_quads + quad * subgroup_size + gl_SubgroupInvocationID);
      }
      vec4 sums[sum_quads];
      [[unroll]] for (uint quad = 0; quad < sum_quads; ++quad) sums[quad] = few_sums[sum_place(t, quad)];
      [[unroll]] for (uint u = 0; u < kept_units; ++u) {
        Inputs x;
        [[unroll]] for (uint i = 0; i < unit_quads; ++i) {
          const uint quad = u * unit_quads + i;
          x.quads[i] = subgroupBroadcast(own[quad / subgroup_size], quad % subgroup_size);
        }
        sum_inputs(x);
        [[unroll]] for (uint i = 0; i < kept_rows; ++i) sums[i / 4][i % 4] += dot_unit(units[i * kept_units + u], x);
      }
      [[unroll]] for (uint quad = 0; quad < sum_quads; ++quad) few_sums[sum_place(t, quad)] = sums[quad];
    }
  }
  for (uint t = 0; t < entry_count; ++t) {
    vec4 sums[sum_quads];
    [[unroll]] for (uint quad = 0; quad < sum_quads; ++quad) sums[quad] = few_sums[sum_place(t, quad)];
    [[unroll]] for (uint r = 0; r < lane_rows; ++r) {
      const uint row = first_row + r * subgroup_size;
      float totals[matrices];
      [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
        const uint i = matrix * lane_rows + r;
        totals[matrix] = sums[i / 4][i % 4];
      }
      if (stores_row(row)) store(first_entry + t, row, totals);
    }
  }
}
