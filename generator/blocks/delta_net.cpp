#include "generator/blocks/delta_net.hpp"

#include <fmt/format.h>

#include <cmath>

#include "generator/blocks/activation.hpp"
#include "generator/blocks/convolution.hpp"
#include "generator/blocks/decay_rates.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/blocks/remembering_heads.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/graph/recurrences.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<DeltaNetSection>>& fields() {
  using S = DeltaNetSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("num_key_heads", at(&S::num_key_heads), required(), "heads", "Heads of queries and keys"),
      row<S>("num_value_heads", at(&S::num_value_heads), computed("num_key_heads"), "heads",
             "Heads of values, of which neighbours share queries and keys"),
      row<S>("key_head_dim", at(&S::key_head_dim), required(), "elements", "Width of a query and of a key"),
      row<S>("value_head_dim", at(&S::value_head_dim), computed("key_head_dim"), "elements", "Width of a value"),
      row<S>("conv_kernel", at(&S::conv_kernel), required(), "positions",
             "Positions that the convolutions of q, k and v see, the token's own among them"),
      expression(row<S>("activation", at(&S::activation), literal("\"silu\""), "",
                        "Of what is convolved: a name, or an expression of x")),
      row<S>("qk_norm_eps", at(&S::qk_norm_eps), literal("1e-6"), "",
             "Added to the sum of squares of a query and of a key, which both have length 1"),
      expression(
          row<S>("beta", at(&S::beta), literal("\"sigmoid(x)\""), "",
                 "How much of what its key reads a token replaces: an expression of x, which the part beta gives "
                 "for each value head")),
      row<S>("decay", at(&S::decay), literal("\"head\""), "",
             "What decays by a number of its own, exp(-rate * softplus(decay + time_step_bias)): nothing, each "
             "value head, or each row of its matrix, one for each element of a key",
             {"none", "head", "key"}),
      decay_rates_row(&S::decay_rates),
      row<S>("decay_rank", at(&S::decay_rank), computed("none: decays are made of what is read"), "elements",
             "Width of the vector that decay_down gives and decay is multiplied with"),
      row<S>("gate", at(&S::gate), literal("\"element\""), "",
             "Whether what heads give is multiplied by a gate, a number for each element", {"none", "element"}),
      row<S>("gate_rank", at(&S::gate_rank), computed("none: the gate is made of what is read"), "elements",
             "Width of the vector that gate_down gives and gate is multiplied with"),
      expression(row<S>("gate_activation", at(&S::gate_activation), literal("\"silu\""), "",
                        "Of the gate: a name, or an expression of x")),
      row<S>("head_norm", at(&S::head_norm), literal("true"), "",
             "Normalise what each head gives, before gate: true, false, or keys laid over those of [norm]"),
      row<S>(
          "bias", at(&S::bias), literal("false"), "",
          "Parts with a bias: true, false, or a list out of \"q\", \"k\", \"v\", \"beta\", \"decay_down\", \"decay\", "
          "\"gate_down\", \"gate\", \"conv_q\", \"conv_k\", \"conv_v\", \"o\""),
  };
  return rows;
}

namespace {

const DeltaNetSection& own(const BlockContext& context) { return section_of<DeltaNetSection>(context.block); }

bool decays(const DeltaNetSection& net) { return net.decay.value != "none"; }
bool is_gated(const DeltaNetSection& net) { return net.gate.value != "none"; }

void complete(Block& block, LayerKind&, const ModelSection&) {
  auto& net = *std::any_cast<DeltaNetSection>(&block.section);
  if (!net.num_value_heads.given) net.num_value_heads.value = net.num_key_heads.value;
  if (!net.value_head_dim.given) net.value_head_dim.value = net.key_head_dim.value;
  for (Field<std::int64_t>* rank : {&net.decay_rank, &net.gate_rank}) {
    if (!rank->given) rank->value = -1;  // absent
  }
}

/// What becomes of what is convolved, of the gate, and of beta.
std::optional<Expression> activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).activation, "delta_net.activation", context.model, diagnostics);
}
std::optional<Expression> gate_activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).gate_activation, "delta_net.gate_activation", context.model,
                                  diagnostics);
}
std::optional<Expression> beta_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).beta, "delta_net.beta", context.model, diagnostics);
}

