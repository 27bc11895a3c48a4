#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "generator/expression/expression.hpp"
#include "generator/expression/node.hpp"

namespace monomorph::generator {
namespace {

using Form = ExpressionNode::Form;

enum class Language { glsl, cpp, cpp_f32 };

/// What functions and literals are of: f32, in the words of shaders/numerics.glsl.
bool is_f32(Language language) { return language != Language::cpp; }

/// Where those functions are in C++.
constexpr const char* numerics = "numerics::";

std::string literal(const ExpressionNode& node, Language language) {
  if (node.type == Type::integer) return fmt::format("{}", static_cast<std::int64_t>(node.value));
  std::string text =
      is_f32(language) ? fmt::format("{}", static_cast<float>(node.value)) : fmt::format("{}", node.value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return language == Language::cpp_f32 ? text + "f" : text;
}

constexpr int conditional_level = 0;
constexpr int unary_level = 7;
constexpr int primary_level = 8;

/// A number that is written out and not 0, whole or real.
bool is_divisor(const ExpressionNode& node) {
  if (node.form == Form::widened || node.form == Form::negation) return is_divisor(*node.operands[0]);
  return node.form == Form::number && node.value != 0;
}

/// Whether an operator is a call of shaders/numerics.glsl: drivers take a division by 0 for one that never happens.
bool is_quotient(const ExpressionNode& node, Language language) {
  return language == Language::glsl && node.word == "/" && !is_divisor(*node.operands[1]);
}

int level_of(const ExpressionNode& node, Language language) {
  switch (node.form) {
    case Form::conditional:
      return conditional_level;
    case Form::binary:
      return node.word == "%" || is_quotient(node, language) ? primary_level : precedence(node.word);
    case Form::negation:
    case Form::inversion:
      return unary_level;
    case Form::number:
      return node.value < 0 ? unary_level : primary_level;
    default:
      return primary_level;
  }
}

std::string write(const ExpressionNode& node, Language language);

/// In parentheses where it binds less tightly than `level`.
std::string write_at(const ExpressionNode& node, int level, Language language) {
  const std::string text = write(node, language);
  return level_of(node, language) < level ? "(" + text + ")" : text;
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
std::string write_power(const ExpressionNode& node, Language language) {
  const std::string base = write(*node.operands[0], language), space = language == Language::glsl ? "" : numerics;
  const std::optional<int> power = whole_exponent(*node.operands[1]);
  if (!power) return fmt::format("{}safe_pow({}, {})", space, base, write(*node.operands[1], language));
  const bool plain = node.operands[0]->form == Form::name && *power >= 2 && *power <= 4;
  if (!plain) return fmt::format("{}whole_power({}, {})", space, base, *power);
  std::string result = base;
  for (int factors = 1; factors < *power; ++factors) result += " * " + base;
  return "(" + result + ")";
}

std::string write_call(const ExpressionNode& node, Language language) {
  const ExpressionFunction* function = find_function(node.word);
  if (function == nullptr) throw InternalError("expression: no function " + node.word);
  if (is_f32(language) && node.word == "pow") return write_power(node, language);
  const char* cpp = node.type == Type::integer ? function->whole_cpp : function->cpp;
  std::string result = language == Language::glsl  ? function->glsl
                       : language == Language::cpp ? std::string(cpp)
                                                   : std::string(numerics) + function->glsl;
  result += '(';
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    result += (i > 0 ? ", " : "") + write(*node.operands[i], language);
  }
  return result + ')';
}

std::string write(const ExpressionNode& node, Language language) {
  switch (node.form) {
    case Form::number:
      return literal(node, language);
    case Form::name:
      return node.word;
    case Form::widened:
      return (is_f32(language) ? "float(" : "double(") + write(*node.operands[0], language) + ")";
    case Form::inversion:
      return "!" + write_at(*node.operands[0], primary_level, language);
    case Form::negation:
      return "-" + write_at(*node.operands[0], primary_level, language);
    case Form::binary: {
      if (node.word == "%") {
        const char* space = language == Language::glsl  ? ""
                            : language == Language::cpp ? "monomorph::reference::"
                                                        : numerics;
        return fmt::format("{}floor_mod({}, {})", space, write(*node.operands[0], language),
                           write(*node.operands[1], language));
      }
      if (is_quotient(node, language)) {
        return fmt::format("quotient({}, {})", write(*node.operands[0], language), write(*node.operands[1], language));
      }
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
    case Form::word:
    case Form::index:
      break;  // of values alone
  }
  throw InternalError("expression: a node that is never written out");
}

}  // namespace

std::string to_glsl(const Expression& expression) {
  if (expression.empty()) throw InternalError("expression: nothing to write as GLSL");
  return write(*expression.root, Language::glsl);
}

std::string to_cpp(const Expression& expression) {
  if (expression.empty()) throw InternalError("expression: nothing to write as C++");
  return write(*expression.root, Language::cpp);
}

std::string to_cpp_f32(const Expression& expression) {
  if (expression.empty()) throw InternalError("expression: nothing to write as C++");
  return write(*expression.root, Language::cpp_f32);
}

}  // namespace monomorph::generator
