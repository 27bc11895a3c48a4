#include "runtime/chat/operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/chat/format.hpp"
#include "runtime/chat/loop.hpp"
#include "runtime/chat/methods.hpp"
#include "runtime/chat/print.hpp"
#include "runtime/chat/text.hpp"

namespace monomorph::chat {
namespace {

[[noreturn]] void refuse(std::string_view by, const Value& left, const Value& right) {
  need_defined(left);
  need_defined(right);
  fail(fmt::format("{} is not defined between {} and {}", by, type_name(left), type_name(right)));
}

/// Every whole number of 64 bits and every double is one of these exactly.
long double exact(const Value& number) {
  const std::optional<std::int64_t> whole = number.integer();
  return whole ? static_cast<long double>(*whole) : static_cast<long double>(number.real());
}

Value whole_arithmetic(std::string_view by, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool overflows = false;
  if (by == "+") {
    overflows = __builtin_add_overflow(left, right, &result);
  } else if (by == "-") {
    overflows = __builtin_sub_overflow(left, right, &result);
  } else if (by == "*") {
    overflows = __builtin_mul_overflow(left, right, &result);
  } else if (by == "**") {
    if (right < 0) {
      if (left == 0) fail("0 cannot be raised to a negative power");
      return std::pow(static_cast<double>(left), static_cast<double>(right));
    }
    result = 1;
    // A base of 0, 1 or -1 never overflows, however often it is multiplied.
    const std::int64_t times = left >= -1 && left <= 1 ? std::min<std::int64_t>(right, 2 + right % 2) : right;
    for (std::int64_t i = 0; i < times && !overflows; ++i) overflows = __builtin_mul_overflow(result, left, &result);
  } else {
    if (right == 0) fail("division by zero");
    if (by == "/") return static_cast<double>(left) / static_cast<double>(right);
    if (right == -1) {
      overflows = __builtin_sub_overflow(std::int64_t{0}, left, &result);
      if (by == "%") return 0;
    } else {
      const std::int64_t rest = left % right;
      const bool below = rest != 0 && (rest < 0) != (right < 0);
      result = by == "//" ? left / right - (below ? 1 : 0) : rest + (below ? right : 0);
    }
  }
  if (overflows) fail(fmt::format("{} {} {} is larger than 64 bits hold", left, by, right));
  return result;
}

Value real_arithmetic(std::string_view by, double left, double right) {
  if (by == "+") return left + right;
  if (by == "-") return left - right;
  if (by == "*") return left * right;
  if (by == "**") {
    if (left == 0 && right < 0) fail("0 cannot be raised to a negative power");
    const double power = std::pow(left, right);
    if (!std::isfinite(power) && std::isfinite(left) && std::isfinite(right))
      fail("a power is too large, or no number");
    return power;
  }
  if (right == 0) fail("division by zero");
  if (by == "/") return left / right;
  double rest = std::fmod(left, right);
  double quotient = (left - rest) / right;
  if (rest != 0 && (rest < 0) != (right < 0)) {
    rest += right;
    quotient -= 1;
  } else if (rest == 0) {
    rest = std::copysign(0.0, right);
  }
  if (by == "%") return rest;
  if (quotient == 0) return std::copysign(0.0, left / right);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

constexpr std::size_t most_repeated = std::size_t{1} << 28;  // bytes

Value repeated(const Value& value, std::int64_t times) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(times, 0));
  const auto size = static_cast<std::size_t>(length_of(value).value());
  const std::size_t bytes = value.as<std::string>() != nullptr ? 4 : sizeof(Value);  // of a character at most
  if (size != 0 && count > most_repeated / bytes / size) fail("a repeated text or list is too long");
  if (const std::string* text = value.as<std::string>()) {
    std::string result;
    for (std::size_t i = 0; size != 0 && i < count; ++i) result += *text;
    return result;
  }
  Sequence result{value.sequence()->kind, {}};
  const std::vector<Value>& elements = value.sequence()->elements;
  for (std::size_t i = 0; size != 0 && i < count; ++i) {
    result.elements.insert(result.elements.end(), elements.begin(), elements.end());
  }
  return result;
}

bool repeats(const Value& value) {
  return value.as<std::string>() != nullptr ||
         (value.sequence() != nullptr && value.sequence()->kind <= SequenceKind::tuple);
}

bool same_kind(const Sequence* left, const Sequence* right) {
  return left != nullptr && right != nullptr && left->kind == right->kind && left->kind <= SequenceKind::tuple;
}

bool equal_dicts(const Dict& left, const Dict& right) {
  return left.entries.size() == right.entries.size() &&
         std::all_of(left.entries.begin(), left.entries.end(), [&](const auto& entry) {
           const Value* const other = right.find(entry.first);
           return other != nullptr && equal(entry.second, *other);
         });
}

/// A bound of a slice over `size` elements.
std::int64_t bound(const Value& value, std::int64_t size, std::int64_t lowest, std::int64_t highest,
                   std::int64_t otherwise) {
  if (value.none()) return otherwise;
  const std::optional<std::int64_t> index = value.integer();
  if (!index) fail("slice indices must be integers or None, not " + type_name(value));
  return std::clamp(*index < 0 ? *index + size : *index, lowest, highest);
}

}  // namespace

