#include "generator/blocks/rwkv.hpp"

#include "generator/blocks/activation.hpp"
#include "generator/blocks/token_shift.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/graph/recurrences.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<RwkvSection>>& fields() {
  using S = RwkvSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("inner_size", at(&S::inner_size), computed("hidden_size"), "elements",
             "Elements of keys, values and gates"),
      expression(row<S>("log_decay", at(&S::log_decay), literal("\"-exp(x)\""), "",
                        "The logarithm of what a token leaves of the weight of those before it: an expression of x, "
                        "the number that the part decay has of the element")),
      expression(row<S>("gate_activation", at(&S::gate_activation), literal("\"sigmoid\""), "",
                        "Of the gate, which the paper calls receptance: a name, or an expression of x")),
      row<S>("bias", at(&S::bias), literal("false"), "",
             "Parts with a bias: true, false, or a list out of \"k\", \"v\", \"gate\", \"o\""),
  };
  return rows;
}

namespace {

/// What is mixed with what the token before had.
const std::vector<std::string> shifted = {"k", "v", "gate"};

const RwkvSection& own(const BlockContext& context) { return section_of<RwkvSection>(context.block); }

void complete(Block& block, LayerKind&, const ModelSection& model) {
  auto& rwkv = *std::any_cast<RwkvSection>(&block.section);
  if (!rwkv.inner_size.given) rwkv.inner_size.value = model.hidden_size.value;
}

std::optional<Expression> gate_activation_of(const BlockContext& context, Diagnostics& diagnostics) {
  return required_activation_of_x(own(context).gate_activation, "rwkv.gate_activation", context.model, diagnostics);
}

std::optional<Expression> log_decay_of(const BlockContext& context, Diagnostics& diagnostics) {
  const Field<std::string>& text = own(context).log_decay;
  return expression_of_x(text.value, text.span, "rwkv.log_decay", context.model, diagnostics);
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  const RwkvSection& rwkv = own(context);
  check_range(rwkv.inner_size, "rwkv.inner_size", 1, max_size, diagnostics);
  log_decay_of(context, diagnostics);
  gate_activation_of(context, diagnostics);
  check_bias_projections(rwkv.bias, "rwkv", {"k", "v", "gate", "o"}, diagnostics);
}

void declare(const BlockContext& context, Declarations& declare) {
  const RwkvSection& rwkv = own(context);
  const Span& of_width = rwkv.inner_size.span;
  const std::int64_t width = sane(rwkv.inner_size);
  // A state has heads: this one has a single one.
  const AxisId head = declare.axis("mean_heads", 1, of_width), element = declare.axis("mean", width, of_width);
  const AxisId sums = declare.axis("sums", weighted_mean_numbers, of_width);
  const AxisId means = declare.axis("means", width, of_width, {head, element}), hidden = declare.hidden();
  declare_token_shift(shifted, context.model.hidden_size, {}, declare);
  for (const std::string& word : shifted) declare.projections("mixed_" + word, rwkv.bias, {{word, means, hidden}});
  declare.vector("decay", means);
  declare.vector("bonus", means);
  declare.recurrent_state("means", head, element, sums, of_width);
  declare.projections("gated", rwkv.bias, {{"o", hidden, means}});
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  static const Expression gated = known_expression("mean * gate", {"mean", "gate"});
  Diagnostics none;
  const std::vector<ValueId> mixed = build_token_shift(shifted, {}, build, in);
  const WeightedMeanOperands operands{.log_weights = build.projection("k", mixed[0], "k"),
                                      .values = build.projection("v", mixed[1], "v"),
                                      .decays = build.vector("decay"),
                                      .bonus = build.vector("bonus")};
  const ValueId mean =
      build.weighted_mean("mean", {.log_decay = log_decay_of(context, none).value()}, "means", operands, "mean");
  const ValueId gate = build.map("", gate_activation_of(context, none).value(), {"x"},
                                 {build.projection("gate", mixed[2], "gate")}, "gate_activated");
  return build.projection("o", build.map("", gated, {"mean", "gate"}, {mean, gate}, "gated"), "projected");
}

}  // namespace

BlockType rwkv_block() {
  return {.name = "rwkv",
          .meaning = "RWKV-4's time mixing: means of values that weigh less the longer ago they were.",
          .parts = {"mix_k", "mix_v", "mix_gate", "k", "v", "gate", "decay", "bonus", "o"},
          .make = make_section<RwkvSection>,
          .bind = bind_section<RwkvSection>,
          .complete = complete,
          .check = check,
          .declare = declare,
          .build = build};
}

}  // namespace monomorph::generator
