// One head in shared memory: loaded, and read in pairs of neighbouring dimensions. The including kernel declares
// `shared float head_values[head_dim]` and gives projected and head_dim.
void load_head(uint first) {
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) head_values[d] = projected[first + d];
  barrier();
}

vec2 plain_pair(uint pair) {
  const uint d = 2 * pair;
  return vec2(head_values[d], d + 1 < head_dim ? head_values[d + 1] : 0.0);
}
