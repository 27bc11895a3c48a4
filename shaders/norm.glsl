// A norm of each token's row, one workgroup a token. The including kernel gives column_quads, prepare_normalize(token),
// vec4 normalize_quad(token, quad) and finish(token, quad, values).
void main() {
  const uint token = gl_WorkGroupID.y;
  if (state.done != 0 || token >= state.seq_len) return;
  prepare_normalize(token);
  for (uint quad = gl_LocalInvocationIndex; quad < column_quads; quad += workgroup_size) {
    finish(token, quad, normalize_quad(token, quad));
  }
}
