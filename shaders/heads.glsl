// One head in shared memory: loaded, measured for its norm, and read in pairs of neighbouring dimensions. The including
// kernel declares `shared float head_values[head_dim]` and gives projected, head_dim; with a norm workgroup_sum(value), with
// a rotation turned(position, d).
void load_head(uint first) {
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) head_values[d] = projected[first + d];
  barrier();
}

vec2 plain_pair(uint pair) {
  const uint d = 2 * pair;
  return vec2(head_values[d], d + 1 < head_dim ? head_values[d + 1] : 0.0);
}
