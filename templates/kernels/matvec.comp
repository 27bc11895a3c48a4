//! input_row = { type = "choice", values = ["0", "state.logits_row"], sample = "state.logits_row", is = "which row of inputs is the vector" }
//! buffers = { sample = [
//!   { binding = 0, access = "readonly", block = "State", member = "SequenceState state", shape = "one sequence" },
//!   { binding = 1, access = "readonly", block = "NormWeight", member = "vec4 norm_weight[]", shape = "hidden" },
//!   { binding = 2, access = "readonly", block = "NormBias", member = "vec4 norm_bias[]", shape = "hidden" },
//!   { binding = 3, access = "readonly", block = "Weights", member = "uvec4 weights[]", shape = "intermediate x hidden" },
//!   { binding = 4, access = "readonly", block = "SecondWeights", member = "uvec4 second_weights[]", shape = "intermediate x hidden" },
//!   { binding = 5, access = "readonly", block = "Bias", member = "float bias[]", shape = "intermediate" },
//!   { binding = 6, access = "readonly", block = "SecondBias", member = "float second_bias[]", shape = "intermediate" },
//!   { binding = 7, access = "readonly", block = "Inputs", member = "vec4 inputs[]", shape = "tokens x hidden" },
//!   { binding = 8, access = "", block = "Outputs", member = "float outputs[]", shape = "tokens x intermediate" },
//! ] }
//% include "preamble.glsl"
//% include "norm_parts.glsl"
//% include "linear_parts.glsl"
//% if norm != none
void prepare_input() { prepare_normalize(${input_row}); }
vec4 input_quad(uint quad) { return quad < column_quads ? normalize_quad(${input_row}, quad) : vec4(0.0); }
//% else
void prepare_input() {}
vec4 input_quad(uint quad) { return quad < column_quads ? raw_quad(${input_row}, quad) : vec4(0.0); }
//% end

void finish(uint row, float sums[matrices]) { store(0, row, sums); }

#include "matvec.glsl"
