#include "generator/blocks/mlp.hpp"

#include <fmt/format.h>

#include <iterator>

#include "generator/blocks/activation.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<MlpSection>>& fields() {
  using S = MlpSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("type", at(&S::type), required(), "", "down(activation(gate) * up), or down(activation(up))",
             {"gated", "plain"}),
      row<S>("intermediate_size", at(&S::intermediate_size), required(), "elements", "Width inside the MLP"),
      in_place_of(
          "combine",
          expression(row<S>("activation", at(&S::activation), computed("none; required unless combine is given"), "",
                            "A named activation, or an expression of x, of learned numbers lambda1 to lambda4, "
                            "parts of those names, and of the spec's own numbers"))),
      in_place_of(
          "activation",
          expression(row<S>("combine", at(&S::combine), computed("activation(gate) * up"), "",
                            "An expression of gate, up, learned numbers and the spec's own, in place of an activation",
                            {}, {"gated"}))),
      row<S>("bias", at(&S::bias), literal("false"), "",
             "Projections with a bias: true, false, or a list out of \"gate\", \"up\", \"down\""),
      row<S>("inner_norm", at(&S::inner_norm), literal("false"), "",
             "Normalise what down reads: true, false, or keys laid over those of [norm]"),
  };
  return rows;
}

namespace {

constexpr const char* lambdas[] = {"lambda1", "lambda2", "lambda3", "lambda4"};

const MlpSection& own(const BlockContext& context) { return section_of<MlpSection>(context.block); }

void has_an_activation(const BlockContext& context, Diagnostics& diagnostics) {
  const MlpSection& mlp = own(context);
  const Span& place = context.block.span;
  if (mlp.activation.given || mlp.combine.given || mlp.type.value.empty()) return;
  // A value that could not be read has a place of its own and has been reported.
  if (mlp.activation.span.line != place.line || mlp.combine.span.line != place.line) return;
  diagnostics.error("spec.missing_key", place,
                    fmt::format("mlp.activation is missing: a named activation or an expression of x{}",
                                mlp.type.value == "gated" ? ", or mlp.combine in its place" : ""));
}

void activation_is_used(const MlpSection& mlp, Diagnostics& diagnostics) {
  if (!mlp.activation.given || !mlp.combine.given) return;
  diagnostics.error("spec.unused_key", mlp.activation.span,
                    "mlp.activation has no meaning where mlp.combine says how gate and up become one");
}

void uses_its_inputs(const Expression& expression, const std::vector<std::string>& inputs,
                     const Field<std::string>& field, const char* path, Diagnostics& diagnostics) {
  const std::set<std::string> used = names_in(expression);
  for (const std::string& input : inputs) {
    if (used.count(input)) continue;
    diagnostics.error("mlp.expression_ignores_input", field.span,
                      fmt::format("{} does not use {}: its projection would have no effect", path, input));
  }
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  const MlpSection& mlp = own(context);
  const bool gated = mlp.type.value != "plain";
  check_range(mlp.intermediate_size, "mlp.intermediate_size", 1, max_size, diagnostics);
  has_an_activation(context, diagnostics);
  activation_is_used(mlp, diagnostics);
  mlp_expression(context, diagnostics);
  check_bias_projections(
      mlp.bias, "mlp", gated ? std::vector<std::string>{"gate", "up", "down"} : std::vector<std::string>{"up", "down"},
      diagnostics);
}

/// A width that was probably not meant, and one that wastes some of what reads it.
void advise(const BlockContext& context, const EngineSection&, Diagnostics& diagnostics) {
  const MlpSection& mlp = own(context);
  advise_multiple("intermediate_size", mlp.intermediate_size.value, mlp.intermediate_size.span, diagnostics);
  const double ratio =
      static_cast<double>(mlp.intermediate_size.value) / static_cast<double>(context.model.hidden_size.value);
  if (mlp.type.value != "gated" || (ratio >= 0.5 && ratio <= 8)) return;
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
  for (const char* lambda : lambdas) {
    if (expression && names_in(*expression).contains(lambda)) learned.emplace_back(lambda);
  }
  return learned;
}

void declare(const BlockContext& context, Declarations& declare) {
  const MlpSection& mlp = own(context);
  const AxisId intermediate = declare.axis("intermediate", sane(mlp.intermediate_size), mlp.intermediate_size.span);
  const AxisId hidden = declare.hidden();
  std::vector<Projection> inputs;
  if (mlp.type.value == "gated") inputs.push_back({"gate", intermediate, hidden});
  inputs.push_back({"up", intermediate, hidden});
  declare.projections("input", mlp.bias, inputs);
  const Span& expression = mlp.combine.given ? mlp.combine.span : mlp.activation.span;
  for (const std::string& lambda : learned_numbers(context)) {
    declare.vector(lambda, declare.model_axis("one", 1, expression));
  }
  const NormChoice& norm = mlp.inner_norm.value;
  if (norm.present) declare_norm("inner_norm", norm.norm, intermediate, declare);
  declare.projections("activated", mlp.bias, {{"down", hidden, intermediate}});
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  std::vector<ValueId> parts;
  std::vector<std::string> names = {"x"};
  if (own(context).type.value == "gated") {
    parts.push_back(build.projection("gate", in, "gate"));
    names = {"gate", "up"};
  }
  parts.push_back(build.projection("up", in, "up"));
  for (const std::string& lambda : learned_numbers(context)) {
    names.push_back(lambda);
    parts.push_back(build.vector(lambda));
  }
  Diagnostics none;
  ValueId activated = build.map("", mlp_expression(context, none).value(), names, parts, "activated");
  const Field<NormChoice>& norm = own(context).inner_norm;
  if (norm.value.present) activated = build_norm("inner_norm", norm, context.block, build, activated, "inner_normed");
  return build.projection("down", activated, "projected");
}

}  // namespace

std::optional<Expression> mlp_expression(const BlockContext& context, Diagnostics& diagnostics) {
  const MlpSection& mlp = own(context);
  const auto parse = [&](const std::string& text, const Span& span, const std::vector<std::string>& inputs) {
    ExpressionNames names = variables(inputs);
    names.merge(variables({std::begin(lambdas), std::end(lambdas)}));
    names.merge(spec_numbers(context));
    return parse_expression(text, span, names, Type::real, diagnostics);
  };
  if (mlp.combine.given) {
    auto combine = parse(mlp.combine.value, mlp.combine.span, {"gate", "up"});
    if (combine) uses_its_inputs(*combine, {"gate", "up"}, mlp.combine, "mlp.combine", diagnostics);
    return combine;
  }
  if (!mlp.activation.given) return std::nullopt;
  const auto text = activation_text(mlp.activation, "mlp.activation", diagnostics);
  if (!text) return std::nullopt;
  auto activation = parse(*text, mlp.activation.span, {"x"});
  if (!activation) return std::nullopt;
  uses_its_inputs(*activation, {"x"}, mlp.activation, "mlp.activation", diagnostics);
  if (mlp.type.value != "gated") return activation;
  return parse("(" + rename_in_expression(*text, "x", "gate") + ") * up", mlp.activation.span, {"gate", "up"});
}

BlockType mlp_block() {
  return {.name = "mlp",
          .meaning = "The MLP.",
          .parts = {"gate", "up", "lambda1", "lambda2", "lambda3", "lambda4", "inner_norm", "down"},
          .make = make_section<MlpSection>,
          .bind = bind_section<MlpSection>,
          .check = check,
          .advise = advise,
          .declare = declare,
          .build = build};
}

}  // namespace monomorph::generator
