// Attention of a tile of query rows over one KV head, in one pass over the cache (online softmax: Milakov and Gimelshein
// 2018; Dao et al. 2022). A query row is (token, head of the group); a key tile has one key an invocation. Which keys,
// keys_in_order.glsl or keys_listed.glsl says, which the kernel includes.
//
// The including kernel gives run.glsl and
//   head_quads and value_quads, of a head of queries and of values, and kv_group_size;
//   vec4 query_quad(token, head, quad), scaled, key_quad(slot, kv_head, position, quad) and value_quad(...);
//   write_attended(token, head, quad, value);
//   float scored(score, query, key, head);
//   has_relative_keys and vec4 relative_key_quad(query, key, quad), what the key has added to itself there;
//   is_causal, of_source, bool sees(query, key) and first_shown(oldest query, a key);
//   has_sink and float sink(head), one more score whose value is 0.
// Where it is not causal, keys are those of the run, or of the slot's source.
const uint key_groups = workgroup_size / value_quads;  // invocations that share a quad of the output, a key each
const float lowest = -3.0e38;
const float unseen = -1.0;  // in place of the weight of a key that a row does not see: no weight is below 0
shared vec4 queries_tile[tile_tokens * head_quads];
shared float scores[tile_tokens * workgroup_size];
shared vec4 partial_outputs[workgroup_size];
shared float row_max[tile_tokens], row_sum[tile_tokens], row_factor[tile_tokens];

uint keys_end;  // one past the last key that any row of the run may see

/// The position of a row's query.
int query_of(uint query_row) { return int(run_position + query_row / kv_group_size); }

bool row_sees(uint query_row, uint key) { return key < keys_end && sees(query_of(query_row), int(key)); }

/// Scores of this key tile: one key an invocation, against every row. A key that no row sees is not read.
void score_tile(uint kv_head, uint first_query_row) {
  const uint key = tile_key(gl_LocalInvocationIndex);
  float sums[tile_tokens];
  bool any = false;
  [[unroll]] for (uint row = 0; row < tile_tokens; ++row) {
    sums[row] = 0.0;
    any = any || row_sees(first_query_row + row, key);
  }
  if (any) {
    for (uint quad = 0; quad < head_quads; ++quad) {
      const vec4 k = key_quad(run_slot, kv_head, key, quad);
      [[unroll]] for (uint row = 0; row < tile_tokens; ++row) {
        vec4 seen = k;
        if (has_relative_keys) seen += relative_key_quad(query_of(first_query_row + row), int(key), quad);
        sums[row] += dot(queries_tile[row * head_quads + quad], seen);
      }
    }
  }
  [[unroll]] for (uint row = 0; row < tile_tokens; ++row) {
    const uint query_row = first_query_row + row;
    const int query = query_of(query_row);
    const int head = int(kv_head * kv_group_size + query_row % kv_group_size);
    scores[row * workgroup_size + gl_LocalInvocationIndex] =
        row_sees(query_row, key) ? scored(sums[row], query, int(key), head) : lowest;
  }
}

/// Turns scores into weights relative to the running maximum, one subgroup a row. A score that is no number stays none.
void weigh_tile() {
  for (uint row = gl_SubgroupID; row < tile_tokens; row += gl_NumSubgroups) {
    float largest = row_max[row];
    for (uint key = gl_SubgroupInvocationID; key < workgroup_size; key += gl_SubgroupSize) {
      largest = max(largest, scores[row * workgroup_size + key]);
    }
    largest = subgroupMax(largest);
    float sum = 0.0;
    for (uint key = gl_SubgroupInvocationID; key < workgroup_size; key += gl_SubgroupSize) {
      const float score = scores[row * workgroup_size + key];
      const float weight = score == lowest ? unseen : exp(score - largest);
      scores[row * workgroup_size + key] = weight;
      sum += weight == unseen ? 0.0 : weight;
    }
    sum = subgroupAdd(sum);
    if (subgroupElect()) {
      const float factor = exp(row_max[row] - largest);
      row_factor[row] = factor;
      row_sum[row] = row_sum[row] * factor + sum;
      row_max[row] = largest;
    }
  }
}

void main() {
  uint first_query_row;
  if (pass.live == 0 || !find_tile(first_query_row)) return;
  keys_end = of_source ? pass.slots[run_slot].source_length : run_end;
  const uint kv_head = first_row + gl_WorkGroupID.x;

  for (uint i = gl_LocalInvocationIndex; i < tile_tokens * head_quads; i += workgroup_size) {
    const uint row = min(first_query_row + i / head_quads, query_rows - 1);
    queries_tile[i] = query_quad(run_row + row / kv_group_size, kv_head * kv_group_size + row % kv_group_size, i % head_quads);
  }
  for (uint row = gl_LocalInvocationIndex; row < tile_tokens; row += workgroup_size) {
    row_max[row] = has_sink ? sink(kv_head * kv_group_size + (first_query_row + row) % kv_group_size) : lowest;
    row_sum[row] = has_sink ? 1.0 : 0.0;
  }

  const uint quad = gl_LocalInvocationIndex % value_quads;
  const uint group = gl_LocalInvocationIndex / value_quads;
  vec4 outputs_sum[tile_tokens];
  [[unroll]] for (uint row = 0; row < tile_tokens; ++row) outputs_sum[row] = vec4(0.0);

  const uint last_row = min(first_query_row + tile_tokens, query_rows) - 1;
  const uint oldest = run_position + first_query_row / kv_group_size;
  const uint newest = run_position + last_row / kv_group_size;
  begin_walk(is_causal || of_source ? 0 : run_position, is_causal ? newest + 1 : keys_end, oldest, newest);
  while (tiles_are_left()) {
    next_tile();
    barrier();
    score_tile(kv_head, first_query_row);
    barrier();
    weigh_tile();
    barrier();
    [[unroll]] for (uint row = 0; row < tile_tokens; ++row) outputs_sum[row] *= row_factor[row];
    if (group < key_groups) {
      // Which invocations add a key, and so in which order, does not depend on the window.
      for (uint place = tile_begin / key_groups * key_groups + group; place < tile_keys; place += key_groups) {
        const vec4 v = value_quad(run_slot, kv_head, tile_key(place), quad);
        [[unroll]] for (uint row = 0; row < tile_tokens; ++row) {
          const float weight = scores[row * workgroup_size + place];
          outputs_sum[row] += weight == unseen ? vec4(0.0) : weight * v;
        }
      }
    }
  }

  [[unroll]] for (uint row = 0; row < tile_tokens; ++row) {
    barrier();
    partial_outputs[gl_LocalInvocationIndex] = outputs_sum[row];
    barrier();
    const uint query_row = first_query_row + row;
    if (group == 0 && query_row < query_rows) {
      vec4 total = vec4(0.0);
      for (uint g = 0; g < key_groups; ++g) total += partial_outputs[g * value_quads + quad];
      write_attended(run_row + query_row / kv_group_size, kv_head * kv_group_size + query_row % kv_group_size, quad,
                     total / row_sum[row]);
    }
  }
}
