//! row_blocks = { type = "uint", sample = 9, is = "16-byte blocks from one row of the weights to the next" }
//! padded_quads = { type = "uint", sample = 18, is = "vec4s of a row of the weights, padding included" }
//! output_stride = { type = "uint", sample = 68, is = "floats from one token's row of outputs to the next" }
//! matrices = { type = "uint", sample = 2, is = "matrices multiplied with the same input" }
//! dtype = { type = "choice", values = ["f32", "f16", "bf16"], sample = "bf16", is = "of the weights" }
//! first_bias = { type = "bool", sample = true, is = "the first matrix has a bias" }
//! second_bias = { type = "bool", sample = true, is = "the second matrix has a bias" }
//! activation = { type = "text", sample = "gate * up", is = "the function of x, or of gate and up; empty: none" }
//! residual = { type = "bool", sample = true, is = "the result is added to outputs" }
#include "numerics.glsl"
#include "block_${dtype}.glsl"

//% if matrices == 2
uvec4 weight_block(uint matrix, uint row, uint block) {
  return matrix == 0 ? weights[row * row_blocks + block] : second_weights[row * row_blocks + block];
}
//% else
uvec4 weight_block(uint matrix, uint row, uint block) { return weights[row * row_blocks + block]; }
//% end

//% if activation and matrices == 2
float activation(float gate, float up) { return ${activation}; }
//% elif activation
float activation(float x) { return ${activation}; }
//% end

// The epilogue: bias, activation, residual.
void store(uint token, uint row, float sums[matrices]) {
  float value = sums[0];
//% if first_bias
  value += bias[row];
//% end
//% if matrices == 2
  float second = sums[1];
//% if second_bias
  second += second_bias[row];
//% end
  value = activation(value, second);
//% elif activation
  value = activation(value);
//% end
//% if residual
  outputs[token * output_stride + row] += value;
//% else
  outputs[token * output_stride + row] = value;
//% end
}

