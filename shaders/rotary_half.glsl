// Rotary embedding (Su et al. 2021) in the half layout: dimension j turns with j + rotary_dim / 2, by the angle of
// frequency j at this position. The including kernel gives head_values, rotary_dim and vec2 rotary(position, j), cosine and
// sine.
const uint half_rotary_dim = rotary_dim / 2;

float turned(uint position, uint d) {
  if (d >= rotary_dim) return head_values[d];
  const bool lower = d < half_rotary_dim;
  const vec2 angle = rotary(position, lower ? d : d - half_rotary_dim);
  const float partner = head_values[lower ? d + half_rotary_dim : d - half_rotary_dim];
  return lower ? head_values[d] * angle.x - partner * angle.y : head_values[d] * angle.x + partner * angle.y;
}

vec2 turned_pair(uint position, uint pair) {
  const uint d = 2 * pair;
  return vec2(turned(position, d), d + 1 < head_dim ? turned(position, d + 1) : 0.0);
}
