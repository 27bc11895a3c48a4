#include "generator/blocks/retention.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "generator/blocks/activation.hpp"
#include "generator/blocks/layer_number.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/blocks/position.hpp"
#include "generator/blocks/remembering_heads.hpp"
#include "generator/blocks/token_shift.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/graph/recurrences.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<RetentionSection>>& fields() {
  using S = RetentionSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("num_heads", at(&S::num_heads), required(), "heads", "Heads of queries, keys and values"),
      row<S>("key_head_dim", at(&S::key_head_dim), required(), "elements", "Width of a query and of a key"),
      row<S>("value_head_dim", at(&S::value_head_dim), computed("key_head_dim"), "elements", "Width of a value"),
      expression(row<S>("qk_activation", at(&S::qk_activation), literal("\"x\""), "",
                        "Of queries and keys, before they are turned: a name, or an expression of x")),
      expression(row<S>("v_activation", at(&S::v_activation), literal("\"x\""), "",
                        "Of values: a name, or an expression of x")),
      expression(row<S>("scale", at(&S::scale), literal("\"1 / sqrt(key_head_dim)\""), "",
                        "What queries read is multiplied by it")),
      row<S>("position", at(&S::position), literal("true"), "",
             "Whether queries and keys are turned as [position] says, where that is \"rope\"; or keys of its own laid "
             "over those of [position]"),
      row<S>(
          "decay", at(&S::decay), literal("\"none\""), "",
          "What the part decay gives a number for: nothing, each head, or each row of its matrix, one for each element "
          "of a key",
          {"none", "head", "key"}),
      row<S>("decay_rank", at(&S::decay_rank), computed("none: these numbers are made of what is read"), "elements",
             "Width of the vector that decay_down gives and decay is multiplied with"),
      expression(
          row<S>("log_decay", at(&S::log_decay), computed("none: nothing decays"), "",
                 "The logarithm of what a token leaves of a matrix: an expression of head and layer, the numbers of "
                 "the head and of the layer from 0 on, and of x, the number that decay gives")),
      expression(row<S>("decay_activation", at(&S::decay_activation), literal("\"x\""), "",
                        "Of what decay_down gives: a name, or an expression of x")),
      row<S>("bonus", at(&S::bonus), literal("false"), "",
             "Whether a token reads the matrix as it was before it, and its own value beside it, whose weight a number "
             "for each element of a key multiplies: the part of that name (RWKV-5 and 6)"),
      row<S>("token_shift", at(&S::token_shift), literal("\"none\""), "",
             "Whether q, k, v, decay and gate each read the token mixed with the one before, by numbers of its own: "
             "parts mix_q, mix_k and so on, which are shares of the token itself or of the one before",
             {"none", "token", "before"}),
      row<S>("mix_rank", at(&S::mix_rank), computed("none: the numbers are the same for all tokens"), "elements",
             "Rank of what is added to these numbers, made of the token and the one before: parts mix, mix_q_down, "
             "mix_q_up and so on (RWKV-6)"),
      row<S>("per_head", at(&S::per_head), literal("false"), "",
             "Whether each head has weights of its own in head_norm"),
      row<S>("gate", at(&S::gate), literal("\"element\""), "",
             "Whether what heads give is multiplied by a gate, a number for each element", {"none", "element"}),
      expression(row<S>("gate_activation", at(&S::gate_activation), literal("\"silu\""), "",
                        "Of the gate: a name, or an expression of x")),
      row<S>("head_norm", at(&S::head_norm), literal("true"), "",
             "Normalise what each head gives, before gate: true, false, or keys laid over those of [norm]"),
      row<S>("inner_norm", at(&S::inner_norm), literal("false"), "",
             "Normalise what all heads give together, before gate: true, false, or keys laid over those of [norm]"),
      row<S>("bias", at(&S::bias), literal("false"), "",
             "Parts with a bias: true, false, or a list out of \"q\", \"k\", \"v\", \"decay_down\", "
             "\"decay\", \"gate\", \"o\""),
  };
  return rows;
}

namespace {

const RetentionSection& own(const BlockContext& context) { return section_of<RetentionSection>(context.block); }

bool is_gated(const RetentionSection& retention) { return retention.gate.value != "none"; }
bool has_decay(const RetentionSection& retention) { return retention.decay.value != "none"; }

void complete(Block& block, LayerKind& kind, const ModelSection& model) {
  auto& retention = *std::any_cast<RetentionSection>(&block.section);
  if (!retention.value_head_dim.given) retention.value_head_dim.value = retention.key_head_dim.value;
  for (Field<std::int64_t>* rank : {&retention.decay_rank, &retention.mix_rank}) {
    if (!rank->given) rank->value = -1;  // absent
  }
  complete_position(position_of(kind, block), retention.key_head_dim.value, model);
}

/// What becomes of queries and keys, of values, and of the gate.
std::optional<Expression> qk_activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).qk_activation, "retention.qk_activation", context.model, diagnostics);
}
std::optional<Expression> v_activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).v_activation, "retention.v_activation", context.model, diagnostics);
}
std::optional<Expression> gate_activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).gate_activation, "retention.gate_activation", context.model,
                                  diagnostics);
}

