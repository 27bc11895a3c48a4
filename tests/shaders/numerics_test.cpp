// The device's f32 functions against double, on every driver at hand: from 0 to +-1e30, finely where they bend.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/shaders/on_every_device.hpp"

using namespace monomorph::test;

namespace {

std::vector<float> arguments() {
  std::vector<float> x{0.0f, -0.0f};
  for (int i = 1; i <= 40000; ++i) {
    x.push_back(static_cast<float>(i) * 2.5e-4f);
    x.push_back(-x.back());
  }
  for (float magnitude = 1e-30f; magnitude < 2e30f; magnitude *= 1.07f) {
    x.push_back(magnitude);
    x.push_back(-magnitude);
  }
  for (const float edge : {0.5f, 1.0f, 4.0f, 13.1f, 88.7f, 1e30f}) {
    for (const float neighbour : {std::nextafter(edge, 0.0f), edge, std::nextafter(edge, 1e38f)}) {
      x.push_back(neighbour);
      x.push_back(-neighbour);
    }
  }
  return x;
}

/// |result - exact| <= absolute + relative * |exact|; the worst offender is named.
void check_close(const std::string& expression, const std::function<double(double)>& exact, double absolute,
                 double relative) {
  const std::vector<float> x = arguments();
  on_every_device(expression, x, [&](const std::vector<float>& results) {
    std::size_t worst = 0;
    double excess = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double want = exact(x[i]);
      const double error = std::abs(results[i] - want) / (absolute + relative * std::abs(want));
      if (!(error <= excess)) {
        worst = i;
        excess = std::isnan(error) ? 1e300 : error;
      }
    }
    INFO(expression, " at x = ", x[worst], " is ", results[worst], ", exactly ", exact(x[worst]), ": ", excess,
         " times the allowed error");
    CHECK(excess <= 1.0);
  });
}

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
double gelu(double x) { return 0.5 * x * std::erfc(-x * std::sqrt(0.5)); }
double gelu_tanh(double x) {
  const double u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return x * sigmoid(2 * u);
}

}  // namespace

// The absolute term covers results that a driver may flush to zero; exp alone is off by 4e-6 far out on these drivers.
TEST_CASE("sigmoid and SiLU are exact to the driver's exp and never overflow") {
  check_close("sigmoid(x)", sigmoid, 1e-37, 1e-5);
  check_close("x * sigmoid(x)", [](double x) { return x * sigmoid(x); }, 1e-35, 1e-5);
  check_close("x * sigmoid(1.702 * x)", [](double x) { return x * sigmoid(1.702 * x); }, 1e-35, 2e-5);
}

TEST_CASE("sigmoid is within 3e-7 of its value where it is not tiny") { check_close("sigmoid(x)", sigmoid, 3e-7, 0); }

TEST_CASE("safe_tanh is within 3e-7, relatively so near zero, and never NaN") {
  check_close("safe_tanh(x)", [](double x) { return std::tanh(x); }, 1e-37, 3e-7);
}

TEST_CASE("erf_approx is within 1.5e-7, relatively so near zero") {
  check_close("erf_approx(x)", [](double x) { return std::erf(x); }, 1e-37, 2.5e-7);
  check_close("erf_approx(x)", [](double x) { return std::erf(x); }, 1.5e-7, 0);
}

// Far out exp(x) itself is off by 4e-6 on these drivers, and above 88.7 it is an infinity, as f32 has it.
TEST_CASE("safe_expm1 and safe_log1p are exact near zero") {
  check_close(
      "safe_expm1(clamp(x, -88.0, 1.0))", [](double x) { return std::expm1(std::clamp(x, -88.0, 1.0)); }, 1e-37, 5e-7);
  check_close("safe_expm1(min(x, 88.0))", [](double x) { return std::expm1(std::min(x, 88.0)); }, 1e-37, 1e-5);
  check_close("safe_log1p(abs(x))", [](double x) { return std::log1p(std::abs(x)); }, 1e-37, 5e-7);
  check_close(
      "safe_log1p(clamp(x, -0.9, 0.0))", [](double x) { return std::log1p(std::clamp(x, double(-0.9f), 0.0)); }, 1e-37,
      5e-7);
}

TEST_CASE("softplus keeps what is small below zero, and its tanh saturates") {
  const auto softplus = [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); };
  check_close("max(x, 0.0) + safe_log1p(exp(-abs(x)))", softplus, 1e-37, 1e-5);
  check_close(
      "x * safe_tanh(max(x, 0.0) + safe_log1p(exp(-abs(x))))", [&](double x) { return x * std::tanh(softplus(x)); },
      1e-35, 1e-5);
}

TEST_CASE("both forms of GELU are within 5e-7 of their values at ordinary arguments and finite to 1e30") {
  check_close("0.5 * x * (1.0 + erf_approx(x * 0.707106781))", gelu, 5e-7, 2e-7);
  check_close("0.5 * x * (1.0 + safe_tanh(0.797884561 * (x + 0.044715 * x * x * x)))", gelu_tanh, 1e-6, 3e-7);
}

TEST_CASE("the comparison would see an error of one part in a million") {
  const std::vector<float> x = arguments();
  on_every_device("safe_tanh(x) * (1.0 + 1e-6)", x, [&](const std::vector<float>& results) {
    bool caught = false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      caught = caught || std::abs(results[i] - std::tanh(static_cast<double>(x[i]))) > 3e-7;
    }
    CHECK(caught);
  });
}
