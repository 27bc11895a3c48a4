//! columns = { type = "uint", sample = 67, is = "elements of a row" }
//! table_words = { type = "uint", sample = 36, is = "32-bit words from one row of the table to the next" }
//! dtype = { type = "choice", values = ["f32", "f16", "bf16"], sample = "f16", is = "of the table" }
//! index = { type = "choice", values = ["token_ids", "positions", "head_rows"], sample = "token_ids", is = "which row of the table a row takes" }
//! buffer.table = { view = "uint", is = "rows x columns" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "epilogue.glsl"
#include "element_${dtype}.glsl"

//% if index == token_ids
uint index_of(uint pass_row) { return pass.tokens[pass_row].id; }
//% elif index == positions
uint index_of(uint pass_row) { return pass.tokens[pass_row].position; }
//% else
uint index_of(uint pass_row) { return pass.rows[pass_row].row; }
//% end

// The table may lie in several slices; each dispatch gathers the rows that it was given.
void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const uint index = index_of(pass_row);
  if (index < first_row || index - first_row >= row_count) return;
  for (uint c = gl_LocalInvocationIndex; c < columns; c += workgroup_size) {
    write_output(pass_row, c, element_${dtype}(table[(index - first_row) * table_words + word_${dtype}(c)], c));
  }
}