std::optional<Expression> decay_activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).decay_activation, "retention.decay_activation", context.model,
                                  diagnostics);
}

bool shifts(const RetentionSection& retention) { return retention.token_shift.value != "none"; }

/// What is made of what is read, each of its own mixture where tokens are shifted.
std::vector<std::string> inputs_of(const RetentionSection& retention) {
  std::vector<std::string> words = {"q", "k", "v"};
  if (is_gated(retention)) words.emplace_back("gate");
  if (has_decay(retention)) words.emplace_back("decay");
  return words;
}

TokenShift shift_of(const RetentionSection& retention) {
  return {.weighs_before = retention.token_shift.value == "before",
          .rank = retention.mix_rank.given ? &retention.mix_rank : nullptr};
}

/// Keys that say something of a thing that there is not.
void unused_keys(const RetentionSection& retention, Diagnostics& diagnostics) {
  const auto refuse = [&](const char* key, bool given, const Span& span, const char* of) {
    if (given) {
      diagnostics.error("spec.unused_key", span,
                        fmt::format("retention.{} has no meaning where there is no {}", key, of));
    }
  };
  if (!shifts(retention)) refuse("mix_rank", retention.mix_rank.given, retention.mix_rank.span, "token_shift");
  if (!retention.decay_rank.given) {
    refuse("decay_activation", retention.decay_activation.value != "x", retention.decay_activation.span, "decay_rank");
  }
  if (!retention.head_norm.value.present) {
    refuse("per_head", retention.per_head.value, retention.per_head.span, "head_norm");
  }
}

std::optional<double> scale_of(const BlockContext& context, Diagnostics& diagnostics) {
  return positive_constant(own(context).scale, "retention.scale", spec_numbers(context), "1 / sqrt(key_head_dim)",
                           diagnostics);
}

/// Empty: nothing decays.
std::optional<Expression> log_decay_of(const BlockContext& context, Diagnostics& diagnostics) {
  const RetentionSection& retention = own(context);
  const Field<std::string>& text = retention.log_decay;
  if (!text.given) {
    if (!has_decay(retention)) return Expression{};
    diagnostics.error("retention.log_decay", retention.decay.span,
                      fmt::format("decay is \"{}\", and log_decay does not say what becomes of what it gives; give "
                                  "log_decay, an expression of x, head and layer",
                                  retention.decay.value));
    return std::nullopt;
  }
  ExpressionNames names =
      variables(has_decay(retention) ? std::vector<std::string>{"head", "x"} : std::vector<std::string>{"head"});
  names.insert({"layer", {Type::integer}});
  names.merge(spec_numbers(context));
  auto expression = parse_expression(text.value, text.span, names, Type::real, diagnostics);
  if (!expression || !has_decay(retention) || names_in(*expression).contains("x")) return expression;
  diagnostics.error("retention.log_decay", text.span,
                    "log_decay does not use x, what the part decay gives: it would have no effect");
  return std::nullopt;
}

double constant_decay(const Expression& log_decay, std::int64_t layer, std::int64_t head) {
  return evaluate(log_decay, {{"layer", static_cast<double>(layer)}, {"head", static_cast<double>(head)}});
}

/// Of each head what the same share is left of for all tokens: from 0, nothing, to 1.
void constant_decays_forget(const BlockContext& context, Diagnostics& diagnostics) {
  const RetentionSection& retention = own(context);
  Diagnostics none;
  const std::optional<Expression> log_decay = log_decay_of(context, none);
  if (!log_decay || log_decay->empty() || has_decay(retention) || retention.num_heads.value > max_recurrent_heads)
    return;
  for (const std::int64_t layer : layers_of(context)) {
    for (std::int64_t head = 0; head < retention.num_heads.value; ++head) {
      const double value = constant_decay(*log_decay, layer, head);
      if (value <= 0) continue;
      diagnostics.error(
          "retention.log_decay_range", retention.log_decay.span,
          fmt::format("log_decay is {} for head {} of layer {}; the logarithm of what is left is at most 0",
                      std::isnan(value) ? "no number" : fmt::format("{}", value), head, layer));
      return;
    }
    if (!names_layer(*log_decay)) return;
  }
}