bool equal(const Value& left, const Value& right) {
  if (left.number() && right.number()) return exact(left) == exact(right);
  if (const std::string* text = left.text()) {
    const std::string* const other = right.text();
    return other != nullptr && *text == *other;
  }
  if (left.undefined() || left.none()) return left.undefined() ? right.undefined() : right.none();
  const Deeper deeper;
  if (left.dict() != nullptr) return right.dict() != nullptr && equal_dicts(*left.dict(), *right.dict());
  if (left.sequence() != nullptr && right.sequence() != nullptr) {
    const Sequence &a = *left.sequence(), &b = *right.sequence();
    if (a.kind == SequenceKind::view || b.kind == SequenceKind::view) fail("views of dicts are compared");
    return a.kind == b.kind && std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(),
                                          [](const Value& x, const Value& y) { return equal(x, y); });
  }
  if (left.as<Method>() != nullptr) {
    if (right.as<Method>() != nullptr) fail("methods are compared");
    return false;
  }
  if (left.name_space() != nullptr) return left.name_space() == right.name_space();
  if (left.generator() != nullptr) return left.generator() == right.generator();
  return left.loop() != nullptr && left.loop() == right.loop();
}

bool less(const Value& left, const Value& right) {
  if (left.number() && right.number()) return exact(left) < exact(right);
  const std::string *text = left.as<std::string>(), *other = right.as<std::string>();
  // Bytes of UTF-8 are in the order of code points.
  if (text != nullptr && other != nullptr) return *text < *other;
  if (!same_kind(left.sequence(), right.sequence())) refuse("<", left, right);
  const Deeper deeper;
  const std::vector<Value>&a = left.sequence()->elements, &b = right.sequence()->elements;
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end(),
                                    [](const Value& one, const Value& two) { return equal(one, two); });
  return x == a.end() || y == b.end() ? x == a.end() && y != b.end() : less(*x, *y);
}

bool contains(const Value& container, const Value& value) {
  if (const std::string* text = container.text()) {
    const std::string* const part = value.text();
    if (part == nullptr) fail("'in <string>' requires a string as its left operand, not " + type_name(value));
    return text->find(*part) != std::string::npos;
  }
  if (container.dict() != nullptr) {
    require_hashable(value);
    return container.dict()->find(value) != nullptr;
  }
  const Iterator next = iterate(container);
  while (std::optional<Value> element = next()) {
    if (equal(*element, value)) return true;
  }
  return false;
}

bool compare(std::string_view by, const Operands& operands) {
  const auto& [left, right] = operands;
  if (by == "==") return equal(left, right);
  if (by == "!=") return !equal(left, right);
  if (by == "in") return contains(right, left);
  if (by == "not in") return !contains(right, left);
  const bool numbers = left.number() && right.number();
  if (numbers && (std::isnan(left.real()) || std::isnan(right.real()))) return false;
  if (by == "<") return less(left, right);
  if (by == ">") return less(right, left);
  return by == "<=" ? !less(right, left) : !less(left, right);
}

void require_hashable(const Value& value) {
  if (value.sequence() != nullptr && value.sequence()->kind == SequenceKind::tuple) {
    const Deeper deeper;
    for (const Value& element : value.sequence()->elements) require_hashable(element);
    return;
  }
  const bool plain = value.none() || value.undefined() || value.number() || value.as<std::string>() != nullptr;
  if (!plain) fail(fmt::format("a value of type '{}' is no key of a dict", type_name(value)));
}

Value arithmetic(std::string_view by, const Operands& operands) {
  const auto& [left, right] = operands;
  if (left.number() && right.number()) {
    const std::optional<std::int64_t> a = left.integer(), b = right.integer();
    return a && b ? whole_arithmetic(by, *a, *b) : real_arithmetic(by, left.real(), right.real());
  }
  const std::string *text = left.as<std::string>(), *other = right.as<std::string>();
  if (by == "+" && text != nullptr && other != nullptr) return *text + *other;
  if (by == "+" && same_kind(left.sequence(), right.sequence())) {
    Sequence sum = *left.sequence();
    const std::vector<Value>& more = right.sequence()->elements;
    sum.elements.insert(sum.elements.end(), more.begin(), more.end());
    return sum;
  }
  if (by == "*" && repeats(left) && right.integer()) return repeated(left, *right.integer());
  if (by == "*" && repeats(right) && left.integer()) return repeated(right, *left.integer());
  if (by == "%" && text != nullptr) return percent_formatted(*text, right);
  refuse(by, left, right);
}

Value negative(const Value& value) {
  if (const double* number = value.as<double>()) return -*number;
  return arithmetic("-", {0, value});
}

