// Functions that a template may call, and no others: what Jinja has, as far as templates use it, and what transformers
// adds.
#include <fmt/format.h>

#include <clocale>
#include <ctime>
#include <map>

#include "runtime/chat/filters.hpp"
#include "runtime/chat/given.hpp"
#include "runtime/chat/operators.hpp"
#include "runtime/chat/print.hpp"

namespace monomorph::chat {
namespace {

/// dict(mapping or pairs, name=value, ...)
Dict make_dict(const Arguments& arguments) {
  Dict result;
  if (arguments.positional.size() > 1) fail("dict expected at most 1 argument");
  for (const Value& value : arguments.positional) {
    need_defined(value);
    if (value.dict() != nullptr) {
      result = *value.dict();
      continue;
    }
    for (const Value& pair : elements_of(value)) {
      const std::vector<Value> entry = unpacked(pair, 2);
      result.set(entry[0], entry[1]);
    }
  }
  for (const auto& [name, value] : arguments.named) result.set(name, value);
  return result;
}

Value make_namespace(const Scope&, const Arguments& arguments) {
  const Value result = held<Namespace>(Namespace());
  for (const auto& [name, value] : make_dict(arguments).entries) set_attribute(result, text_of(name), value);
  return result;
}

/// At most as many numbers as Jinja's sandbox allows.
constexpr std::int64_t longest_range = 100000;

Value make_range(const Scope&, const Arguments& arguments) {
  const std::vector<Value>& given = arguments.positional;
  if (given.empty() || given.size() > 3 || !arguments.named.empty()) fail("range takes one to three numbers");
  std::vector<std::int64_t> numbers;
  for (const Value& value : given) {
    if (!value.integer()) fail(fmt::format("range takes integers, not {}", type_name(value)));
    numbers.push_back(*value.integer());
  }
  const std::int64_t start = numbers.size() == 1 ? 0 : numbers[0];
  const std::int64_t stop = numbers.size() == 1 ? numbers[0] : numbers[1];
  const std::int64_t step = numbers.size() == 3 ? numbers[2] : 1;
  if (step == 0) fail("range() arg 3 must not be zero");
  Sequence result{
      SequenceKind::range, {}, fmt::format("range({}, {}{})", start, stop, step == 1 ? "" : fmt::format(", {}", step))};
  for (std::int64_t at = start; step > 0 ? at < stop : at > stop;) {
    if (static_cast<std::int64_t>(result.elements.size()) == longest_range) {
      fail(fmt::format("Range too big. The sandbox blocks ranges larger than {}", longest_range));
    }
    result.elements.emplace_back(at);
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return result;
}

Value raise_exception(const Scope&, const Arguments& arguments) {
  const std::optional<Value> message = arguments_for("raise_exception", arguments, {"message"})[0];
  if (!message) fail("raise_exception needs a message");
  fail("it refuses the conversation: " + text_of(*message));
}

/// Local time; what C's strftime makes of it in English.
Value strftime_now(const Scope& scope, const Arguments& arguments) {
  const std::optional<Value> given = arguments_for("strftime_now", arguments, {"format"})[0];
  const std::string* const wanted = given ? given->as<std::string>() : nullptr;
  if (wanted == nullptr) fail("strftime_now takes a format");
  // Python's own: a time without a zone shows none.
  std::string format;
  for (std::size_t at = 0; at < wanted->size(); ++at) {
    const char c = (*wanted)[at], next = at + 1 < wanted->size() ? (*wanted)[at + 1] : '\0';
    if (c != '%') {
      format += c;
    } else if (next == 'f') {
      format += fmt::format("{:06}", scope.microseconds());
      ++at;
    } else if (next == 'z' || next == 'Z') {
      ++at;
    } else {
      format += c;
      if (next != '\0') format += next, ++at;
    }
  }
  const auto seconds = static_cast<std::time_t>(scope.now());
  std::tm local{};
  localtime_r(&seconds, &local);
  static const locale_t english = newlocale(LC_ALL_MASK, "C", nullptr);
  std::string text(64 + 16 * format.size(), '\0');
  text.resize(format.empty() ? 0 : strftime_l(text.data(), text.size(), format.c_str(), &local, english));
  return text;
}

using Function = Value (*)(const Scope&, const Arguments&);
const std::map<std::string_view, Function> functions = {
    {"dict", [](const Scope&, const Arguments& arguments) { return Value(make_dict(arguments)); }},
    {"namespace", make_namespace},
    {"raise_exception", raise_exception},
    {"range", make_range},
    {"strftime_now", strftime_now},
};

}  // namespace

Value call_function(std::string_view name, const Scope& scope, const Arguments& arguments) {
  return functions.at(name)(scope, arguments);
}

bool knows_function(std::string_view name) { return functions.contains(name); }

}  // namespace monomorph::chat
