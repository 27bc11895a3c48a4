// What a partition takes of operations: which write states, and where they stand.
#include "generator/plan/partition.hpp"

#include <doctest/doctest.h>

#include <map>

#include "generator/ops/op_type.hpp"
#include "tests/generator/plan/named_graphs.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

/// Ids of operations are given in turn to each function.
RandomGraph interleaved(const RandomGraph& random) {
  RandomGraph result = random;
  Graph& graph = result.graph;
  graph.ops = {};
  std::map<OpId, OpId> now;
  for (std::size_t turn = 0; now.size() < random.graph.ops.size(); ++turn) {
    for (const Function& function : random.graph.functions) {
      if (turn >= function.ops.size()) continue;
      const OpId old = function.ops[turn];
      now[old] = graph.ops.add(random.graph.ops[old]);
    }
  }
  for (Value& value : graph.values) {
    if (value.writer) value.writer = now.at(value.writer);
  }
  for (Function& function : graph.functions) {
    for (OpId& op : function.ops) op = now.at(op);
  }
  return result;
}

}  // namespace

TEST_CASE("operations of a function need not be neighbours") {
  for (const auto& [name, graph] : some_graphs()) {
    CAPTURE(name);
    const RandomGraph other = interleaved(graph);
    REQUIRE_NOTHROW(verify_graph(other.graph, other.contract));
    CHECK(dump_plan(make_plan(other.contract, other.graph), other.graph, other.contract) ==
          dump_plan(make_plan(graph.contract, graph.graph), graph.graph, graph.contract));
  }
}

TEST_CASE("what gives a state is known to write one") {
  for (const auto& [name, random] : some_graphs()) {
    for (const Op& op : random.graph.ops) {
      const bool gives = random.graph.values[op.results().back()].storage == Storage::state;
      CHECK((type_of(op).states != Access::read) == gives);
    }
  }
}
