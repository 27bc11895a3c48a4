#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "generator/spec/expression.hpp"
#include "generator/spec/expression_node.hpp"

namespace monomorph::generator {
namespace {

using Form = ExpressionNode::Form;

const std::map<std::string, ExpressionFunction>& functions() {
  // sigmoid, safe_tanh, safe_pow and erf_approx are those of shaders/numerics.glsl: drivers overflow in tanh, and GLSL
  // has no erf.
  static const std::map<std::string, ExpressionFunction> table = {
      {"abs", {1, "abs", "std::abs", [](const double* a) { return std::abs(a[0]); }}},
      {"clamp", {3, "clamp", "std::clamp", [](const double* a) { return std::min(std::max(a[0], a[1]), a[2]); }}},
      {"cos", {1, "cos", "std::cos", [](const double* a) { return std::cos(a[0]); }}},
      {"erf", {1, "erf_approx", "std::erf", [](const double* a) { return std::erf(a[0]); }}},
      {"exp", {1, "exp", "std::exp", [](const double* a) { return std::exp(a[0]); }}},
      {"log", {1, "log", "std::log", [](const double* a) { return std::log(a[0]); }}},
      {"max", {2, "max", "std::max", [](const double* a) { return std::max(a[0], a[1]); }}},
      {"min", {2, "min", "std::min", [](const double* a) { return std::min(a[0], a[1]); }}},
      {"pow", {2, "safe_pow", "std::pow", [](const double* a) { return std::pow(a[0], a[1]); }}},
      {"sigmoid",
       {1, "sigmoid", "monomorph::reference::sigmoid", [](const double* a) { return 1 / (1 + std::exp(-a[0])); }}},
      {"sin", {1, "sin", "std::sin", [](const double* a) { return std::sin(a[0]); }}},
      {"sqrt", {1, "sqrt", "std::sqrt", [](const double* a) { return std::sqrt(a[0]); }}},
      {"tanh", {1, "safe_tanh", "std::tanh", [](const double* a) { return std::tanh(a[0]); }}},
  };
  return table;
}

enum class Language { glsl, cpp };

std::string literal(double value, Language language) {
  std::string text =
      language == Language::glsl ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

constexpr int conditional_level = 0;
constexpr int unary_level = 7;
constexpr int primary_level = 8;

int level_of(const ExpressionNode& node) {
  switch (node.form) {
    case Form::conditional:
      return conditional_level;
    case Form::binary:
      return precedence(node.word);
    case Form::negation:
      return unary_level;
    default:
      return primary_level;
  }
}

std::string write(const ExpressionNode& node, Language language);

/// In parentheses where it binds less tightly than `level`.
std::string write_at(const ExpressionNode& node, int level, Language language) {
  const std::string text = write(node, language);
  return level_of(node) < level ? "(" + text + ")" : text;
}

/// A literal whole number of moderate size, such as 3 or -2.
std::optional<int> whole_exponent(const ExpressionNode& node) {
  constexpr double largest = 1000;
  const bool negated = node.form == Form::negation && node.operands[0]->form == Form::number;
  if (!negated && node.form != Form::number) return std::nullopt;
  const double value = negated ? -node.operands[0]->value : node.value;
  if (std::abs(value) > largest || value != std::floor(value)) return std::nullopt;
  return static_cast<int>(value);
}

/// GLSL's pow is inexact, and undefined for a negative base: a whole power is multiplied out, a small one of a variable
/// in plain sight.
std::string write_glsl_power(const ExpressionNode& node) {
  const std::string base = write(*node.operands[0], Language::glsl);
  const std::optional<int> power = whole_exponent(*node.operands[1]);
  if (!power) return fmt::format("safe_pow({}, {})", base, write(*node.operands[1], Language::glsl));
  const bool plain = node.operands[0]->form == Form::name && *power >= 2 && *power <= 4;
  if (!plain) return fmt::format("whole_power({}, {})", base, *power);
  std::string result = base;
  for (int factors = 1; factors < *power; ++factors) result += " * " + base;
  return "(" + result + ")";
}

std::string write_call(const ExpressionNode& node, Language language) {
  const ExpressionFunction* function = find_function(node.word);
  if (function == nullptr) throw InternalError("expression: no function " + node.word);
  if (language == Language::glsl && node.word == "pow") return write_glsl_power(node);
  std::string result = language == Language::glsl ? function->glsl : function->cpp;
  result += '(';
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    result += (i > 0 ? ", " : "") + write(*node.operands[i], language);
  }
  return result + ')';
}

std::string write(const ExpressionNode& node, Language language) {
  switch (node.form) {
    case Form::number:
      return literal(node.value, language);
    case Form::name:
      return node.word;
    case Form::negation:
      return "-" + write_at(*node.operands[0], primary_level, language);
    case Form::binary: {
      const int level = precedence(node.word);
      // Not reordered: sums and products of floats are not associative.
      return write_at(*node.operands[0], level, language) + " " + node.word + " " +
             write_at(*node.operands[1], level + 1, language);
    }
    case Form::conditional:
      return write_at(*node.operands[0], 1, language) + " ? " + write_at(*node.operands[1], 1, language) + " : " +
             write_at(*node.operands[2], 1, language);
    case Form::call:
      return write_call(node, language);
  }
  throw InternalError("expression: a node of no form");
}

double binary_value(const std::string& op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "&&") return a != 0 && b != 0;
  if (op == "||") return a != 0 || b != 0;
  throw InternalError("expression: no operator " + op);
}

double value_of(const ExpressionNode& node, const std::map<std::string, double>& variables) {
  switch (node.form) {
    case Form::number:
      return node.value;
    case Form::name: {
      const auto found = variables.find(node.word);
      if (found == variables.end()) throw InternalError("expression: no value for " + node.word);
      return found->second;
    }
    case Form::negation:
      return -value_of(*node.operands[0], variables);
    case Form::binary:
      return binary_value(node.word, value_of(*node.operands[0], variables), value_of(*node.operands[1], variables));
    case Form::conditional:
      return value_of(*node.operands[value_of(*node.operands[0], variables) != 0 ? 1 : 2], variables);
    case Form::call: {
      double arguments[3] = {};
      for (std::size_t i = 0; i < node.operands.size(); ++i) arguments[i] = value_of(*node.operands[i], variables);
      return find_function(node.word)->evaluate(arguments);
    }
  }
  throw InternalError("expression: a node of no form");
}

}  // namespace

const ExpressionFunction* find_function(const std::string& name) {
  const auto found = functions().find(name);
  return found == functions().end() ? nullptr : &found->second;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions()) names.push_back(name);
  return names;
}

std::string to_glsl(const Expression& expression) {
  if (expression.empty()) throw InternalError("expression: nothing to write as GLSL");
  return write(*expression.root, Language::glsl);
}

std::string to_cpp(const Expression& expression) {
  if (expression.empty()) throw InternalError("expression: nothing to write as C++");
  return write(*expression.root, Language::cpp);
}

double evaluate(const Expression& expression, const std::map<std::string, double>& variables) {
  if (expression.empty()) throw InternalError("expression: nothing to evaluate");
  return value_of(*expression.root, variables);
}

}  // namespace monomorph::generator
