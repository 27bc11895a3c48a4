// What an expression is worth, and what it is made of.
#include <algorithm>
#include <cmath>
#include <functional>

#include "generator/expression/node.hpp"

namespace monomorph::generator {

using Form = ExpressionNode::Form;
using Pointer = ExpressionNode::Pointer;

namespace {

double binary_value(const std::string& op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  if (op == "%") return b == 0 ? 0 : a - b * std::floor(a / b);
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "&&") return a != 0 && b != 0;
  if (op == "||") return a != 0 || b != 0;
  if (op == "??") return a;  // a number is not null
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
    case Form::widened:
      return value_of(*node.operands[0], variables) + 0.0;  // whole numbers have no -0
    case Form::negation:
      return -value_of(*node.operands[0], variables);
    case Form::inversion:
      return value_of(*node.operands[0], variables) == 0;
    case Form::binary:
      return binary_value(node.word, value_of(*node.operands[0], variables), value_of(*node.operands[1], variables));
    case Form::conditional:
      return value_of(*node.operands[value_of(*node.operands[0], variables) != 0 ? 1 : 2], variables);
    case Form::call: {
      double arguments[3] = {};
      for (std::size_t i = 0; i < node.operands.size(); ++i) arguments[i] = value_of(*node.operands[i], variables);
      return find_function(node.word)->evaluate(arguments);
    }
    case Form::word:
    case Form::index:
      break;  // of values alone
  }
  throw InternalError("expression: a node that is no number");
}

double number(const Datum& value) {
  const double* number = std::get_if<double>(&value.is);
  if (number == nullptr) throw InternalError("expression: a number is required, " + value.name + " is none");
  return *number;
}

/// Null past the end.
template <class Element>
Datum element(const ListOf<Element>& list, double at, const std::string& name) {
  if (at < 0 || at >= static_cast<double>(list.list->size())) return {{}, name};
  return {(*list.list)[static_cast<std::size_t>(at)], name};
}

/// Nothing stands in null.
bool is_in(const Datum& value, const Datum& list) {
  const auto any = [&](const auto& elements) {
    return std::ranges::any_of(*elements.list, [&](const auto& each) { return value.is == Datum{each}.is; });
  };
  if (const auto* words = std::get_if<Words>(&list.is)) return any(*words);
  const auto* numbers = std::get_if<Numbers>(&list.is);
  return numbers != nullptr && any(*numbers);
}

Datum value_of(const ExpressionNode& node, const std::function<Datum(const std::string&)>& value_of_name) {
  const auto operand = [&](std::size_t i) { return value_of(*node.operands[i], value_of_name); };
  switch (node.form) {
    case Form::word:
      return {node.word};
    case Form::name:
      if (node.word == "null") return {};
      if (node.word == "true" || node.word == "false") return {node.word == "true" ? 1.0 : 0.0};
      return value_of_name(node.word);
    case Form::index: {
      const Datum list = operand(0);
      const double at = number(operand(1));
      if (const auto* words = std::get_if<Words>(&list.is)) return element(*words, at, list.name);
      if (const auto* numbers = std::get_if<Numbers>(&list.is)) return element(*numbers, at, list.name);
      if (std::holds_alternative<double>(list.is)) return list;  // one for every place
      return {{}, list.name};
    }
    case Form::widened:
      return operand(0);
    case Form::conditional:
      return operand(number(operand(0)) != 0 ? 1 : 2);
    case Form::binary: {
      Datum a = operand(0), b = operand(1);
      if (node.word == "??") return a.is_null() ? b : a;
      const std::string& last = b.name.empty() ? a.name : b.name;
      if (node.word == "==") return {a.is == b.is ? 1.0 : 0.0, last};
      if (node.word == "in") return {is_in(a, b) ? 1.0 : 0.0, last};
      if (node.word == "!=") return {a.is == b.is ? 0.0 : 1.0, last};
      return {binary_value(node.word, number(a), number(b)), last};
    }
    default: {
      // The rest is of numbers: the same tree over its operands' values.
      std::map<std::string, double> values;
      ExpressionNode plain = node;
      std::string last;
      for (std::size_t i = 0; i < node.operands.size(); ++i) {
        const Datum value = operand(i);
        if (!value.name.empty()) last = value.name;
        auto literal = std::make_shared<ExpressionNode>();
        literal->value = number(value);
        plain.operands[i] = literal;
      }
      return {value_of(plain, values), last};
    }
  }
}

}  // namespace

double evaluate(const Expression& expression, const std::map<std::string, double>& variables) {
  if (expression.empty()) throw InternalError("expression: nothing to evaluate");
  return value_of(*expression.root, variables);
}

Datum value_of(const Expression& expression, const std::function<Datum(const std::string&)>& value_of_name) {
  if (expression.empty()) throw InternalError("expression: nothing to evaluate");
  return value_of(*expression.root, value_of_name);
}

Type type_of(const Expression& expression) {
  if (expression.empty()) throw InternalError("expression: nothing has no type");
  return expression.root->type;
}

std::set<std::string> names_in(const Expression& expression) {
  std::set<std::string> names;
  std::vector<const ExpressionNode*> open = {expression.root.get()};
  while (!open.empty()) {
    const ExpressionNode* node = open.back();
    open.pop_back();
    if (node == nullptr) continue;
    if (node->form == Form::name) names.insert(node->word);
    for (const Pointer& operand : node->operands) open.push_back(operand.get());
  }
  return names;
}

Expression conjunction(const Expression& a, const Expression& b) {
  if (a.empty() || b.empty()) throw InternalError("expression: no condition to join");
  auto both = std::make_shared<ExpressionNode>();
  both->form = Form::binary;
  both->type = Type::boolean;
  both->word = "&&";
  both->operands = {a.root, b.root};
  both->written = 1 + a.root->written + b.root->written;
  return {both, "(" + a.text + ") && (" + b.text + ")"};
}

bool equal(const Expression& a, const Expression& b) {
  const std::function<bool(const Pointer&, const Pointer&)> same = [&](const Pointer& x, const Pointer& y) {
    if (x == nullptr || y == nullptr) return x == y;
    return x->form == y->form && x->type == y->type && x->word == y->word && x->value == y->value &&
           std::equal(x->operands.begin(), x->operands.end(), y->operands.begin(), y->operands.end(), same);
  };
  return same(a.root, b.root);
}

}  // namespace monomorph::generator
