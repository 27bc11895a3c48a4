//! columns = { type = "uint", sample = 50, is = "elements of a row" }
//! head_dim = { type = "uint", sample = 25, is = "elements of a head of the state" }
//! has_taps = { type = "bool", sample = true, is = "without, an element is what the position before has" }
//! tap_count = { type = "uint", sample = 4, is = "positions that an element is made of, its own the last", when = "has_taps" }
//! has_bias = { type = "bool", sample = true, is = "a bias is added" }
//! has_state = { type = "bool", sample = true, is = "a state is read" }
//! state_dtype = { type = "choice", values = ["f32"], sample = "f32", is = "that it is kept as" }
//! state_stride = { type = "uint", sample = 28, is = "floats from one entry to the next" }
//! buffer.state = { views = { f32 = "float" }, by = "state_dtype", is = "slots x heads x positions x head" }
//! buffer.taps = { view = "float", when = "has_taps", is = "columns x tap_count" }
//! buffer.bias = { view = "float", when = "has_bias", is = "columns" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "state_parts.glsl"
//% include "epilogue.glsl"

// A causal convolution of each element alone, whose state has the pass's own tokens already.
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const StepToken token = pass.tokens[pass_row];
  for (uint column = gl_LocalInvocationIndex; column < columns; column += workgroup_size) {
    const uint head = column / head_dim, element = column % head_dim;
//% if not has_taps
    const float sum = token.position == 0 ? 0.0 : state[state_row(token.slot, head, token.position - 1) * state_stride + element];
//% elif has_bias
    float sum = bias[column];
//% else
    float sum = 0.0;
//% end
//% if has_taps
    // What is before the sequence is 0.
    for (uint back = min(tap_count - 1, token.position) + 1; back-- > 0;) {
      const uint entry = state_row(token.slot, head, token.position - back);
      sum += state[entry * state_stride + element] * taps[column * tap_count + tap_count - 1 - back];
    }
//% end
    write_output(pass_row, column, sum);
  }
}
