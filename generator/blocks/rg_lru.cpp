#include "generator/blocks/rg_lru.hpp"

#include <fmt/format.h>

#include "generator/blocks/activation.hpp"
#include "generator/blocks/convolution.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/graph/recurrences.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<RgLruSection>>& fields() {
  using S = RgLruSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("num_heads", at(&S::num_heads), required(), "heads",
             "Heads of the inner width: those of input_gate and recurrence_gate are made of each head by itself"),
      row<S>("head_dim", at(&S::head_dim), required(), "elements", "Width of a head"),
      row<S>("conv_kernel", at(&S::conv_kernel), required(), "positions",
             "Positions that the convolution sees, the token's own among them"),
      row<S>("decay_scale", at(&S::decay_scale), literal("8.0"), "",
             "The logarithm of what a token leaves of an element is "
             "-decay_scale * sigmoid(recurrence_gate) * softplus(lambda)"),
      expression(row<S>("gate_activation", at(&S::gate_activation), literal("\"gelu_pytorch_tanh\""), "",
                        "Of the gate: a name, or an expression of x")),
      row<S>("bias", at(&S::bias), literal("true"), "",
             "Parts with a bias: true, false, or a list out of \"x\", \"gate\", \"conv\", \"input_gate\", "
             "\"recurrence_gate\", \"o\""),
  };
  return rows;
}

namespace {

const RgLruSection& own(const BlockContext& context) { return section_of<RgLruSection>(context.block); }

std::optional<Expression> gate_activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).gate_activation, "rg_lru.gate_activation", context.model, diagnostics);
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  const RgLruSection& unit = own(context);
  check_range(unit.num_heads, "rg_lru.num_heads", 1, max_recurrent_heads, diagnostics);
  check_range(unit.head_dim, "rg_lru.head_dim", 1, max_size, diagnostics);
  check_conv_kernel(unit.conv_kernel, "rg_lru.conv_kernel", diagnostics);
  check_factor(unit.decay_scale.value, unit.decay_scale.span, "rg_lru.decay_scale", "decay_scale", "8", diagnostics);
  gate_activation_of(context, diagnostics);
  check_bias_projections(unit.bias, "rg_lru", {"x", "gate", "conv", "input_gate", "recurrence_gate", "o"}, diagnostics);
}

void declare(const BlockContext& context, Declarations& declare) {
  const RgLruSection& unit = own(context);
  const std::int64_t heads = sane(unit.num_heads, max_recurrent_heads), width = sane(unit.head_dim);
  const Span& of_width = unit.head_dim.span;
  const AxisId head = declare.axis("unit_heads", heads, unit.num_heads.span);
  const AxisId element = declare.axis("unit", width, of_width), one = declare.axis("number", 1, of_width);
  const AxisId units = declare.axis("units", heads * width, of_width, {head, element});
  const AxisId hidden = declare.hidden();
  declare.projections("input", unit.bias, {{"x", units, hidden}, {"gate", units, hidden}});
  declare_convolutions({{"conv", units}}, unit.conv_kernel, unit.bias, declare);
  const auto of_head = [&](const std::string& word) {
    return Projection{.word = word, .rows = units, .columns = element, .heads = heads, .by_head = true, .turned = true};
  };
  declare.projections("convolved", unit.bias, {of_head("input_gate"), of_head("recurrence_gate")});
  declare.vector("lambda", units);
  declare.recurrent_state("states", head, element, one, of_width);
  declare.projections("gated", unit.bias, {{"o", hidden, units}});
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  static const Expression opened = known_expression("x * sigmoid(gate)", {"x", "gate"});
  static const Expression gated = known_expression("y * gate", {"y", "gate"});
  const RgLruSection& unit = own(context);
  Diagnostics none;
  const ValueId convolved = build_convolution("conv", build, build.projection("x", in, "x"), "convolved");
  const ValueId input_gate = build.projection_by_bank("input_gate", convolved, "input_gate");
  const ValueId recurrence_gate = build.projection_by_bank("recurrence_gate", convolved, "recurrence_gate");
  const ValueId values = build.map("", opened, {"x", "gate"}, {convolved, input_gate}, "values");

  const std::vector<std::string> names = {"x", "lambda"};
  const std::string log_decay = fmt::format("-{} * sigmoid(x) * softplus(lambda)", unit.decay_scale.value);
  const Recurrence how{.log_decay = known_expression(log_decay, {"x", "lambda"}), .names = names, .normalized = true};
  const RecurrenceOperands operands{.values = values, .decays = {recurrence_gate, build.vector("lambda")}};
  const ValueId read = build.recurrence("unit", how, "states", operands, "read");
  const ValueId gate = build.map("", gate_activation_of(context, none).value(), {"x"},
                                 {build.projection("gate", in, "gate")}, "gate_activated");
  return build.projection("o", build.map("", gated, {"y", "gate"}, {read, gate}, "gated"), "projected");
}

}  // namespace

BlockType rg_lru_block() {
  return {.name = "rg_lru",
          .meaning = "Griffin's recurrent block: a linear recurrence of each element, whose decay a gate says.",
          .parts = {"x", "gate", "conv", "input_gate", "recurrence_gate", "lambda", "o"},
          .make = make_section<RgLruSection>,
          .bind = bind_section<RgLruSection>,
          .check = check,
          .declare = declare,
          .build = build};
}

}  // namespace monomorph::generator
