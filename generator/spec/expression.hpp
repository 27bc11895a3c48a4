// Expressions: the small typed language of elementwise parts (activations, combinations, constants). Parsed once into a
// tree; written out as GLSL (f32) for kernels and as C++ (double) for the reference; evaluated where it is constant.
//
//   numbers, names, + - * /, unary -, ( ), comparisons < <= > >= == !=, && ||, c ? a : b,
//   calls: exp log sqrt tanh sigmoid erf abs min max clamp pow sin cos, and the named activations
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

struct ExpressionNode;

/// A parsed, type-checked expression over named variables.
struct Expression {
  std::shared_ptr<const ExpressionNode> root;
  std::string text;  ///< as written (after names of the variant table were replaced)
  bool empty() const { return root == nullptr; }
};

/// Parses `text`, whose names must be among `variables`. Errors are placed inside `span` (the string's place in the
/// spec). The result is a number.
std::optional<Expression> parse_expression(const std::string& text, const Span& span,
                                           const std::vector<std::string>& variables, Diagnostics& diagnostics);

/// `text` with the variable `from` called `to`: "x * sigmoid(x)" becomes "gate * sigmoid(gate)".
std::string rename_in_expression(const std::string& text, const std::string& from, const std::string& to);
/// Whether two say the same, operation by operation.
bool equal(const Expression& a, const Expression& b);
/// The variables it uses.
std::set<std::string> names_in(const Expression& expression);

/// GLSL text in f32: float literals, functions of shaders/numerics.glsl (`sigmoid`, `safe_tanh`, `erf_approx` ...)
/// where the driver's own is inexact or overflows.
std::string to_glsl(const Expression& expression);
/// C++ text in double: std:: functions and those of runtime/reference/numerics.hpp.
std::string to_cpp(const Expression& expression);
/// The value, with every variable given.
double evaluate(const Expression& expression, const std::map<std::string, double>& variables);

/// The named activations: silu, gelu (erf), gelu_new and gelu_pytorch_tanh, quick_gelu, relu, relu2, ... -> expression
/// of x.
const std::map<std::string, std::string>& named_activations();

}  // namespace monomorph::generator
