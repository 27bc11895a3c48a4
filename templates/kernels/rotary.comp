//! head_dim = { type = "uint", sample = 24, is = "elements of a head" }
//! rotary_dim = { type = "uint", sample = 16, is = "elements of a head that turn" }
//! layout = { type = "choice", values = ["half", "interleaved"], sample = "half", is = "which of them turn together" }
//! angle_stride = { type = "uint", sample = 8, is = "cosines and sines of a row, with padding" }
//! inputs_stride = { type = "uint", sample = 240, is = "floats from one row of inputs to the next" }
//! inputs_column = { type = "uint", sample = 0, is = "of its first head" }
//! outputs_stride = { type = "uint", sample = 144, is = "floats from one row of outputs to the next" }
//! outputs_column = { type = "uint", sample = 0, is = "of its first head" }
//! buffer.angles = { view = "vec2", is = "angle rows x frequencies, (cosine, sine)" }
//! buffer.inputs = { view = "float", is = "rows x heads x head" }
//! buffer.outputs = { view = "float", is = "rows x heads x head" }
//% include "preamble.glsl"
//% include "stage.glsl"

// The dimensions that turn by the angle of frequency j.
//% if layout == half
uvec2 turned_dimensions(uint j) { return uvec2(j, j + rotary_dim / 2); }
//% else
uvec2 turned_dimensions(uint j) { return uvec2(2 * j, 2 * j + 1); }
//% end

// Rotary embedding of one head of one row (Su et al. 2021).
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const uint head = first_row + gl_WorkGroupID.x;
  const uint from = pass_row * inputs_stride + inputs_column + head * head_dim;
  const uint to = pass_row * outputs_stride + outputs_column + head * head_dim;
  const StepToken token = pass.tokens[pass_row];
  const uint angle_row = token.position + pass.slots[token.slot].angle_offset;
  for (uint j = gl_LocalInvocationIndex; j < rotary_dim / 2; j += workgroup_size) {
    const vec2 angle = angles[angle_row * angle_stride + j];
    const uvec2 d = turned_dimensions(j);
    const float a = inputs[from + d.x], b = inputs[from + d.y];
    outputs[to + d.x] = a * angle.x - b * angle.y;
    outputs[to + d.y] = b * angle.x + a * angle.y;
  }
  for (uint d = rotary_dim + gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) outputs[to + d] = inputs[from + d];
}
