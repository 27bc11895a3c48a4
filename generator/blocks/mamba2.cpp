#include "generator/blocks/mamba2.hpp"

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
const std::vector<FieldRow<Mamba2Section>>& fields() {
  using S = Mamba2Section;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("num_heads", at(&S::num_heads), required(), "heads", "Heads of the inner width"),
      row<S>("head_dim", at(&S::head_dim), required(), "elements", "Width of a head"),
      row<S>("num_groups", at(&S::num_groups), literal("1"), "groups",
             "Groups of neighbouring heads, of which each has b and c of its own"),
      row<S>("state_size", at(&S::state_size), required(), "elements", "Numbers that each inner element remembers"),
      row<S>("conv_kernel", at(&S::conv_kernel), required(), "positions",
             "Positions that the convolutions of x, b and c see, the token's own among them"),
      expression(row<S>("activation", at(&S::activation), literal("\"silu\""), "",
                        "Of what is convolved: a name, or an expression of x")),
      expression(row<S>("gate_activation", at(&S::gate_activation), literal("\"silu\""), "", "Of the gate, likewise")),
      decay_rates_row(&S::decay_rates),
      row<S>("gate_scale", at(&S::gate_scale), literal("1.0"), "",
             "What the projection gate gives is multiplied by it"),
      row<S>("x_scale", at(&S::x_scale), literal("1.0"), "", "The same of x, before its convolution"),
      row<S>("b_scale", at(&S::b_scale), literal("1.0"), "", "The same of b"),
      row<S>("c_scale", at(&S::c_scale), literal("1.0"), "", "The same of c"),
      row<S>("dt_scale", at(&S::dt_scale), literal("1.0"), "", "The same of dt, before its bias is added"),
      row<S>("time_step_min", at(&S::time_step_min), literal("0"), "", "The least that a time step may be"),
      row<S>("time_step_max", at(&S::time_step_max), literal("1e6"), "", "The most that a time step may be"),
      row<S>("inner_norm", at(&S::inner_norm), literal("true"), "",
             "Normalise what o reads: true, false, or keys laid over those of [norm]"),
      row<S>("num_norm_groups", at(&S::num_norm_groups), computed("num_groups"), "groups",
             "Groups of neighbouring heads, of which each is normed by itself"),
      row<S>("norm_before_gate", at(&S::norm_before_gate), literal("false"), "",
             "Whether it is normed before the gate multiplies it, not after"),
      row<S>("bias", at(&S::bias), literal("[\"conv_x\", \"conv_b\", \"conv_c\"]"), "",
             "Parts with a bias: true, false, or a list out of \"gate\", \"x\", \"b\", \"c\", \"dt\", \"conv_x\", "
             "\"conv_b\", \"conv_c\", \"o\""),
  };
  return rows;
}

namespace {

constexpr double max_time_step = 1e6;

const Mamba2Section& own(const BlockContext& context) { return section_of<Mamba2Section>(context.block); }

void complete(Block& block, LayerKind&, const ModelSection&) {
  auto& mamba = *std::any_cast<Mamba2Section>(&block.section);
  if (!mamba.num_norm_groups.given) mamba.num_norm_groups.value = mamba.num_groups.value;
}

/// What becomes of what is convolved, of the gate, and of time steps x with their bias.
std::optional<Expression> activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).activation, "mamba2.activation", context.model, diagnostics);
}
std::optional<Expression> gate_activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).gate_activation, "mamba2.gate_activation", context.model, diagnostics);
}
Expression time_step_of(const Mamba2Section& mamba) {
  std::string step = "softplus(x + bias)";
  if (mamba.time_step_min.value > 0) step = fmt::format("max({}, {})", step, mamba.time_step_min.value);
  if (mamba.time_step_max.value < max_time_step) step = fmt::format("min({}, {})", step, mamba.time_step_max.value);
  return known_expression(step, {"x", "bias"});
}

void groups_divide_heads(const Field<std::int64_t>& groups, const std::string& key, const Mamba2Section& mamba,
                         Diagnostics& diagnostics) {
  check_range(groups, "mamba2." + key, 1, max_size, diagnostics);
  if (!usable(groups) || !usable(mamba.num_heads) || mamba.num_heads.value % groups.value == 0) return;
  diagnostics.error("mamba2." + key + "_divides", groups.given ? groups.span : mamba.num_heads.span,
                    fmt::format("num_heads {} is no multiple of {} {}", mamba.num_heads.value, key, groups.value));
}