Value positive(const Value& value) {
  if (value.as<double>() != nullptr) return value;
  return arithmetic("+", {0, value});
}

Value concatenated(const std::vector<Value>& values) {
  std::string result;
  for (const Value& value : values) result += text_of(value);
  return result;
}

Value attribute(const Value& object, std::string_view name) {
  need_defined(object);
  if (name.starts_with("__")) fail(fmt::format("access to the attribute '{}' is unsafe", name));
  if (object.name_space() != nullptr) {
    const Value* const found = object.name_space()->attributes.find(name);
    return found != nullptr ? *found : Undefined{fmt::format("'Namespace object' has no attribute '{}'", name)};
  }
  if (object.loop() != nullptr) return object.loop()->attribute(name);
  if (object.as<Safe>() != nullptr) fail("an attribute of a text that is marked as safe");
  if (would_change(object, name)) return Undefined{fmt::format("access to attribute '{}' is unsafe", name)};
  if (is_data(object, name)) fail(fmt::format("{}.{} is not known", type_name(object), name));
  if (is_method(object, name)) return Method{fmt::format("{}.{}", type_name(object), name)};
  const Value* const found = object.dict() == nullptr ? nullptr : object.dict()->find(name);
  return found != nullptr ? *found
                          : Undefined{fmt::format("'{} object' has no attribute '{}'", type_name(object), name)};
}

Value item(const Operands& operands) {
  const auto& [object, key] = operands;
  need_defined(object);
  if (object.as<Safe>() != nullptr || key.as<Safe>() != nullptr)
    fail("a part of, or by, a text that is marked as safe");
  const std::string* const name = key.as<std::string>();
  if (object.dict() != nullptr) {
    const Value* const found = object.dict()->find(key);
    if (found != nullptr) return *found;
  }
  if (name != nullptr) return attribute(object, *name);
  if (const std::optional<std::int64_t> index = key.integer()) {
    const std::string* const text = object.as<std::string>();
    if (text != nullptr || object.sequence() != nullptr) {
      const std::int64_t size = length_of(object).value();
      const std::int64_t at = *index < 0 ? *index + size : *index;
      const bool view = text == nullptr && object.sequence()->kind == SequenceKind::view;
      if (!view && at >= 0 && at < size) {
        if (text == nullptr) return object.sequence()->elements[static_cast<std::size_t>(at)];
        return utf8(std::u32string(1, code_points(*text)[static_cast<std::size_t>(at)]));
      }
    }
  }
  return Undefined{fmt::format("'{} object' has no element {}", type_name(object), representation(key))};
}

Value slice(const std::array<Value, 4>& operands) {
  const auto& [object, start, stop, step] = operands;
  const std::string* const text = object.as<std::string>();
  if (text == nullptr && (object.sequence() == nullptr || object.sequence()->kind == SequenceKind::view)) {
    need_defined(object);
    fail(fmt::format("a value of type '{}' has no slices", type_name(object)));
  }
  if (!step.none() && !step.integer()) fail("slice indices must be integers or None, not " + type_name(step));
  const std::int64_t stride = step.none() ? 1 : *step.integer();
  if (stride == 0) fail("slice step cannot be zero");
  const std::int64_t size = length_of(object).value();
  const bool up = stride > 0;
  const std::int64_t lowest = up ? 0 : -1, highest = up ? size : size - 1;
  const std::int64_t from = bound(start, size, lowest, highest, up ? 0 : size - 1);
  const std::int64_t to = bound(stop, size, lowest, highest, up ? size : -1);
  std::vector<std::size_t> places;
  for (std::int64_t at = from; up ? at < to : at > to;) {
    places.push_back(static_cast<std::size_t>(at));
    if (__builtin_add_overflow(at, stride, &at)) break;
  }
  if (text != nullptr) {
    const std::u32string points = code_points(*text);
    std::u32string result;
    for (const std::size_t place : places) result += points[place];
    return utf8(result);
  }
  Sequence result{object.sequence()->kind, {}};
  for (const std::size_t place : places) result.elements.push_back(object.sequence()->elements[place]);
  return result;
}

void set_attribute(const Value& object, std::string_view name, Value value) {
  if (object.name_space() == nullptr) fail("attributes can be set on namespaces alone");
  if (name.starts_with("_")) fail(fmt::format("the attribute '{}' of a namespace begins with an underscore", name));
  object.name_space()->attributes.set(name, std::move(value));
}

Value call_value(const Value& value) {
  need_defined(value);
  fail(fmt::format("'{}' object is not callable", type_name(value)));
}

Value dict_of(const std::vector<std::pair<Value, Value>>& entries) {
  Dict dict;
  for (const auto& [key, value] : entries) dict.set(key, value);
  return dict;
}

std::vector<Value> unpacked(const Value& value, std::size_t targets) {
  std::vector<Value> values = elements_of(value);
  if (values.size() != targets) fail(fmt::format("{} values are unpacked into {} names", values.size(), targets));
  return values;
}

}  // namespace monomorph::chat
