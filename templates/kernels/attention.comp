//! head_dim = { type = "uint", sample = 30, is = "elements of a head of keys" }
//! head_quads = { type = "uint", sample = 10, is = "vec4s of a head of queries, the last one of each term padded" }
//! value_dim = { type = "uint", sample = 30, is = "elements of a head of values" }
//! value_quads = { type = "uint", sample = 8, is = "vec4s of it, the last one padded" }
//! has_second_term = { type = "bool", sample = true, is = "products of other queries and keys are added" }
//! first_quads = { type = "uint", sample = 8, is = "vec4s of a head in the first term", when = "has_second_term" }
//! second_dim = { type = "uint", sample = 6, is = "elements of a head in the second", when = "has_second_term" }
//! kv_group_size = { type = "uint", sample = 3, is = "query heads that share a head of keys and values" }
//! attention_scale = { type = "float", sample = 0.18257418, is = "times query . key" }
//! has_layer_scale = { type = "bool", sample = true, is = "each layer has a factor of its own beside it" }
//! has_score = { type = "bool", sample = true, is = "the score goes through an expression" }
//! score = { type = "text", sample = "30.0 * tanh(score / 30.0) + slope * float(key - query)", is = "of score, query, key, head, slope and bias", when = "has_score" }
//! has_slopes = { type = "bool", sample = true, is = "each head has a slope" }
//! slopes = { type = "list", fields = ["slope"], is = "by head", when = "has_slopes", sample = [ { slope = 0.5 }, { slope = 0.25 }, { slope = 0.125 }, { slope = 0.0625 }, { slope = 0.5 }, { slope = 0.25 } ] }
//! has_sinks = { type = "bool", sample = true, is = "each head has one more score" }
//! has_bias = { type = "bool", sample = true, is = "a distance gives each head a bias of its score" }
//! has_relative_keys = { type = "bool", sample = false, is = "a distance gives what the key has added to itself" }
//! most_back = { type = "uint", sample = 4, is = "distances, key - query, are cut there", when = "has_bias or has_relative_keys" }
//! most_ahead = { type = "uint", sample = 2, is = "and there", when = "has_bias or has_relative_keys" }
//! row = { type = "text", sample = "distance < 0 ? 0 - distance : 5", is = "of what a distance gives", when = "has_bias or has_relative_keys" }
//! heads = { type = "uint", sample = 6, is = "numbers in a row", when = "has_bias" }
//! has_mask = { type = "bool", sample = true, is = "a query does not see every key before it" }
//! mask = { type = "text", sample = "query - key < 17", is = "whether it sees the key, by mask and window: of query and key", when = "has_mask" }
//! has_holes = { type = "bool", sample = true, is = "the mask hides keys between others: those that are seen are listed" }
//! has_window = { type = "bool", sample = true, is = "it sees the last keys and the first ones alone" }
//! window_recent = { type = "uint", sample = 17, is = "keys that end with its own", when = "has_window" }
//! window_first = { type = "uint", sample = 0, is = "keys from the first position on", when = "has_window" }
//! has_state = { type = "bool", sample = true, is = "keys and values are states, and a query sees those up to its own; else they are rows of the pass, and it sees them all" }
//! of_source = { type = "bool", sample = false, is = "states of the slot's source, all of which it sees" }
//! keys_dtype = { type = "choice", values = ["f32", "f16", "bf16", "q8_0"], sample = "q8_0", is = "that keys are kept as", when = "has_state" }
//! values_dtype = { type = "choice", values = ["f32", "f16", "bf16", "q8_0"], sample = "f16", is = "that values are kept as", when = "has_state" }
//! second_keys_dtype = { type = "choice", values = ["f32", "f16", "bf16", "q8_0"], sample = "bf16", is = "that second keys are kept as", when = "has_state and has_second_term" }
//! keys_stride = { type = "uint", sample = 8, is = "quads of elements from one entry of keys to the next, or words of blocks", when = "has_state" }
//! values_stride = { type = "uint", sample = 8, is = "the same of values", when = "has_state" }
//! second_keys_stride = { type = "uint", sample = 2, is = "the same of second keys", when = "has_state and has_second_term" }
//! pass_keys_stride = { type = "uint", sample = 60, is = "floats from one row of keys to the next", when = "not has_state" }
//! pass_keys_column = { type = "uint", sample = 0, is = "of their first head", when = "not has_state" }
//! pass_values_stride = { type = "uint", sample = 60, is = "floats from one row of values to the next", when = "not has_state" }
//! pass_values_column = { type = "uint", sample = 0, is = "of their first head", when = "not has_state" }
//! pass_second_keys_stride = { type = "uint", sample = 60, is = "floats from one row of second keys to the next", when = "has_second_term and not has_state" }
//! pass_second_keys_column = { type = "uint", sample = 0, is = "of their first head", when = "has_second_term and not has_state" }
//! second_queries_stride = { type = "uint", sample = 180, is = "floats from one row of second queries to the next", when = "has_second_term" }
//! second_queries_column = { type = "uint", sample = 0, is = "of their first head", when = "has_second_term" }
//! queries_stride = { type = "uint", sample = 180, is = "floats from one row of queries to the next" }
//! queries_column = { type = "uint", sample = 0, is = "of their first head" }
//! attended_stride = { type = "uint", sample = 180, is = "floats from one row of the result to the next" }
//! attended_column = { type = "uint", sample = 0, is = "of its first head" }
//! buffer.queries = { view = "float", is = "rows x heads x head" }
//! buffer.second_queries = { view = "float", when = "has_second_term", is = "rows x heads x head of the second term" }
//! buffer.keys = { views = { f32 = "uvec4", f16 = "uvec2", bf16 = "uvec2", q8_0 = "uint" }, by = "keys_dtype", when = "has_state", is = "slots x kv_heads x positions x head, in quads or blocks" }
//! buffer.values = { views = { f32 = "uvec4", f16 = "uvec2", bf16 = "uvec2", q8_0 = "uint" }, by = "values_dtype", when = "has_state", is = "slots x kv_heads x positions x head, in quads or blocks" }
//! buffer.second_keys = { views = { f32 = "uvec4", f16 = "uvec2", bf16 = "uvec2", q8_0 = "uint" }, by = "second_keys_dtype", when = "has_state and has_second_term", is = "slots x kv_heads x positions x head of the second term, in quads or blocks" }
//! buffer.pass_keys = { view = "float", when = "not has_state", is = "rows x kv_heads x head" }
//! buffer.pass_values = { view = "float", when = "not has_state", is = "rows x kv_heads x head" }
//! buffer.pass_second_keys = { view = "float", when = "has_second_term and not has_state", is = "rows x kv_heads x head of the second term" }
//! buffer.sinks = { view = "float", when = "has_sinks", is = "heads" }
//! buffer.relative = { view = "float", when = "has_bias or has_relative_keys", is = "rows of distances x heads, or x head" }
//! buffer.layer_scale = { view = "float", when = "has_layer_scale", is = "one number" }
//! buffer.attended = { view = "float", is = "rows x heads x head" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "state_parts.glsl"
#include "run.glsl"

