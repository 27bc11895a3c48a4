//! head_dim = { type = "uint", sample = 24, is = "elements of a head" }
//! norm = { type = "choice", values = ["rms_norm", "layer_norm"], sample = "layer_norm", is = "which norm it is" }
//! eps = { type = "float", sample = 1e-6, is = "added to the mean square" }
//! norm_bias = { type = "bool", sample = true, is = "the norm has a bias" }
//! norm_per_head = { type = "bool", sample = true, is = "each head has weights of its own" }
//! norm_weighted = { type = "bool", sample = true, is = "the norm has weights" }
//! norm_offset = { type = "bool", sample = true, is = "something is added to the weights" }
//! weight_offset = { type = "float", sample = 1.0, is = "added to the norm's weights", when = "norm_offset" }
//! inputs_stride = { type = "uint", sample = 240, is = "floats from one row of inputs to the next" }
//! inputs_column = { type = "uint", sample = 0, is = "of its first head" }
//! outputs_stride = { type = "uint", sample = 144, is = "floats from one row of outputs to the next" }
//! outputs_column = { type = "uint", sample = 0, is = "of its first head" }
//! buffer.norm_weight = { view = "float", when = "norm_weighted", is = "head, or heads x head" }
//! buffer.norm_bias_vector = { view = "float", when = "norm_bias", is = "head, or heads x head" }
//! buffer.inputs = { view = "float", is = "rows x heads x head" }
//! buffer.outputs = { view = "float", is = "rows x heads x head" }
//% include "preamble.glsl"
//% include "stage.glsl"
#include "workgroup.glsl"

uint from;  // where the head begins
float head_element(uint d) { return inputs[from + d]; }
#include "head_norm.glsl"

//% if not norm_weighted
float gain(uint d) { return 1.0; }
//% elif norm_offset
float gain(uint d) { return weight_offset + norm_weight[d]; }
//% else
float gain(uint d) { return norm_weight[d]; }
//% end

//% if norm_bias
float shift(uint d) { return norm_bias_vector[d]; }
//% else
float shift(uint d) { return 0.0; }
//% end

// The norm of one head of one row.
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const uint head = first_row + gl_WorkGroupID.x;
  from = pass_row * inputs_stride + inputs_column + head * head_dim;
  const uint to = pass_row * outputs_stride + outputs_column + head * head_dim;
//% if norm == layer_norm
  const float mean = head_mean();
//% else
  const float mean = 0.0;
//% end
//% if norm_per_head
  const uint own = head * head_dim;  // where the head's weights begin
//% else
  const uint own = 0;
//% end
  const float scale = head_scale(mean, eps);
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) {
    outputs[to + d] = (head_element(d) - mean) * scale * gain(own + d) + shift(own + d);
  }
}
