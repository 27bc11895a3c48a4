// Where an entry of a state lies: the one place that knows. runtime/program.hpp has its twin. The including kernel gives
// state_heads and entries.
uint state_row(uint slot, uint head, uint entry) { return (slot * state_heads + head) * entries + entry; }
uint state_entry(uint position) { return position; }
