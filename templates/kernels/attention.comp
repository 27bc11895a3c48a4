//! head_dim = { type = "uint", sample = 30, is = "elements of a head" }
//! head_quads = { type = "uint", sample = 8, is = "vec4s of a head, the last one padded" }
//! kv_group_size = { type = "uint", sample = 3, is = "query heads that share a head of keys and values" }
//! attention_scale = { type = "float", sample = 0.18257418, is = "times query . key" }
//! max_sequence_length = { type = "uint", sample = 512, is = "positions of a head's cache" }
//! cache_dtype = { type = "choice", values = ["f32", "f16"], sample = "f32", is = "of keys and values" }
//! cache_quads = { type = "uint", sample = 8, is = "quads from one position of the cache to the next" }
//! query_stride = { type = "uint", sample = 180, is = "floats from one token's row to the next, of queries and of the result" }
//! buffers = { sample = [
//!   { binding = 0, access = "readonly", block = "State", member = "SequenceState state", shape = "one sequence" },
//!   { binding = 1, access = "readonly", block = "Queries", member = "float queries[]", shape = "tokens x q" },
//!   { binding = 2, access = "readonly", block = "Keys", member = "uvec4 keys[]", shape = "kv_heads x positions x head" },
//!   { binding = 3, access = "readonly", block = "Values", member = "uvec4 values[]", shape = "kv_heads x positions x head" },
//!   { binding = 4, access = "writeonly", block = "Attended", member = "float attended[]", shape = "tokens x q" },
//! ] }
//% include "preamble.glsl"
#include "cache_${cache_dtype}.glsl"

vec4 query_quad(uint token, uint head, uint quad) {
  const uint element = token * query_stride + head * head_dim + 4 * quad;
  vec4 q = vec4(0.0);
  for (uint i = 0; i < 4; ++i) {
    if (4 * quad + i < head_dim) q[i] = queries[element + i];
  }
  return q * attention_scale;
}
vec4 key_quad(uint kv_head, uint position, uint quad) {
  return unpack_quad(keys[(kv_head * max_sequence_length + position) * cache_quads + quad]);
}
vec4 value_quad(uint kv_head, uint position, uint quad) {
  return unpack_quad(values[(kv_head * max_sequence_length + position) * cache_quads + quad]);
}
void write_attended(uint token, uint head, uint quad, vec4 v) {
  const uint element = token * query_stride + head * head_dim + 4 * quad;
  for (uint i = 0; i < 4; ++i) {
    if (4 * quad + i < head_dim) attended[element + i] = v[i];
  }
}

#include "attention.glsl"
