#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "generator/contract/rules.hpp"

namespace monomorph::generator {
namespace {

void has_an_activation(const LayerKind& kind, Diagnostics& diagnostics) {
  const MlpSection& mlp = kind.mlp;
  if (mlp.activation.given || mlp.combine.given || mlp.type.value.empty()) return;
  // A value that could not be read has a place of its own and has been reported.
  if (mlp.activation.span.line != mlp.span.line || mlp.combine.span.line != mlp.span.line) return;
  diagnostics.error("spec.missing_key", mlp.span,
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

bool is_word(const std::string& text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

/// The activation as an expression of x.
std::optional<std::string> activation_text(const Field<std::string>& activation, Diagnostics& diagnostics) {
  const auto named = named_activations().find(activation.value);
  if (named != named_activations().end()) return named->second;
  if (!is_word(activation.value) || activation.value == "x") return activation.value;
  std::vector<std::string> names;
  for (const auto& [name, text] : named_activations()) names.push_back(name);
  const std::string suggestion = nearest(activation.value, names);
  diagnostics.error(
      "mlp.activation", activation.span,
      fmt::format("no activation is called \"{}\"; there are {}, and expressions of x{}", activation.value,
                  fmt::join(names, ", "), suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
  return std::nullopt;
}

}  // namespace

std::optional<Expression> mlp_expression(const Spec& spec, const LayerKind& kind, Diagnostics& diagnostics) {
  const MlpSection& mlp = kind.mlp;
  const auto parse = [&](const std::string& text, const Span& span, const std::vector<std::string>& inputs) {
    ExpressionNames names = variables(inputs);
    names.merge(spec_numbers(spec, kind));
    return parse_expression(text, span, names, Type::real, diagnostics);
  };
  if (mlp.combine.given) {
    auto combine = parse(mlp.combine.value, mlp.combine.span, {"gate", "up"});
    if (combine) uses_its_inputs(*combine, {"gate", "up"}, mlp.combine, "mlp.combine", diagnostics);
    return combine;
  }
  if (!mlp.activation.given) return std::nullopt;
  const auto text = activation_text(mlp.activation, diagnostics);
  if (!text) return std::nullopt;
  auto activation = parse(*text, mlp.activation.span, {"x"});
  if (!activation) return std::nullopt;
  uses_its_inputs(*activation, {"x"}, mlp.activation, "mlp.activation", diagnostics);
  if (mlp.type.value != "gated") return activation;
  return parse("(" + rename_in_expression(*text, "x", "gate") + ") * up", mlp.activation.span, {"gate", "up"});
}

void check_mlp_rules(const Spec& spec, Diagnostics& diagnostics) {
  for (const LayerKind& kind : spec.kinds) {
    if (!kind.has_step("mlp")) continue;
    const bool gated = kind.mlp.type.value != "plain";
    check_range(kind.mlp.intermediate_size, "mlp.intermediate_size", 1, max_size, diagnostics);
    has_an_activation(kind, diagnostics);
    activation_is_used(kind.mlp, diagnostics);
    mlp_expression(spec, kind, diagnostics);
    check_bias_projections(
        kind.mlp.bias, "mlp",
        gated ? std::vector<std::string>{"gate", "up", "down"} : std::vector<std::string>{"up", "down"}, diagnostics);
    check_fused_biases(spec.checkpoint, "mlp", kind.mlp.bias, diagnostics);
  }
}

}  // namespace monomorph::generator
