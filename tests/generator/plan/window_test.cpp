// Keys and values of a window as a ring, against a graph's own evaluation, which keeps every position.
#include <doctest/doctest.h>

#include "generator/plan/make.hpp"
#include "tests/generator/plan/agreement.hpp"
#include "tests/generator/plan/windows.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

constexpr std::uint64_t schedules = 20;

/// How many of the schedules a plan of this graph agrees on with its evaluation.
std::uint64_t agreed(const RandomGraph& graph, bool too_far = false) {
  const Plan plan = make_plan(graph.contract, graph.graph, {}, nullptr);
  std::uint64_t count = 0;
  for (std::uint64_t seed = 1; seed <= schedules; ++seed) {
    count += agrees_on_host(graph, plan, passes_of(graph, seed, too_far)) ? 1 : 0;
  }
  return count;
}

}  // namespace

// Not under sanitizers, where it takes a minute and shows no more than the next one.
TEST_CASE("a ring gives what whole keys and values do, over eight windows of text, going back as far as a pass" *
          doctest::skip(MONOMORPH_SANITIZED)) {
  for (const Window& window : windows) {
    CAPTURE(window.recent);
    CAPTURE(window.first);
    RandomGraph graph = window_graph(window);
    for (const bool fusion : {true, false}) {
      graph.contract.fusion = fusion;
      CHECK(agreed(graph) == schedules);
    }
  }
}

TEST_CASE("a ring serves every mask, however far it reaches: a query sees what the mask and the window show") {
  std::mt19937_64 random(1);
  for (const Window& window : windows) {
    const std::string mask = random_mask(random);
    CAPTURE(mask);
    CAPTURE(window.recent);
    CHECK(agreed(window_graph(window, mask)) == schedules);
  }
}

TEST_CASE("a ring is no larger than it has to be: an entry fewer, or a position further back, and it is wrong") {
  for (const Window& window : windows) {
    CAPTURE(window.recent);
    CAPTURE(window.first);
    RandomGraph graph = window_graph(window);
    if (window.recent > 1) CHECK(agreed(graph, true) < schedules);  // else no query sees the past
    graph.contract.axes[graph.contract.states[{0}].axes[2]].size -= 1;
    graph.graph.axes = graph.contract.axes;
    CHECK(agreed(graph) < schedules);
  }
}
