// What the spec's expressions become in GLSL, on every driver at hand, against their values in double: every function,
// every named activation, and powers that GLSL's own pow does not define.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "generator/expression/expression.hpp"
#include "generator/expression/node.hpp"
#include "tests/shaders/on_every_device.hpp"

using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

Expression parse(const std::string& text) {
  Diagnostics diagnostics;
  const auto expression = parse_expression(text, {}, variables({"x"}), Type::real, diagnostics);
  REQUIRE_MESSAGE(expression, text << ": " << render(diagnostics));
  return *expression;
}

/// Of each function, a call that is defined for all the arguments below.
std::string call_of(const std::string& function) {
  if (function == "log" || function == "sqrt") return function + "(abs(x) + 0.5)";
  if (function == "log1p") return "log1p(abs(x) - 0.5)";
  if (function == "pow") return "pow(abs(x) + 0.5, 1.7)";
  if (function == "clamp") return "clamp(x, -1, 2)";
  if (function == "max" || function == "min") return function + "(x, 0.5)";
  return function + "(x)";
}

void check_on_every_device(const std::string& text) {
  const Expression expression = parse(text);
  std::vector<float> x;
  for (int i = -40; i <= 40; ++i) x.push_back(static_cast<float>(i) * 0.125f);
  on_every_device(to_glsl(expression), x, [&](const std::vector<float>& results) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double want = evaluate(expression, {{"x", static_cast<double>(x[i])}});
      INFO(text, " of ", x[i], ": ", results[i], ", exactly ", want);
      if (std::isnan(want)) {
        CHECK(std::isnan(results[i]));
      } else if (std::isinf(want)) {
        CHECK(results[i] == static_cast<float>(want));
      } else {
        // Drivers' sines are off by 2e-4.
        const double absolute = text.find("sin") == 0 || text.find("cos") == 0 ? 5e-4 : 1e-6;
        CHECK(std::abs(results[i] - want) <= absolute + 3e-6 * std::abs(want));
      }
    }
  });
}

}  // namespace

TEST_CASE("every function of expressions has its value on the device") {
  for (const std::string& function : function_names()) check_on_every_device(call_of(function));
}

TEST_CASE("every named activation has its value on the device") {
  for (const auto& [name, text] : named_activations()) check_on_every_device(text);
}

TEST_CASE("powers of numbers of either sign, and of 0") {
  for (const char* text : {"pow(x, 2)", "pow(x, 3)", "pow(x + 1, 3)", "pow(x, 9)", "pow(x, 0)", "pow(x, -2)",
                           "pow(x, -3)", "pow(x, 0.5)", "pow(x, x)", "pow(2, x)", "pow(x, 1 + 1)"}) {
    check_on_every_device(text);
  }
}

TEST_CASE("what is no finite number is none on the device, and no driver makes a plausible one of it") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {-infinity, -2.0f, -1e-30f, 0.0f, 1e-30f, 2.0f, infinity, std::nanf("")};
  for (const char* text : {"x / (x * 0)",      "x / (x - x)",     "1 / x",       "x / x",        "-2 / (x * 0)",
                           "log(x)",           "log(x - x)",      "sqrt(x)",     "max(x, 0)",    "min(x, 0)",
                           "clamp(x, -1, 1)",  "max(sqrt(x), 0)", "relu(x)",     "relu2(x)",     "gelu(x)",
                           "silu(x)",          "erf(x)",          "tanh(x)",     "sigmoid(x)",   "sin(x / (x * 0))",
                           "cos(x / (x * 0))", "exp(x)",          "pow(x, 0.5)", "expm1(x)",     "log1p(x)",
                           "mish(x)",          "softplus(x)",     "relu6(x)",    "hardswish(x)", "leaky_relu(x)",
                           "sqrtsoftplus(x)"}) {
    const Expression expression = parse(text);
    on_every_device(to_glsl(expression), x, [&](const std::vector<float>& results) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double want = evaluate(expression, {{"x", static_cast<double>(x[i])}});
        INFO(text, " of ", x[i], ": ", results[i], ", exactly ", want);
        CHECK(std::isfinite(results[i]) == std::isfinite(static_cast<float>(want)));
      }
    });
  }
}
