// Each rule on what is gathered, and on sines and cosines, refuses what breaks it, by its own complaint.
#include "tests/generator/graph/mutation.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

/// The first operation of a type in a function.
template <class T>
Op& first_of(Graph& graph, FunctionId function) {
  for (const OpId id : graph.functions[function].ops) {
    if (as<T>(graph.ops[id]) != nullptr) return graph.ops[id];
  }
  FAIL("the sample has no such operation");
  return graph.ops[{0}];
}

/// A graph whose embedding adds sines and cosines.
RandomGraph sample() {
  for (std::uint64_t seed = 1;; ++seed) {
    RandomGraph random = random_graph(seed);
    const auto adds = [](const Op& op) { return as<Sinusoids>(op) != nullptr; };
    if (std::any_of(random.graph.ops.begin(), random.graph.ops.end(), adds)) return random;
  }
}

const std::vector<Mutation> mutations = {
    {"begins outside its table", "an offset beyond the table's last row",
     [](RandomGraph& r) {
       Op& op = first_of<Gather>(r.graph, r.graph.own().embed);
       std::get<Gather>(op.what).offset = r.graph.axes[r.graph.values[op.in[0]].axes[0]].size;
     }},
    {"begins outside its table", "an offset below 0",
     [](RandomGraph& r) { std::get<Gather>(first_of<Gather>(r.graph, r.graph.own().embed).what).offset = -1; }},
    {"skips rows of an activation", "an offset among the rows of a pass",
     [](RandomGraph& r) { std::get<Gather>(first_of<Gather>(r.graph, r.graph.head).what).offset = 1; }},
    {"wants another storage of operand 0", "sines and cosines of no angles",
     [](RandomGraph& r) {
       Op& op = first_of<Sinusoids>(r.graph, r.graph.own().embed);
       op.in[0] = op.in[1];
     }},
    {"wants the tokens' positions as operand 1", "sines and cosines of what tokens are",
     [](RandomGraph& r) {
       const ValueId ids = first_of<Gather>(r.graph, r.graph.own().embed).in[1];
       first_of<Sinusoids>(r.graph, r.graph.own().embed).in[1] = ids;
     }},
    {"has other angles", "sines and cosines of fewer columns than angles have",
     [](RandomGraph& r) {
       Value& angles = r.graph.values[first_of<Sinusoids>(r.graph, r.graph.own().embed).in[0]];
       angles.axes[1] = r.graph.values[r.graph.functions[r.graph.head].results[0]].axes[1];
     }},
};

}  // namespace

TEST_CASE("each rule on gathered rows and on sines and cosines refuses what breaks it") {
  check_refusals(sample(), mutations, [](const Complaint& complaint) { return complaint.message; });
}
