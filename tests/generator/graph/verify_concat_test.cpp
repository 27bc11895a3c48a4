// Each rule on rows side by side refuses what breaks it, by its own complaint.
#include "generator/graph/builder.hpp"
#include "tests/generator/graph/mutation.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

bool of_two(const Op& op) { return op.in[0] != op.in[1]; }

RandomGraph sample() {
  for (std::uint64_t seed = 1;; ++seed) {
    RandomGraph random = random_graph(seed, {.two_stacks = false});
    const auto of_two = [](const Op& op) { return as<Concat>(op) != nullptr && op.in[0] != op.in[1]; };
    if (std::ranges::any_of(random.graph.ops, of_two)) return random;
  }
}

Op& first(RandomGraph& random) { return random.graph.ops[find<Concat>(random.graph, of_two)]; }

const std::vector<Mutation> mutations = {
    {"lacks operand 1", "one row alone", [](RandomGraph& r) { r.graph.ops[find<Concat>(r.graph, of_two)].in[1] = {}; }},
    {"gives another number of elements", "a result that is a row short",
     [](RandomGraph& r) {
       Value& out = r.graph.values[first(r).out];
       out.axes[1] = r.graph.values[first(r).in[0]].axes[1];
     }},
    {"wants rows of the same tokens", "rows of other tokens",
     [](RandomGraph& r) {
       r.graph.values[first(r).in[1]].axes[0] = r.graph.axes.intern({"other_tokens", 3, {}, Live::tokens, {}, {}});
     }},
};

}  // namespace

TEST_CASE("each rule on rows side by side refuses what breaks it") {
  check_refusals(sample(), mutations, [](const Complaint& complaint) { return complaint.message; });
}
