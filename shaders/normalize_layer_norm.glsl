// LayerNorm (Ba et al. 2016): (x - mean) / sqrt(variance + eps) * weight + bias, the variance about the mean, in a second
// pass. The including kernel gives columns, eps, vec4 raw_quad(row, quad) with zeros past the last column,
// vec4 norm_weight_quad(quad) and norm_bias_quad(quad).
float normalize_mean;
float normalize_scale;

/// raw - mean, and zero past the last column.
vec4 centred_quad(uint row, uint quad) {
  const vec4 centred = raw_quad(row, quad) - normalize_mean;
  return mix(vec4(0.0), centred, lessThan(quad * 4 + uvec4(0, 1, 2, 3), uvec4(columns)));
}

void prepare_normalize(uint row) {
  float sum = 0.0;
  for (uint quad = gl_LocalInvocationIndex; quad < column_quads; quad += workgroup_size) {
    sum += dot(raw_quad(row, quad), vec4(1.0));
  }
  normalize_mean = workgroup_sum(sum) / float(columns);
  float squares = 0.0;
  for (uint quad = gl_LocalInvocationIndex; quad < column_quads; quad += workgroup_size) {
    const vec4 x = centred_quad(row, quad);
    squares += dot(x, x);
  }
  normalize_scale = inversesqrt(workgroup_sum(squares) / float(columns) + eps);
}

vec4 normalize_quad(uint row, uint quad) {
  return centred_quad(row, quad) * normalize_scale * norm_weight_quad(quad) + norm_bias_quad(quad);
}
