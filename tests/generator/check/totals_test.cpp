#include "generator/check/totals.hpp"

#include <doctest/doctest.h>

#include "tests/generator/check/host_cases.hpp"

using namespace monomorph;
using namespace monomorph::generator;

namespace {

CppInput model_header() {
  CppInput input{MONOMORPH_SOURCE_DIR "/tests/cases/host/include/tiny/model.hpp", std::nullopt, {}};
  for (const std::string& directory : test::host_include_dirs()) input.flags.push_back("-I" + directory);
  return input;
}

// Counted by hand: two norms and five matrices a layer; embedding, head and final norm once.
constexpr std::int64_t layer_parameters = 2 * 288 + 864 * 288 + 288 * 288 + 3 * 768 * 288;
constexpr std::int64_t total_parameters = 2 * layer_parameters + 2 * 2048 * 288 + 288;
constexpr std::int64_t cache_bytes = 2 * 2 * 6 * 256 * 48 * 2;

}  // namespace

TEST_CASE("totals that agree pass") {
  CHECK_NOTHROW(verify_totals(model_header(), {{"tiny::total_parameters", total_parameters},
                                               {"tiny::layer_parameters", layer_parameters},
                                               {"tiny::cache_bytes", cache_bytes}}));
}

TEST_CASE("a total that is off by one is an internal error with both values, and so is every other") {
  CHECK_THROWS_WITH_AS(
      verify_totals(model_header(),
                    {{"tiny::total_parameters", total_parameters - 1}, {"tiny::cache_bytes", cache_bytes + 1}}),
      doctest::Contains("tiny::cache_bytes: emitted code adds up to 589824, the plan to 589825\n"
                        "  tiny::total_parameters: emitted code adds up to 3171744, the plan to 3171743"),
      InternalError);
}
