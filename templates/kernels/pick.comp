//! columns = { type = "uint", sample = 12, is = "elements of a row" }
//! choices = { type = "uint", sample = 3, is = "how many of them are chosen" }
//! mixed = { type = "bool", sample = true, is = "each choice becomes its softmax among those near it, as SparseMixer has it" }
//! tolerance = { type = "float", sample = 0.02, is = "how near they are: times their magnitude", when = "mixed" }
//! inputs_stride = { type = "uint", sample = 12, is = "floats from one row of inputs to the next" }
//! inputs_column = { type = "uint", sample = 0, is = "of the first element" }
//! choice_stride = { type = "uint", sample = 4, is = "floats from one row of choices to the next" }
//! choice_column = { type = "uint", sample = 0, is = "of the first choice" }
//! buffer.inputs = { view = "float", is = "rows x columns" }
//! buffer.choice = { view = "float", is = "rows x choices, whole numbers" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "epilogue.glsl"

uint chosen(uint pass_row, uint c) {
  return min(uint(choice[pass_row * choice_stride + choice_column + c]), columns - 1);
}

void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  const uint row = pass_row * inputs_stride + inputs_column;
  for (uint c = gl_LocalInvocationIndex; c < choices; c += workgroup_size) {
    const float picked = inputs[row + chosen(pass_row, c)];
//% if mixed
    float sum = 0.0;
    for (uint column = 0; column < columns; ++column) {
      const float score = inputs[row + column];
      bool competes = picked - score <= tolerance * max(abs(score), picked);
      for (uint before = 0; before < c; ++before) competes = competes && chosen(pass_row, before) != column;
      if (competes) sum += exp(score - picked);
    }
    write_output(pass_row, c, 1.0 / sum);
//% else
    write_output(pass_row, c, picked);
//% end
  }
}