void time_steps_in_range(const Mamba2Section& mamba, Diagnostics& diagnostics) {
  const Field<double>&least = mamba.time_step_min, &most = mamba.time_step_max;
  if (!(least.value >= 0) || !(least.value <= max_time_step)) {
    diagnostics.error(
        "mamba2.time_step_min_range", least.span,
        fmt::format("time_step_min is {}; it is from 0, which cuts nothing, to {}", least.value, max_time_step));
  }
  if (!(most.value > least.value) || !(most.value <= max_time_step)) {
    diagnostics.error(
        "mamba2.time_step_max_range", most.span,
        fmt::format("time_step_max is {}; it is above time_step_min, {}, and at most {}, which cuts nothing",
                    most.value, least.value, max_time_step));
  }
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  const Mamba2Section& mamba = own(context);
  check_range(mamba.num_heads, "mamba2.num_heads", 1, max_recurrent_heads, diagnostics);
  check_range(mamba.head_dim, "mamba2.head_dim", 1, max_size, diagnostics);
  check_range(mamba.state_size, "mamba2.state_size", 1, max_recurrent_keys, diagnostics);
  check_conv_kernel(mamba.conv_kernel, "mamba2.conv_kernel", diagnostics);
  groups_divide_heads(mamba.num_groups, "num_groups", mamba, diagnostics);
  if (mamba.num_norm_groups.given) groups_divide_heads(mamba.num_norm_groups, "num_norm_groups", mamba, diagnostics);
  time_steps_in_range(mamba, diagnostics);
  for (const auto& [key, scale] : {std::pair("gate_scale", &mamba.gate_scale),
                                   {"x_scale", &mamba.x_scale},
                                   {"b_scale", &mamba.b_scale},
                                   {"c_scale", &mamba.c_scale},
                                   {"dt_scale", &mamba.dt_scale}}) {
    check_factor(scale->value, scale->span, "mamba2." + std::string(key), key, "1", diagnostics);
  }
  activation_of(context, diagnostics);
  gate_activation_of(context, diagnostics);
  if (const NormChoice& norm = mamba.inner_norm.value; norm.present && mamba.num_norm_groups.value > 1) {
    check_norm_of_heads("mamba2.inner_norm", norm.norm, mamba.inner_norm.span, diagnostics);
  }
  check_bias_projections(mamba.bias, "mamba2", {"gate", "x", "b", "c", "dt", "conv_x", "conv_b", "conv_c", "o"},
                         diagnostics);
}

/// The heads, of which some neighbours are normed together, and those.
struct HeadAxes {
  AxisId heads, of_group;
};
HeadAxes declare_heads(const Mamba2Section& mamba, Declarations& declare) {
  const std::int64_t heads = sane(mamba.num_heads, max_recurrent_heads), groups = sane(mamba.num_norm_groups);
  const Span& span = mamba.num_heads.span;
  if (groups == 1 || heads % groups != 0) return {declare.axis("scan_heads", heads, span), {}};
  const AxisId outer = declare.axis("norm_groups", groups, span);
  const AxisId of_group = declare.axis("norm_group_heads", heads / groups, span);
  return {declare.axis("scan_heads", heads, span, {outer, of_group}), of_group};
}

void declare(const BlockContext& context, Declarations& declare) {
  const Mamba2Section& mamba = own(context);
  const std::int64_t width = sane(mamba.head_dim), state = sane(mamba.state_size, max_recurrent_keys);
  const std::int64_t groups = sane(mamba.num_groups), count = sane(mamba.num_heads, max_recurrent_heads);
  const Span &of_width = mamba.head_dim.span, &of_state = mamba.state_size.span;
  const auto [heads, of_group] = declare_heads(mamba, declare);
  const AxisId element = declare.axis("channel", width, of_width);
  const AxisId channels = declare.axis("channels", count * width, of_width, {heads, element});
  const AxisId group = declare.axis("groups", groups, mamba.num_groups.span);
  const AxisId key = declare.axis("state", state, of_state);
  const AxisId keys = declare.axis("state_keys", groups * state, of_state, {group, key});
  const AxisId hidden = declare.hidden();
  declare.projections("input", mamba.bias,
                      {{"gate", channels, hidden},
                       {"x", channels, hidden},
                       {"b", keys, hidden},
                       {"c", keys, hidden},
                       {"dt", heads, hidden}});
  declare_convolutions({{"conv_x", channels}, {"conv_b", keys}, {"conv_c", keys}}, mamba.conv_kernel, mamba.bias,
                       declare);
  declare.vector("time_step_bias", heads);
  declare.vector(part_of_rates(mamba.decay_rates), heads);
  declare.vector("d", heads);
  declare.recurrent_state("states", heads, element, key, of_state);
  if (const NormChoice& norm = mamba.inner_norm.value; norm.present) {
    if (of_group) {
      const std::int64_t run = declare.contract().axes[of_group].size * width;
      declare.axis("norm_group", run, of_width, {of_group, element});
    }
    declare_norm("inner_norm", norm.norm, channels, declare);
  }
  declare.projections("scanned", mamba.bias, {{"o", hidden, channels}});
}

