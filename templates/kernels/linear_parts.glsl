//! matrices = { type = "uint", sample = 2, is = "matrices multiplied with the same input" }
//! first_bias = { type = "bool", sample = true, is = "the first matrix has a bias" }
//! second_bias = { type = "bool", sample = true, is = "the second matrix has a bias" }
//! sum_count = { sample = 2 }
//! buffer.second_weights = { view = "uvec4", words = "quantized", when = "matrices == 2", is = "rows of the second matrix" }
//! buffer.bias = { view = "float", when = "first_bias", is = "rows of the matrix" }
//! buffer.second_bias_vector = { view = "float", when = "second_bias", is = "rows of the second matrix" }
//% include "weight_parts.glsl"
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

