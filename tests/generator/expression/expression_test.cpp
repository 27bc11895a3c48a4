#include "generator/expression/expression.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

Expression typed(const std::string& text, const ExpressionNames& names, Type wanted = Type::real) {
  Diagnostics diagnostics;
  const auto expression = parse_expression(text, {}, names, wanted, diagnostics);
  INFO(text << ": " << render(diagnostics));
  REQUIRE(expression);
  return *expression;
}

Expression parse(const std::string& text, const std::vector<std::string>& names = {"x"}) {
  return typed(text, variables(names));
}

double value(const std::string& text, double x = 0) { return evaluate(parse(text), {{"x", x}}); }

std::string rule_of(const std::string& text) {
  Diagnostics diagnostics;
  if (parse_expression(text, {}, variables({"x", "gate"}), Type::real, diagnostics)) return "";
  return diagnostics.all().front().rule;
}

/// What a mask may name: positions and a number of the spec, beside a real one.
const ExpressionNames mask_names = {{"query", {Type::integer, {}}},
                                    {"key", {Type::integer, {}}},
                                    {"score", {Type::real, {}}},
                                    {"heads", {Type::integer, 6.0}}};

/// Rule and column of the first mistake, the text beginning in column 6; nothing where there is none.
std::string mistake(const std::string& text, Type wanted) {
  const auto source = as_source("a = \"" + text + "\"");
  Diagnostics diagnostics;
  if (parse_expression(text, {source, 1, 5, static_cast<int>(text.size()) + 2}, mask_names, wanted, diagnostics)) {
    return "";
  }
  return errors_of(diagnostics).front();
}

double whole(const std::string& text, double query = 0, double key = 0) {
  return evaluate(typed(text, mask_names, Type::integer), {{"query", query}, {"key", key}});
}

bool holds(const std::string& text, double query = 0, double key = 0) {
  return evaluate(typed(text, mask_names, Type::boolean), {{"query", query}, {"key", key}, {"score", 0.5}}) != 0;
}

}  // namespace

TEST_CASE("operators bind as in C") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("10 - 4 - 3") == 3);
  CHECK(value("16 / 4 / 2") == 2);
  CHECK(value("-2 * -3") == 6);
  CHECK(value("2 - -3") == 5);
  CHECK(value("1 < 2 && 2 < 1 || 3 == 3 ? 5 : 6") == 5);
  CHECK(value("1 > 2 ? 1 : 2 > 1 ? 3 : 4") == 3);
  CHECK(value("1 != 1 ? 1 : 2") == 2);
  CHECK(value("1 <= 1 && 1 >= 1 ? 1 : 2") == 1);
  CHECK(value(".5e1 + 1.") == 6);
  CHECK(whole("query + 7 % 4", 1, 0) == 4);
  CHECK(whole("2 * 7 % 4", 0, 0) == 2);
  CHECK(whole("7 % 4 * 2", 0, 0) == 6);
}

TEST_CASE("division is of real numbers") {
  CHECK(value("1 / 4") == 0.25);
  CHECK(mistake("query / key", Type::integer) == "expression.types 1:6");
}

TEST_CASE("whole numbers stay whole, and stand where real ones are wanted") {
  CHECK(whole("2 * query - key", 5, 3) == 7);
  CHECK(whole("abs(query - key) + max(query, 1) + clamp(key, 0, 2)", -5, 3) == 11);
  CHECK(whole("query < key ? heads : -heads", 1, 2) == 6);
  CHECK(evaluate(typed("1 / (0 * query)", mask_names), {{"query", -1.0}}) > 0);  // there is no whole -0
  CHECK(to_glsl(typed("score * 0.5 + (query - key)", mask_names)) == "score * 0.5 + float(query - key)");
  CHECK(to_cpp(typed("min(query, 3) / heads", mask_names)) == "double(std::min<std::int64_t>(query, 3)) / 6.0");
  CHECK(to_glsl(typed("query > 3 ? score : key", mask_names)) == "query > 3 ? score : float(key)");
  CHECK(to_glsl(typed("max(score, query)", mask_names)) == "larger(score, float(query))");
}

