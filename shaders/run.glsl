// The run that a tile of query rows lies in: a tile never crosses runs, so it sees one slot's keys. A run's query rows are
// (token, head of the group). The including kernel gives kv_group_size.
uint run_row;       // of the pass: the run's first token
uint run_slot;
uint run_position;  // of its first token
uint run_end;       // one past the position of its last
uint query_rows;    // of the run

/// Finds the run of tile gl_WorkGroupID.y, and the first of its query rows that the tile has; false where there is none.
bool find_tile(out uint first_query_row) {
  uint tile = gl_WorkGroupID.y;
  first_query_row = 0;
  const uint runs = pass.run_count;
  for (uint r = 0; r < runs; ++r) {
    const StepRun run = pass.runs[r];
    const uint tiles = (run.rows * kv_group_size + tile_tokens - 1) / tile_tokens;
    if (tile < tiles) {
      run_row = run.first_row;
      run_slot = pass.tokens[run_row].slot;
      run_position = pass.tokens[run_row].position;
      run_end = run_position + run.rows;
      query_rows = run.rows * kv_group_size;
      first_query_row = tile * tile_tokens;
      return true;
    }
    tile -= tiles;
  }
  return false;
}
