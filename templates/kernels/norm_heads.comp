//! head_dim = { type = "uint", sample = 24, is = "elements of a head" }
//! eps = { type = "float", sample = 1e-6, is = "added to the mean square" }
//! norm_weighted = { type = "bool", sample = true, is = "the norm has weights" }
//! norm_offset = { type = "bool", sample = true, is = "something is added to the weights" }
//! weight_offset = { type = "float", sample = 1.0, is = "added to the norm's weights", when = "norm_offset" }
//! inputs_stride = { type = "uint", sample = 240, is = "floats from one row of inputs to the next" }
//! inputs_column = { type = "uint", sample = 0, is = "of its first head" }
//! outputs_stride = { type = "uint", sample = 144, is = "floats from one row of outputs to the next" }
//! outputs_column = { type = "uint", sample = 0, is = "of its first head" }
//! buffer.norm_weight = { view = "float", when = "norm_weighted", is = "head" }
//! buffer.inputs = { view = "float", is = "rows x heads x head" }
//! buffer.outputs = { view = "float", is = "rows x heads x head" }
//% include "preamble.glsl"
//% include "stage.glsl"
#include "workgroup.glsl"

//% if not norm_weighted
float gain(uint d) { return 1.0; }
//% elif norm_offset
float gain(uint d) { return weight_offset + norm_weight[d]; }
//% else
float gain(uint d) { return norm_weight[d]; }
//% end

// RMSNorm of one head of one row.
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const uint head = first_row + gl_WorkGroupID.x;
  const uint from = pass_row * inputs_stride + inputs_column + head * head_dim;
  const uint to = pass_row * outputs_stride + outputs_column + head * head_dim;
  float squares = 0.0;
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) squares += inputs[from + d] * inputs[from + d];
  const float scale = inversesqrt(workgroup_sum(squares) / float(head_dim) + eps);
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) {
    outputs[to + d] = inputs[from + d] * scale * gain(d);
  }
}
