//! vocab_size = { type = "uint", sample = 97, is = "logits" }
//! buffers = { sample = [
//!   { binding = 0, access = "", block = "State", member = "SequenceState state", shape = "one sequence" },
//!   { binding = 1, access = "readonly", block = "Logits", member = "float logits[]", shape = "vocab" },
//!   { binding = 2, access = "", block = "TokenIds", member = "uint token_ids[]", shape = "tokens" },
//!   { binding = 3, access = "writeonly", block = "Generated", member = "uint generated[]", shape = "steps" },
//! ] }
//% include "preamble.glsl"
#include "sample.glsl"

void main() { sample_step(); }
