// Norms of a head (QK-norm: Henry et al. 2020): RMSNorm in Qwen 3's form, and LayerNorm (Ba et al. 2016). The including kernel
// gives head_dim, float head_element(d) and workgroup_sum(value).

/// What a LayerNorm takes from each element.
float head_mean() {
  float sum = 0.0;
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) sum += head_element(d);
  return workgroup_sum(sum) / float(head_dim);
}

/// What elements without their mean, which of an RMSNorm is 0, are multiplied by.
float head_scale(float mean, float eps) {
  float squares = 0.0;
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) {
    const float x = head_element(d) - mean;
    squares += x * x;
  }
  return inversesqrt(workgroup_sum(squares) / float(head_dim) + eps);
}
