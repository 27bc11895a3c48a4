//! columns = { type = "uint", sample = 67, is = "hidden_size" }
//! table_words = { type = "uint", sample = 36, is = "32-bit words from one row of the table to the next" }
//! output_stride = { type = "uint", sample = 68, is = "floats from one token's row to the next" }
//! dtype = { type = "choice", values = ["f32", "f16", "bf16"], sample = "f16", is = "of the table" }
//! learned_positions = { type = "bool", sample = true, is = "a learned table of positions is added" }
//! position_words = { type = "uint", sample = 68, is = "words from one row of the table of positions to the next", when = "learned_positions" }
//! position_dtype = { type = "choice", values = ["f32", "f16", "bf16"], sample = "f32", is = "of the table of positions", when = "learned_positions" }
//! buffers = { sample = [
//!   { binding = 0, access = "readonly", block = "State", member = "SequenceState state", shape = "one sequence" },
//!   { binding = 1, access = "readonly", block = "Table", member = "uint table[]", shape = "vocab x hidden" },
//!   { binding = 2, access = "readonly", block = "TokenIds", member = "uint token_ids[]", shape = "tokens" },
//!   { binding = 3, access = "readonly", block = "Positions", member = "uint positions[]", shape = "positions x hidden" },
//!   { binding = 4, access = "writeonly", block = "Outputs", member = "float outputs[]", shape = "tokens x hidden" },
//! ] }
//% include "preamble.glsl"
#include "element_${dtype}.glsl"
//% if learned_positions and position_dtype != dtype
#include "element_${position_dtype}.glsl"
//% end

// The table may lie in several slices; each dispatch gathers the tokens whose rows it was given.
void main() {
  const uint token = gl_WorkGroupID.y;
  if (state.done != 0 || token >= state.seq_len) return;
  const uint id = token_ids[token];
  if (id < first_row || id - first_row >= row_count) return;

  for (uint c = gl_LocalInvocationIndex; c < columns; c += workgroup_size) {
    float value = element_${dtype}(table[(id - first_row) * table_words + word_${dtype}(c)], c);
//% if learned_positions
    const uint position = state.position + token;
    value += element_${position_dtype}(positions[position * position_words + word_${position_dtype}(c)], c);
//% end
    outputs[token * output_stride + c] = value;
  }
}