TEST_CASE("the remainder is floored: it has the sign of the divisor, and is 0 for the divisor 0") {
  CHECK(whole("query % key", 7, 3) == 1);
  CHECK(whole("query % key", -7, 3) == 2);
  CHECK(whole("query % key", 7, -3) == -2);
  CHECK(whole("query % key", -7, -3) == -1);
  CHECK(whole("query % key", -6, 3) == 0);
  CHECK(whole("query % key", 7, 0) == 0);
  CHECK(to_glsl(typed("query % heads == 0", mask_names, Type::boolean)) == "floor_mod(query, 6) == 0");
  CHECK(to_cpp(typed("(query - key) % 4", mask_names, Type::integer)) ==
        "monomorph::reference::floor_mod(query - key, 4)");
  CHECK(mistake("query % (heads - 6)", Type::integer) == "expression.number 1:12");
}

TEST_CASE("a condition is a result of its own") {
  CHECK(holds("key <= query && query - key < 4", 5, 2));
  CHECK_FALSE(holds("key <= query && query - key < 4", 6, 2));
  CHECK(holds("!(key > query) || key % 2 == 1", 1, 3));
  CHECK(holds("query < 2 ? key < 2 : key > 2", 5, 3));
  CHECK(to_glsl(typed("!(key > query || score < 0)", mask_names, Type::boolean)) == "!(key > query || score < 0.0)");
  CHECK(to_cpp(typed("!(query == key) && key < 4", mask_names, Type::boolean)) == "!(query == key) && key < 4");
}

TEST_CASE("C++ of a CPU's kernels is in f32, with the functions of shaders") {
  CHECK(to_cpp_f32(typed("score * 0.5 + (query - key)", mask_names)) == "score * 0.5f + float(query - key)");
  CHECK(to_cpp_f32(typed("max(score, query) / heads", mask_names)) == "numerics::larger(score, float(query)) / 6.0f");
  CHECK(to_cpp_f32(typed("query % heads == 0", mask_names, Type::boolean)) == "numerics::floor_mod(query, 6) == 0");
  CHECK(to_cpp_f32(typed("pow(score, 2) + pow(score, 0.5)", mask_names)) ==
        "(score * score) + numerics::safe_pow(score, 0.5f)");
  CHECK(to_cpp_f32(typed("score / key", mask_names)) == "score / float(key)");
}

TEST_CASE("a constant is written as its number, and what is known of whole numbers is one number") {
  CHECK(to_glsl(typed("score / sqrt(heads)", mask_names)) == "quotient(score, safe_sqrt(6.0))");
  CHECK(to_glsl(typed("score * (heads * 2 - 1)", mask_names)) == "score * 11.0");
  CHECK(to_glsl(typed("query + (2 - heads)", mask_names, Type::integer)) == "query + -4");
  CHECK(to_glsl(typed("1 - -score * (0 - 3)", mask_names)) == "1.0 - -score * -3.0");
  CHECK(names_in(typed("score * heads", mask_names)) == std::set<std::string>{"score"});
  // Beyond the 32 bits that kernels have, a number is real.
  CHECK(to_glsl(typed("score * 3000000000", mask_names)) == "score * 3000000000.0");
  CHECK(to_cpp(typed("score * (50000 * 50000)", mask_names)) == "score * 2500000000.0");
  CHECK(mistake("3000000000 % query", Type::integer) == "expression.types 1:17");
}

TEST_CASE("a mistake of each sort of type is shown at its column") {
  CHECK(mistake("query < key", Type::real) == "expression.types 1:6");
  CHECK(mistake("score", Type::integer) == "expression.types 1:6");
  CHECK(mistake("query - key", Type::boolean) == "expression.types 1:6");
  CHECK(mistake("query + (key < 3)", Type::integer) == "expression.types 1:12");
  CHECK(mistake("query < 3 && key", Type::boolean) == "expression.types 1:16");
  CHECK(mistake("query < 3 < key", Type::boolean) == "expression.types 1:16");
  CHECK(mistake("score % 2", Type::real) == "expression.types 1:12");
  CHECK(mistake("1 + !query", Type::integer) == "expression.types 1:10");
  CHECK(mistake("2 * -(query < 3)", Type::real) == "expression.types 1:10");
  CHECK(mistake("1 - (query ? 1 : 2)", Type::real) == "expression.types 1:11");
  CHECK(mistake("query < 3 ? 1 : key < 2", Type::real) == "expression.types 1:6");
  CHECK(mistake("2 + sqrt(query < 3)", Type::real) == "expression.types 1:10");
  CHECK(mistake("2 + silu(query < 3)", Type::real) == "expression.types 1:10");
}

