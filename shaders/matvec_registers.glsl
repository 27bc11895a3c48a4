// Without shared memory or barriers: each lane keeps its units of the vector in registers, a segment at a time, over all
// rows of the subgroup, which are read one after another from end to end. On CPU drivers a load is a loop over lanes, and
// what lives across a barrier lies in memory; memory is read as one long stream.
const uint lane_quads = 64;  // of the vector, in registers
const uint step_units = subgroup_size * scale_units;
const uint row_steps = (row_units + step_units - 1) / step_units;
const uint most_steps = lane_quads / (unit_quads * scale_units);
const uint segment_steps = row_steps < most_steps ? row_steps : most_steps;
const uint row_groups = (tile_rows + subgroup_size - 1) / subgroup_size;
Inputs lane_inputs[segment_steps * scale_units];

/// The product of a segment of a row that begins at the lane's `first_unit`, summed over the lanes.
float multiply_segment(uint matrix, uint row, uint first_unit) {
  float sum = 0.0;
  [[unroll]] for (uint step = 0; step < segment_steps; ++step) {
    const uint unit = first_unit + step * step_units;
    if (unit < row_units) {
      const uvec4 scales = read_scales(matrix, row, unit);
      [[unroll]] for (uint i = 0; i < scale_units; ++i) {
        // Units past the end are computed from the last one; what they are multiplied with is zero.
        sum += dot_unit(read_unit(matrix, row, min(unit + i, row_units - 1), scales), lane_inputs[step * scale_units + i]);
      }
    }
  }
  return subgroupAdd(sum);
}

void multiply_registers(uint entry) {
  const uint first = (gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID) * tile_rows;
  float sums[row_groups][matrices];
  [[unroll]] for (uint group = 0; group < row_groups; ++group) {
    [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) sums[group][matrix] = 0.0;
  }
  for (uint segment = 0; segment < row_units; segment += segment_steps * step_units) {
    const uint first_unit = segment + gl_SubgroupInvocationID * scale_units;
    [[unroll]] for (uint u = 0; u < segment_steps * scale_units; ++u) {
      const uint unit = first_unit + u / scale_units * step_units + u % scale_units;
      [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) {
        lane_inputs[u].quads[quad] = input_quad(entry, unit * unit_quads + quad);
      }
      sum_inputs(lane_inputs[u]);
    }
    // Lane r takes row r of each group.
    for (uint group = 0; group < row_groups && first + group * subgroup_size < end_row(); ++group) {
      float totals[matrices];
      [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) totals[matrix] = sums[group][matrix];
      for (uint r = 0; r < subgroup_size; ++r) {
        const uint row = multiplied_row(first + group * subgroup_size + r);
        [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) {
          const float total = multiply_segment(matrix, row, first_unit);
          if (gl_SubgroupInvocationID == r) totals[matrix] += total;
        }
      }
      [[unroll]] for (uint matrix = 0; matrix < matrices; ++matrix) sums[group][matrix] = totals[matrix];
    }
  }
  for (uint group = 0; group < row_groups; ++group) {
    const uint row = first + group * subgroup_size + gl_SubgroupInvocationID;
    if (stores_row(row)) store(entry, row, sums[group]);
  }
}
