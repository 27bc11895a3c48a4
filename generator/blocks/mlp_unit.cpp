#include "generator/blocks/mlp_unit.hpp"

#include <fmt/format.h>

#include <set>

#include "generator/blocks/activation.hpp"
#include "generator/contract/rules.hpp"

namespace monomorph::generator {
namespace {

void has_an_activation(const BlockContext& context, const MlpUnit& unit, Diagnostics& diagnostics) {
  const Span& place = context.block.span;
  if (unit.activation.given || unit.combine.given || unit.type.value.empty()) return;
  // A value that could not be read has a place of its own and has been reported.
  if (unit.activation.span.line != place.line || unit.combine.span.line != place.line) return;
  diagnostics.error(
      "spec.missing_key", place,
      fmt::format("{0}.activation is missing: a named activation or an expression of x{1}", context.block.type->name,
                  unit.gated() ? ", or " + context.block.type->name + ".combine in its place" : ""));
}

void activation_is_used(const std::string& section, const MlpUnit& unit, Diagnostics& diagnostics) {
  const auto refuse = [&](const char* key, const auto& field) {
    if (!field.given || !unit.combine.given) return;
    diagnostics.error(
        "spec.unused_key", field.span,
        fmt::format("{0}.{1} has no meaning where {0}.combine says how gate and up become one", section, key));
  };
  refuse("activation", unit.activation);
  refuse("gate_scale", unit.gate_scale);
}

void uses_its_inputs(const Expression& expression, const std::vector<std::string>& inputs,
                     const Field<std::string>& field, const std::string& path, Diagnostics& diagnostics) {
  const std::set<std::string> used = names_in(expression);
  for (const std::string& input : inputs) {
    if (used.count(input)) continue;
    diagnostics.error("mlp.expression_ignores_input", field.span,
                      fmt::format("{} does not use {}: its projection would have no effect", path, input));
  }
}

}  // namespace

std::optional<Expression> unit_expression(const BlockContext& context, const MlpUnit& unit,
                                          const std::vector<std::string>& learned, Diagnostics& diagnostics) {
  const std::string& section = context.block.type->name;
  const auto parse = [&](const std::string& text, const Span& span, const std::vector<std::string>& inputs) {
    ExpressionNames names = variables(inputs);
    names.merge(variables(learned));
    names.merge(spec_numbers(context));
    return parse_expression(text, span, names, Type::real, diagnostics);
  };
  if (unit.combine.given) {
    auto combine = parse(unit.combine.value, unit.combine.span, {"gate", "up"});
    if (combine) uses_its_inputs(*combine, {"gate", "up"}, unit.combine, section + ".combine", diagnostics);
    return combine;
  }
  if (!unit.activation.given) return std::nullopt;
  const auto text = activation_text(unit.activation, section + ".activation", diagnostics);
  if (!text) return std::nullopt;
  auto activation = parse(*text, unit.activation.span, {"x"});
  if (!activation) return std::nullopt;
  uses_its_inputs(*activation, {"x"}, unit.activation, section + ".activation", diagnostics);
  if (!unit.gated()) return activation;
  const double scale = unit.gate_scale.value;
  const std::string gate = scale == 1 ? "gate" : fmt::format("({} * gate)", scale);
  return parse("(" + rename_in_expression(*text, "x", gate) + ") * up", unit.activation.span, {"gate", "up"});
}

void check_unit(const BlockContext& context, const MlpUnit& unit, const std::vector<std::string>& learned,
                Diagnostics& diagnostics) {
  const std::string& section = context.block.type->name;
  check_range(unit.intermediate_size, section + ".intermediate_size", 1, max_size, diagnostics);
  has_an_activation(context, unit, diagnostics);
  activation_is_used(section, unit, diagnostics);
  if (unit.gated()) {
    check_factor(unit.gate_scale.value, unit.gate_scale.span, section + ".gate_scale", "gate_scale", "1", diagnostics);
  }
  unit_expression(context, unit, learned, diagnostics);
  const std::vector<std::string> gated = {"gate", "up", "down"}, plain = {"up", "down"};
  check_bias_projections(unit.bias, section, unit.gated() ? gated : plain, diagnostics);
}

}  // namespace monomorph::generator
