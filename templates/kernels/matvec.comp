//% include "preamble.glsl"
//% include "stage.glsl"
//% include "norm_parts.glsl"
//% include "linear_parts.glsl"
//% if norm != none
void prepare_input(uint pass_row) { prepare_normalize(input_row(pass_row)); }
vec4 input_quad(uint pass_row, uint quad) {
  return quad < column_quads ? normalize_quad(input_row(pass_row), quad) : vec4(0.0);
}
//% else
void prepare_input(uint pass_row) {}
vec4 input_quad(uint pass_row, uint quad) {
  return quad < column_quads ? raw_quad(input_row(pass_row), quad) : vec4(0.0);
}
//% end

//% if banked
bool begin_entry(uint entry) { return entry < rows_in_use() * choices && take_bank(bank_of(entry)); }
//% else
bool begin_entry(uint entry) { return entry < rows_in_use(); }
//% end

#include "matvec.glsl"
