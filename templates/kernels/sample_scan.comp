//! vocab_size = { type = "uint", sample = 97, is = "logits" }
//! parts = { type = "uint", sample = 3, is = "of the vocabulary, a workgroup each" }
//! logits_stride = { type = "uint", sample = 100, is = "floats from one row of logits to the next" }
//! buffer.logits = { view = "float", is = "rows x vocab" }
//! buffer.likeliest = { view = "uvec4", is = "draws x parts" }
//% include "preamble.glsl"
#include "sample_keys.glsl"
#include "sample_scan.glsl"
