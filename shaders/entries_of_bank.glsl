// A workgroup's tiles are the entries that have its bank, in order, each full but the last: all subgroups walk the same
// ones. Each lane keeps its own of them where no memory is shared.
//
// The including kernel gives: choices, bank, bank_of(entry), take_bank(bank).
shared uint tile_entries[tile_tokens];
uint own_entries[tokens_per_lane];
uint tile_entry_count, walked;

uint tile_size() { return tile_entry_count; }
uint tile_entry(uint n) { return tile_entries[n]; }
uint lane_entry(uint t) {
  return slow_loads ? own_entries[t] : tile_entries[min(t * subgroup_size + gl_SubgroupInvocationID, tile_size() - 1)];
}

/// Gives the lanes the walked entries that have the bank: a lane past the last of them keeps that one.
void keep_own_entries(uvec4 votes) {
  uint place = tile_entry_count;
  for (uint first = 0; first < subgroup_size; first += 32) {
    for (uint left = votes[first / 32]; left != 0; left &= left - 1) {
      [[unroll]] for (uint t = 0; t < tokens_per_lane; ++t) {
        if (place <= t * subgroup_size + gl_SubgroupInvocationID) own_entries[t] = walked + first + findLSB(left);
      }
      ++place;
    }
  }
}

bool next_tile() {
  const uint entries = rows_in_use() * choices;
  if (!slow_loads) barrier();  // the tile before has been read
  tile_entry_count = 0;
  while (walked < entries && tile_entry_count < tile_tokens) {
    const uint entry = walked + gl_SubgroupInvocationID;
    const bool has_bank = entry < entries && bank_of(entry) == bank;
    const uvec4 votes = subgroupBallot(has_bank);
    const uint place = tile_entry_count + subgroupBallotExclusiveBitCount(votes);
    const bool taken = has_bank && place < tile_tokens;
    if (slow_loads) {
      keep_own_entries(subgroupBallot(taken));
    } else if (taken && gl_SubgroupID == 0) {
      tile_entries[place] = entry;
    }
    tile_entry_count = min(tile_entry_count + subgroupBallotBitCount(votes), tile_tokens);
    walked = subgroupMin(has_bank && !taken ? entry : walked + subgroup_size);  // what is left begins the next tile
  }
  if (!slow_loads) barrier();
  return tile_entry_count > 0;
}

bool first_tile() {
  walked = 0;
  return take_bank(gl_WorkGroupID.y) && next_tile();
}
