//! outputs_stride = { type = "uint", sample = 68, is = "floats from one row of outputs to the next" }
//! outputs_column = { type = "uint", sample = 0, is = "of the first result" }
//! sum_count = { type = "uint", sample = 1, is = "values that the kernel computed itself" }
//! operands = { type = "list", fields = ["name", "buffer", "stride", "column", "spread", "run"], is = "what is read beside the output, element by element", sample = [
//!   { name = "operand_0", buffer = "operand0", stride = 68, column = 0, spread = true, run = 4 } ] }
//! operand2 = { type = "bool", sample = false, is = "they read a third one" }
//! operand3 = { type = "bool", sample = false, is = "they read a fourth one" }
//! operand4 = { type = "bool", sample = false, is = "they read a fifth one" }
//! operand5 = { type = "bool", sample = false, is = "they read a sixth one" }
//! buffer.operand0 = { view = "float", when = "operand0", is = "rows x columns, read by the epilogue" }
//! buffer.operand1 = { view = "float", when = "operand1", is = "rows x columns, read by the epilogue" }
//! buffer.operand2 = { view = "float", when = "operand2", is = "rows x columns, read by the epilogue" }
//! buffer.operand3 = { view = "float", when = "operand3", is = "rows x columns, read by the epilogue" }
//! buffer.operand4 = { view = "float", when = "operand4", is = "rows x columns, read by the epilogue" }
//! buffer.operand5 = { view = "float", when = "operand5", is = "rows x columns, read by the epilogue" }
//! buffer.outputs = { view = "float", is = "rows x columns" }
//% include "step_functions.glsl"
/// Writes one element of a row.
//% if sum_count == 2
void write_output(uint pass_row, uint column, float sum_0, float sum_1) {
//% elif sum_count == 1
void write_output(uint pass_row, uint column, float sum_0) {
//% else
void write_output(uint pass_row, uint column) {
//% end
  const uint place = pass_row * outputs_stride + outputs_column + column;
//% for operand in operands
//% if operand.spread
  const float ${operand.name} = ${operand.buffer}[pass_row * ${operand.stride} + ${operand.column} + column / ${operand.run}];
//% else
  const float ${operand.name} = ${operand.buffer}[pass_row * ${operand.stride} + ${operand.column} + column];
//% end
//% end
//% if previous
  const float previous = outputs[place];
//% end
//% for step in steps
  const float ${step.name} = ${step.function}(${step.arguments});
//% end
  outputs[place] = ${result};
}

