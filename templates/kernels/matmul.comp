//! norm = { sample = "none" }
//! buffers = { sample = [
//!   { binding = 0, access = "readonly", block = "State", member = "SequenceState state", shape = "one sequence" },
//!   { binding = 1, access = "readonly", block = "Weights", member = "uvec4 weights[]", shape = "intermediate x hidden" },
//!   { binding = 2, access = "readonly", block = "SecondWeights", member = "uvec4 second_weights[]", shape = "intermediate x hidden" },
//!   { binding = 3, access = "readonly", block = "Bias", member = "float bias[]", shape = "intermediate" },
//!   { binding = 4, access = "readonly", block = "SecondBias", member = "float second_bias[]", shape = "intermediate" },
//!   { binding = 5, access = "readonly", block = "Inputs", member = "vec4 inputs[]", shape = "tokens x hidden" },
//!   { binding = 6, access = "", block = "Outputs", member = "float outputs[]", shape = "tokens x intermediate" },
//! ] }
//% include "preamble.glsl"
//% include "norm_parts.glsl"
//% include "linear_parts.glsl"
vec4 input_quad(uint token, uint quad) { return quad < column_quads ? raw_quad(token, quad) : vec4(0.0); }

void finish(uint row, uint token, float sums[matrices]) { store(token, row, sums); }

#include "matmul.glsl"
