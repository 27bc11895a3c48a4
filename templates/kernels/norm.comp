//! norm = { sample = "layer_norm" }
//! buffer.operand0 = { view = "vec4", when = "operand0", is = "rows x columns, read by the epilogue" }
//! buffer.operand1 = { view = "vec4", when = "operand1", is = "rows x columns, read by the epilogue" }
//! buffer.outputs = { view = "vec4", is = "rows x columns" }
//% include "preamble.glsl"
//% include "stage.glsl"
//% include "norm_parts.glsl"
//% include "step_functions.glsl"
void finish(uint pass_row, uint quad, vec4 values) {
  const uint place = pass_row * column_quads + quad;
//% if steps
//% if operand0
  const vec4 operands_0 = operand0[place];
//% end
//% if operand1
  const vec4 operands_1 = operand1[place];
//% end
//% if previous
  const vec4 before = outputs[place];
//% end
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    const float sum_0 = values[i];
//% if operand0
    const float operand_0 = operands_0[i];
//% end
//% if operand1
    const float operand_1 = operands_1[i];
//% end
//% if previous
    const float previous = before[i];
//% end
//% for step in steps
    const float ${step.name} = ${step.function}(${step.arguments});
//% end
    values[i] = ${result};
  }
//% end
  outputs[place] = values;
}

#include "norm.glsl"
