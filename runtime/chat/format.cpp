#include "runtime/chat/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "runtime/chat/operators.hpp"
#include "runtime/chat/print.hpp"
#include "runtime/chat/text.hpp"

namespace monomorph::chat {
namespace {

/// One "%-08.3f".
struct Directive {
  std::optional<std::string> key;
  std::string flags;
  int width = 0;
  std::optional<int> precision;
  char type = 0;
};

int read_number(std::string_view text, std::size_t& at) {
  int number = 0;
  if (at < text.size() && text[at] == '-') return 0;  // no sign belongs here
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range || number > 10000) fail("a width of a format is too large");
  at = static_cast<std::size_t>(end - text.data());
  return number;
}

/// From behind the "%". `next` gives the next value, for a width that is a star.
Directive read_directive(std::string_view text, std::size_t& at, const std::function<Value()>& next) {
  Directive directive;
  if (at < text.size() && text[at] == '(') {
    const std::size_t close = text.find(')', at);
    if (close == std::string_view::npos) fail("incomplete format key");
    directive.key = text.substr(at + 1, close - at - 1);
    if (directive.key->find('(') != std::string::npos) fail("a format's key has a parenthesis");
    at = close + 1;
  }
  while (at < text.size() && std::string_view("-0 +#").find(text[at]) != std::string_view::npos) {
    directive.flags += text[at++];
  }
  if (at < text.size() && text[at] == '*') {
    const std::optional<std::int64_t> width = next().integer();
    if (!width || *width < 0 || *width > 10000) fail("* wants a width");
    directive.width = static_cast<int>(*width);
    ++at;
  } else {
    directive.width = read_number(text, at);
  }
  if (at < text.size() && text[at] == '.') directive.precision = read_number(text, ++at);
  if (at == text.size()) fail("incomplete format");
  directive.type = text[at++];
  return directive;
}

std::string padded(const std::string& text, const Directive& directive) {
  const auto length = static_cast<int>(code_points(text).size());
  const std::string space(static_cast<std::size_t>(std::max(directive.width - length, 0)), ' ');
  return directive.flags.find('-') != std::string::npos ? text + space : space + text;
}

template <class Number>
std::string printed(const Directive& directive, const char* type, Number number) {
  std::string format = "%" + directive.flags + std::to_string(directive.width);
  if (directive.width == 0) format = "%" + directive.flags;
  if (directive.precision) format += "." + std::to_string(*directive.precision);
  format += type;
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, format.c_str(), number)), '\0');
  std::snprintf(text.data(), text.size() + 1, format.c_str(), number);
  return text;
}

std::string apply(const Directive& directive, const Value& value) {
  const char type = directive.type;
  if (directive.flags.find('#') != std::string::npos) fail("the flag '#' of a format is not known");
  if (type == 's' || type == 'r') {
    const std::string text = type == 's' ? text_of(value) : representation(value);
    if (!directive.precision) return padded(text, directive);
    return padded(utf8(code_points(text).substr(0, static_cast<std::size_t>(*directive.precision))), directive);
  }
  need_defined(value);
  if (type == 'c' && value.as<std::string>() != nullptr && length_of(value) == 1)
    return padded(text_of(value), directive);
  if (!value.number()) fail(fmt::format("%{} format: a number is required, not {}", type, type_name(value)));
  if (std::string_view("feEgGF").find(type) != std::string_view::npos) {
    const char letters[] = {type, '\0'};
    return printed(directive, letters, value.real());
  }
  const bool decimal = type == 'd' || type == 'i' || type == 'u';
  if ((!decimal && type != 'x' && type != 'X' && type != 'o') || directive.precision) {
    fail(fmt::format("the format '%{}' is not known", type));
  }
  if (!decimal && !value.integer()) fail(fmt::format("%{} format: an integer is required", type));
  const double real = value.real();
  if (!value.integer() && !(std::abs(real) < 9e18)) fail("a float is too large for an integer");
  const std::int64_t whole = value.integer() ? *value.integer() : static_cast<std::int64_t>(real);
  if (!decimal && whole < 0) fail("a negative number in hexadecimal or octal");
  const char letters[] = {'l', 'l', decimal ? 'd' : type, '\0'};
  return printed(directive, letters, static_cast<long long>(whole));
}

