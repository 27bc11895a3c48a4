#include "generator/blocks/channel_mix.hpp"

#include "generator/blocks/activation.hpp"
#include "generator/blocks/token_shift.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<ChannelMixSection>>& fields() {
  using S = ChannelMixSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("intermediate_size", at(&S::intermediate_size), required(), "elements", "Elements that up gives"),
      expression(row<S>("activation", at(&S::activation), literal("\"relu2\""), "",
                        "Of what up gives: a name, or an expression of x")),
      expression(row<S>("gate_activation", at(&S::gate_activation), literal("\"sigmoid\""), "",
                        "Of the gate, which the paper calls receptance: a name, or an expression of x")),
      row<S>("gate", at(&S::gate), literal("\"element\""), "",
             "Whether what down gives is multiplied by a gate, a number for each element", {"none", "element"}),
      row<S>("token_shift", at(&S::token_shift), literal("\"token\""), "",
             "What the numbers mix_up and mix_gate are shares of: the token itself, or the one before",
             {"token", "before"}),
      row<S>("bias", at(&S::bias), literal("false"), "",
             "Parts with a bias: true, false, or a list out of \"up\", \"gate\", \"down\""),
  };
  return rows;
}

namespace {

const ChannelMixSection& own(const BlockContext& context) { return section_of<ChannelMixSection>(context.block); }

bool is_gated(const ChannelMixSection& mix) { return mix.gate.value != "none"; }

/// What is mixed with what the token before had.
std::vector<std::string> shifted(const ChannelMixSection& mix) {
  return is_gated(mix) ? std::vector<std::string>{"up", "gate"} : std::vector<std::string>{"up"};
}

TokenShift shift_of(const ChannelMixSection& mix) { return {.weighs_before = mix.token_shift.value == "before"}; }

std::optional<Expression> activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).activation, "channel_mix.activation", context.model, diagnostics);
}
std::optional<Expression> gate_activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).gate_activation, "channel_mix.gate_activation", context.model,
                                  diagnostics);
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  const ChannelMixSection& mix = own(context);
  check_range(mix.intermediate_size, "channel_mix.intermediate_size", 1, max_size, diagnostics);
  activation_of(context, diagnostics);
  gate_activation_of(context, diagnostics);
  std::vector<std::string> biased = shifted(mix);
  biased.emplace_back("down");
  check_bias_projections(mix.bias, "channel_mix", biased, diagnostics);
}

void declare(const BlockContext& context, Declarations& declare) {
  const ChannelMixSection& mix = own(context);
  const AxisId intermediate = declare.axis("intermediate", sane(mix.intermediate_size), mix.intermediate_size.span);
  const AxisId hidden = declare.hidden();
  declare_token_shift(shifted(mix), context.model.hidden_size, shift_of(mix), declare);
  declare.projections("mixed_up", mix.bias, {{"up", intermediate, hidden}});
  if (is_gated(mix)) declare.projections("mixed_gate", mix.bias, {{"gate", hidden, hidden}});
  declare.projections("activated", mix.bias, {{"down", hidden, intermediate}});
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  static const Expression gated = known_expression("x * gate", {"x", "gate"});
  Diagnostics none;
  const ChannelMixSection& mix = own(context);
  const std::vector<ValueId> mixed = build_token_shift(shifted(mix), shift_of(mix), build, in);
  const ValueId activated =
      build.map("", activation_of(context, none).value(), {"x"}, {build.projection("up", mixed[0], "up")}, "activated");
  if (!is_gated(mix)) return build.projection("down", activated, "projected");
  const ValueId gate = build.map("", gate_activation_of(context, none).value(), {"x"},
                                 {build.projection("gate", mixed[1], "gate")}, "gate_activated");
  return build.map("", gated, {"x", "gate"}, {build.projection("down", activated, "projected"), gate}, "gated");
}

}  // namespace

BlockType channel_mix_block() {
  return {.name = "channel_mix",
          .meaning = "RWKV's channel mixing: an MLP that sees the token before too, and a gate of what it gives.",
          .parts = {"mix_up", "mix_gate", "up", "gate", "down"},
          .make = make_section<ChannelMixSection>,
          .bind = bind_section<ChannelMixSection>,
          .check = check,
          .declare = declare,
          .build = build};
}

}  // namespace monomorph::generator
