// Each rule on weighted means refuses what breaks it, by its own complaint.
#include "generator/graph/builder.hpp"
#include "generator/graph/recurrences.hpp"
#include "tests/generator/graph/mutation.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

using Operand = WeightedMeanOperand;

bool any(const Op&) { return true; }

RandomGraph sample() {
  for (std::uint64_t seed = 1;; ++seed) {
    RandomGraph random = random_graph(seed, {.two_stacks = false});
    const auto is_mean = [](const Op& op) { return as<WeightedMean>(op) != nullptr; };
    if (std::ranges::any_of(random.graph.ops, is_mean)) return random;
  }
}

Op& first(RandomGraph& random) { return random.graph.ops[find<WeightedMean>(random.graph, any)]; }

Value& operand(RandomGraph& random, std::size_t operand) { return random.graph.values[first(random).in[operand]]; }

const std::vector<Mutation> mutations = {
    {"wants a state of slots x one x copies", "a mean of what is no state",
     [](RandomGraph& r) { first(r).in[Operand::state] = first(r).in[Operand::values]; }},
    {"x (value x 3 numbers)", "a state of one number more",
     [](RandomGraph& r) {
       AxisTable& axes = r.graph.axes;
       const AxisId of_value = axes[axes[operand(r, Operand::state).axes[3]].factors[1]].factors[1];
       axes[of_value].size = 4;
     }},
    {"wants a state of f32", "a state that is rounded",
     [](RandomGraph& r) { operand(r, Operand::state).element = Dtype::f16; }},
    {"takes m", "a state whose entries are positions",
     [](RandomGraph& r) { r.contract.states[{operand(r, Operand::state).declared}].kind = StateKind::growing; }},
    {"gives no next version", "a state that is read and stays",
     [](RandomGraph& r) {
       r.graph.values[first(r).next].writer = {};
       first(r).next = {};
     }},
    {"wants weights and values of the tokens' heads x value", "values of another width",
     [](RandomGraph& r) { operand(r, Operand::values).axes[1] = operand(r, Operand::state).axes[3]; }},
    {"wants operand 3 as", "decays of something else",
     [](RandomGraph& r) { operand(r, Operand::decays).axes = {operand(r, Operand::state).axes[3]}; }},
    {"wants another storage of operand 4", "a bonus of each token",
     [](RandomGraph& r) { first(r).in[Operand::bonus] = first(r).in[Operand::values]; }},
    {"which is none of its numbers", "a decay of a name that there is not",
     [](RandomGraph& r) {
       std::get<WeightedMean>(first(r).what).log_decay = known_expression("-abs(other)", {"other"});
     }},
    {"has no decay", "weights that never decay",
     [](RandomGraph& r) { std::get<WeightedMean>(first(r).what).log_decay = {}; }},
};

}  // namespace

TEST_CASE("each rule on weighted means refuses what breaks it") {
  check_refusals(sample(), mutations, [](const Complaint& complaint) { return complaint.message; });
}
