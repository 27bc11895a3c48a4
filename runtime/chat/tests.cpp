// Jinja's tests: `value is name`.
#include <fmt/format.h>

#include <map>

#include "runtime/chat/filters.hpp"
#include "runtime/chat/given.hpp"
#include "runtime/chat/operators.hpp"
#include "runtime/chat/print.hpp"
#include "runtime/chat/text.hpp"

namespace monomorph::chat {
namespace {

bool is_integer(const Value& value) { return value.as<std::int64_t>() != nullptr; }

bool is_sequence(const Value& value) {
  const bool view = value.sequence() != nullptr && value.sequence()->kind == SequenceKind::view;
  return value.undefined() || value.text() != nullptr || value.dict() != nullptr ||
         (value.sequence() != nullptr && !view);
}

bool is_true(const Value& value, bool wanted) { return value.as<bool>() != nullptr && *value.as<bool>() == wanted; }

std::int64_t remainder(const Value& value, const Value& divisor) {
  const Value rest = arithmetic("%", {value, divisor});
  // Of numbers with a fraction none is 0 or 1.
  return rest.number() && rest.real() == std::int64_t(rest.real()) ? std::int64_t(rest.real()) : -1;
}

/// None, True and False are one thing each; of other values it is Python's own affair.
bool is_same(const Value& left, const Value& right) {
  const auto single = [](const Value& value) { return value.none() || value.as<bool>() != nullptr; };
  if (!single(left) && !single(right)) fail("sameas is known for none, true and false");
  return single(left) && single(right) && type_name(left) == type_name(right) && equal(left, right);
}

using OneTest = bool (*)(const Value&);
const std::map<std::string_view, OneTest> tests_of_one = {
    {"boolean", [](const Value& value) { return value.as<bool>() != nullptr; }},
    {"callable", [](const Value& value) { return value.undefined() || value.as<Method>() != nullptr; }},
    {"defined", [](const Value& value) { return !value.undefined(); }},
    {"even", [](const Value& value) { return remainder(value, 2) == 0; }},
    {"false", [](const Value& value) { return is_true(value, false); }},
    {"float", [](const Value& value) { return value.as<double>() != nullptr; }},
    {"integer", is_integer},
    {"iterable",
     [](const Value& value) { return is_sequence(value) || value.sequence() || value.generator() || value.loop(); }},
    {"lower", [](const Value& value) { return all_are("islower", text_of(value)); }},
    {"mapping", [](const Value& value) { return value.dict() != nullptr; }},
    {"none", [](const Value& value) { return value.none(); }},
    {"number", [](const Value& value) { return value.number(); }},
    {"odd", [](const Value& value) { return remainder(value, 2) == 1; }},
    {"sequence", is_sequence},
    {"string", [](const Value& value) { return value.text() != nullptr; }},
    {"true", [](const Value& value) { return is_true(value, true); }},
    {"undefined", [](const Value& value) { return value.undefined(); }},
    {"upper", [](const Value& value) { return all_are("isupper", text_of(value)); }},
};

const std::map<std::string_view, std::string_view> comparisons = {
    {"eq", "=="},      {"equalto", "=="}, {"==", "=="},         {"ne", "!="}, {"!=", "!="}, {"lt", "<"},
    {"lessthan", "<"}, {"<", "<"},        {"greaterthan", ">"}, {"gt", ">"},  {">", ">"},   {"le", "<="},
    {"<=", "<="},      {"ge", ">="},      {">=", ">="},         {"in", "in"},
};

}  // namespace

bool test(std::string_view name, const Arguments& arguments) {
  const auto one = tests_of_one.find(name);
  const auto given = arguments_for(
      name, arguments,
      one != tests_of_one.end() ? std::vector<std::string_view>{""} : std::vector<std::string_view>{"", ""});
  if (one != tests_of_one.end()) return one->second(*given[0]);
  if (!given[1]) fail(fmt::format("the test '{}' needs an argument", name));
  if (name == "divisibleby") return remainder(*given[0], *given[1]) == 0;
  if (name == "sameas") return is_same(*given[0], *given[1]);
  const auto comparison = comparisons.find(name);
  if (comparison == comparisons.end()) fail(fmt::format("the test '{}' is not known", name));
  return compare(comparison->second, {*given[0], *given[1]});
}

bool knows_test(std::string_view name) {
  return tests_of_one.contains(name) || comparisons.contains(name) || name == "divisibleby" || name == "sameas";
}

}  // namespace monomorph::chat
