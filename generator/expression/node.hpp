// The tree of an expression, and the table of its functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "generator/expression/expression.hpp"

namespace monomorph::generator {

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

/// How tightly an operator binds: more is tighter. 0: no operator.
int precedence(const std::string& binary_operator);

}  // namespace monomorph::generator
