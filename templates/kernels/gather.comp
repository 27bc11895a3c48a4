//! columns = { type = "uint", sample = 67, is = "elements of a row" }
//! matrices = { type = "uint", sample = 1, is = "tables" }
//! dtype = { sample = "f16" }
//! offset = { type = "uint", sample = 0, is = "rows of the table before that of index 0" }
//! index = { type = "choice", values = ["token_ids", "positions", "token_types", "head_rows"], sample = "token_ids", is = "which row of the table a row takes" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "epilogue.glsl"

uint stored_row(uint row) { return row; }
//% include "weight_parts.glsl"

//% if index == token_ids
uint index_of(uint pass_row) { return pass.tokens[pass_row].id; }
//% elif index == positions
uint index_of(uint pass_row) { return pass.tokens[pass_row].position; }
//% elif index == token_types
uint index_of(uint pass_row) { return pass.tokens[pass_row].flags >> token_type_shift; }
//% else
uint index_of(uint pass_row) { return pass.rows[pass_row].row; }
//% end

// The table may lie in several slices; each dispatch gathers the rows that it was given.
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const uint index = index_of(pass_row) + offset;
  if (index < first_row || index - first_row >= row_count) return;
  for (uint unit = gl_LocalInvocationIndex; unit < row_units; unit += workgroup_size) {
    const Unit decoded = read_unit(0, index - first_row, unit);
    [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) {
      const vec4 elements = unit_quad(decoded, quad);
      [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uint column = (unit * unit_quads + quad) * 4 + i;
        if (column < columns) write_output(pass_row, column, elements[i]);
      }
    }
  }
}