TEST_CASE("functions are those of mathematics") {
  CHECK(value("exp(log(x))", 3) == doctest::Approx(3));
  CHECK(value("expm1(x)", 1e-9) == std::expm1(1e-9));
  CHECK(value("log1p(x)", 1e-9) == std::log1p(1e-9));
  CHECK(value("sqrt(x)", 16) == 4);
  CHECK(value("tanh(x)", 0.3) == std::tanh(0.3));
  CHECK(value("sigmoid(x)", 0) == 0.5);
  CHECK(value("erf(x)", 0.4) == std::erf(0.4));
  CHECK(value("abs(x)", -2) == 2);
  CHECK(value("min(x, 1)", 3) == 1);
  CHECK(value("max(x, 1)", 3) == 3);
  CHECK(value("clamp(x, -1, 1)", -3) == -1);
  CHECK(value("pow(x, 3)", -2) == -8);
  CHECK(value("sin(x)", 1) == std::sin(1.0));
  CHECK(value("cos(x)", 1) == std::cos(1.0));
}

TEST_CASE("named activations have their published values") {
  const auto named = [](const std::string& name, double x) { return value(named_activations().at(name), x); };
  for (const double x : {-30.0, -3.0, -0.7, 0.0, 0.2, 1.0, 5.0, 40.0}) {
    CAPTURE(x);
    const double inner = std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x);
    CHECK(named("gelu", x) == doctest::Approx(0.5 * x * (1 + std::erf(x / std::sqrt(2.0)))).epsilon(1e-12));
    const double softplus = x > 35 ? x : std::log1p(std::exp(x));
    CHECK(named("gelu_10", x) == std::clamp(named("gelu", x), -10.0, 10.0));
    CHECK(named("gelu_python", x) == named("gelu", x));
    CHECK(named("gelu_new", x) == doctest::Approx(0.5 * x * (1 + std::tanh(inner))).epsilon(1e-12));
    for (const char* same : {"gelu_accurate", "gelu_fast", "gelu_python_tanh", "gelu_pytorch_tanh"}) {
      CHECK(named(same, x) == named("gelu_new", x));
    }
    CHECK(named("hardswish", x) == doctest::Approx(x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6).epsilon(1e-12));
    const double laplace = 0.5 * (1 + std::erf((x - 0.707107) / (0.282095 * std::sqrt(2.0))));
    CHECK(named("laplace", x) == doctest::Approx(laplace).epsilon(1e-12));
    CHECK(named("leaky_relu", x) == (x < 0 ? 0.01 * x : x));
    CHECK(named("linear", x) == x);
    CHECK(named("mish", x) == doctest::Approx(x * std::tanh(softplus)).epsilon(1e-12));
    CHECK(named("relu6", x) == std::min(std::max(x, 0.0), 6.0));
    CHECK(named("sigmoid", x) == doctest::Approx(1 / (1 + std::exp(-x))).epsilon(1e-12));
    CHECK(named("softplus", x) == doctest::Approx(softplus).epsilon(1e-12));
    CHECK(named("sqrtsoftplus", x) == doctest::Approx(std::sqrt(softplus)).epsilon(1e-12));
    CHECK(named("swish", x) == named("silu", x));
    CHECK(named("tanh", x) == std::tanh(x));
    CHECK(named("silu", x) == doctest::Approx(x / (1 + std::exp(-x))).epsilon(1e-12));
    CHECK(named("quick_gelu", x) == doctest::Approx(x / (1 + std::exp(-1.702 * x))).epsilon(1e-12));
    CHECK(named("relu", x) == std::max(x, 0.0));
    CHECK(named("relu2", x) == std::max(x, 0.0) * std::max(x, 0.0));
  }
}

