// One head of one token, from the projected row: normed, turned by its position, then to the queries or to the cache.
// Heads are numbered queries first, then keys, then values.
//
// The including kernel declares `shared float head_values[head_dim]` and gives: num_attention_heads,
// num_key_value_heads, head_dim; float projected(token, element), norm_head(head) and float turned(position, d) upon
// head_values; store_query(token, head, pair, values), store_key(kv_head, position, pair, values) and store_value(...),
// where a pair is two neighbouring dimensions.
void main() {
  const uint token = gl_WorkGroupID.y;
  if (state.done != 0 || token >= state.seq_len) return;
  const uint head = first_row + gl_WorkGroupID.x;
  const uint position = state.position + token;
  const uint first_key_head = num_attention_heads;
  const uint first_value_head = num_attention_heads + num_key_value_heads;

  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) {
    head_values[d] = projected(token, head * head_dim + d);
  }
  barrier();
  const bool is_value = head >= first_value_head;
  if (!is_value) norm_head(head);  // the same for the whole workgroup

  for (uint pair = gl_LocalInvocationIndex; pair < (head_dim + 1) / 2; pair += workgroup_size) {
    const uint d = 2 * pair;
    vec2 values = vec2(0.0);
    values.x = is_value ? head_values[d] : turned(position, d);
    if (d + 1 < head_dim) values.y = is_value ? head_values[d + 1] : turned(position, d + 1);
    if (head < first_key_head) {
      store_query(token, head, pair, values);
    } else if (!is_value) {
      store_key(head - first_key_head, position, pair, values);
    } else {
      store_value(head - first_value_head, position, pair, values);
    }
  }
}
