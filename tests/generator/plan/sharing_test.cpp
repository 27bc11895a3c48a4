// Layers that read of earlier ones read of the same layer, whatever types its weights have.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>

#include "generator/plan/plan.hpp"
#include "tests/generator/spec/spec_text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/graph_evaluator.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::generator::testing;
using namespace monomorph::test;

namespace {

/// Small numbers, the same for the same part, layer and place.
WeightReader weights_of(const Contract& contract) {
  return [&contract](WeightId id, std::int64_t layer, std::int64_t row, std::int64_t column) {
    const WeightContract& weight = contract.weights[id];
    const std::size_t mixed = std::hash<std::string>{}(fmt::format("{} {} {} {}", weight.part, layer, row, column));
    return 0.25 * (static_cast<double>(mixed % 129) - 64) / 64;
  };
}

struct Passes {
  std::vector<EvaluatedValue> layers;
  EvaluatedValue logits;
};

/// A prompt, then a token more.
Passes evaluate(const Contract& contract) {
  const Graph graph = build_graph(contract);
  make_plan(contract, graph);  // verified
  GraphEvaluator evaluator(graph, contract, weights_of(contract));
  evaluator.run(std::vector<std::int32_t>{3, 14, 15}, 0);
  evaluator.run(std::vector<std::int32_t>{92}, 3);
  Passes passes{evaluator.layers(), {}};
  passes.logits = evaluator.head(std::vector<std::int64_t>{0});
  return passes;
}

Contract accepted(const std::string& text) {
  const Judged judged = judge(text);
  INFO(render(judged.diagnostics));
  REQUIRE(judged.contract);
  return *judged.contract;
}

std::string spec_text() {
  return monomorph::tests::read_file(MONOMORPH_SOURCE_DIR "/tests/cases/pass/keys_of_layers_of_other_types.toml");
}

}  // namespace

TEST_CASE(
    "a layer reads keys and values of the last layer of a kind, also where that kind has weights of several types") {
  const std::string text = spec_text();
  const Contract several = accepted(text), one = accepted(text.substr(0, text.find("[checkpoint.dtypes]")));
  REQUIRE(one.kinds.size() == 3);
  REQUIRE(several.kinds.size() > 6);
  const Passes found = evaluate(several), expected = evaluate(one);
  REQUIRE(found.layers.size() == 16);
  for (std::size_t layer = 0; layer < found.layers.size(); ++layer) {
    CAPTURE(layer);
    CHECK(found.layers[layer].elements == expected.layers[layer].elements);
  }
  CHECK(found.logits.elements == expected.logits.elements);
}

TEST_CASE("keys of a layer that is not the last one of its kind are none that a layer may read") {
  const Contract contract = accepted(spec_text());
  Graph graph = build_graph(contract);
  std::size_t refused = 0;
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) {
    for (const ValueId parameter : graph.functions[graph.layers[kind]].parameters) {
      Value& value = graph.values[parameter];
      if (value.storage != Storage::state || contract.states[{value.declared}].scope.kind == kind) continue;
      const std::uint32_t own = value.declared;
      for (const StateId other : contract.states.ids()) {
        const StateContract& state = contract.states[other];
        const bool of_kind = contract.kinds[state.scope.kind].kind.name == "source";
        if (other.index == own || state.role != value.role || !of_kind) continue;
        value.declared = other.index;
        const std::vector<Complaint> complaints = check_graph(graph, contract);
        CHECK(std::ranges::count(complaints, "G6", &Complaint::invariant) > 0);
        ++refused;
      }
      value.declared = own;
    }
  }
  CHECK(refused > 0);
  CHECK(check_graph(graph, contract).empty());
}
