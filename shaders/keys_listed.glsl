// The keys that some row of the tile sees, in order, and no others. What a mask hides takes no place in a tile: so there
// are fewer tiles, and a tile's barriers cost more than asking the mask. A span of keys is asked about at once: each
// invocation has some neighbouring ones, at most 32, and keeps the answers as bits. Before each tile it lists those of its
// keys that have their place there. The order is that of the keys for every subgroup size.
const uint most_asked = 32;
shared uint listed[2 * workgroup_size];  // two tiles by turns: of the one before, values may still be read
shared uint found[2 * workgroup_size / subgroup_size];  // of each subgroup; two spans by turns likewise
uint walk_next, walk_end, walk_oldest, walk_newest;
uint span_seen, span_done;    // keys that some row sees, and those of them that were in a tile
uint own_first;     // this invocation's first key of the span
uint own_unlisted;  // its keys that are seen and not listed yet, as bits
uint own_next;      // how many of the span stand before those
uint tile_turn, span_turn;
uint tile_keys;
const uint tile_begin = 0;

void begin_walk(uint begin, uint end, uint oldest, uint newest) {
  walk_next = begin;
  walk_end = end;
  walk_oldest = oldest;
  walk_newest = newest;
  span_seen = span_done = tile_turn = span_turn = 0;
}

void next_span() {
  walk_next = first_shown(walk_oldest, walk_next);
  const uint asked = min((walk_end - walk_next + workgroup_size - 1) / workgroup_size, most_asked);
  own_first = walk_next + gl_LocalInvocationIndex * asked;
  own_unlisted = 0;
  const uint own_asked = min(asked, walk_end - min(own_first, walk_end));
  for (uint query = walk_oldest; query <= walk_newest; ++query) {
    for (uint i = 0; i < own_asked; ++i) own_unlisted |= uint(sees(int(query), int(own_first + i))) << i;
  }
  walk_next += workgroup_size * asked;

  const uint own_count = bitCount(own_unlisted);
  const uint subgroup_count = subgroupAdd(own_count);
  const uint turn = span_turn * gl_NumSubgroups;
  if (subgroupElect()) found[turn + gl_SubgroupID] = subgroup_count;
  barrier();
  own_next = subgroupExclusiveAdd(own_count);
  span_seen = span_done = 0;
  for (uint i = 0; i < gl_NumSubgroups; ++i) {
    if (i == gl_SubgroupID) own_next += span_seen;
    span_seen += found[turn + i];
  }
  span_turn = 1 - span_turn;
}

bool tiles_are_left() {
  while (span_done == span_seen && walk_next < walk_end) next_span();
  return span_done < span_seen;
}

void next_tile() {
  tile_turn = workgroup_size - tile_turn;
  tile_keys = min(workgroup_size, span_seen - span_done);
  while (own_unlisted != 0 && own_next < span_done + tile_keys) {
    listed[tile_turn + own_next - span_done] = own_first + findLSB(own_unlisted);
    own_unlisted &= own_unlisted - 1;
    ++own_next;
  }
  span_done += tile_keys;
}

/// After a barrier. Of a place that is empty: the end, a key that no row sees.
uint tile_key(uint place) { return place < tile_keys ? listed[tile_turn + place] : walk_end; }
