// The nodes that the parser makes: their types, and numbers as whole or as real ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/expression/node.hpp"

namespace monomorph::generator {

/// The type of a list's elements; nothing: it is no list.
std::optional<Type> element_of(Type type);
bool is_numeric(Type type);
/// What is never null.
bool is_number(const ExpressionNode::Pointer& node);
bool is_condition(const ExpressionNode::Pointer& node);

ExpressionNode::Pointer number(Type type, double value, ExpressionPlace place = {});
/// A node; a number, where it is a whole number whatever the names are.
ExpressionNode::Pointer make_node(ExpressionNode::Form form, Type type, std::string word,
                                  std::vector<ExpressionNode::Pointer> operands, ExpressionPlace place,
                                  bool optional = false);

/// A number as a real one.
ExpressionNode::Pointer widened(const ExpressionNode::Pointer& node);
/// Makes all numbers whole or all real; gives which.
Type unite(std::vector<ExpressionNode::Pointer>& numbers);
/// The type of what is one side or the other, or nothing where they have none in common.
std::optional<Type> united(std::vector<ExpressionNode::Pointer>& sides);

}  // namespace monomorph::generator
