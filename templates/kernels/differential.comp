//! normed = { type = "bool", sample = true, is = "the difference goes through an RMSNorm of heads" }
//! head_dim = { type = "uint", sample = 12, is = "elements of a head, or of a row that is not normed" }
//! eps = { type = "float", sample = 1e-6, is = "added to the mean square", when = "normed" }
//! lambda_size = { type = "uint", sample = 24, is = "elements of each vector that lambda is made of" }
//! first_stride = { type = "uint", sample = 48, is = "floats from one row of the first to the next" }
//! first_column = { type = "uint", sample = 0, is = "of its first element" }
//! second_stride = { type = "uint", sample = 96, is = "floats from one row of the second to the next" }
//! second_column = { type = "uint", sample = 48, is = "of its first element" }
//! buffer.vectors = { view = "float", is = "lambda_q1, lambda_k1, lambda_q2, lambda_k2, one after another" }
//! buffer.lambda_init = { view = "float", is = "one number" }
//! buffer.first = { view = "float", is = "rows x columns" }
//! buffer.second = { view = "float", is = "rows x columns" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "epilogue.glsl"
#include "workgroup.glsl"

/// The scalar product of two neighbouring vectors, the first of which is the `nth`.
float product(uint nth) {
  float sum = 0.0;
  for (uint i = gl_LocalInvocationIndex; i < lambda_size; i += workgroup_size) {
    sum += vectors[nth * lambda_size + i] * vectors[(nth + 1) * lambda_size + i];
  }
  return workgroup_sum(sum);
}

uint from, less;  // where the head begins in the first and in the second
float lambda;
float head_element(uint d) { return first[from + d] - lambda * second[less + d]; }
//% if normed
#include "head_norm.glsl"
//% end

// One row of two attentions, or one head of it: the first minus lambda times the second (Ye et al. 2024).
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  lambda = exp(product(0)) - exp(product(2)) + lambda_init[0];
//% if normed
  const uint column = (first_row + gl_WorkGroupID.x) * head_dim;
//% else
  const uint column = 0;
//% end
  from = pass_row * first_stride + first_column + column;
  less = pass_row * second_stride + second_column + column;
//% if normed
  const float scale = head_scale(0.0, eps);
//% else
  const float scale = 1.0;
//% end
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) {
    write_output(pass_row, column + d, head_element(d) * scale);
  }
}
