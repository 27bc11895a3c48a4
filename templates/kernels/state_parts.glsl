//! entries = { type = "uint", sample = 512, is = "entries of a slot and head", when = "has_state" }
//! state_heads = { type = "uint", sample = 2, is = "heads of keys and of values", when = "has_state" }
//! cache_dtype = { type = "choice", values = ["f32", "f16"], sample = "f16", is = "of keys and values", when = "has_state" }
//% if has_state
#include "state.glsl"
#include "cache_${cache_dtype}.glsl"
//% end
