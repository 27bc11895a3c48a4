//! head_dim = { type = "uint", sample = 25, is = "elements of a head" }
//! has_state = { type = "bool", sample = true, is = "a state is written" }
//! state_dtype = { type = "choice", values = ["f32", "f16", "bf16", "q8_0"], sample = "f16", is = "that it is kept as" }
//! state_stride = { type = "uint", sample = 16, is = "pairs of elements from one entry to the next, or words of blocks" }
//! inputs_stride = { type = "uint", sample = 240, is = "floats from one row of inputs to the next" }
//! inputs_column = { type = "uint", sample = 0, is = "of its first head" }
//! buffer.inputs = { view = "float", is = "rows x kv_heads x head" }
//! buffer.state = { views = { f32 = "uvec2", f16 = "uint", bf16 = "uint", q8_0 = "uint" }, by = "state_dtype", is = "slots x kv_heads x positions x head, in pairs or blocks" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "state_parts.glsl"

//% if state_dtype == q8_0
uint from;  // where the head begins in inputs
float kept_value(uint d) { return inputs[from + d]; }
#include "quantize_q8_0.glsl"
//% else
#include "cache_${state_dtype}.glsl"
//% end

// One head of one token becomes the entry of the token's position.
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const StepToken token = pass.tokens[pass_row];
  if ((token.flags & token_writes) == 0) return;
  const uint head = first_row + gl_WorkGroupID.x;
  const uint to = state_row(token.slot, head, token.position) * state_stride;
//% if state_dtype == q8_0
  from = pass_row * inputs_stride + inputs_column + head * head_dim;
  for (uint word = gl_LocalInvocationIndex; word < q8_0_row_words; word += workgroup_size) {
    state[to + word] = q8_0_word(word);
  }
//% else
  const uint from = pass_row * inputs_stride + inputs_column + head * head_dim;
  for (uint pair = gl_LocalInvocationIndex; pair < (head_dim + 1) / 2; pair += workgroup_size) {
    const uint d = 2 * pair;
    state[to + pair] = pack_${state_dtype}_pair(vec2(inputs[from + d], d + 1 < head_dim ? inputs[from + d + 1] : 0.0));
  }
//% end
}
