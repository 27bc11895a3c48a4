// Rotary embedding (Su et al. 2021) in the half layout: dimension j turns with j + rotary_dim / 2, by the angle of
// frequency j. The including kernel gives head_values, rotary_dim and vec2 rotary(row, j), cosine and
// sine.
const uint half_rotary_dim = rotary_dim / 2;

float turned(uint row, uint d) {
  if (d >= rotary_dim) return head_values[d];
  const bool lower = d < half_rotary_dim;
  const vec2 angle = rotary(row, lower ? d : d - half_rotary_dim);
  const float partner = head_values[lower ? d + half_rotary_dim : d - half_rotary_dim];
  return lower ? head_values[d] * angle.x - partner * angle.y : head_values[d] * angle.x + partner * angle.y;
}

vec2 turned_pair(uint row, uint pair) {
  const uint d = 2 * pair;
  return vec2(turned(row, d), d + 1 < head_dim ? turned(row, d + 1) : 0.0);
}