/// The projections that there are.
std::vector<std::string> parts_of(const RetentionSection& retention) {
  std::vector<std::string> parts = {"q", "k", "v"};
  if (has_decay(retention) && retention.decay_rank.given) parts.push_back("decay_down");
  if (has_decay(retention)) parts.push_back("decay");
  if (is_gated(retention)) parts.push_back("gate");
  parts.push_back("o");
  return parts;
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  const RetentionSection& retention = own(context);
  check_range(retention.num_heads, "retention.num_heads", 1, max_recurrent_heads, diagnostics);
  check_range(retention.key_head_dim, "retention.key_head_dim", 1, max_recurrent_keys, diagnostics);
  if (retention.value_head_dim.given) {
    check_range(retention.value_head_dim, "retention.value_head_dim", 1, max_size, diagnostics);
  }
  if (retention.decay_rank.given) {
    check_range(retention.decay_rank, "retention.decay_rank", 1, max_size, diagnostics);
  }
  if (retention.mix_rank.given) check_range(retention.mix_rank, "retention.mix_rank", 1, max_size, diagnostics);
  unused_keys(retention, diagnostics);
  decay_activation_of(context, diagnostics);
  if (retention.scale.given || usable(retention.key_head_dim)) scale_of(context, diagnostics);
  qk_activation_of(context, diagnostics);
  v_activation_of(context, diagnostics);
  gate_activation_of(context, diagnostics);
  log_decay_of(context, diagnostics);
  constant_decays_forget(context, diagnostics);
  if (const NormChoice& norm = retention.head_norm.value; norm.present) {
    check_norm_of_heads("retention.head_norm", norm.norm, retention.head_norm.span, diagnostics);
  }
  check_bias_projections(retention.bias, "retention", parts_of(retention), diagnostics);
  check_rotated(context, "retention", diagnostics);
  check_position(context, retention.num_heads, retention.key_head_dim, "key_head_dim", diagnostics);
}

// What a decay that differs between layers is made of: where it is a constant of the head and the layer, its logarithm,
// and where it is of x too, the layer's number.
constexpr const char* log_decays = "log_decays";
constexpr const char* layer_number = "layer_number";
constexpr const char* head_number = "head_number";

/// Whether the logarithm is computed before the recurrence, of x and the layer: beside a bonus its kernel would bind
/// too much.
bool computes_decays(const RetentionSection& retention, const Expression& log_decay) {
  return has_decay(retention) && retention.bonus.value && names_layer(log_decay);
}

void declare_decays_of_layers(const BlockContext& context, AxisId head, Declarations& declare) {
  const RetentionSection& retention = own(context);
  Diagnostics none;
  const std::optional<Expression> log_decay = log_decay_of(context, none);
  if (!log_decay || !names_layer(*log_decay)) return;
  if (has_decay(retention)) {
    declare.numbers(layer_number, head, [](std::int64_t layer, std::int64_t) { return layer; });
    if (computes_decays(retention, *log_decay) && names_in(*log_decay).contains("head")) {
      declare.numbers(head_number, head, [](std::int64_t, std::int64_t element) { return element; });
    }
  } else {
    declare.numbers(log_decays, head, [&](std::int64_t layer, std::int64_t element) {
      return constant_decay(*log_decay, layer, element);
    });
  }
}