TEST_CASE("a named activation is a function of any expression") {
  for (const auto& [name, text] : named_activations()) {
    CAPTURE(name);
    for (const double x : {-3.0, -0.2, 0.0, 0.7, 5.0}) {
      CHECK(value(name + "(x)", x) == value(text, x));
      CHECK(value("3 - 2 * " + name + "(-x / 2) * x", x) == 3 - 2 * value(text, -x / 2) * x);
    }
    CHECK(to_glsl(parse(name + "(gate) * up", {"gate", "up"})) ==
          to_glsl(parse("(" + rename_in_expression(text, "x", "gate") + ") * up", {"gate", "up"})));
  }
  // Sigmoid and tanh are functions first.
  CHECK(to_cpp(parse("tanh(sigmoid(x))")) == "std::tanh(monomorph::reference::sigmoid(x))");
  CHECK(to_glsl(parse("silu(x + 1)")) == "(x + 1.0) * sigmoid(x + 1.0)");
  CHECK(to_cpp(parse("relu(relu(x))")) == "std::max(std::max(x, 0.0), 0.0)");
  CHECK(names_in(parse("silu(gate)", {"gate", "up"})) == std::set<std::string>{"gate"});
  CHECK(rule_of("silu(x, 1)") == "expression.arguments");
  CHECK(rule_of("silu()") == "expression.arguments");
  CHECK(rule_of("silu(y)") == "expression.unknown_name");
  CHECK(rule_of("silu(x < 1)") == "expression.types");
}

TEST_CASE("activations of activations are refused before they grow without end") {
  std::string text = "x";
  for (int depth = 0; depth < 60; ++depth) text = "gelu_new(" + text + ")";
  CHECK(rule_of(text) == "expression.syntax");
  CHECK(rule_of("silu(silu(silu(silu(x))))") == "");
}

