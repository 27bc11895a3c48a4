//! columns = { type = "uint", sample = 67, is = "elements of a row" }
//! column_quads = { type = "uint", sample = 17, is = "vec4s of a row, the last one padded" }
//! picked_rows = { type = "bool", sample = true, is = "the row is one whose logits are wanted" }
//! banked = { type = "bool", sample = false, is = "rows have entries: banks of the weights that are multiplied with them" }
//! segments = { type = "bool", sample = false, is = "each entry has columns of its own in the row" }
//! whole_quads = { type = "bool", sample = false, is = "entries begin and end with a vec4", when = "segments" }
//! entry_quads_stride = { type = "uint", sample = 136, is = "floats from one row of inputs to the next", when = "segments and whole_quads" }
//! entry_quads_column = { type = "uint", sample = 0, is = "of the first entry", when = "segments and whole_quads" }
//! entry_inputs_stride = { type = "uint", sample = 136, is = "floats from one row of inputs to the next", when = "segments and not whole_quads" }
//! entry_inputs_column = { type = "uint", sample = 0, is = "of the first entry", when = "segments and not whole_quads" }
//! in_place = { type = "bool", sample = false, is = "the rows of outputs are the input" }
//! norm = { type = "choice", values = ["none", "rms_norm", "layer_norm", "scale_norm"], sample = "layer_norm", is = "the norm of the input" }
//! eps = { type = "float", sample = 1e-5, is = "added to the mean square", when = "norm != none" }
//! norm_bias = { type = "bool", sample = true, is = "the norm has a bias", when = "norm != none" }
//! norm_weighted = { type = "bool", sample = true, is = "the norm has weights", when = "norm != none" }
//! norm_offset = { type = "bool", sample = true, is = "something is added to the weights", when = "norm != none" }
//! weight_offset = { type = "float", sample = 1.0, is = "added to the norm's weights", when = "norm != none and norm_offset" }
//! buffer.norm_weight = { view = "vec4", when = "norm_weighted", is = "columns" }
//! buffer.norm_bias_vector = { view = "vec4", when = "norm_bias", is = "columns" }
//! buffer.inputs = { view = "vec4", when = "not in_place and not segments", is = "rows x columns" }
//! buffer.entry_quads = { view = "vec4", when = "segments and whole_quads", is = "rows x entries x columns" }
//! buffer.entry_inputs = { view = "float", when = "segments and not whole_quads", is = "rows x entries x columns" }
//% if picked_rows
uint input_row(uint pass_row) { return pass.rows[pass_row].row; }
//% elif segments
uint input_row(uint entry) { return entry; }
//% elif banked
uint input_row(uint entry) { return entry / choices; }
//% else
uint input_row(uint pass_row) { return pass_row; }
//% end

// A row's values; what lies past its last column is not to be read.
//% if segments and whole_quads
vec4 raw_quad(uint entry, uint quad) {
  const uint first = entry / choices * entry_quads_stride + entry_quads_column + entry % choices * columns;
  return entry_quads[first / 4 + quad];
}
//% elif segments
vec4 raw_quad(uint entry, uint quad) {
  const uint first = entry / choices * entry_inputs_stride + entry_inputs_column + entry % choices * columns;
  vec4 x = vec4(0.0);
  for (uint i = 0; i < min(4, columns - 4 * quad); ++i) x[i] = entry_inputs[first + 4 * quad + i];
  return x;
}
//% else
vec4 raw_quad(uint row, uint quad) {
//% if in_place
  const vec4 x = outputs[row * column_quads + quad];
//% else
  const vec4 x = inputs[row * column_quads + quad];
//% end
  return columns % 4 == 0 ? x : mix(vec4(0.0), x, lessThan(quad * 4 + uvec4(0, 1, 2, 3), uvec4(columns)));
}
//% end

//% if norm != none
#include "workgroup.glsl"
//% if not norm_weighted
vec4 norm_weight_quad(uint quad) { return vec4(1.0); }
//% elif norm == scale_norm
//% if norm_offset
vec4 norm_weight_quad(uint quad) { return vec4(weight_offset + norm_weight[0].x); }
//% else
vec4 norm_weight_quad(uint quad) { return vec4(norm_weight[0].x); }
//% end
//% elif norm_offset
vec4 norm_weight_quad(uint quad) { return weight_offset + norm_weight[quad]; }
//% else
vec4 norm_weight_quad(uint quad) { return norm_weight[quad]; }
//% end
//% if norm_bias
vec4 norm_bias_quad(uint quad) { return norm_bias_vector[quad]; }
//% elif norm == layer_norm
vec4 norm_bias_quad(uint quad) { return vec4(0.0); }
//% end
#include "normalize_${norm}.glsl"
//% end

