// A ring: the first positions keep their entries, later ones take turns. The including kernel gives ring_first.
uint state_entry(uint position) {
  return position < ring_first ? position : ring_first + (position - ring_first) % (entries - ring_first);
}
