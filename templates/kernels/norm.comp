//! residual = { type = "bool", sample = true, is = "the result is added to outputs" }
//! buffers = { sample = [
//!   { binding = 0, access = "readonly", block = "State", member = "SequenceState state", shape = "one sequence" },
//!   { binding = 1, access = "readonly", block = "NormWeight", member = "vec4 norm_weight[]", shape = "hidden" },
//!   { binding = 2, access = "readonly", block = "NormBias", member = "vec4 norm_bias[]", shape = "hidden" },
//!   { binding = 3, access = "readonly", block = "Inputs", member = "vec4 inputs[]", shape = "tokens x hidden" },
//!   { binding = 4, access = "", block = "Outputs", member = "vec4 outputs[]", shape = "tokens x hidden" },
//! ] }
//% include "preamble.glsl"
//% include "norm_parts.glsl"
void finish(uint token, uint quad, vec4 values) {
//% if residual
  outputs[token * column_quads + quad] += values;
//% else
  outputs[token * column_quads + quad] = values;
//% end
}

#include "norm.glsl"