/// The projections that there are, and the convolutions: those that may have a bias.
std::vector<std::string> parts_of(const DeltaNetSection& net) {
  std::vector<std::string> parts = {"q", "k", "v", "beta"};
  const auto add = [&](bool there_is, const std::string& word, const Field<std::int64_t>& rank) {
    if (there_is && rank.given) parts.push_back(word + "_down");
    if (there_is) parts.push_back(word);
  };
  add(decays(net), "decay", net.decay_rank);
  add(is_gated(net), "gate", net.gate_rank);
  parts.insert(parts.end(), {"conv_q", "conv_k", "conv_v", "o"});
  return parts;
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  const DeltaNetSection& net = own(context);
  check_range(net.num_key_heads, "delta_net.num_key_heads", 1, max_recurrent_heads, diagnostics);
  if (net.num_value_heads.given) {
    check_range(net.num_value_heads, "delta_net.num_value_heads", 1, max_recurrent_heads, diagnostics);
  }
  if (usable(net.num_key_heads) && usable(net.num_value_heads) &&
      net.num_value_heads.value % net.num_key_heads.value != 0) {
    diagnostics.error("delta_net.num_value_heads_divides", net.num_value_heads.span,
                      fmt::format("num_value_heads {} is no multiple of num_key_heads {}", net.num_value_heads.value,
                                  net.num_key_heads.value));
  }
  check_range(net.key_head_dim, "delta_net.key_head_dim", 1, max_recurrent_keys, diagnostics);
  if (net.value_head_dim.given) check_range(net.value_head_dim, "delta_net.value_head_dim", 1, max_size, diagnostics);
  check_conv_kernel(net.conv_kernel, "delta_net.conv_kernel", diagnostics);
  check_factor(net.qk_norm_eps.value, net.qk_norm_eps.span, "delta_net.qk_norm_eps", "qk_norm_eps", "1e-6",
               diagnostics);
  if (net.decay_rank.given) check_range(net.decay_rank, "delta_net.decay_rank", 1, max_size, diagnostics);
  if (net.gate_rank.given) check_range(net.gate_rank, "delta_net.gate_rank", 1, max_size, diagnostics);
  activation_of(context, diagnostics);
  gate_activation_of(context, diagnostics);
  beta_of(context, diagnostics);
  if (const NormChoice& norm = net.head_norm.value; norm.present) {
    check_norm_of_heads("delta_net.head_norm", norm.norm, net.head_norm.span, diagnostics);
  }
  check_bias_projections(net.bias, "delta_net", parts_of(net), diagnostics);
}

