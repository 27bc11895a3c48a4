// What every dispatch is told: device facts as specialization constants, and the rows it covers.
layout(constant_id = 0) const uint workgroup_size = 128;
layout(constant_id = 1) const uint subgroup_size = 32;
layout(constant_id = 2) const uint tile_rows = 1;
layout(constant_id = 3) const uint tile_tokens = 1;
layout(constant_id = 4) const bool slow_loads = false;  // a load costs as much as many multiplications: CPU drivers
layout(local_size_x_id = 0) in;

layout(push_constant) uniform Rows {
  uint first_row;  // of the bound slice of the weights
  uint row_count;
};
