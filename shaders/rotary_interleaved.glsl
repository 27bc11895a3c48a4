// Rotary embedding (Su et al. 2021) of neighbours, as GPT-J has it: dimension 2j turns with 2j + 1, by the angle of
// frequency j. The including kernel gives plain_pair(pair), rotary_dim and vec2 rotary(row, j), cosine
// and sine.
vec2 turned_pair(uint row, uint pair) {
  const vec2 values = plain_pair(pair);
  if (2 * pair >= rotary_dim) return values;
  const vec2 angle = rotary(row, pair);
  return vec2(values.x * angle.x - values.y * angle.y, values.y * angle.x + values.x * angle.y);
}
