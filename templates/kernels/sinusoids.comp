//! columns = { type = "uint", sample = 16, is = "elements of a row" }
//! layout = { type = "choice", values = ["half", "interleaved"], sample = "half", is = "where the cosine of a sine's angle stands" }
//! angle_stride = { type = "uint", sample = 8, is = "cosines and sines of a row, with padding" }
//! outputs_stride = { type = "uint", sample = 16, is = "floats from one row of outputs to the next" }
//! outputs_column = { type = "uint", sample = 0, is = "of its first element" }
//! buffer.angles = { view = "vec2", is = "angle rows x frequencies, (cosine, sine)" }
//! buffer.outputs = { view = "float", is = "rows x columns" }
//% include "preamble.glsl"
//% include "stage.glsl"

// The columns of the sine and the cosine of angle j.
//% if layout == half
uvec2 columns_of(uint j) { return uvec2(j, j + columns / 2); }
//% else
uvec2 columns_of(uint j) { return uvec2(2 * j, 2 * j + 1); }
//% end

// The sines and cosines of one row's position (Vaswani et al. 2017).
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const uint to = pass_row * outputs_stride + outputs_column;
  const StepToken token = pass.tokens[pass_row];
  const uint angle_row = token.position + pass.slots[token.slot].angle_offset;
  for (uint j = gl_LocalInvocationIndex; j < columns / 2; j += workgroup_size) {
    const vec2 angle = angles[angle_row * angle_stride + j];
    const uvec2 at = columns_of(j);
    outputs[to + at.x] = angle.y;
    outputs[to + at.y] = angle.x;
  }
}
