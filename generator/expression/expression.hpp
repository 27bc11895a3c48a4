// Expressions: the small typed language of elementwise parts (activations, combinations, constants). Parsed once into a
// tree; written out as GLSL (f32 and 32-bit integers) for kernels and as C++ (double and 64-bit integers) for the
// reference; evaluated where it is constant.
//
//   numbers, names, + - * / %, unary - and !, ( ), comparisons < <= > >= == !=, && ||, c ? a : b,
//   calls: exp log sqrt tanh sigmoid erf abs min max clamp pow sin cos, and the named activations
//
// A number without point and exponent is whole. + - * of whole numbers are whole, / is always real, % takes whole
// numbers and is floored (its result has the sign of the divisor; 0 where the divisor is 0). A whole number stands
// where a real one is wanted. Conditions are no numbers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "generator/diagnostics.hpp"

namespace monomorph::generator {

enum class Type { real, integer, boolean };

/// What an expression may name.
struct ExpressionName {
  Type type = Type::real;
  std::optional<double> constant = {};  ///< its value, where it is known before the expression is: written in its place
};
using ExpressionNames = std::map<std::string, ExpressionName>;

/// Real variables.
ExpressionNames variables(const std::vector<std::string>& names);

struct ExpressionNode;

/// A parsed, type-checked expression over named variables.
struct Expression {
  std::shared_ptr<const ExpressionNode> root;
  std::string text;  ///< as written
  bool empty() const { return root == nullptr; }
};

/// Parses `text`; the result has the type `wanted`. Errors are placed inside `span` (the string's place in the spec):
/// expression.syntax, expression.types, expression.number, expression.unknown_name, expression.unknown_function,
/// expression.arguments.
std::optional<Expression> parse_expression(const std::string& text, const Span& span, const ExpressionNames& names,
                                           Type wanted, Diagnostics& diagnostics);

/// `text` with the variable `from` called `to`: "x * sigmoid(x)" becomes "gate * sigmoid(gate)".
std::string rename_in_expression(const std::string& text, const std::string& from, const std::string& to);
/// Whether two say the same, operation by operation.
bool equal(const Expression& a, const Expression& b);
/// The variables it uses; constants are none.
std::set<std::string> names_in(const Expression& expression);

/// GLSL text: float literals, functions of shaders/numerics.glsl (`sigmoid`, `safe_tanh`, `erf_approx` ...) where the
/// driver's own is inexact or overflows.
std::string to_glsl(const Expression& expression);
/// C++ text: std:: functions and those of runtime/reference/numerics.hpp.
std::string to_cpp(const Expression& expression);
/// The value, with every variable given; a condition is 1 or 0.
double evaluate(const Expression& expression, const std::map<std::string, double>& variables);

/// The named activations: silu, gelu (erf), gelu_new and gelu_pytorch_tanh, quick_gelu, relu, relu2, ... -> expression
/// of x.
const std::map<std::string, std::string>& named_activations();

}  // namespace monomorph::generator
