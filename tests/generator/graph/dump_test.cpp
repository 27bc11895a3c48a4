// Goldens of the graph's and the plan's text: kinds of layer, norms in every place, GPT-2's forms, no fusion. To
// regenerate one: monomorph generate SPEC --dump graph > golden/NAME.graph.txt, and --dump plan > golden/NAME.plan.txt.
#include <doctest/doctest.h>

#include "generator/pipeline.hpp"
#include "tests/support/files.hpp"

using namespace monomorph::generator;

namespace {

/// The plan's golden has a name of its own where settings change it.
void check_golden(const std::string& name, const std::string& plan, const std::vector<Override>& overrides = {}) {
  const std::string root = std::string(MONOMORPH_SOURCE_DIR) + "/tests/", golden = root + "generator/graph/golden/";
  const AcceptedSpec accepted = accept_spec(open_spec(root + "cases/pass/" + name + ".toml"), overrides);
  const PlannedModel planned = plan_model(accepted.contract);
  CAPTURE(plan);
  CHECK(dump_graph(planned.graph, accepted.contract) == monomorph::tests::read_file(golden + name + ".graph.txt"));
  CHECK(dump_plan(planned.plan, planned.graph, accepted.contract) ==
        monomorph::tests::read_file(golden + plan + ".plan.txt"));
}

}  // namespace

TEST_CASE("graph and plan of odd models are their goldens") {
  check_golden("kinds", "kinds");
  check_golden("norm_positions", "norm_positions");
  check_golden("gpt2", "gpt2");
  check_golden("biases_and_dtypes", "biases_and_dtypes");
  check_golden("kinds", "kinds_unfused", {{"engine.fusion", "false"}});
}
