// Random expressions of every type: what the generator evaluates, what the emitted C++ computes and what every driver
// computes from the emitted GLSL agree. Beside each value stands a bound of f32's rounding, formed from operation to
// operation; where a comparison hangs on less than that, the device is not asked.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <sstream>

#include "generator/expression/expression.hpp"
#include "generator/expression/node.hpp"
#include "tests/support/compute.hpp"
#include "tests/support/glsl.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

const ExpressionNames names = {{"x", {Type::real, {}}},
                               {"y", {Type::real, {}}},
                               {"i", {Type::integer, {}}},
                               {"j", {Type::integer, {}}},
                               {"size", {Type::integer, 24.0}}};

struct Sample {
  double x, y, i, j;
  std::map<std::string, double> variables() const { return {{"x", x}, {"y", y}, {"i", i}, {"j", j}}; }
};

class Writer {
 public:
  explicit Writer(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }

  std::string text(Type type, int depth) {
    std::vector<std::string> forms;
    if (depth == 0) {
      forms = type == Type::real      ? std::vector<std::string>{"x", "y", "0.5", "3", "i", "size"}
              : type == Type::integer ? std::vector<std::string>{"i", "j", "2", "7", "size"}
                                      : std::vector<std::string>{"x < y", "i == j", "j >= 0"};
      return forms[below(forms.size())];
    }
    // R, I and B stand for a smaller expression of that type.
    if (type == Type::real) {
      forms = {"R + R",
               "R - R",
               "R * R",
               "R / (abs(R) + 0.5)",
               "-(R)",
               "B ? R : R",
               "max(R, R)",
               "min(R, I)",
               "clamp(R, -1, 2)",
               "sigmoid(R)",
               "tanh(R)",
               "I",
               "sqrt(abs(R) + 0.5)",
               "silu(R)",
               "R * I"};
    } else if (type == Type::integer) {
      forms = {"I + I",     "I - I",     "I * I",     "I % I",  "-(I)",
               "B ? I : I", "max(I, I)", "min(I, I)", "abs(I)", "clamp(I, -3, 9)"};
    } else {
      forms = {"R < R", "R >= I", "I == I", "I != I", "I <= I", "B && B", "B || B", "!(B)", "B ? B : B"};
    }
    std::string result;
    for (const char c : forms[below(forms.size())]) {
      const bool hole = c == 'R' || c == 'I' || c == 'B';
      if (!hole) {
        result += c;
        continue;
      }
      const Type operand = c == 'R' ? Type::real : c == 'I' ? Type::integer : Type::boolean;
      result += "(" + text(operand, std::max(0, depth - 1 - static_cast<int>(below(2)))) + ")";
    }
    return result;
  }

  Sample sample() {
    const auto between = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random_); };
    return {between(-32, 32) * 0.125, between(-32, 32) * 0.125, double(between(-20, 20)), double(between(-6, 6))};
  }

 private:
  std::mt19937 random_;
};

/// A value in f32 lies within `error` of `value`, unless it is not sure.
struct Bounded {
  double value = 0, error = 0;
  bool sure = true;
};

constexpr double rounding = 4e-7;  // of an operation or a function, relatively, with room for drivers
constexpr double largest = 1e6;    // beyond it nothing is said

Bounded bounded(const ExpressionNode& node, const std::map<std::string, double>& variables) {
  using Form = ExpressionNode::Form;
  std::vector<Bounded> in;
  for (const auto& operand : node.operands) in.push_back(bounded(*operand, variables));
  Bounded out;
  const auto combine = [&](double value, double error) {
    out.value = value;
    out.error = node.type == Type::real ? error + rounding * std::abs(value) : 0;
    out.sure = std::abs(value) < largest &&
               std::all_of(in.begin(), in.end(), [](const Bounded& operand) { return operand.sure; });
    return out;
  };
  const auto widest = [&] {
    double error = 0;
    for (const Bounded& operand : in) error = std::max(error, operand.error);
    return error;
  };
  switch (node.form) {
    case Form::number:
      return {node.value, node.type == Type::real ? rounding * std::abs(node.value) : 0, true};
    case Form::name:
      return {variables.at(node.word), 0, true};
    case Form::widened:
      return combine(in[0].value, 0);
    case Form::negation:
      return combine(-in[0].value, in[0].error);
    case Form::inversion:
      return combine(in[0].value == 0, 0);
    case Form::conditional: {
      out = in[in[0].value != 0 ? 1 : 2];
      out.sure = out.sure && in[0].sure;
      return out;
    }
    case Form::word:
    case Form::index:
      FAIL("no kernel has words or lists");
      return out;
    case Form::binary: {
      const auto [a, b] = std::pair(in[0], in[1]);
      const std::string& op = node.word;
      if (op == "+") return combine(a.value + b.value, a.error + b.error);
      if (op == "-") return combine(a.value - b.value, a.error + b.error);
      if (op == "*") {
        return combine(a.value * b.value,
                       std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error);
      }
      if (op == "/") {
        const double quotient = a.value / b.value;
        return combine(quotient, (a.error + std::abs(quotient) * b.error) / (std::abs(b.value) - b.error));
      }
      const double of_both = evaluate({std::make_shared<ExpressionNode>(node), ""}, variables);
      if (op == "%") return combine(of_both, 0);
      combine(of_both, 0);
      if (op != "&&" && op != "||") out.sure = out.sure && std::abs(a.value - b.value) >= a.error + b.error;
      return out;
    }
    case Form::call: {
      double arguments[3] = {};
      for (std::size_t i = 0; i < in.size(); ++i) arguments[i] = in[i].value;
      // All of the functions above but sqrt, here of 0.5 and more, are no steeper than 1.
      return combine(find_function(node.word)->evaluate(arguments), widest() + (node.type == Type::real ? 1e-6 : 0));
    }
  }
  return {};
}