/// Of each group of heads by itself.
ValueId build_inner_norm(const BlockContext& context, Builder& build, ValueId in) {
  const Field<NormChoice>& norm = own(context).inner_norm;
  if (!norm.value.present) return in;
  const std::vector<AxisId> row = build.axes()[build.axes_of(in)[1]].factors;
  const std::vector<AxisId> heads = build.axes()[row[0]].factors;
  AxisId over;
  if (!heads.empty()) {
    const std::int64_t run = build.axes()[heads[1]].size * build.axes()[row[1]].size;
    over = build.axis("norm_group", run, {heads[1], row[1]});
  }
  return build_norm("inner_norm", norm, context.block, build, in, "inner_normed", over);
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  static const Expression product = known_expression("x * dt", {"x", "dt"});
  static const Expression with_skip = known_expression("y + d * x", {"y", "d", "x"});
  static const Expression gated = known_expression("y * gate", {"y", "gate"});
  const Mamba2Section& mamba = own(context);
  Diagnostics none;
  const Expression activation = activation_of(context, none).value();
  const Expression of_gate = gate_activation_of(context, none).value();
  const auto projection = [&](const std::string& word, const Field<double>& scale, const std::string& role) {
    if (scale.value == 1) return build.projection(word, in, role);
    return build.scaled(build.projection(word, in, role + "_unscaled"), scale.value, role);
  };
  const auto convolved = [&](const std::string& word, const Field<double>& scale) {
    const ValueId projected = projection(word, scale, word);
    const ValueId sum = build_convolution("conv_" + word, build, projected, word + "_convolved");
    return build.map("", activation, {"x"}, {sum}, word + "_activated");
  };
  const ValueId gate = projection("gate", mamba.gate_scale, "gate");
  const ValueId x = convolved("x", mamba.x_scale), b = convolved("b", mamba.b_scale), c = convolved("c", mamba.c_scale);
  const ValueId dt = build.map("", time_step_of(mamba), {"x", "bias"},
                               {projection("dt", mamba.dt_scale, "dt_raw"), build.vector("time_step_bias")}, "dt");
  const ValueId values = build.map("", product, {"x", "dt"}, {x, dt}, "values");
  const std::string rates = part_of_rates(mamba.decay_rates);
  const Expression log_decay = log_of_decay(mamba.decay_rates, "dt", {"dt"});
  const RecurrenceOperands operands{.queries = c, .keys = b, .values = values, .decays = {dt, build.vector(rates)}};
  const ValueId scanned = build.recurrence("scan", {log_decay, {"dt", rates}}, "states", operands, "scanned");
  const ValueId sum = build.map("", with_skip, {"y", "d", "x"}, {scanned, build.vector("d"), x}, "skipped");
  const ValueId opened = build.map("", of_gate, {"x"}, {gate}, "gate_activated");
  const bool norm_first = mamba.norm_before_gate.value;
  const ValueId first = norm_first ? build_inner_norm(context, build, sum) : sum;
  const ValueId product_of_gate = build.map("", gated, {"y", "gate"}, {first, opened}, "gated");
  return build.projection("o", norm_first ? product_of_gate : build_inner_norm(context, build, product_of_gate),
                          "projected");
}

}  // namespace

BlockType mamba2_block() {
  return {.name = "mamba2",
          .meaning = "A state space of heads, which remember a matrix each (Mamba-2).",
          .parts = {"gate", "x", "b", "c", "dt", "conv_x", "conv_b", "conv_c", "time_step_bias", "a_log", "a", "d",
                    "inner_norm", "o"},
          .make = make_section<Mamba2Section>,
          .bind = bind_section<Mamba2Section>,
          .complete = complete,
          .check = check,
          .declare = declare,
          .build = build};
}

}  // namespace monomorph::generator
