//! head_dim = { type = "uint", sample = 24, is = "elements of a head" }
//! projected_stride = { type = "uint", sample = 240, is = "floats from one row of projected to the next" }
//! has_queries = { type = "bool", sample = true, is = "queries are among them" }
//! has_keys = { type = "bool", sample = true, is = "keys are among them" }
//! has_values = { type = "bool", sample = true, is = "values are among them" }
//! queries_norm_weighted = { type = "bool", sample = true, is = "queries are normed, with weights" }
//! keys_norm_weighted = { type = "bool", sample = true, is = "keys are normed, with weights" }
//! values_norm_weighted = { type = "bool", sample = false, is = "values are normed, with weights" }
//! queries_norm_biased = { type = "bool", sample = true, is = "their norm has a bias" }
//! keys_norm_biased = { type = "bool", sample = false, is = "their norm has a bias" }
//! values_norm_biased = { type = "bool", sample = false, is = "their norm has a bias" }
//! head_norm = { type = "bool", sample = true, is = "any of them is normed" }
//! rotary = { type = "bool", sample = true, is = "any of them is turned by its position" }
//! rotary_dim = { type = "uint", sample = 16, is = "elements of a head that turn", when = "rotary" }
//! layout = { type = "choice", values = ["half", "interleaved"], sample = "interleaved", is = "which of them turn together", when = "rotary" }
//! angle_stride = { type = "uint", sample = 8, is = "cosines and sines of a row, with padding", when = "rotary" }
//! queries_stride = { type = "uint", sample = 144, is = "floats from one row of queries to the next", when = "has_queries" }
//! queries_column = { type = "uint", sample = 0, is = "of their first head", when = "has_queries" }
//! has_state = { type = "bool", sample = true, is = "a state is written" }
//! has_blocks = { type = "bool", sample = true, is = "any of them is kept as q8_0" }
//! keys_dtype = { type = "choice", values = ["f32", "f16", "bf16", "q8_0"], sample = "bf16", is = "that keys are kept as", when = "has_keys" }
//! values_dtype = { type = "choice", values = ["f32", "f16", "bf16", "q8_0"], sample = "q8_0", is = "that values are kept as", when = "has_values" }
//! keys_stride = { type = "uint", sample = 16, is = "pairs of elements from one entry of keys to the next, or words of blocks", when = "has_keys" }
//! values_stride = { type = "uint", sample = 7, is = "the same of values", when = "has_values" }
//! chains = { type = "list", fields = ["name", "begin", "end", "column", "norm", "weighted", "biased", "per_head", "eps", "offset", "weight_offset", "rotary", "dtype"], is = "what is done, by operand of the attention", sample = [
//!   { name = "queries", begin = 0, end = 6, column = 0, norm = "layer_norm", weighted = true, biased = true, per_head = true, eps = 1e-6, offset = true, weight_offset = 1.0, rotary = true, dtype = "" },
//!   { name = "keys", begin = 6, end = 8, column = 144, norm = "rms_norm", weighted = true, biased = false, per_head = false, eps = 1e-6, offset = true, weight_offset = 1.0, rotary = true, dtype = "bf16" },
//!   { name = "values", begin = 8, end = 10, column = 192, norm = "none", weighted = false, biased = false, per_head = false, eps = 0.0, offset = false, weight_offset = 0.0, rotary = false, dtype = "q8_0" } ] }
//! buffer.queries_norm_weight = { view = "float", when = "queries_norm_weighted", is = "head, or heads x head" }
//! buffer.keys_norm_weight = { view = "float", when = "keys_norm_weighted", is = "head, or heads x head" }
//! buffer.values_norm_weight = { view = "float", when = "values_norm_weighted", is = "head, or heads x head" }
//! buffer.queries_norm_bias = { view = "float", when = "queries_norm_biased", is = "head, or heads x head" }
//! buffer.keys_norm_bias = { view = "float", when = "keys_norm_biased", is = "head, or heads x head" }
//! buffer.values_norm_bias = { view = "float", when = "values_norm_biased", is = "head, or heads x head" }
//! buffer.angles = { view = "vec2", when = "rotary", is = "angle rows x frequencies, (cosine, sine)" }
//! buffer.projected = { view = "float", is = "rows x heads x head, queries, keys and values side by side" }
//! buffer.queries = { view = "float", when = "has_queries", is = "rows x heads x head" }
//! buffer.keys = { views = { f32 = "uvec2", f16 = "uint", bf16 = "uint", q8_0 = "uint" }, by = "keys_dtype", when = "has_keys", is = "slots x kv_heads x positions x head, in pairs or blocks" }
//! buffer.values = { views = { f32 = "uvec2", f16 = "uint", bf16 = "uint", q8_0 = "uint" }, by = "values_dtype", when = "has_values", is = "slots x kv_heads x positions x head, in pairs or blocks" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "state_parts.glsl"
//% if has_keys
uint keys_entry(uint slot, uint head, uint position) { return state_row(slot, head, position) * keys_stride; }
//% end
//% if has_values
uint values_entry(uint slot, uint head, uint position) { return state_row(slot, head, position) * values_stride; }
//% end
//% if has_keys and keys_dtype != q8_0
#include "cache_${keys_dtype}.glsl"
//% end
//% if has_values and values_dtype != q8_0 and values_dtype != keys_dtype
#include "cache_${values_dtype}.glsl"
//% end
shared float head_values[head_dim];
#include "heads.glsl"
//% if has_blocks
shared float kept_values[head_dim];
float kept_value(uint d) { return kept_values[d]; }
#include "quantize_q8_0.glsl"
//% end

