// RMS norm of the head in head_values (QK-norm: Henry et al. 2020 in Qwen 3's form): what its elements are multiplied by.
float head_scale(float eps) {
  float squares = 0.0;
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) squares += head_values[d] * head_values[d];
  return inversesqrt(workgroup_sum(squares) / float(head_dim) + eps);
}
