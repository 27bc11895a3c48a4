//! columns = { type = "uint", sample = 48, is = "elements of a row" }
//! lambda_size = { type = "uint", sample = 24, is = "elements of each vector that lambda is made of" }
//! first_stride = { type = "uint", sample = 48, is = "floats from one row of the first to the next" }
//! first_column = { type = "uint", sample = 0, is = "of its first element" }
//! second_stride = { type = "uint", sample = 96, is = "floats from one row of the second to the next" }
//! second_column = { type = "uint", sample = 48, is = "of its first element" }
//! outputs_stride = { type = "uint", sample = 48, is = "floats from one row of outputs to the next" }
//! outputs_column = { type = "uint", sample = 0, is = "of its first element" }
//! buffer.vectors = { view = "float", is = "lambda_q1, lambda_k1, lambda_q2, lambda_k2, one after another" }
//! buffer.lambda_init = { view = "float", is = "one number" }
//! buffer.first = { view = "float", is = "rows x columns" }
//! buffer.second = { view = "float", is = "rows x columns" }
//! buffer.outputs = { view = "float", is = "rows x columns" }
//% include "preamble.glsl"
//% include "stage.glsl"
#include "workgroup.glsl"

/// The scalar product of two neighbouring vectors, the first of which is the `nth`.
float product(uint nth) {
  float sum = 0.0;
  for (uint i = gl_LocalInvocationIndex; i < lambda_size; i += workgroup_size) {
    sum += vectors[nth * lambda_size + i] * vectors[(nth + 1) * lambda_size + i];
  }
  return workgroup_sum(sum);
}

// One row of two attentions: the first minus lambda times the second (Ye et al. 2024).
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const float lambda = exp(product(0)) - exp(product(2)) + lambda_init[0];
  const uint from = pass_row * first_stride + first_column;
  const uint less = pass_row * second_stride + second_column;
  const uint to = pass_row * outputs_stride + outputs_column;
  for (uint c = gl_LocalInvocationIndex; c < columns; c += workgroup_size) {
    outputs[to + c] = first[from + c] - lambda * second[less + c];
  }
}
