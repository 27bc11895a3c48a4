#include "generator/blocks/mlp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generator/blocks/low_rank.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<MlpSection>>& fields() {
  using S = MlpSection;
  static const std::vector<FieldRow<S>> rows = [] {
    std::vector<FieldRow<S>> result = unit_rows<S>(", learned numbers lambda1 to lambda4 (parts of those names)");
    result.push_back(row<S>("inner_norm", at(&S::inner_norm), literal("false"), "",
                            "Normalise what down reads: true, false, or keys laid over those of [norm]"));
    result.push_back(row<S>("adapter_rank", at(&S::adapter_rank), computed("none"), "elements",
                            "Rank of the adapters of gate and up: up gives up(x) + up_adapter_up(adapter_down(x)), of "
                            "parts of those names"));
    result.push_back(row<S>("output_gate", at(&S::output_gate), literal("false"), "",
                            "Whether what down gives is multiplied by sigmoid(output_gate), a number of each token: "
                            "the part of that name is one row, which the input is multiplied with"));
    return result;
  }();
  return rows;
}

namespace {

const std::vector<std::string> lambdas = {"lambda1", "lambda2", "lambda3", "lambda4"};

const MlpSection& own(const BlockContext& context) { return section_of<MlpSection>(context.block); }

void complete(Block& block, LayerKind&, const ModelSection&) {
  Field<std::int64_t>& rank = std::any_cast<MlpSection>(&block.section)->adapter_rank;
  if (!rank.given) rank.value = -1;  // absent
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  check_adapter_rank(own(context).adapter_rank, "mlp.adapter_rank", diagnostics);
  check_unit(context, own(context), lambdas, diagnostics);
}

/// Whether it is one of a step with experts, which are narrow.
bool stands_beside_experts(const BlockContext& context) {
  return std::ranges::any_of(context.kind.steps, [&](const Step& step) {
    const auto is_this = [&](const Block& block) { return block.instance == context.block.instance; };
    const auto is_moe = [](const Block& block) { return block.type->name == "moe"; };
    return step.has_several() && std::ranges::any_of(step.blocks, is_this) && std::ranges::any_of(step.blocks, is_moe);
  });
}

/// A width that was probably not meant, and one that wastes some of what reads it.
void advise(const BlockContext& context, const EngineSection&, Diagnostics& diagnostics) {
  const MlpSection& mlp = own(context);
  advise_multiple("intermediate_size", mlp.intermediate_size.value, mlp.intermediate_size.span, diagnostics);
  const double ratio =
      static_cast<double>(mlp.intermediate_size.value) / static_cast<double>(context.model.hidden_size.value);
  if (mlp.type.value != "gated" || (ratio >= 0.5 && ratio <= 8) || stands_beside_experts(context)) return;
  diagnostics.advice(
      "advice.gated_width", mlp.intermediate_size.span,
      fmt::format(
          "intermediate_size / hidden_size is {:.2f}; known gated MLPs have 0.5 (OpenELM's first) to 8, and 8 / 3 "
          "= 2.67 gives the parameters of a plain one: is it a slip?",
          ratio));
}

/// The learned numbers that the expression names; none where it is wrong.
std::vector<std::string> learned_numbers(const BlockContext& context) {
  Diagnostics none;
  const std::optional<Expression> expression = mlp_expression(context, none);
  std::vector<std::string> learned;
  for (const std::string& lambda : lambdas) {
    if (expression && names_in(*expression).contains(lambda)) learned.push_back(lambda);
  }
  return learned;
}

void declare(const BlockContext& context, Declarations& declare) {
  const MlpSection& mlp = own(context);
  const AxisId intermediate = declare.axis("intermediate", sane(mlp.intermediate_size), mlp.intermediate_size.span);
  const AxisId hidden = declare.hidden(), input = declare.input();
  std::vector<Projection> inputs;
  if (mlp.type.value == "gated") inputs.push_back({"gate", intermediate, input});
  inputs.push_back({"up", intermediate, input});
  declare.projections("input", mlp.bias, inputs);
  if (mlp.adapter_rank.given) {
    declare_narrowing("adapter", input, mlp.adapter_rank, declare);
    declare_widening("adapter_narrow", inputs, mlp.adapter_rank, declare);
  }
  for (const std::string& lambda : learned_numbers(context)) {
    declare.vector(lambda, declare.model_axis("one", 1, mlp.expression_span()));
  }
  const NormChoice& norm = mlp.inner_norm.value;
  if (norm.present) declare_norm("inner_norm", norm.norm, intermediate, declare);
  declare.projections("activated", mlp.bias, {{"down", hidden, intermediate}});
  if (mlp.output_gate.value) {
    declare.matrix("output_gate", declare.model_axis("one", 1, mlp.output_gate.span), input);
  }
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  std::vector<ValueId> parts;
  std::vector<std::string> names = {"x"};
  const ValueId narrow = own(context).adapter_rank.given ? build_narrowed("adapter", build, in) : ValueId{};
  const auto projection = [&](const std::string& word) {
    return narrow ? build_adapted(word, build, in, narrow, word) : build.projection(word, in, word);
  };
  if (own(context).type.value == "gated") {
    parts.push_back(projection("gate"));
    names = {"gate", "up"};
  }
  parts.push_back(projection("up"));
  for (const std::string& lambda : learned_numbers(context)) {
    names.push_back(lambda);
    parts.push_back(build.vector(lambda));
  }
  Diagnostics none;
  ValueId activated = build.map("", mlp_expression(context, none).value(), names, parts, "activated");
  const Field<NormChoice>& norm = own(context).inner_norm;
  if (norm.value.present) activated = build_norm("inner_norm", norm, context.block, build, activated, "inner_normed");
  const ValueId projected = build.projection("down", activated, "projected");
  if (!own(context).output_gate.value) return projected;
  static const Expression gating = known_expression("x * sigmoid(gate)", {"x", "gate"});
  const ValueId gate = build.matrix("output_gate", in, "output_gate");
  return build.map("", gating, {"x", "gate"}, {projected, gate}, "gated");
}

}  // namespace

std::optional<Expression> mlp_expression(const BlockContext& context, Diagnostics& diagnostics) {
  return unit_expression(context, own(context), lambdas, diagnostics);
}

BlockType mlp_block() {
  return {.name = "mlp",
          .meaning = "The MLP.",
          .parts = {"gate", "up", "adapter_down", "gate_adapter_up", "up_adapter_up", "lambda1", "lambda2", "lambda3",
                    "lambda4", "inner_norm", "down", "output_gate"},
          .make = make_section<MlpSection>,
          .bind = bind_section<MlpSection>,
          .complete = complete,
          .check = check,
          .advise = advise,
          .declare = declare,
          .build = build,
          .takes_embedding = true};
}

}  // namespace monomorph::generator
