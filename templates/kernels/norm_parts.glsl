//! columns = { type = "uint", sample = 67, is = "elements of a row" }
//! column_quads = { type = "uint", sample = 17, is = "vec4s of a row, the last one padded" }
//! norm = { type = "choice", values = ["none", "rms_norm", "layer_norm"], sample = "layer_norm", is = "the norm of the input" }
//! eps = { type = "float", sample = 1e-5, is = "added to the mean square", when = "norm != none" }
//! norm_bias = { type = "bool", sample = true, is = "the norm has a bias", when = "norm != none" }
// A row's values; what lies past its last column is not to be read.
vec4 raw_quad(uint token, uint quad) {
  const vec4 x = inputs[token * column_quads + quad];
  return mix(vec4(0.0), x, lessThan(quad * 4 + uvec4(0, 1, 2, 3), uvec4(columns)));
}

//% if norm != none
#include "workgroup.glsl"
vec4 norm_weight_quad(uint quad) { return norm_weight[quad]; }
//% if norm_bias
vec4 norm_bias_quad(uint quad) { return norm_bias[quad]; }
//% elif norm == layer_norm
vec4 norm_bias_quad(uint quad) { return vec4(0.0); }
//% end
#include "normalize_${norm}.glsl"
//% end

