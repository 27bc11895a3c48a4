#include "generator/blocks/activation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "generator/expression/expression.hpp"
#include "generator/spec/block_type.hpp"

namespace monomorph::generator {
namespace {

bool is_word(const std::string& text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

}  // namespace

std::optional<std::string> activation_text(const Field<std::string>& activation, const std::string& path,
                                           Diagnostics& diagnostics) {
  const auto named = named_activations().find(activation.value);
  if (named != named_activations().end()) return named->second;
  if (!is_word(activation.value) || activation.value == "x") return activation.value;
  std::vector<std::string> names;
  for (const auto& [name, text] : named_activations()) names.push_back(name);
  const std::string suggestion = nearest(activation.value, names);
  diagnostics.error(
      path, activation.span,
      fmt::format("no activation is called \"{}\"; there are {}, and expressions of x{}", activation.value,
                  fmt::join(names, ", "), suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
  return std::nullopt;
}

std::optional<Expression> expression_of_x(const std::string& text, const Span& span, const std::string& path,
                                          const ModelSection& model, Diagnostics& diagnostics) {
  ExpressionNames names = model_numbers(model);
  names.merge(variables({"x"}));
  auto expression = parse_expression(text, span, names, Type::real, diagnostics);
  if (!expression || names_in(*expression).contains("x")) return expression;
  diagnostics.error(path, span, fmt::format("{} does not use x: it would be one number, whatever x is", path));
  return std::nullopt;
}

std::optional<Expression> required_activation_of_x(const Field<std::string>& activation, const std::string& path,
                                                   const ModelSection& model, Diagnostics& diagnostics) {
  const auto text = activation_text(activation, path, diagnostics);
  return text ? expression_of_x(*text, activation.span, path, model, diagnostics) : std::nullopt;
}

std::optional<Expression> activation_of_x(const Field<std::string>& activation, const std::string& path,
                                          const ModelSection& model, Diagnostics& diagnostics) {
  return activation.given ? required_activation_of_x(activation, path, model, diagnostics) : Expression{};
}

}  // namespace monomorph::generator
