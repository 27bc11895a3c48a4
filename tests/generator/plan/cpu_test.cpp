// Plans on the CPU, through the kernels that are emitted for it: graphs that no spec describes, fused and not, against
// the graph's own evaluation.
//   MONOMORPH_CPU_GRAPHS=N   as many random graphs, in place of 3
#include <doctest/doctest.h>

#include "generator/plan/make.hpp"
#include "tests/generator/plan/agreement.hpp"
#include "tests/generator/plan/named_graphs.hpp"
#include "tests/generator/plan/windows.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

// Dot products of a dozen terms in single precision, a dozen after each other.
constexpr double tolerance = 1e-4;

void check_on_cpu(const RandomGraph& graph, const std::vector<Pass>& passes = few_passes) {
  CHECK(error_on_cpu(graph, make_plan(graph.contract, graph.graph), passes) <= tolerance);
}

}  // namespace

TEST_CASE("random graphs give on the CPU what their evaluation does") {
  for (std::uint64_t seed = 1; seed <= count_of("MONOMORPH_CPU_GRAPHS", 3); ++seed) {
    CAPTURE(seed);
    RandomGraph graph = random_graph(100 + seed);  // others than devices of Vulkan have
    graph.contract.fusion = seed % 3 != 0;
    check_on_cpu(graph);
  }
}

TEST_CASE("so do graphs whose values have several readers, and weights several formats or orders") {
  for (const auto& [name, graph] : named_graphs()) {
    CAPTURE(name);
    check_on_cpu(graph);
  }
}

TEST_CASE("so do rings under masks, over eight windows of text, going back as far as a pass") {
  for (const Window& window : {Window{1, 0}, Window{3, 1}}) {
    CAPTURE(window.recent);
    const RandomGraph graph = window_graph(window, "key == query || key % 3 != 1");
    check_on_cpu(graph, passes_of(graph, 1));
  }
}

TEST_CASE("so do means whose weights no float holds, which decay slowly or at once") {
  for (const char* log_decay : {"-0.001 * abs(x)", "-200 - abs(x)"}) {
    CAPTURE(std::string(log_decay));
    const RandomGraph graph =
        small_graph([&](LayerWriter& layer) { return layer.weighted_mean(layer.norm(layer.hidden()), 80, log_decay); });
    check_on_cpu(graph, {{0, 3}, {3, 4}, {7, 1}, {8, 1}, {9, 3}});
  }
}
