// Expressions: the small typed language of elementwise parts (activations, combinations, constants). Parsed once into a
// tree; written out as GLSL or C++ (f32 and 32-bit integers) for kernels and as C++ (double and 64-bit integers) for
// the reference; evaluated where it is constant.
//
//   numbers, names, + - * / %, unary - and !, ( ), comparisons < <= > >= == !=, && ||, c ? a : b,
//   calls: exp log sqrt tanh sigmoid erf abs min max clamp pow sin cos, and the named activations
//
// A number without point and exponent is whole. + - * of whole numbers are whole, / is always real, % takes whole
// numbers and is floored (its result has the sign of the divisor; 0 where the divisor is 0). A whole number stands
// where a real one is wanted. Conditions are no numbers.
//
// Over the values of a file (import) there are also 'words', lists of words and list[index], true, false and null,
// a ?? b (a, but b where a is null), a in list and a in [b, c], == and != of any two values of one type, floor(x), and
// names with dots. They are evaluated, and never written out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "generator/diagnostics.hpp"

namespace monomorph::generator {

/// From `word` on in Vocabulary::values alone: lists are of words, of whole numbers or of numbers.
enum class Type { real, integer, boolean, word, words, sizes, numbers, null };

enum class Vocabulary { elements, values };  ///< for kernels, or over the values of a file

/// What an expression may name.
struct ExpressionName {
  Type type = Type::real;
  std::optional<double> constant = {};  ///< its value, where it is known before the expression is: written in its place
  bool optional = false;                ///< it may be null
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

/// Parses `text`; the result has the type `wanted` (of values it may be null too; Type::null takes any). Errors are
/// placed inside `span` (the string's place in the spec): expression.syntax, expression.types, expression.number,
/// expression.unknown_name, expression.unknown_function, expression.arguments.
std::optional<Expression> parse_expression(const std::string& text, const Span& span, const ExpressionNames& names,
                                           Type wanted, Diagnostics& diagnostics,
                                           Vocabulary vocabulary = Vocabulary::elements);

/// `text` with the variable `from` called `to`: "x * sigmoid(x)" becomes "gate * sigmoid(gate)".
std::string rename_in_expression(const std::string& text, const std::string& from, const std::string& to);
/// The condition that both conditions hold.
Expression conjunction(const Expression& a, const Expression& b);
/// Whether two say the same, operation by operation.
bool equal(const Expression& a, const Expression& b);
inline bool operator==(const Expression& a, const Expression& b) { return equal(a, b); }
/// What it gives, as it was asked for.
Type type_of(const Expression& expression);
/// The variables it uses; constants are none.
std::set<std::string> names_in(const Expression& expression);

/// GLSL text: float literals, functions of shaders/numerics.glsl (`sigmoid`, `safe_tanh`, `erf_approx` ...) where the
/// driver's own is inexact or overflows.
std::string to_glsl(const Expression& expression);
/// C++ text: std:: functions and those of runtime/reference/numerics.hpp.
std::string to_cpp(const Expression& expression);
/// C++ text of kernels, in f32: the functions of runtime/cpu/numerics.hpp, whose namespace the text calls numerics.
std::string to_cpp_f32(const Expression& expression);
/// The value, with every variable given; a condition is 1 or 0.
double evaluate(const Expression& expression, const std::map<std::string, double>& variables);

/// A list, which copies share: what a list of all layers is worth is asked once a layer.
template <class Element>
struct ListOf {
  std::shared_ptr<const std::vector<Element>> list = std::make_shared<const std::vector<Element>>();
  bool operator==(const ListOf& other) const { return *list == *other.list; }
};
using Words = ListOf<std::string>;
using Numbers = ListOf<double>;

/// What an expression of Vocabulary::values is worth.
struct Datum {
  std::variant<std::monostate, double, std::string, Words, Numbers> is;  ///< null; a condition is 1 or 0
  std::string name = {};                                                 ///< the last name that it was made of, or ""
  bool computed = true;                                                  ///< from that name's value, or of none
  bool is_null() const { return is.index() == 0; }
};
/// Reads every name that it meets; of c ? a : b only the chosen side is met, of all else both.
Datum value_of(const Expression& expression, const std::function<Datum(const std::string&)>& value_of_name);

/// The named activations: silu, gelu (erf), gelu_new and gelu_pytorch_tanh, quick_gelu, relu, relu2, ... -> expression
/// of x.
const std::map<std::string, std::string>& named_activations();

}  // namespace monomorph::generator
