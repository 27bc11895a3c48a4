// The tree of an expression, and the table of its functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "generator/expression/expression.hpp"

namespace monomorph::generator {

/// Where something stands in the text of an expression.
struct ExpressionPlace {
  std::size_t begin = 0, length = 1;
};

struct ExpressionNode {
  /// `widened`: a whole number as a real one.
  enum class Form { number, word, name, index, widened, negation, inversion, binary, conditional, call };
  using Pointer = std::shared_ptr<const ExpressionNode>;

  Form form = Form::number;
  Type type = Type::real;
  bool optional = false;    ///< may be null
  double value = 0;         ///< of a number
  std::string word;         ///< word, name, operator or function
  std::size_t written = 1;  ///< nodes of the tree as it is written out, shared ones as often as they are met
  std::vector<Pointer> operands;
  ExpressionPlace place = {};  ///< of a number or name, of an operator or function
};

struct ExpressionFunction {
  std::size_t arity;
  const char* glsl;  ///< null: of values alone, and whole
  const char* cpp;
  const char* whole_cpp;  ///< of whole numbers, whose result is whole then; null: takes real numbers alone
  double (*evaluate)(const double* arguments);
};

/// The function called `name`, or nothing.
const ExpressionFunction* find_function(const std::string& name);
std::vector<std::string> function_names();

/// What cannot be computed in f32 whatever the variables are: a constant part that is no finite number there, or a
/// division by a constant that is 0 there. Sides of a condition that are never chosen are no parts.
struct ConstantFault {
  ExpressionPlace place;
  std::string message;
};
std::vector<ConstantFault> constant_faults(const ExpressionNode& root);

/// How tightly an operator binds: more is tighter. 0: no operator.
int precedence(const std::string& binary_operator);

}  // namespace monomorph::generator
