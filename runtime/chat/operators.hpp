// Operators of a template's expressions, with Python's meaning.
#pragma once

#include <array>

#include "runtime/chat/value.hpp"

namespace monomorph::chat {

/// Written with braces, an operator's operands are computed from left to right, as Python does.
struct Operands {
  Value left, right;
};

bool equal(const Value& left, const Value& right);
/// Throws for what Python cannot order.
bool less(const Value& left, const Value& right);
/// `by`: == != < <= > >=, "in" and "not in".
bool compare(std::string_view by, const Operands& operands);
bool contains(const Value& container, const Value& value);
/// Throws for what cannot be the key of a dict.
void require_hashable(const Value& value);

/// `by`: + - * / // % **. Whole numbers that 64 bits do not hold are errors.
Value arithmetic(std::string_view by, const Operands& operands);
Value negative(const Value& value);
Value positive(const Value& value);
/// The texts of all, one after another: `~`.
Value concatenated(const std::vector<Value>& values);

/// What `left or right` gives, and `left and right`; the right side is computed where it is needed.
template <class Right>
Value either(Value left, Right right) {
  return truth(left) ? left : right();
}
template <class Right>
Value both(Value left, Right right) {
  return truth(left) ? right() : left;
}

/// object.name: the entry of a dict, or an attribute. A method that is not called is an error.
Value attribute(const Value& object, std::string_view name);
/// object[key]
Value item(const Operands& operands);
/// object[start:stop:step], these four; none where one is left out.
Value slice(const std::array<Value, 4>& operands);
/// Sets an attribute of a namespace; of anything else it is an error.
void set_attribute(const Value& object, std::string_view name, Value value);
/// What a call of something that is no function gives: an error.
[[noreturn]] Value call_value(const Value& value);
/// A dict of these entries, in order.
Value dict_of(const std::vector<std::pair<Value, Value>>& entries);
/// The values of `a, b = value`; as many as there are targets, or an error.
std::vector<Value> unpacked(const Value& value, std::size_t targets);

}  // namespace monomorph::chat
