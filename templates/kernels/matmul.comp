//! norm = { sample = "none" }
//! picked_rows = { sample = false }
//! banked = { sample = true }
//! segments = { sample = true }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "norm_parts.glsl"
//% include "linear_parts.glsl"
vec4 input_quad(uint pass_row, uint quad) {
  return quad < column_quads ? raw_quad(input_row(pass_row), quad) : vec4(0.0);
}

//% if banked
// A workgroup's tiles are the entries that have its bank, in order: all subgroups walk the same ones.
shared uint tile_entries[tile_tokens];
uint tile_entry_count, walked;

uint tile_size() { return tile_entry_count; }
uint tile_entry(uint n) { return tile_entries[n]; }
bool next_tile() {
  const uint entries = rows_in_use() * choices;
  barrier();  // the tile before has been read
  tile_entry_count = 0;
  while (walked < entries) {
    const uint entry = walked + gl_SubgroupInvocationID;
    const bool has_bank = entry < entries && bank_of(entry) == bank;
    const uvec4 votes = subgroupBallot(has_bank);
    const uint count = subgroupBallotBitCount(votes);
    if (tile_entry_count + count > tile_tokens) break;
    const uint place = tile_entry_count + subgroupBallotExclusiveBitCount(votes);
    if (has_bank && gl_SubgroupID == 0) tile_entries[place] = entry;
    tile_entry_count += count;
    walked += subgroup_size;
  }
  barrier();
  return tile_entry_count > 0;
}
bool first_tile() {
  walked = 0;
  return take_bank(gl_WorkGroupID.y) && next_tile();
}
//% else
uint first_entry;

uint tile_size() { return rows_in_use() - first_entry; }
uint tile_entry(uint n) { return first_entry + n; }
bool first_tile() {
  first_entry = gl_WorkGroupID.y * tile_tokens;
  return first_entry < rows_in_use();
}
bool next_tile() { return false; }
//% end

#include "matmul.glsl"
