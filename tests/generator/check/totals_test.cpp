#include "generator/check/totals.hpp"

#include <doctest/doctest.h>

#include "tests/generator/check/host_model.hpp"

using namespace monomorph;
using namespace monomorph::generator;

namespace {

// Of tests/cases/host/tiny.toml, counted by hand: two norms and seven matrices a layer; embedding, head and final norm.
constexpr std::int64_t layer_parameters = 2 * 288 + 3 * 288 * 288 + 288 * 288 + 3 * 768 * 288;
constexpr std::int64_t total_parameters = 2 * layer_parameters + 2 * 2048 * 288 + 288;
constexpr std::int64_t state_bytes = 2 * 2 * 6 * 256 * 48 * 2;

/// The emitted header, with one text put in place of another.
CppInput header(const std::string& before = "", const std::string& after = "") {
  std::string text = test::host_model().header("model.hpp");
  if (!before.empty()) {
    const std::size_t found = text.find(before);
    REQUIRE(found != std::string::npos);
    text.replace(found, before.size(), after);
  }
  return {"model.hpp", text, test::host_model().include_flags()};
}

}  // namespace

TEST_CASE("totals that agree pass") {
  CHECK_NOTHROW(verify_totals(
      header(), {{"model_tiny::total_parameters", total_parameters}, {"model_tiny::state_bytes", state_bytes}}));
}

TEST_CASE("a total that is off by one is an internal error with both values, and so is every other") {
  CHECK_THROWS_WITH_AS(
      verify_totals(header(), {{"model_tiny::total_parameters", total_parameters - 1},
                               {"model_tiny::state_bytes", state_bytes + 1}}),
      doctest::Contains("model_tiny::state_bytes: emitted code adds up to 589824, the plan to 589825\n"
                        "  model_tiny::total_parameters: emitted code adds up to 3171744, the plan to 3171743"),
      InternalError);
}

TEST_CASE("a weight emitted with another shape shows in the totals") {
  const CppInput mutated = header("Weight<roles::attention::o_proj, f16, hidden, q>",
                                  "Weight<roles::attention::o_proj, f16, hidden, q_kv_kv>");
  CHECK_THROWS_WITH_AS(verify_totals(mutated, {{"model_tiny::total_parameters", total_parameters}}),
                       doctest::Contains("model_tiny::total_parameters: emitted code adds up to 3503520"),
                       InternalError);
}

TEST_CASE("a place that no longer fits its shape is caught by the header's own assertions") {
  const CppInput mutated = header("Tensor<roles::attention::attended, f32, tokens, q> attended",
                                  "Tensor<roles::attention::attended, f16, tokens, q> attended");
  CHECK_THROWS_WITH_AS(verify_totals(mutated, {{"model_tiny::total_parameters", total_parameters}}),
                       doctest::Contains("[plan.buffer] attention::attended does not have the size of its shape"),
                       InternalError);
}
