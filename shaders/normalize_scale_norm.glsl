// ScaleNorm (Nguyen and Salazar 2019): x / sqrt(sum of x^2 + eps) * weight, one weight for all elements. The including
// kernel gives columns, eps, vec4 raw_quad(row, quad) with zeros past the last column, vec4 norm_weight_quad(quad).
float normalize_scale;

void prepare_normalize(uint row) {
  float squares = 0.0;
  for (uint quad = gl_LocalInvocationIndex; quad < column_quads; quad += workgroup_size) {
    const vec4 x = raw_quad(row, quad);
    squares += dot(x, x);
  }
  normalize_scale = inversesqrt(workgroup_sum(squares) + eps);
}

vec4 normalize_quad(uint row, uint quad) { return raw_quad(row, quad) * normalize_scale * norm_weight_quad(quad); }
