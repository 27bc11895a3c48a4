//! entries = { type = "uint", sample = 512, is = "entries of a slot and head", when = "has_state" }
//! state_heads = { type = "uint", sample = 2, is = "heads of keys and of values", when = "has_state" }
//! has_ring = { type = "bool", sample = true, is = "later positions take the entries of those that no query sees", when = "has_state" }
//! ring_first = { type = "uint", sample = 4, is = "positions from the first on that keep their entries", when = "has_ring" }
//% if has_state
//% if has_ring
#include "state_ring.glsl"
//% else
#include "state_growing.glsl"
//% end
#include "state.glsl"
//% end
