// RMS norm of the head in head_values (QK-norm: Henry et al. 2020 in Qwen 3's form). The including kernel gives eps and
// float head_norm_weight(head, d).
void norm_head(uint head) {
  float squares = 0.0;
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) squares += head_values[d] * head_values[d];
  const float scale = inversesqrt(workgroup_sum(squares) / float(head_dim) + eps);
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) {
    head_values[d] *= scale * head_norm_weight(head, d);
  }
  barrier();
}
