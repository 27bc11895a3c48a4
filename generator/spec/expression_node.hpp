// The tree of an expression, and the table of its functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "generator/spec/expression.hpp"

namespace monomorph::generator {

struct ExpressionNode {
  enum class Form { number, name, negation, binary, conditional, call };
  using Pointer = std::shared_ptr<const ExpressionNode>;

  Form form = Form::number;
  bool is_boolean = false;
  double value = 0;         ///< of a number
  std::string word;         ///< name, operator or function
  std::size_t written = 1;  ///< nodes of the tree as it is written out, shared ones as often as they are met
  std::vector<Pointer> operands;
};

struct ExpressionFunction {
  std::size_t arity;
  const char* glsl;
  const char* cpp;
  double (*evaluate)(const double* arguments);
};

/// The function called `name`, or nothing.
const ExpressionFunction* find_function(const std::string& name);
std::vector<std::string> function_names();

/// How tightly an operator binds: more is tighter. 0: no operator.
int precedence(const std::string& binary_operator);

}  // namespace monomorph::generator
