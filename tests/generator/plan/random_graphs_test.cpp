// Plans of random graphs, fused and not, executed on an image of memory and held against the graph's own evaluation:
// equal to the last bit, since each element is computed by the same operations in the same order.
//   MONOMORPH_RANDOM_GRAPHS=N   as many graphs, in place of 2,000
#include <doctest/doctest.h>

#include "generator/plan/make.hpp"
#include "tests/generator/plan/agreement.hpp"
#include "tests/generator/plan/named_graphs.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

std::uint64_t graph_count() { return count_of("MONOMORPH_RANDOM_GRAPHS", 2000); }

void require_sound(const RandomGraph& random, const Plan& plan) {
  for (const Complaint& complaint : check_plan(plan, random.graph, random.contract)) {
    FAIL_CHECK(complaint.invariant << " " << complaint.message);
  }
}

}  // namespace

TEST_CASE("a plan computes what its graph says, fused and not, on random graphs") {
  std::vector<std::int64_t> fired(rules.size());
  const auto graphs = static_cast<std::int64_t>(graph_count());
  for (std::int64_t seed = 1; seed <= graphs; ++seed) {
    CAPTURE(seed);
    RandomGraph random = random_graph(static_cast<std::uint64_t>(seed));
    REQUIRE_NOTHROW(verify_graph(random.graph, random.contract));
    Plan plan = make_plan(random.contract, random.graph, {}, &fired);
    require_sound(random, plan);
    REQUIRE(agrees_on_host(random, plan));
    // Every other graph unfused too.
    if (seed % 2 != 0) continue;
    random.contract.fusion = false;
    plan = make_plan(random.contract, random.graph, {}, nullptr);
    require_sound(random, plan);
    REQUIRE(agrees_on_host(random, plan));
  }
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    CAPTURE(std::string(rules[rule].name));
    CHECK(fired[rule] >= 50 * graphs / 10000);
  }
}

TEST_CASE("graphs whose values have several readers, and weights several formats or orders") {
  for (auto& [name, graph] : named_graphs()) {
    CAPTURE(name);
    for (const bool fusion : {true, false}) {
      graph.contract.fusion = fusion;
      REQUIRE_NOTHROW(verify_graph(graph.graph, graph.contract));
      const Plan plan = make_plan(graph.contract, graph.graph, {}, nullptr);
      require_sound(graph, plan);
      CHECK(agrees_on_host(graph, plan));
    }
  }
}

// Not under sanitizers, where it takes a minute and shows no more than the random graphs above.
TEST_CASE("without one of its judgements, some plan computes something else" * doctest::skip(MONOMORPH_SANITIZED)) {
  Judgements without_readers, without_convexity, without_liveness;
  without_readers.single_reader = false;
  without_convexity.convex = false;
  without_liveness.live_in_place = false;
  for (const Judgements& judgements : {without_readers, without_convexity, without_liveness}) {
    bool caught = false;
    for (std::uint64_t seed = 1; seed <= 6000 && !caught; ++seed) {
      const RandomGraph random = random_graph(seed);
      caught = !agrees_on_host(random, make_plan(random.contract, random.graph, judgements, nullptr));
    }
    CAPTURE(judgements.single_reader);
    CAPTURE(judgements.convex);
    CHECK(caught);
  }
}
