// Each rule on convolutions refuses what breaks it, by its own complaint.
#include "tests/generator/graph/mutation.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

bool any(const Op& op) { return as<Convolve>(op) != nullptr && op.in[1]; }
bool has_bias(const Op& op) { return as<Convolve>(op) != nullptr && op.in[2]; }

/// The state of a convolution over several positions that keeps a ring.
StateContract* ring_of(RandomGraph& random, const Op& op) {
  if (as<Convolve>(op) == nullptr || convolved_positions(op, random.graph) < 2) return nullptr;
  StateContract& state = random.contract.states[{random.graph.values[op.in[0]].declared}];
  return state.ring() ? &state : nullptr;
}

RandomGraph sample() {
  for (std::uint64_t seed = 1;; ++seed) {
    RandomGraph random = random_graph(seed);
    const bool biased = std::any_of(random.graph.ops.begin(), random.graph.ops.end(), has_bias);
    const bool ring = std::any_of(random.graph.ops.begin(), random.graph.ops.end(),
                                  [&](const Op& op) { return ring_of(random, op) != nullptr; });
    if (biased && ring) return random;
  }
}

Op& first(RandomGraph& random, bool (*test)(const Op&) = any) {
  return random.graph.ops[find<Convolve>(random.graph, test)];
}

const std::vector<Mutation> mutations = {
    {"wants another storage of operand 0", "a convolution of what is no state",
     [](RandomGraph& r) {
       Op& op = first(r);
       op.in[0] = op.in[1];
     }},
    {"wants a state of slots x heads x positions x head", "a state of other axes",
     [](RandomGraph& r) { r.graph.values[first(r).in[0]].axes.pop_back(); }},
    {"wants a state of f32", "a state that is rounded",
     [](RandomGraph& r) { r.graph.values[first(r).in[0]].element = Dtype::f16; }},
    {"takes c", "a convolution over a source, whose tokens are no positions",
     [](RandomGraph& r) { r.contract.states[{r.graph.values[first(r).in[0]].declared}].kind = StateKind::source; }},
    {"gives no rows of the state's", "a result as wide as something else",
     [](RandomGraph& r) {
       Op& op = first(r);
       r.graph.values[op.out].axes[1] = r.graph.values[op.in[0]].axes[0];
     }},
    {"wants some numbers of each element", "numbers of half an element",
     [](RandomGraph& r) {
       Op& op = first(r);
       r.graph.values[op.in[1]].axes = {r.graph.values[op.out].axes[1]};
     }},
    {"wants operand 2 as", "a bias for each number",
     [](RandomGraph& r) {
       Op& op = first(r, has_bias);
       r.graph.values[op.in[2]].axes = r.graph.values[op.in[1]].axes;
     }},
    {"has a bias, and nothing that it is added to", "a bias of what is moved alone",
     [](RandomGraph& r) { first(r, has_bias).in[1] = {}; }},
    {"sees more than", "a convolution that sees more than a ring keeps",
     [](RandomGraph& r) {
       for (const Op& op : r.graph.ops) {
         StateContract* state = ring_of(r, op);
         if (state == nullptr) continue;
         state->window.recent = convolved_positions(op, r.graph) - 1;
         return;
       }
     }},
};

}  // namespace

TEST_CASE("each rule on convolutions refuses what breaks it") {
  check_refusals(sample(), mutations, [](const Complaint& complaint) { return complaint.message; });
}
