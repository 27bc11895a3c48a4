// Plans on devices, through their kernels: graphs that no spec describes, fused and not, against the graph's own
// evaluation.
//   MONOMORPH_DEVICE_GRAPHS=N   as many random graphs, in place of 6
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <random>

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

std::uint64_t graph_count() { return count_of("MONOMORPH_DEVICE_GRAPHS", 6); }

void check_on_devices(const RandomGraph& graph, const std::vector<Pass>& passes = few_passes,
                      const LimitOverrides& limits = {}) {
  const auto errors = errors_on_devices(graph, make_plan(graph.contract, graph.graph), passes, limits);
  if (errors.empty()) std::exit(77);
  for (const auto& [device, error] : errors) {
    CAPTURE(device);
    CHECK(error <= tolerance);
  }
}

}  // namespace

TEST_CASE("random graphs give on a device what their evaluation does") {
  for (std::uint64_t seed = 1; seed <= graph_count(); ++seed) {
    CAPTURE(seed);
    RandomGraph graph = random_graph(seed);
    graph.contract.fusion = seed % 3 != 0;
    check_on_devices(graph);
  }
}

TEST_CASE("so do graphs whose values have several readers, and weights several formats or orders") {
  for (const auto& [name, graph] : named_graphs()) {
    CAPTURE(name);
    check_on_devices(graph);
  }
}

TEST_CASE("so do rings under random masks, over eight windows of text, going back as far as a pass") {
  std::mt19937_64 random(2);
  for (const Window& window : windows) {
    const std::string mask = window.recent % 2 != 0 ? random_mask(random) : "";
    CAPTURE(mask);
    CAPTURE(window.recent);
    CAPTURE(window.first);
    RandomGraph graph = window_graph(window, mask);
    graph.contract.fusion = window.recent % 3 != 0;
    check_on_devices(graph, passes_of(graph, 1));
  }
}

TEST_CASE("so do masks over more keys than are asked about at once, none of them seen, or more than a tile") {
  LimitOverrides limits;
  limits.max_workgroup_invocations = 16;  // which ask about 512 keys, and whose tiles have 16
  const Window window = {600, 0};         // all there is
  RandomGraphOptions options;
  options.prefill_chunk = 16;
  options.max_sequence_length = 600;
  std::vector<Pass> passes;
  for (std::int64_t first = 0; first < 560; first += 16) passes.push_back({first, 16});
  for (std::int64_t single = 560; single < 564; ++single) passes.push_back({single, 1});
  passes.push_back({564, 11});
  for (const char* mask : {"key == query || key > 530 && key % 2 == 0", "key == query || (query + key) % 3 == 1"}) {
    CAPTURE(std::string(mask));
    const RandomGraph graph = small_graph(
        [&](LayerWriter& layer) { return layer.attention(layer.norm(layer.hidden()), window, window, mask); }, options);
    check_on_devices(graph, passes, limits);
  }
}

TEST_CASE("so do means whose weights no float holds, which decay slowly or at once") {
  const std::map<std::string, double> scales = {
      {"-0.001 * abs(x)", 80}, {"-abs(x)", 80}, {"-15 - abs(x)", 120}, {"-30 - abs(x)", 80}, {"-200 - abs(x)", 80}};
  for (const auto& [log_decay, scale] : scales) {
    CAPTURE(log_decay);
    const RandomGraph graph = small_graph(
        [&](LayerWriter& layer) { return layer.weighted_mean(layer.norm(layer.hidden()), scale, log_decay); });
    check_on_devices(graph, {{0, 3}, {3, 4}, {7, 1}, {8, 1}, {9, 3}});
  }
}

TEST_CASE("a token whose values are no numbers changes nothing for queries that do not see it") {
  // Half of the tokens have none, in the window's part of the ring, in what it has left behind, and in the same tile.
  for (const Window& window : {Window{1, 0}, Window{2, 1}}) {
    CAPTURE(window.recent);
    const RandomGraph graph = small_graph(
        [&](LayerWriter& layer) {
          const ValueId x = layer.norm(layer.hidden());
          const ValueId spoiled = layer.map("a + 0.1 * log(b)", {x, layer.of_token(x)});
          return layer.attention(spoiled, window, window, "key == query || key % 4 == 1");
        },
        window_options(window));
    check_on_devices(graph, passes_of(graph, 2));
  }
}
