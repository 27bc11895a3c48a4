// A workgroup's only tile is `tile_tokens` rows of the pass, or what is left of them.
uint first_entry;

uint tile_size() { return min(rows_in_use() - first_entry, tile_tokens); }
uint tile_entry(uint n) { return first_entry + n; }
uint lane_entry(uint t) { return tile_entry(min(t * subgroup_size + gl_SubgroupInvocationID, tile_size() - 1)); }

bool first_tile() {
  first_entry = gl_WorkGroupID.y * tile_tokens;
  return first_entry < rows_in_use();
}
bool next_tile() { return false; }