TEST_CASE("an operator that is not there is told what takes its place") {
  const auto message = [](const std::string& text) {
    Diagnostics diagnostics;
    CHECK_FALSE(parse_expression(text, {}, variables({"x", "gate"}), Type::real, diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    return diagnostics.all().front().message;
  };
  CHECK(message("x ** 2") == "there is no operator **; a power is a function: pow(x, 2)");
  CHECK(message("(x ^ 2) * 3") == "there is no operator ^; a power is a function: pow(x, 2)");
  CHECK(message("max(x^2, 0)") == "there is no operator ^; a power is a function: pow(x, 2)");
  CHECK(message("x * silu") == "silu is a function: silu(gate)");
  CHECK(message("sillu(x)").ends_with("did you mean silu?"));
  CHECK(message("x * * 2") == "\"*\" stands where a number, a name or \"(\" is required");
}

TEST_CASE("GLSL has f32 literals that read back and functions that do not overflow") {
  CHECK(to_glsl(parse("x * sigmoid(1.702 * x)")) == "x * sigmoid(1.702 * x)");
  CHECK(to_glsl(parse("2 + x")) == "2.0 + x");
  CHECK(to_glsl(parse("1e-7 * x")) == "1e-07 * x");
  CHECK(to_glsl(parse("tanh(x) + erf(x)")) == "safe_tanh(x) + erf_approx(x)");
  CHECK(to_glsl(parse("x - (1 - x)")) == "x - (1.0 - x)");
  CHECK(to_glsl(parse("(x + 1) * -x")) == "(x + 1.0) * -x");
  CHECK(to_glsl(parse("- -x")) == "-(-x)");
  CHECK(to_glsl(parse("x > 0 ? x : exp(x) - 1")) == "x > 0.0 ? x : exp(x) - 1.0");
  CHECK(to_glsl(parse("(x > 0 ? x : 0) * 2")) == "(x > 0.0 ? x : 0.0) * 2.0");
}

TEST_CASE("a whole power is multiplied out, since GLSL's pow is undefined for negative bases") {
  CHECK(to_glsl(parse("pow(x, 3)")) == "(x * x * x)");
  CHECK(to_glsl(parse("1 / pow(x + 1, 2)")) == "quotient(1.0, whole_power(x + 1.0, 2))");
  CHECK(to_glsl(parse("pow(x, 9)")) == "whole_power(x, 9)");
  CHECK(to_glsl(parse("pow(x, -2)")) == "whole_power(x, -2)");
  CHECK(to_glsl(parse("pow(x, 0.5)")) == "safe_pow(x, 0.5)");
  CHECK(to_glsl(parse("pow(x, x)")) == "safe_pow(x, x)");
}

TEST_CASE("C++ computes in double") {
  CHECK(to_cpp(parse("max(x, 0) * sigmoid(x) + 0.1 * tanh(x)")) ==
        "std::max(x, 0.0) * monomorph::reference::sigmoid(x) + 0.1 * std::tanh(x)");
}

TEST_CASE("what is wrong has a rule") {
  CHECK(rule_of("x +") == "expression.syntax");
  CHECK(rule_of("") == "expression.syntax");
  CHECK(rule_of("2x") == "expression.syntax");
  CHECK(rule_of("x $ 2") == "expression.syntax");
  CHECK(rule_of("x x") == "expression.syntax");
  CHECK(rule_of("(x") == "expression.syntax");
  CHECK(rule_of("x ? 1 : 2") == "expression.types");
  CHECK(rule_of("x < 1") == "expression.types");
  CHECK(rule_of("(x < 1) + 1") == "expression.types");
  CHECK(rule_of("1 && x < 1 ? 1 : 2") == "expression.types");
  CHECK(rule_of("sqrt(x < 1)") == "expression.types");
  CHECK(rule_of("y") == "expression.unknown_name");
  CHECK(rule_of("foo(x)") == "expression.unknown_function");
  CHECK(rule_of("clamp(x, 1)") == "expression.arguments");
  CHECK(rule_of("1e39 * x") == "expression.number");
  CHECK(rule_of(std::string(5000, ' ') + "x") == "expression.syntax");
  CHECK(rule_of(std::string(1000, '(') + "x" + std::string(1000, ')')) == "expression.syntax");
  CHECK(rule_of(std::string(1000, '-') + "x") == "expression.syntax");
}

TEST_CASE("all unknown names are reported, each at its own place in the string") {
  const auto source = as_source("a = \"y + x * gat\"");
  Diagnostics diagnostics;
  parse_expression("y + x * gat", {source, 1, 5, 13}, variables({"x", "gate"}), Type::real, diagnostics);
  CHECK(errors_of(diagnostics) ==
        std::vector<std::string>{"expression.unknown_name 1:6", "expression.unknown_name 1:14"});
  CHECK(diagnostics.all()[1].message.find("did you mean gate?") != std::string::npos);
}

TEST_CASE("a variable can be renamed, and function names that contain it stay") {
  CHECK(rename_in_expression("x * max(x, exp(x)) + 2", "x", "gate") == "gate * max(gate, exp(gate)) + 2");
  CHECK(names_in(parse("gate * 2 + up", {"gate", "up", "x"})) == std::set<std::string>{"gate", "up"});
}

TEST_CASE("kernels have neither words nor null nor lists") {
  CHECK(rule_of("'a' == 'b' ? x : 2") == "expression.syntax");
  CHECK(rule_of("x ?? 2") == "expression.syntax");
  CHECK(rule_of("x[0]") == "expression.syntax");
  CHECK(rule_of("x in [1, 2] ? 1 : x") == "expression.syntax");
  CHECK(rule_of("null") == "expression.unknown_name");
  CHECK(rule_of("true ? x : 2") == "expression.unknown_name");
  CHECK(rule_of("x.y") == "expression.unknown_name");
  CHECK(rule_of("floor(x)") == "expression.unknown_function");
}

TEST_CASE("a constant part that f32 cannot hold is refused at its place, once") {
  const auto refused_at = [](const std::string& text, const std::string& place, Type wanted = Type::real) {
    CAPTURE(text);
    CHECK(mistake(text, wanted) == "expression.number 1:" + std::to_string(6 + text.find(place)));
  };
  refused_at("score / 0", "/");
  refused_at("score + 1/0", "/");
  refused_at("score / (heads - 6)", "/");
  refused_at("score * (0 / (heads - 6) + 1)", "/");
  refused_at("score + log(heads - 6)", "log");
  refused_at("score + sqrt(5 - heads)", "sqrt");
  refused_at("score + pow(10, 30) * pow(10, 30)", "* pow");
  refused_at("score - exp(100)", "exp");
  refused_at("score / 1e-60", "1e-60");
  refused_at("score / (1e-30 * 1e-30)", "/");
  refused_at("score + silu(silu(2 / 0))", "/");
  refused_at("score + silu(1e38 * 9)", "*");
  refused_at("score < 0 ? score : 1 / 0", "/");
  refused_at("key < 1 / 0", "/", Type::boolean);
  Diagnostics diagnostics;
  CHECK_FALSE(parse_expression("silu(1 / 0) + score * log(-1)", {}, mask_names, Type::real, diagnostics));
  CHECK(diagnostics.all().size() == 2);
}

TEST_CASE("what f32 can hold, and what a constant condition never chooses, is accepted") {
  for (const char* text : {"score / 1e-38", "score * 3e38 * 10", "heads > 6 ? score / (heads - 6) : score",
                           "score + exp(-200)", "score / (query - key)"}) {
    CAPTURE(text);
    CHECK(mistake(text, Type::real).empty());
  }
}
