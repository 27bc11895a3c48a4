// Expressions over the values of a file: words, lists and null.
#include <doctest/doctest.h>

#include "generator/expression/expression.hpp"

using namespace monomorph::generator;

namespace {

/// What a config.json of a model says, and what import may ask of it.
const ExpressionNames config_names = {{"hidden", {Type::integer}},
                                      {"window", {Type::integer, {}, true}},
                                      {"act", {Type::word}},
                                      {"rope.type", {Type::word, {}, true}},
                                      {"types", {Type::words, {}, true}},
                                      {"i", {Type::integer}},
                                      {"widths", {Type::sizes}},
                                      {"factors", {Type::numbers}},
                                      {"none", {Type::words, {}, true}}};

Datum worth(const std::string& text, Type wanted = Type::null, const Datum& window = {}) {
  Diagnostics diagnostics;
  const auto expression = parse_expression(text, {}, config_names, wanted, diagnostics, Vocabulary::values);
  INFO(text << ": " << render(diagnostics));
  REQUIRE(expression);
  const std::map<std::string, Datum> values = {
      {"hidden", {48.0}},
      {"window", window},
      {"act", {std::string("silu")}},
      {"rope.type", {}},
      {"types", {Words{std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"a", "b"})}}},
      {"widths", {Numbers{std::make_shared<const std::vector<double>>(std::vector<double>{32, 64})}}},
      {"factors", {Numbers{std::make_shared<const std::vector<double>>(std::vector<double>{0.5, 2})}}},
      {"none", {}},
      {"i", {1.0}}};
  return value_of(*expression, [&](const std::string& name) { return Datum{values.at(name).is, name, false}; });
}

bool is_true(const std::string& text, const Datum& window = {}) {
  return std::get<double>(worth(text, Type::boolean, window).is) != 0;
}

std::string rule_of_values(const std::string& text, Type wanted) {
  Diagnostics diagnostics;
  if (parse_expression(text, {}, config_names, wanted, diagnostics, Vocabulary::values)) return "";
  return diagnostics.all().front().rule;
}

}  // namespace

TEST_CASE("over values there are words, lists and null") {
  CHECK(std::get<std::string>(worth("act == 'swish' ? 'silu' : act").is) == "silu");
  CHECK(std::get<std::string>(worth("rope.type ?? 'default'").is) == "default");
  CHECK(std::get<std::string>(worth("types[i]").is) == "b");
  CHECK(worth("types[i + 1]").is_null());
  CHECK(worth("types[i - 2]").is_null());
  CHECK(is_true("types[0] == 'a' && types[2] != 'a'"));
  CHECK(is_true("rope.type == null && window == null && hidden != null"));
  CHECK(is_true("!(window ?? hidden < hidden)"));
  CHECK(is_true("window ?? hidden < hidden", {47.0}));
  CHECK(std::get<double>(worth("floor(hidden / 7)", Type::integer).is) == 6);
  CHECK(std::get<double>(worth("true ? -hidden % 7 : 0", Type::integer).is) == 1);
  CHECK(worth("false ? hidden : null", Type::integer).is_null());
}

TEST_CASE("a value knows the name that it comes from, and whether it was computed") {
  CHECK(worth("window ?? hidden").name == "hidden");
  CHECK_FALSE(worth("window ?? hidden").computed);
  CHECK(worth("window ?? hidden", Type::integer, {3.0}).name == "window");
  CHECK(worth("floor(hidden / 2)").name == "hidden");
  CHECK(worth("floor(hidden / 2)").computed);
  CHECK(worth("'silu'").name.empty());
}

TEST_CASE("what may be null is asked about before it is used") {
  CHECK(rule_of_values("window + 1", Type::integer) == "expression.types");
  CHECK(rule_of_values("window < hidden", Type::boolean) == "expression.types");
  CHECK(rule_of_values("floor(window / 2)", Type::integer) == "expression.types");
  CHECK(rule_of_values("types[window]", Type::word) == "expression.types");
  CHECK(rule_of_values("types['a']", Type::word) == "expression.types");
  CHECK(rule_of_values("hidden == 'a'", Type::boolean) == "expression.types");
  CHECK(rule_of_values("act ?? hidden", Type::word) == "expression.types");
  CHECK(rule_of_values("hidden", Type::word) == "expression.types");
  CHECK(rule_of_values("'a' ? 1 : 2", Type::integer) == "expression.types");
  CHECK(rule_of_values("rope.factor", Type::real) == "expression.unknown_name");
  CHECK(rule_of_values("'a", Type::word) == "expression.syntax");
}

TEST_CASE("lists of numbers have elements, whole ones where they are sizes") {
  CHECK(std::get<double>(worth("widths[i]", Type::integer).is) == 64);
  CHECK(std::get<double>(worth("(widths[0] ?? 1) % 5", Type::integer).is) == 2);
  CHECK(worth("widths[i + 1]", Type::integer).is_null());
  CHECK(std::get<double>(worth("factors[0]", Type::real).is) == 0.5);
  CHECK(rule_of_values("(factors[0] ?? 1) % 5", Type::integer) == "expression.types");
  CHECK(rule_of_values("widths + 1", Type::integer) == "expression.types");
}

TEST_CASE("a value stands in a list, which is written out or a name") {
  CHECK(is_true("act in ['relu', 'silu']"));
  CHECK(is_true("!(act in ['relu']) && hidden in [47, 48]"));
  CHECK(is_true("hidden % 7 in [6] && hidden + 16 in widths && 2 in factors"));
  CHECK(is_true("act in ['relu'] || 'a' in types"));
  CHECK_FALSE(is_true("act in types || hidden in widths || 'a' in none"));
  CHECK(is_true("rope.type ?? 'default' in ['default', 'linear']"));
  CHECK_FALSE(is_true("rope.type in ['default'] || window in widths"));
  CHECK(is_true("rope.type in ['default', null]"));
  CHECK(is_true("window in widths", {64.0}));
  CHECK(rule_of_values("act in [1]", Type::boolean) == "expression.types");
  CHECK(rule_of_values("act in widths", Type::boolean) == "expression.types");
  CHECK(rule_of_values("act in act", Type::boolean) == "expression.types");
  CHECK(rule_of_values("act in []", Type::boolean) == "expression.syntax");
  CHECK(rule_of_values("act in ['silu'", Type::boolean) == "expression.syntax");
}