/// The value of a field "0.name[key]" of str.format.
class Fields {
 public:
  explicit Fields(const Arguments& arguments) : arguments_(arguments) {}

  Value value(std::string_view field) {
    const std::size_t end = std::min(field.find_first_of(".["), field.size());
    Value value = argument(field.substr(0, end));
    for (field = field.substr(end); !field.empty();) {
      if (field.front() == '.') {
        const std::size_t next = std::min(field.find_first_of(".[", 1), field.size());
        value = attribute(value, field.substr(1, next - 1));
        field = field.substr(next);
      } else {
        const std::size_t close = field.find(']');
        if (close == std::string_view::npos || close == 1) fail("a field of a format has a broken index");
        const std::string_view key = field.substr(1, close - 1);
        value = item({value, is_number(key) ? Value(index(key)) : Value(key)});
        field = field.substr(close + 1);
        if (!field.empty() && field.front() != '.' && field.front() != '[') fail("a field of a format is broken");
      }
    }
    return value;
  }

 private:
  static bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  }
  static std::int64_t index(std::string_view text) {
    std::int64_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc())
      fail("a number is too large");
    return number;
  }

  Value argument(std::string_view name) {
    if (!name.empty() && !is_number(name)) {
      for (const auto& [key, value] : arguments_.named) {
        if (key == name) return value;
      }
      fail(fmt::format("a format has no argument '{}'", name));
    }
    (name.empty() ? counted_ : numbered_) = true;
    if (counted_ && numbered_) fail("a format numbers its fields in two ways");
    const auto at = static_cast<std::size_t>(name.empty() ? next_++ : index(name));
    if (at >= arguments_.positional.size()) fail("a format has more fields than arguments");
    return arguments_.positional[at];
  }

  const Arguments& arguments_;
  std::int64_t next_ = 0;
  bool counted_ = false, numbered_ = false;
};

}  // namespace

std::string percent_formatted(std::string_view text, const Value& values) {
  const bool tuple = values.sequence() != nullptr && values.sequence()->kind == SequenceKind::tuple;
  const bool mapping = values.dict() != nullptr;
  const std::vector<Value> arguments = tuple ? values.sequence()->elements : std::vector<Value>{values};
  std::size_t used = 0;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '%') {
      result += text[at++];
      continue;
    }
    const auto next = [&] {
      if (used == arguments.size()) fail("not enough arguments for format string");
      return arguments[used++];
    };
    const Directive directive = read_directive(text, ++at, next);
    if (directive.type == '%') {
      result += '%';
      continue;
    }
    if (directive.key) {
      const Value* const found = mapping ? values.dict()->find(*directive.key) : nullptr;
      if (found == nullptr) fail(fmt::format("a format has no value of the name '{}'", *directive.key));
      result += apply(directive, *found);
    } else {
      result += apply(directive, next());
    }
  }
  const bool subscripted = mapping || (values.sequence() != nullptr && !tuple);
  if (used < arguments.size() && !subscripted) fail("not all arguments converted during string formatting");
  return result;
}

std::string brace_formatted(std::string_view text, const Arguments& arguments) {
  Fields fields(arguments);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c != '{' && c != '}') {
      result += c;
    } else if (at < text.size() && text[at] == c) {
      result += c;
      ++at;
    } else {
      const std::size_t close = text.find('}', at);
      if (c == '}' || close == std::string_view::npos) fail("a format has a single brace");
      std::string_view field = text.substr(at, close - at);
      at = close + 1;
      if (field.find('{') != std::string_view::npos) fail("a field of a format has a field");
      if (field.ends_with(':')) field.remove_suffix(1);
      if (field.find(':') != std::string_view::npos)
        fail("a field of a format has a width or type, which is not known");
      bool shown = false;
      if (const std::size_t mark = field.find('!'); mark != std::string_view::npos) {
        const std::string_view conversion = field.substr(mark + 1);
        if (conversion != "r" && conversion != "s") fail("a field of a format has a conversion that is not known");
        shown = conversion == "r";
        field = field.substr(0, mark);
      }
      const Value value = fields.value(field);
      result += shown ? representation(value) : text_of(value);
    }
  }
  return result;
}

}  // namespace monomorph::chat