//% if has_layer_scale
float query_scale() { return attention_scale * layer_scale[0]; }
//% else
float query_scale() { return attention_scale; }
//% end
//% if has_second_term
vec4 second_query_quad(uint pass_row, uint head, uint quad) {
  const uint element = pass_row * second_queries_stride + second_queries_column + head * second_dim + 4 * quad;
  vec4 q = vec4(0.0);
  for (uint i = 0; i < 4; ++i) {
    if (4 * quad + i < second_dim) q[i] = second_queries[element + i];
  }
  return q * query_scale();
}
//% end
vec4 query_quad(uint pass_row, uint head, uint quad) {
//% if has_second_term
  if (quad >= first_quads) return second_query_quad(pass_row, head, quad - first_quads);
//% end
  const uint element = pass_row * queries_stride + queries_column + head * head_dim + 4 * quad;
  vec4 q = vec4(0.0);
  for (uint i = 0; i < 4; ++i) {
    if (4 * quad + i < head_dim) q[i] = queries[element + i];
  }
  return q * query_scale();
}
//% if has_state
#include "cache_${keys_dtype}.glsl"
//% if values_dtype != keys_dtype
#include "cache_${values_dtype}.glsl"
//% end
//% if has_second_term
//% if second_keys_dtype != keys_dtype and second_keys_dtype != values_dtype
#include "cache_${second_keys_dtype}.glsl"
//% end
vec4 kept_second_key_quad(uint row, uint quad) {
//% if second_keys_dtype == q8_0
  const uint first = row * second_keys_stride;
  return unpack_q8_0_quad(second_keys[first + quad], second_keys[first + second_dim / 4 + quad / 16], quad);
//% else
  return unpack_${second_keys_dtype}_quad(second_keys[row * second_keys_stride + quad]);
//% end
}
//% end
vec4 kept_key_quad(uint row, uint quad) {
//% if keys_dtype == q8_0
  const uint first = row * keys_stride;
  return unpack_q8_0_quad(keys[first + quad], keys[first + head_dim / 4 + quad / 16], quad);
//% else
  return unpack_${keys_dtype}_quad(keys[row * keys_stride + quad]);
//% end
}
vec4 kept_value_quad(uint row, uint quad) {
//% if values_dtype == q8_0
  const uint first = row * values_stride;
  return unpack_q8_0_quad(values[first + quad], values[first + value_dim / 4 + quad / 16], quad);
//% else
  return unpack_${values_dtype}_quad(values[row * values_stride + quad]);
//% end
}
vec4 key_quad(uint slot, uint kv_head, uint position, uint quad) {
  const uint row = state_row(slot, kv_head, position);
//% if has_second_term
  if (quad >= first_quads) return kept_second_key_quad(row, quad - first_quads);
//% end
  return kept_key_quad(row, quad);
}
vec4 value_quad(uint slot, uint kv_head, uint position, uint quad) {
  return kept_value_quad(state_row(slot, kv_head, position), quad);
}
//% else
//% if has_second_term
vec4 second_key_quad(uint row, uint kv_head, uint quad) {
  const uint element = row * pass_second_keys_stride + pass_second_keys_column + kv_head * second_dim + 4 * quad;
  vec4 k = vec4(0.0);
  for (uint i = 0; i < min(4, second_dim - 4 * quad); ++i) k[i] = pass_second_keys[element + i];
  return k;
}
//% end
vec4 key_quad(uint slot, uint kv_head, uint position, uint quad) {
  const uint row = run_row + position - run_position;
//% if has_second_term
  if (quad >= first_quads) return second_key_quad(row, kv_head, quad - first_quads);
//% end
  const uint element = row * pass_keys_stride + pass_keys_column + kv_head * head_dim + 4 * quad;
  vec4 k = vec4(0.0);
  for (uint i = 0; i < min(4, head_dim - 4 * quad); ++i) k[i] = pass_keys[element + i];
  return k;
}
vec4 value_quad(uint slot, uint kv_head, uint position, uint quad) {
  const uint row = run_row + position - run_position;
  const uint element = row * pass_values_stride + pass_values_column + kv_head * value_dim + 4 * quad;
  vec4 v = vec4(0.0);
  for (uint i = 0; i < min(4, value_dim - 4 * quad); ++i) v[i] = pass_values[element + i];
  return v;
}
//% end
void write_attended(uint pass_row, uint head, uint quad, vec4 v) {
  const uint element = pass_row * attended_stride + attended_column + head * value_dim + 4 * quad;
  for (uint i = 0; i < 4; ++i) {
    if (4 * quad + i < value_dim) attended[element + i] = v[i];
  }
}

