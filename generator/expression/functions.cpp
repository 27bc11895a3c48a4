// The tables of an expression's operators, functions and named activations.
#include <algorithm>
#include <cmath>

#include "generator/expression/node.hpp"

namespace monomorph::generator {
namespace {

const std::map<std::string, ExpressionFunction>& functions() {
  // What GLSL leaves undefined, and lacks, is a function of shaders/numerics.glsl.
  static const std::map<std::string, ExpressionFunction> table = {
      {"abs", {1, "abs", "std::abs", "std::abs", [](const double* a) { return std::abs(a[0]); }}},
      {"clamp",
       {3, "within", "std::clamp", "std::clamp<std::int64_t>",
        [](const double* a) { return std::min(std::max(a[0], a[1]), a[2]); }}},
      {"cos", {1, "safe_cos", "std::cos", nullptr, [](const double* a) { return std::cos(a[0]); }}},
      {"erf", {1, "erf_approx", "std::erf", nullptr, [](const double* a) { return std::erf(a[0]); }}},
      {"exp", {1, "exp", "std::exp", nullptr, [](const double* a) { return std::exp(a[0]); }}},
      {"expm1", {1, "safe_expm1", "std::expm1", nullptr, [](const double* a) { return std::expm1(a[0]); }}},
      {"floor", {1, nullptr, nullptr, nullptr, [](const double* a) { return std::floor(a[0]); }}},
      {"log", {1, "safe_log", "std::log", nullptr, [](const double* a) { return std::log(a[0]); }}},
      {"log1p", {1, "safe_log1p", "std::log1p", nullptr, [](const double* a) { return std::log1p(a[0]); }}},
      {"max",
       {2, "larger", "std::max", "std::max<std::int64_t>", [](const double* a) { return std::max(a[0], a[1]); }}},
      {"min",
       {2, "smaller", "std::min", "std::min<std::int64_t>", [](const double* a) { return std::min(a[0], a[1]); }}},
      {"pow", {2, "safe_pow", "std::pow", nullptr, [](const double* a) { return std::pow(a[0], a[1]); }}},
      {"sigmoid",
       {1, "sigmoid", "monomorph::reference::sigmoid", nullptr,
        [](const double* a) { return 1 / (1 + std::exp(-a[0])); }}},
      {"sin", {1, "safe_sin", "std::sin", nullptr, [](const double* a) { return std::sin(a[0]); }}},
      {"sqrt", {1, "safe_sqrt", "std::sqrt", nullptr, [](const double* a) { return std::sqrt(a[0]); }}},
      {"tanh", {1, "safe_tanh", "std::tanh", nullptr, [](const double* a) { return std::tanh(a[0]); }}},
  };
  return table;
}

}  // namespace

const ExpressionFunction* find_function(const std::string& name) {
  const auto found = functions().find(name);
  return found == functions().end() ? nullptr : &found->second;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions()) {
    if (function.glsl != nullptr) names.push_back(name);
  }
  return names;
}

int precedence(const std::string& op) {
  static const std::map<std::string, int> table = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"in", 3},
                                                   {"<", 4},  {"<=", 4}, {">", 4},  {">=", 4}, {"??", 4},
                                                   {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6},  {"%", 6}};
  const auto found = table.find(op);
  return found == table.end() ? 0 : found->second;
}

const std::map<std::string, std::string>& named_activations() {
  // The tanh form of GELU is 0.5 x (1 + tanh u) = x sigmoid(2u), u = sqrt(2 / pi) (x + 0.044715 x^3), which cannot
  // overflow; sigmoid is monotone and exact at both ends.
  static const std::string gelu_tanh = "x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))";
  // softplus is log(1 + exp(x)) without an exp that overflows, and log1p keeps what is small below 0.
  static const std::string gelu = "0.5 * x * (1 + erf(0.7071067811865476 * x))";
  static const std::map<std::string, std::string> table = {
      {"gelu", gelu},
      {"gelu_10", "clamp(gelu(x), -10, 10)"},
      {"gelu_accurate", gelu_tanh},
      {"gelu_fast", gelu_tanh},
      {"gelu_new", gelu_tanh},
      {"gelu_python", gelu},
      {"gelu_python_tanh", gelu_tanh},
      {"gelu_pytorch_tanh", gelu_tanh},
      {"hardswish", "x * clamp(x + 3, 0, 6) / 6"},
      {"laplace", "0.5 * (1 + erf((x - 0.707107) / (0.282095 * 1.4142135623730951)))"},
      {"leaky_relu", "max(x, 0) + 0.01 * min(x, 0)"},
      {"linear", "x"},
      {"mish", "x * tanh(softplus(x))"},
      {"quick_gelu", "x * sigmoid(1.702 * x)"},
      {"relu", "max(x, 0)"},
      {"relu2", "max(x, 0) * max(x, 0)"},
      {"relu6", "clamp(x, 0, 6)"},
      {"sigmoid", "sigmoid(x)"},
      {"silu", "x * sigmoid(x)"},
      {"softplus", "max(x, 0) + log1p(exp(-abs(x)))"},
      {"sqrtsoftplus", "sqrt(softplus(x))"},
      {"swish", "x * sigmoid(x)"},
      {"tanh", "tanh(x)"},
  };
  return table;
}

}  // namespace monomorph::generator
