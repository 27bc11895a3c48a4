//! columns = { type = "uint", sample = 67, is = "elements of a row" }
//! outputs_stride = { type = "uint", sample = 68, is = "floats from one row of outputs to the next" }
//! outputs_column = { type = "uint", sample = 0, is = "of the first result" }
//! operands = { type = "list", fields = ["name", "buffer", "stride", "column", "element"], is = "what is read, element by element", sample = [
//!   { name = "operand_0", buffer = "operand0", stride = 68, column = 0, element = "c / 4" } ] }
//! buffer.operand0 = { view = "float", when = "operand0", is = "rows x columns" }
//! buffer.operand1 = { view = "float", when = "operand1", is = "rows x columns" }
//! buffer.operand2 = { view = "float", when = "operand2", is = "rows x columns" }
//! buffer.operand3 = { view = "float", when = "operand3", is = "rows x columns" }
//! buffer.operand4 = { view = "float", when = "operand4", is = "rows x columns" }
//! buffer.operand5 = { view = "float", when = "operand5", is = "rows x columns" }
//! buffer.outputs = { view = "float", is = "rows x columns" }
//! steps = { sample = [ { function = "map_0", parameters = "float a, float b", expression = "a + b", name = "step_0", arguments = "previous, operand_0", about = "sum" } ] }
//! result = { sample = "step_0" }
//! operand2 = { type = "bool", sample = false, is = "a third buffer is read" }
//! operand3 = { type = "bool", sample = false, is = "a fourth one" }
//! operand4 = { type = "bool", sample = false, is = "a fifth one" }
//! operand5 = { type = "bool", sample = false, is = "a sixth one" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "step_functions.glsl"

void main() {
  const uint pass_row = gl_WorkGroupID.y;
  if (pass.live == 0 || pass_row >= rows_in_use()) return;
  for (uint c = gl_LocalInvocationIndex; c < columns; c += workgroup_size) {
    const uint place = pass_row * outputs_stride + outputs_column + c;
//% for operand in operands
    const float ${operand.name} = ${operand.buffer}[pass_row * ${operand.stride} + ${operand.column} + ${operand.element}];
//% end
//% if previous
    const float previous = outputs[place];
//% end
//% for step in steps
    const float ${step.name} = ${step.function}(${step.arguments});
//% end
    outputs[place] = ${result};
  }
}
