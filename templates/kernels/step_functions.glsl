//! steps = { type = "list", fields = ["function", "parameters", "expression", "name", "arguments", "about"], is = "what is done with what the kernel computed, in order", sample = [
//!   { function = "map_0", parameters = "float gate, float up", expression = "gate * sigmoid(gate) * up", name = "step_0", arguments = "sum_0, operand_0", about = "activated" },
//!   { function = "map_1", parameters = "float residual, float x", expression = "residual + x", name = "step_1", arguments = "previous, step_0", about = "hidden_states" } ] }
//! result = { type = "text", sample = "step_1", is = "the last of them" }
//! operand0 = { type = "bool", sample = true, is = "they read a buffer beside the output" }
//! operand1 = { type = "bool", sample = false, is = "they read a second one" }
//! previous = { type = "bool", sample = true, is = "they read the output as it was" }
#include "numerics.glsl"
//% for step in steps
float ${step.function}(${step.parameters}) { return ${step.expression}; }  // ${step.about}
//% end

