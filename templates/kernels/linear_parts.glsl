//! row_blocks = { type = "uint", sample = 9, is = "16-byte blocks from one row of the weights to the next" }
//! padded_quads = { type = "uint", sample = 18, is = "vec4s of a row of the weights, padding included" }
//! matrices = { type = "uint", sample = 2, is = "matrices multiplied with the same input" }
//! dtype = { type = "choice", values = ["f32", "f16", "bf16"], sample = "bf16", is = "of the weights" }
//! first_bias = { type = "bool", sample = true, is = "the first matrix has a bias" }
//! second_bias = { type = "bool", sample = true, is = "the second matrix has a bias" }
//! sum_count = { sample = 2 }
//! buffer.weights = { view = "uvec4", is = "rows of the matrix, blocks of 16 bytes" }
//! buffer.second_weights = { view = "uvec4", when = "matrices == 2", is = "rows of the second matrix" }
//! buffer.bias = { view = "float", when = "first_bias", is = "rows of the matrix" }
//! buffer.second_bias_vector = { view = "float", when = "second_bias", is = "rows of the second matrix" }
#include "block_${dtype}.glsl"

//% if matrices == 2
uvec4 weight_block(uint matrix, uint row, uint block) {
  return matrix == 0 ? weights[row * row_blocks + block] : second_weights[row * row_blocks + block];
}
//% else
uvec4 weight_block(uint matrix, uint row, uint block) { return weights[row * row_blocks + block]; }
//% end
//% include "epilogue.glsl"

void store(uint pass_row, uint row, float totals[matrices]) {
  float first = totals[0];
//% if first_bias
  first += bias[row];
//% end
//% if matrices == 2
  float second = totals[1];
//% if second_bias
  second += second_bias_vector[row];
//% end
  write_output(pass_row, row, first, second);
//% else
  write_output(pass_row, row, first);
//% end
}

