// Where what a state has of a position lies: the one place that knows, with state_growing.glsl or state_ring.glsl, which
// give the entry of a position. runtime/program/state.hpp has its twin. The including kernel gives state_heads and entries.
uint state_row(uint slot, uint head, uint position) {
  return (slot * state_heads + head) * entries + state_entry(position);
}
