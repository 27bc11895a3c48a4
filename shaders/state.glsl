// Where an entry of a state lies: the one place that knows, with state_growing.glsl or state_ring.glsl, which give the
// entry of a position. runtime/program/program.hpp has their twins. The including kernel gives state_heads and entries.
uint state_row(uint slot, uint head, uint entry) { return (slot * state_heads + head) * entries + entry; }