struct Case {
  std::string text;
  Expression expression;
};

std::vector<Case> random_cases(Writer& writer, std::size_t count) {
  std::vector<Case> cases;
  for (std::size_t n = 0; n < count; ++n) {
    const Type type = std::vector{Type::real, Type::integer, Type::boolean}[n % 3];
    const std::string text = writer.text(type, 1 + static_cast<int>(n % 4));
    Diagnostics diagnostics;
    const auto expression = parse_expression(text, {}, names, type, diagnostics);
    // A divisor may turn out to be the number 0, which is refused, and a product too large to be whole.
    if (expression) cases.push_back({text, *expression});
  }
  return cases;
}

std::vector<double> in_cpp(const std::vector<Case>& cases, const std::vector<Sample>& samples) {
  std::ostringstream text;
  text.precision(17);
  text << "#include <algorithm>\n#include <cmath>\n#include <cstdio>\n#include <cstdlib>\n"
          "#include \"runtime/reference/numerics.hpp\"\n"
          "void all(double x, double y, std::int64_t i, std::int64_t j) {\n"
          "  (void)x, (void)y, (void)i, (void)j;\n";
  for (const Case& one : cases) text << "  std::printf(\"%a\\n\", double(" << to_cpp(one.expression) << "));\n";
  text << "}\nint main() {\n";
  for (const Sample& s : samples) text << "  all(" << s.x << ", " << s.y << ", " << s.i << ", " << s.j << ");\n";
  text << "}\n";
  const monomorph::tests::TemporaryDirectory directory;
  const std::string source = directory.write("all.cpp", text.str());
  const std::string program = (directory.path() / "all").string();
  const auto compiled =
      monomorph::tests::run_command({MONOMORPH_CXX, "-std=c++20", "-I", MONOMORPH_SOURCE_DIR, source, "-o", program});
  REQUIRE_MESSAGE(compiled.status == 0, compiled.output);
  std::istringstream lines(monomorph::tests::run_command({program}).output);
  std::vector<double> values;
  for (std::string line; std::getline(lines, line);) values.push_back(std::strtod(line.c_str(), nullptr));
  REQUIRE(values.size() == cases.size() * samples.size());
  return values;
}

/// Kernels that compute all the cases for a sample in each invocation.
std::vector<std::uint32_t> kernel_of(const std::vector<Case>& cases) {
  std::string text =
      "#version 450\nlayout(local_size_x = 32) in;\n#include \"numerics.glsl\"\n"
      "layout(binding = 0) readonly buffer Reals { vec2 reals[]; };\n"
      "layout(binding = 1) readonly buffer Wholes { ivec2 wholes[]; };\n"
      "layout(binding = 2) writeonly buffer Results { float results[]; };\n"
      "void main() {\n  const uint n = gl_GlobalInvocationID.x;\n  if (n >= reals.length()) return;\n"
      "  const float x = reals[n].x, y = reals[n].y;\n  const int i = wholes[n].x, j = wholes[n].y;\n";
  for (std::size_t c = 0; c < cases.size(); ++c) {
    text += "  results[" + std::to_string(cases.size()) + " * n + " + std::to_string(c) + "] = float(" +
            to_glsl(cases[c].expression) + ");\n";
  }
  return compile_glsl(text + "}\n");
}

}  // namespace

TEST_CASE("random expressions have one value, wherever they are computed") {
  Writer writer(20);
  const std::vector<Case> cases = random_cases(writer, 150);
  CHECK(cases.size() > 140);
  std::vector<Sample> samples(32);
  std::generate(samples.begin(), samples.end(), [&] { return writer.sample(); });

  const std::vector<double> computed = in_cpp(cases, samples);
  for (std::size_t n = 0; n < computed.size(); ++n) {
    const Case& one = cases[n % cases.size()];
    const double want = evaluate(one.expression, samples[n / cases.size()].variables());
    INFO(one.text);
    CHECK(std::abs(computed[n] - want) <= 1e-12 * std::max(1.0, std::abs(want)));
  }

  const std::vector<std::uint32_t> spirv = kernel_of(cases);
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    std::vector<float> reals;
    std::vector<std::int32_t> wholes;
    for (const Sample& s : samples) {
      reals.insert(reals.end(), {static_cast<float>(s.x), static_cast<float>(s.y)});
      wholes.insert(wholes.end(), {static_cast<std::int32_t>(s.i), static_cast<std::int32_t>(s.j)});
    }
    std::vector<float> results(computed.size());
    ComputeKernel kernel(*device, spirv, {}, {reals.size() * 4, wholes.size() * 4, results.size() * 4});
    kernel.write<float>(0, reals);
    kernel.write<std::int32_t>(1, wholes);
    kernel.run(1);
    kernel.read<float>(2, results);
    std::size_t judged = 0;
    for (std::size_t n = 0; n < results.size(); ++n) {
      const Case& one = cases[n % cases.size()];
      const Bounded want = bounded(*one.expression.root, samples[n / cases.size()].variables());
      if (!want.sure) continue;
      judged += 1;
      INFO(one.text, " is ", results[n], ", exactly ", want.value, " within ", want.error);
      CHECK(std::abs(results[n] - want.value) <= want.error);
    }
    CHECK(judged > results.size() * 8 / 10);
  }
}
