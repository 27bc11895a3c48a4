#include "generator/blocks/mamba.hpp"

#include <fmt/format.h>

#include "generator/blocks/activation.hpp"
#include "generator/blocks/convolution.hpp"
#include "generator/blocks/decay_rates.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/graph/recurrences.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<MambaSection>>& fields() {
  using S = MambaSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("intermediate_size", at(&S::intermediate_size), required(), "elements", "Inner width"),
      row<S>("state_size", at(&S::state_size), required(), "elements", "Numbers that each inner element remembers"),
      row<S>("conv_kernel", at(&S::conv_kernel), required(), "positions",
             "Positions that the convolution sees, the token's own among them"),
      row<S>("time_step_rank", at(&S::time_step_rank), required(), "elements",
             "Width of the vector that dt_down gives and time steps are made of"),
      expression(row<S>("activation", at(&S::activation), literal("\"silu\""), "",
                        "Of what is convolved: a name, or an expression of x")),
      expression(row<S>("gate_activation", at(&S::gate_activation), literal("\"silu\""), "", "Of the gate, likewise")),
      decay_rates_row(&S::decay_rates),
      row<S>("parameter_norm", at(&S::parameter_norm), literal("false"), "",
             "Normalise what dt_down, b and c give: true, false, or keys laid over those of [norm]"),
      row<S>("bias", at(&S::bias), literal("[\"conv\", \"dt_up\"]"), "",
             "Parts with a bias: true, false, or a list out of \"x\", \"gate\", \"conv\", \"dt_down\", \"b\", \"c\", "
             "\"dt_up\", \"o\""),
  };
  return rows;
}

namespace {

const MambaSection& own(const BlockContext& context) { return section_of<MambaSection>(context.block); }

/// What becomes of what is convolved, and of the gate.
std::optional<Expression> activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).activation, "mamba.activation", context.model, diagnostics);
}
std::optional<Expression> gate_activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).gate_activation, "mamba.gate_activation", context.model, diagnostics);
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  const MambaSection& mamba = own(context);
  check_range(mamba.intermediate_size, "mamba.intermediate_size", 1, max_size, diagnostics);
  check_range(mamba.state_size, "mamba.state_size", 1, max_recurrent_keys, diagnostics);
  check_conv_kernel(mamba.conv_kernel, "mamba.conv_kernel", diagnostics);
  check_range(mamba.time_step_rank, "mamba.time_step_rank", 1, max_size, diagnostics);
  activation_of(context, diagnostics);
  gate_activation_of(context, diagnostics);
  check_bias_projections(mamba.bias, "mamba", {"x", "gate", "conv", "dt_down", "b", "c", "dt_up", "o"}, diagnostics);
}

void declare(const BlockContext& context, Declarations& declare) {
  const MambaSection& mamba = own(context);
  const std::int64_t width = sane(mamba.intermediate_size), state = sane(mamba.state_size, max_recurrent_keys);
  const Span &of_width = mamba.intermediate_size.span, &of_state = mamba.state_size.span;
  // To the recurrence there is one head, whose keys are the numbers of a state and whose values are the elements.
  const AxisId heads = declare.axis("scan_heads", 1, of_width);
  const AxisId element = declare.axis("channel", width, of_width);
  const AxisId channels = declare.axis("channels", width, of_width, {heads, element});
  const AxisId key = declare.axis("state", state, of_state);
  const AxisId keys = declare.axis("state_keys", state, of_state, {heads, key});
  const AxisId rank = declare.axis("dt_rank", sane(mamba.time_step_rank), mamba.time_step_rank.span);
  const AxisId hidden = declare.hidden();
  declare.projections("input", mamba.bias, {{"x", channels, hidden}, {"gate", channels, hidden}});
  declare_convolutions({{"conv", channels}}, mamba.conv_kernel, mamba.bias, declare);
  declare.projections("convolved", mamba.bias,
                      {{"dt_down", rank, channels}, {"b", keys, channels}, {"c", keys, channels}});
  if (const NormChoice& norm = mamba.parameter_norm.value; norm.present) {
    declare_norm("dt_norm", norm.norm, rank, declare);
    declare_norm("b_norm", norm.norm, keys, declare);
    declare_norm("c_norm", norm.norm, keys, declare);
  }
  declare.projections("time_step", mamba.bias, {{"dt_up", channels, rank}});
  declare.vector(part_of_rates(mamba.decay_rates), declare.axis("rates", width * state, of_state, {channels, key}));
  declare.vector("d", channels);
  declare.recurrent_state("states", heads, element, key, of_state);
  declare.projections("scanned", mamba.bias, {{"o", hidden, channels}});
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  static const Expression softplus = known_expression(named_activations().at("softplus"), {"x"});
  static const Expression product = known_expression("dt * x", {"dt", "x"});
  static const Expression with_skip = known_expression("y + d * x", {"y", "d", "x"});
  static const Expression gated = known_expression("y * gate", {"y", "gate"});
  const MambaSection& mamba = own(context);
  Diagnostics none;
  const Expression activation = activation_of(context, none).value();
  const Expression of_gate = gate_activation_of(context, none).value();
  const auto normed = [&](const std::string& word, ValueId value, const std::string& role) {
    const Field<NormChoice>& norm = mamba.parameter_norm;
    return norm.value.present ? build_norm(word, norm, context.block, build, value, role) : value;
  };
  const ValueId x = build.projection("x", in, "x"), gate = build.projection("gate", in, "gate");
  const ValueId convolved =
      build.map("", activation, {"x"}, {build_convolution("conv", build, x, "convolved")}, "activated");
  const ValueId low = normed("dt_norm", build.projection("dt_down", convolved, "dt_low"), "dt_low_normed");
  const ValueId b = normed("b_norm", build.projection("b", convolved, "b"), "b_normed");
  const ValueId c = normed("c_norm", build.projection("c", convolved, "c"), "c_normed");
  const ValueId dt = build.map("", softplus, {"x"}, {build.projection("dt_up", low, "dt_raw")}, "dt");
  const ValueId values = build.map("", product, {"dt", "x"}, {dt, convolved}, "values");
  const std::string rates = part_of_rates(mamba.decay_rates);
  const Expression log_decay = log_of_decay(mamba.decay_rates, "dt", {"dt"});
  const RecurrenceOperands operands{.queries = c, .keys = b, .values = values, .decays = {dt, build.vector(rates)}};
  const ValueId scanned = build.recurrence("scan", {log_decay, {"dt", rates}}, "states", operands, "scanned");
  const ValueId sum = build.map("", with_skip, {"y", "d", "x"}, {scanned, build.vector("d"), convolved}, "skipped");
  const ValueId opened = build.map("", of_gate, {"x"}, {gate}, "gate_activated");
  return build.projection("o", build.map("", gated, {"y", "gate"}, {sum, opened}, "gated"), "projected");
}

}  // namespace

BlockType mamba_block() {
  return {.name = "mamba",
          .meaning = "A selective state space, a few numbers remembered of each inner element (Mamba).",
          .parts = {"x", "gate", "conv", "dt_down", "b", "c", "dt_norm", "b_norm", "c_norm", "dt_up", "a_log", "a", "d",
                    "o"},
          .make = make_section<MambaSection>,
          .bind = bind_section<MambaSection>,
          .check = check,
          .declare = declare,
          .build = build};
}

}  // namespace monomorph::generator