//% if has_slopes
const float slopes[] = float[](
//% for each in slopes
  ${each.slope},
//% end
  0.0);  // ends the list
//% end
//% if has_sinks
const bool has_sink = true;
float sink(uint head) { return sinks[head]; }
//% else
const bool has_sink = false;
float sink(uint head) { return 0.0; }
//% end
//% if has_bias or has_relative_keys
/// The row of what the distance of a key gives.
int row_of_distance(int query, int key) {
  const int distance = clamp(key - query, -int(most_back), int(most_ahead));
  return ${row};
}
//% end
//% if has_relative_keys
const bool has_relative_keys = true;
vec4 relative_key_quad(int query, int key, uint quad) {
  const uint element = row_of_distance(query, key) * head_dim + 4 * quad;
  vec4 k = vec4(0.0);
  for (uint i = 0; i < 4; ++i) {
    if (4 * quad + i < head_dim) k[i] = relative[element + i];
  }
  return k;
}
//% else
const bool has_relative_keys = false;
vec4 relative_key_quad(int query, int key, uint quad) { return vec4(0.0); }
//% end
//% if has_score or has_mask
#include "numerics.glsl"
//% end
//% if has_score
float scored(float score, int query, int key, int head) {
//% if has_slopes
  const float slope = slopes[head];
//% end
//% if has_bias
  const float bias = relative[row_of_distance(query, key) * heads + head];
//% end
  return ${score};
}
//% else
float scored(float score, int query, int key, int head) { return score; }
//% end
const bool of_source = ${of_source};
//% if has_state and not of_source
const bool is_causal = true;
//% if has_mask
bool sees(int query, int key) { return key <= query && (${mask}); }
//% else
bool sees(int query, int key) { return key <= query; }
//% end
//% else
const bool is_causal = false;
//% if has_mask
bool sees(int query, int key) { return ${mask}; }
//% else
bool sees(int query, int key) { return true; }
//% end
//% end
/// The first of the keys from first_key on that the window shows to any query from `oldest` on.
//% if has_window
uint first_shown(uint oldest, uint first_key) {
  return first_key < window_first ? first_key : max(first_key, max(oldest + 1, window_recent) - window_recent);
}
//% else
uint first_shown(uint oldest, uint first_key) { return first_key; }
//% end

//% if has_holes
#include "keys_listed.glsl"
//% else
#include "keys_in_order.glsl"
//% end
#include "attention.glsl"
