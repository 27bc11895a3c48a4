//! num_attention_heads = { type = "uint", sample = 6, is = "query heads" }
//! num_key_value_heads = { type = "uint", sample = 2, is = "heads of keys and of values" }
//! head_dim = { type = "uint", sample = 24, is = "elements of a head" }
//! rotary = { type = "bool", sample = true, is = "queries and keys are turned by their position" }
//! rotary_dim = { type = "uint", sample = 16, is = "elements of a head that turn", when = "rotary" }
//! angle_stride = { type = "uint", sample = 8, is = "cosines and sines of a position, with padding", when = "rotary" }
//! head_norm = { type = "bool", sample = true, is = "queries and keys are normed head by head" }
//! eps = { type = "float", sample = 1e-6, is = "added to the mean square", when = "head_norm" }
//! max_sequence_length = { type = "uint", sample = 512, is = "positions of a head's cache" }
//! cache_dtype = { type = "choice", values = ["f32", "f16"], sample = "f16", is = "of keys and values" }
//! cache_pairs = { type = "uint", sample = 16, is = "pairs of elements from one position of the cache to the next" }
//! qkv_stride = { type = "uint", sample = 240, is = "floats from one token's qkv row to the next" }
//! query_stride = { type = "uint", sample = 144, is = "floats from one token's queries to the next" }
//! buffers = { sample = [
//!   { binding = 0, access = "readonly", block = "State", member = "SequenceState state", shape = "one sequence" },
//!   { binding = 1, access = "readonly", block = "QNorm", member = "float q_norm[]", shape = "head" },
//!   { binding = 2, access = "readonly", block = "KNorm", member = "float k_norm[]", shape = "head" },
//!   { binding = 3, access = "readonly", block = "Angles", member = "vec2 angles[]", shape = "positions x frequencies, (cosine, sine)" },
//!   { binding = 4, access = "readonly", block = "Qkv", member = "float qkv[]", shape = "tokens x qkv" },
//!   { binding = 5, access = "writeonly", block = "Queries", member = "float queries[]", shape = "tokens x q" },
//!   { binding = 6, access = "writeonly", block = "Keys", member = "uint keys[]", shape = "kv_heads x positions x head" },
//!   { binding = 7, access = "writeonly", block = "Values", member = "uint values[]", shape = "kv_heads x positions x head" },
//! ] }
//% include "preamble.glsl"
#include "cache_${cache_dtype}.glsl"
shared float head_values[head_dim];

float projected(uint token, uint element) { return qkv[token * qkv_stride + element]; }

//% if head_norm
#include "workgroup.glsl"
float head_norm_weight(uint head, uint d) { return head < num_attention_heads ? q_norm[d] : k_norm[d]; }
#include "head_norm.glsl"
//% else
void norm_head(uint head) {}
//% end

//% if rotary
vec2 rotary(uint position, uint j) { return angles[position * angle_stride + j]; }
#include "rotary_half.glsl"
//% else
float turned(uint position, uint d) { return head_values[d]; }
//% end

void store_query(uint token, uint head, uint pair, vec2 v) {
  const uint element = token * query_stride + head * head_dim + 2 * pair;
  queries[element] = v.x;
  if (2 * pair + 1 < head_dim) queries[element + 1] = v.y;
}
void store_key(uint kv_head, uint position, uint pair, vec2 v) {
  keys[(kv_head * max_sequence_length + position) * cache_pairs + pair] = pack_pair(v);
}
void store_value(uint kv_head, uint position, uint pair, vec2 v) {
  values[(kv_head * max_sequence_length + position) * cache_pairs + pair] = pack_pair(v);
}

#include "heads.glsl"