void declare(const BlockContext& context, Declarations& declare) {
  const DeltaNetSection& net = own(context);
  const std::int64_t heads = sane(net.num_value_heads, max_recurrent_heads),
                     groups = sane(net.num_key_heads, max_recurrent_heads);
  const std::int64_t key_dim = sane(net.key_head_dim, max_recurrent_keys), value_dim = sane(net.value_head_dim);
  const Span &of_heads = net.num_value_heads.span, &of_keys = net.key_head_dim.span,
             &of_values = net.value_head_dim.span;
  const AxisId hidden = declare.hidden(), group = declare.axis("key_heads", groups, net.num_key_heads.span);
  const AxisId head = declare.axis("value_heads", heads, of_heads);
  const AxisId key = declare.axis("key", key_dim, of_keys), value = declare.axis("value", value_dim, of_values);
  const AxisId keys = declare.axis("qk", groups * key_dim, of_keys, {group, key});
  const AxisId values = declare.axis("v", heads * value_dim, of_values, {head, value});
  const AxisId decayed =
      net.decay.value == "key" ? declare.axis("decayed", heads * key_dim, of_keys, {head, key}) : head;

  // What a checkpoint may hold in one tensor, head of keys by head of keys.
  const auto projection = [&](const std::string& word, AxisId rows) {
    return Projection{.word = word, .rows = rows, .columns = hidden, .heads = heads, .kv_heads = groups};
  };
  std::vector<Projection> inputs = {projection("q", keys), projection("k", keys), projection("v", values)};
  if (is_gated(net) && !net.gate_rank.given) inputs.push_back(projection("gate", values));
  inputs.push_back(projection("beta", head));
  if (decays(net) && !net.decay_rank.given) inputs.push_back(projection("decay", decayed));
  const AxisId of_decay = declare.axis("decay_rank", sane(net.decay_rank), net.decay_rank.span);
  const AxisId of_gate = declare.axis("gate_rank", sane(net.gate_rank), net.gate_rank.span);
  if (decays(net) && net.decay_rank.given) inputs.push_back({"decay_down", of_decay, hidden});
  if (is_gated(net) && net.gate_rank.given) inputs.push_back({"gate_down", of_gate, hidden});
  declare.projections("input", net.bias, std::move(inputs));
  if (decays(net) && net.decay_rank.given) {
    declare.projections("decay", net.bias, {{"decay", decayed, of_decay}});
  }
  if (is_gated(net) && net.gate_rank.given) declare.projections("gate", net.bias, {{"gate", values, of_gate}});
  declare_convolutions({{"conv_q", keys}, {"conv_k", keys}, {"conv_v", values}}, net.conv_kernel, net.bias, declare);
  if (decays(net)) {
    declare.vector("time_step_bias", decayed);
    declare.vector(part_of_rates(net.decay_rates), head);
  }
  declare.recurrent_state("states", head, value, key, of_keys);
  if (const NormChoice& norm = net.head_norm.value; norm.present) declare_norm("head_norm", norm.norm, value, declare);
  declare.projections("gated", net.bias, {{"o", hidden, values}});
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  const DeltaNetSection& net = own(context);
  Diagnostics none;
  const Expression activation = activation_of(context, none).value();
  const auto convolved = [&](const std::string& word, const std::string& role) {
    const ValueId sum = build_convolution("conv_" + word, build, build.projection(word, in, role), role + "_convolved");
    return build.map("", activation, {"x"}, {sum}, role + "_activated");
  };
  const ValueId queries = convolved("q", "queries"), keys = convolved("k", "keys"), values = convolved("v", "values");

  // Queries and keys have length 1: x / sqrt(sum of x^2 + eps). An RMSNorm without weights gives sqrt(key_head_dim)
  // times that. With such keys, S as large as they, and rates smaller by their square, a head's matrix is
  // sqrt(key_head_dim) times what the formula has, and what queries, divided by sqrt(key_head_dim), read of it has to
  // be `scale` times as large.
  const auto key_dim = static_cast<double>(net.key_head_dim.value);
  const double scale = 1 / (key_dim * std::sqrt(key_dim));
  const NormContract length{.eps = net.qk_norm_eps.value / key_dim, .weight = false};
  const AxisId key = build.axes()[build.axes_of(keys)[1]].factors[1];
  const ValueId q = build.norm("q_norm", length, "", queries, "queries_normed", key);
  const ValueId k = build.norm("k_norm", length, "", keys, "keys_normed", key);

  const ValueId beta =
      build.map("", beta_of(context, none).value(), {"x"}, {build.projection("beta", in, "beta_raw")}, "beta");
  static const Expression replacing = known_expression("v * beta", {"v", "beta"});
  const ValueId replaced = build.map("", replacing, {"v", "beta"}, {values, beta}, "values_of_beta");
  RecurrenceOperands operands{.queries = q, .keys = k, .values = replaced, .removed = k};
  operands.rates = build.scaled(beta, 1 / key_dim, "rates");
  Recurrence how;
  if (decays(net)) {
    const std::string rates = part_of_rates(net.decay_rates);
    const Expression log_decay = log_of_decay(net.decay_rates, "softplus(x + bias)", {"x", "bias"});
    static const Expression same = known_expression("g", {"g"});
    const ValueId raw = build_short(build, "decay", net.decay_rank, in, "decay_raw");
    how = {.log_decay = same, .names = {"g"}};
    operands.decays = {build.map("", log_decay, {"x", rates, "bias"},
                                 {raw, build.vector(rates), build.vector("time_step_bias")}, "log_decay")};
  }
  const ValueId read = build.recurrence("recurrence", how, "states", operands, "read");
  ValueId gate;
  if (is_gated(net)) {
    gate = build.map("", gate_activation_of(context, none).value(), {"x"},
                     {build_short(build, "gate", net.gate_rank, in, "gate")}, "gate_activated");
  }
  const ValueId scaled = build.scaled(read, scale, "given");
  return build.projection("o", build_given_by_heads(context, build, scaled, net.head_norm, {}, gate), "projected");
}

}  // namespace

BlockType delta_net_block() {
  return {.name = "delta_net",
          .meaning =
              "The gated delta rule: heads that remember a matrix each, in which tokens replace what their keys read.",
          .parts = {"q", "k", "v", "beta", "decay_down", "decay", "gate_down", "gate", "conv_q", "conv_k", "conv_v",
                    "time_step_bias", "a_log", "a", "head_norm", "o"},
          .make = make_section<DeltaNetSection>,
          .bind = bind_section<DeltaNetSection>,
          .complete = complete,
          .check = check,
          .declare = declare,
          .build = build};
}

}  // namespace monomorph::generator
