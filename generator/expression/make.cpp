#include "generator/expression/make.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace monomorph::generator {

using Form = ExpressionNode::Form;
using Pointer = ExpressionNode::Pointer;

std::optional<Type> element_of(Type type) {
  if (type == Type::words) return Type::word;
  if (type == Type::sizes) return Type::integer;
  return type == Type::numbers ? std::optional(Type::real) : std::nullopt;
}

bool is_numeric(Type type) { return type == Type::real || type == Type::integer; }

bool is_number(const Pointer& node) { return is_numeric(node->type) && !node->optional; }

bool is_condition(const Pointer& node) { return node->type == Type::boolean && !node->optional; }

Pointer number(Type type, double value, ExpressionPlace place) {
  auto result = std::make_shared<ExpressionNode>();
  // Kernels have whole numbers of 32 bits; beyond them a number is real.
  const bool whole = type == Type::integer && std::abs(value) <= std::numeric_limits<std::int32_t>::max();
  result->type = whole ? Type::integer : Type::real;
  result->value = value;
  result->place = place;
  return result;
}

Pointer make_node(Form form, Type type, std::string word, std::vector<Pointer> operands, ExpressionPlace place,
                  bool optional) {
  auto result = std::make_shared<ExpressionNode>();
  result->form = form;
  result->type = type;
  result->optional = optional;
  result->word = std::move(word);
  for (const Pointer& operand : operands) result->written += operand->written;
  result->operands = std::move(operands);
  const bool known = type == Type::integer && form != Form::name &&
                     std::all_of(result->operands.begin(), result->operands.end(),
                                 [](const Pointer& operand) { return operand->form == Form::number; });
  result->place = place;
  if (!known) return result;
  return number(Type::integer, evaluate({result, ""}, {}) + 0.0, place);  // + 0.0: -0 is no whole number
}

Pointer widened(const Pointer& node) {
  if (node->type != Type::integer) return node;
  if (node->form == Form::number) return number(Type::real, node->value, node->place);
  return make_node(Form::widened, Type::real, "", {node}, node->place);
}

Type unite(std::vector<Pointer>& numbers) {
  const bool whole =
      std::all_of(numbers.begin(), numbers.end(), [](const Pointer& n) { return n->type == Type::integer; });
  if (whole) return Type::integer;
  std::transform(numbers.begin(), numbers.end(), numbers.begin(), widened);
  return Type::real;
}

std::optional<Type> united(std::vector<Pointer>& sides) {
  if (is_number(sides[0]) && is_number(sides[1])) return unite(sides);
  const Type first = sides[0]->type, second = sides[1]->type;
  if (first == second || second == Type::null) return first;
  if (first == Type::null) return second;
  return is_numeric(first) && is_numeric(second) ? std::optional(Type::real) : std::nullopt;
}

}  // namespace monomorph::generator
