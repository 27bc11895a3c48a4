// The vectors pass by, one after another, and their sums lie in memory: for CPU drivers. There are as many as there are, not
// a multiple of anything, so that a pass of one more row costs that row's multiplications alone, and there is code for one
// vector, which is quickly compiled.
//
// A lane keeps some units of some rows in registers, as many as do not take drivers long to compile; sums of sixteen
// vectors with thirty-two rows are the 16 KiB that every device has.
const uint most_kept_quads = 128, most_kept_units = 64, most_kept_rows = 32;
const uint rows_by_quads = most_kept_quads / (matrices * unit_quads), rows_by_sums = most_kept_rows / matrices;
const uint fitting_rows = rows_by_quads < rows_by_sums ? rows_by_quads : rows_by_sums;
const uint kept_rows = tile_rows <= fitting_rows ? tile_rows : fitting_rows < subgroup_size ? subgroup_size : fitting_rows;
const uint kept = matrices * kept_rows;
const uint by_quads = most_kept_quads / (kept * unit_quads), by_units = most_kept_units / kept;
const uint fitting_units = by_quads < by_units ? by_quads : by_units;
const uint kept_units = fitting_units == 0 ? 1 : fitting_units;  // of each row
// A lane's own sums of each vector: memory is read four numbers at a time.
const uint sum_quads = (kept + 3) / 4;
shared vec4 few_sums[slow_loads ? tile_tokens * sum_quads * workgroup_size : 1];

uint sum_place(uint t, uint quad) { return (t * sum_quads + quad) * workgroup_size + gl_LocalInvocationIndex; }

/// Sums over the lanes, of which lane r takes row r of each group; `count` rows from `first` on are the subgroup's.
void store_sums(uint first, uint count, uint t) {
  vec4 sums[sum_quads];
  [[unroll]] for (uint quad = 0; quad < sum_quads; ++quad) sums[quad] = few_sums[sum_place(t, quad)];
  [[unroll]] for (uint group = 0; group < kept_rows; group += subgroup_size) {
    float totals[matrices];
    [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
      totals[matrix] = 0.0;
      [[unroll]] for (uint r = 0; r < subgroup_size; ++r) {
        const uint i = matrix * kept_rows + group + r;
        const float total = subgroupAdd(sums[i / 4][i % 4]);
        totals[matrix] = gl_SubgroupInvocationID == r ? total : totals[matrix];
      }
    }
    const uint place = group + gl_SubgroupInvocationID;
    if (place < count && stores_row(first + place)) store(first_entry + t, first + place, totals);
  }
}

void multiply_rows(uint first, uint count) {
  for (uint t = 0; t < entry_count; ++t) {
    [[unroll]] for (uint quad = 0; quad < sum_quads; ++quad) few_sums[sum_place(t, quad)] = vec4(0.0);
  }
  for (uint step = 0; step < row_units; step += kept_units * subgroup_size) {
    const uint first_unit = step + gl_SubgroupInvocationID;
    Unit units[kept * kept_units];
    [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
      [[unroll]] for (uint r = 0; r < kept_rows; ++r) {
        const uint row = multiplied_row(first + r);
        [[unroll]] for (uint u = 0; u < kept_units; ++u) {
          // Units past the end are those of the last one; what they are multiplied with is zero.
          const uint unit = min(first_unit + u * subgroup_size, row_units - 1);
          units[(matrix * kept_rows + r) * kept_units + u] = read_unit(matrix, row, unit);
        }
      }
    }
    for (uint t = 0; t < entry_count; ++t) {
      vec4 sums[sum_quads];
      [[unroll]] for (uint quad = 0; quad < sum_quads; ++quad) sums[quad] = few_sums[sum_place(t, quad)];
      [[unroll]] for (uint u = 0; u < kept_units; ++u) {
        Inputs x;
        [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) {
          x.quads[quad] = input_quad(first_entry + t, (first_unit + u * subgroup_size) * unit_quads + quad);
        }
        sum_inputs(x);
        [[unroll]] for (uint i = 0; i < kept; ++i) sums[i / 4][i % 4] += dot_unit(units[i * kept_units + u], x);
      }
      [[unroll]] for (uint quad = 0; quad < sum_quads; ++quad) few_sums[sum_place(t, quad)] = sums[quad];
    }
  }
  for (uint t = 0; t < entry_count; ++t) store_sums(first, count, t);
}

void multiply_streamed() {
  const uint first = (gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID) * tile_rows;
  for (uint r = 0; r < tile_rows; r += kept_rows) multiply_rows(first + r, tile_rows - r);
}
