//! outputs_stride = { type = "uint", sample = 68, is = "floats from one row of outputs to the next" }
//! outputs_column = { type = "uint", sample = 0, is = "of the first result" }
//! operand0_stride = { type = "uint", sample = 68, is = "floats from one row of operand0 to the next", when = "operand0" }
//! operand0_column = { type = "uint", sample = 0, is = "of its first element", when = "operand0" }
//! operand1_stride = { type = "uint", sample = 68, is = "floats from one row of operand1 to the next", when = "operand1" }
//! operand1_column = { type = "uint", sample = 0, is = "of its first element", when = "operand1" }
//! operand0_element = { type = "text", sample = "column / 4", is = "of a row of operand0", when = "operand0" }
//! operand1_element = { type = "text", sample = "column", is = "of a row of operand1", when = "operand1" }
//! sum_count = { type = "uint", sample = 1, is = "values that the kernel computed itself" }
//! buffer.operand0 = { view = "float", when = "operand0", is = "rows x columns, read by the epilogue" }
//! buffer.operand1 = { view = "float", when = "operand1", is = "rows x columns, read by the epilogue" }
//! buffer.outputs = { view = "float", is = "rows x columns" }
//% include "step_functions.glsl"
/// Writes one element of a row.
//% if sum_count == 2
void write_output(uint pass_row, uint column, float sum_0, float sum_1) {
//% else
void write_output(uint pass_row, uint column, float sum_0) {
//% end
  const uint place = pass_row * outputs_stride + outputs_column + column;
//% if operand0
  const float operand_0 = operand0[pass_row * operand0_stride + operand0_column + ${operand0_element}];
//% end
//% if operand1
  const float operand_1 = operand1[pass_row * operand1_stride + operand1_column + ${operand1_element}];
//% end
//% if previous
  const float previous = outputs[place];
//% end
//% for step in steps
  const float ${step.name} = ${step.function}(${step.arguments});
//% end
  outputs[place] = ${result};
}

