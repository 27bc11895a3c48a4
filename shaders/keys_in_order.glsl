// Every key in order, a tile after another: where a row sees all keys up to its own, or all of a window.
uint walk_begin, walk_next, walk_end, walk_oldest;
uint tile_first;  // the key of the first invocation
uint tile_begin;  // place in the tile of the first key that the window shows
uint tile_keys;

void begin_walk(uint begin, uint end, uint oldest, uint newest) {
  walk_begin = walk_next = begin;
  walk_end = end;
  walk_oldest = oldest;
}

bool tiles_are_left() { return walk_next < walk_end; }

void next_tile() {
  const uint first = first_shown(walk_oldest, walk_next);
  // Of what lies before the window not even a tile is looked at.
  tile_first = walk_begin + (first - walk_begin) / workgroup_size * workgroup_size;
  tile_begin = first - tile_first;
  tile_keys = min(workgroup_size, walk_end - tile_first);
  walk_next = tile_first + workgroup_size;
}

uint tile_key(uint place) { return tile_first + place; }