void declare(const BlockContext& context, Declarations& declare) {
  const RetentionSection& retention = own(context);
  const std::int64_t heads = sane(retention.num_heads, max_recurrent_heads),
                     key_dim = sane(retention.key_head_dim, max_recurrent_keys);
  const std::int64_t value_dim = sane(retention.value_head_dim);
  const Span &of_keys = retention.key_head_dim.span, &of_values = retention.value_head_dim.span;
  const AxisId hidden = declare.hidden(), head = declare.axis("retained_heads", heads, retention.num_heads.span);
  const AxisId key = declare.axis("key", key_dim, of_keys), value = declare.axis("value", value_dim, of_values);
  const AxisId keys = declare.axis("qk", heads * key_dim, of_keys, {head, key});
  const AxisId values = declare.axis("v", heads * value_dim, of_values, {head, value});
  const AxisId decayed = retention.decay.value == "key" ? keys : head;
  if (shifts(retention)) {
    declare_token_shift(inputs_of(retention), context.model.hidden_size, shift_of(retention), declare);
  }
  std::vector<Projection> inputs;
  for (const auto& [word, rows] : {std::pair("q", keys), {"k", keys}, {"v", values}, {"gate", values}}) {
    if (word == std::string("gate") && !is_gated(retention)) continue;
    inputs.push_back({.word = word, .rows = rows, .columns = hidden, .heads = heads, .kv_heads = heads});
  }
  const AxisId of_decay = declare.axis("decay_rank", sane(retention.decay_rank), retention.decay_rank.span);
  const bool is_short = has_decay(retention) && retention.decay_rank.given;
  if (has_decay(retention) && !is_short) inputs.push_back({"decay", decayed, hidden});
  if (is_short) inputs.push_back({"decay_down", of_decay, hidden});
  if (shifts(retention)) {
    for (const Projection& one : inputs) declare.projections("mixed_" + one.word, retention.bias, {one});
  } else {
    declare.projections("input", retention.bias, std::move(inputs));
  }
  if (is_short) declare.projections("decay", retention.bias, {{"decay", decayed, of_decay}});
  declare_decays_of_layers(context, head, declare);
  declare_position(context, declare);
  if (retention.bonus.value) declare.vector("bonus", keys);
  declare.recurrent_state("states", head, value, key, of_keys);
  if (const NormChoice& norm = retention.head_norm.value; norm.present) {
    declare_norm("head_norm", norm.norm, retention.per_head.value ? values : value, declare);
  }
  if (const NormChoice& norm = retention.inner_norm.value; norm.present) {
    declare_norm("inner_norm", norm.norm, values, declare);
  }
  declare.projections("gated", retention.bias, {{"o", hidden, values}});
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  const RetentionSection& retention = own(context);
  Diagnostics none;
  std::map<std::string, ValueId> read_by;
  const std::vector<std::string> words = inputs_of(retention);
  const std::vector<ValueId> mixed =
      shifts(retention) ? build_token_shift(words, shift_of(retention), build, in) : std::vector<ValueId>{};
  for (std::size_t i = 0; i < words.size(); ++i) read_by[words[i]] = mixed.empty() ? in : mixed[i];
  const auto prepared = [&](const std::string& word, const std::string& role) {
    ValueId made = build.projection(word, read_by.at(word), role + "_projected");
    if (retention.qk_activation.value != "x") {
      made = build.map("", qk_activation_of(context, none).value(), {"x"}, {made}, role + "_activated");
    }
    return build_turned(context, build, made, role);
  };
  const ValueId queries = prepared("q", "queries"), keys = prepared("k", "keys");
  ValueId values = build.projection("v", read_by.at("v"), "values");
  if (retention.v_activation.value != "x") {
    values = build.map("", v_activation_of(context, none).value(), {"x"}, {values}, "values_activated");
  }
  RecurrenceOperands operands{.queries = queries, .keys = keys, .values = values};
  static const Expression same = known_expression("log_decay", {"log_decay"});
  Recurrence how{.log_decay = log_decay_of(context, none).value()};
  const bool of_layer = names_layer(how.log_decay);
  if (has_decay(retention)) {
    how.names = {"x"};
    const Expression activation =
        retention.decay_activation.value == "x" ? Expression{} : decay_activation_of(context, none).value();
    operands.decays = {build_short(build, "decay", retention.decay_rank, read_by.at("decay"), "decay", activation)};
    if (of_layer) how.names.push_back("layer");
    if (of_layer) operands.decays.push_back(build.vector(layer_number));
    if (computes_decays(retention, how.log_decay)) {
      if (names_in(how.log_decay).contains("head")) {
        how.names.push_back("head");
        operands.decays.push_back(build.vector(head_number));
      }
      operands.decays = {build.map("", how.log_decay, how.names, operands.decays, "log_decay")};
      how = {.log_decay = same, .names = {"log_decay"}};
    }
  } else if (of_layer) {
    how = {.log_decay = same, .names = {"log_decay"}};
    operands.decays = {build.vector(log_decays)};
  }
  if (retention.bonus.value) operands.bonus = build.vector("bonus");
  const ValueId read = build.recurrence("retention", how, "states", operands, "read");
  ValueId gate;
  if (is_gated(retention)) {
    gate = build.map("", gate_activation_of(context, none).value(), {"x"},
                     {build.projection("gate", read_by.at("gate"), "gate")}, "gate_activated");
  }
  const ValueId scaled = build.scaled(read, scale_of(context, none).value(), "given");
  return build.projection(
      "o", build_given_by_heads(context, build, scaled, retention.head_norm, retention.inner_norm, gate), "projected");
}

std::vector<std::string> parts_with_shift() {
  std::vector<std::string> parts = token_shift_parts({"q", "k", "v", "gate", "decay"}, true);
  parts.insert(parts.end(), {"q", "k", "v", "decay_down", "decay", "bonus", "gate", "head_norm", "inner_norm", "o"});
  return parts;
}

}  // namespace

BlockType retention_block() {
  return {.name = "retention",
          .meaning = "Linear attention: heads that remember a matrix each, which decays (RetNet, GLA, RWKV-5 and 6).",
          .parts = parts_with_shift(),
          .position = [](std::any& section) -> Field<PositionChoice>& {
            return std::any_cast<RetentionSection>(&section)->position;
          },
          .make = make_section<RetentionSection>,
          .bind = bind_section<RetentionSection>,
          .complete = complete,
          .check = check,
          .declare = declare,
          .build = build};
}

}  // namespace monomorph::generator