//% if head_norm
#include "workgroup.glsl"
float head_element(uint d) { return head_values[d]; }
#include "head_norm.glsl"
//% end
//% if rotary
vec2 rotary(uint row, uint j) { return angles[row * angle_stride + j]; }
#include "rotary_${layout}.glsl"
//% end

// Heads are numbered over the dispatch: queries first, then keys, then values, as far as they are there.
//% for chain in chains
const uint ${chain.name}_begin = ${chain.begin}, ${chain.name}_end = ${chain.end};
const uint ${chain.name}_projected = ${chain.column};  // the column of their first head in projected
//% end

// One head of one row. What depends on the head is the same for the whole workgroup. The load and the rotation stand once,
// outside of the branches: a copy of them in each costs CPU drivers a third more.
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const StepToken token = pass.tokens[pass_row];
  const uint head = first_row + gl_WorkGroupID.x;
//% if rotary
  const uint angle_row = token.position + pass.slots[token.slot].angle_offset;
//% end

  uint column = 0;
//% if rotary
  bool turns = false;
//% end
//% for chain in chains
  if (head >= ${chain.name}_begin) {
    column = ${chain.name}_projected + (head - ${chain.name}_begin) * head_dim;
//% if rotary
    turns = ${chain.rotary};
//% end
  }
//% end
  load_head(pass_row * projected_stride + column);
//% for chain in chains
//% if chain.norm != none
  if (head >= ${chain.name}_begin && head < ${chain.name}_end) {
//% if chain.norm == layer_norm
    const float mean = head_mean();
//% else
    const float mean = 0.0;
//% end
//% if chain.per_head
    const uint own = (head - ${chain.name}_begin) * head_dim;  // where its weights begin
//% else
    const uint own = 0;
//% end
    const float scale = head_scale(mean, ${chain.eps});
    for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) {
//% if not chain.weighted
      const float gain = scale;
//% elif chain.offset
      const float gain = scale * (${chain.weight_offset} + ${chain.name}_norm_weight[own + d]);
//% else
      const float gain = scale * ${chain.name}_norm_weight[own + d];
//% end
//% if chain.biased
      head_values[d] = (head_values[d] - mean) * gain + ${chain.name}_norm_bias[own + d];
//% else
      head_values[d] = (head_values[d] - mean) * gain;
//% end
    }
    barrier();
  }
//% end
//% end

  for (uint pair = gl_LocalInvocationIndex; pair < (head_dim + 1) / 2; pair += workgroup_size) {
    vec2 pair_values = plain_pair(pair);
//% if rotary
    if (turns) pair_values = turned_pair(angle_row, pair);
//% end
//% for chain in chains
    if (head >= ${chain.name}_begin && head < ${chain.name}_end) {
//% if chain.name == queries
      const uint element = pass_row * queries_stride + queries_column + (head - queries_begin) * head_dim + 2 * pair;
      queries[element] = pair_values.x;
      if (2 * pair + 1 < head_dim) queries[element + 1] = pair_values.y;
//% elif chain.dtype == q8_0
      kept_values[2 * pair] = pair_values.x;
      kept_values[2 * pair + 1] = pair_values.y;
//% else
      const uint to = ${chain.name}_entry(token.slot, head - ${chain.name}_begin, token.position);
      if ((token.flags & token_writes) != 0) ${chain.name}[to + pair] = pack_${chain.dtype}_pair(pair_values);
//% end
    }
//% end
  }
//% if has_blocks

  // A block is made of all of its elements.
  barrier();
  if ((token.flags & token_writes) == 0) return;
//% for chain in chains
//% if chain.dtype == q8_0
  if (head >= ${chain.name}_begin && head < ${chain.name}_end) {
    const uint to = ${chain.name}_entry(token.slot, head - ${chain.name}_begin, token.position);
    for (uint word = gl_LocalInvocationIndex; word < q8_0_row_words; word += workgroup_size) {
      ${chain.name}[to + word] = q8_0_word(word);
    }
  }
//% end
//% end
//% end
}
