// Each rule on the operands of attention refuses what breaks it, by its own complaint.
#include "tests/generator/graph/mutation.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

/// An attention that keeps keys, and one that sees those of the pass.
bool keeps_keys(const Op& op) { return as<Attention>(op) != nullptr && as<Attention>(op)->causal; }
bool sees_pass(const Op& op) { return as<Attention>(op) != nullptr && !as<Attention>(op)->causal; }

/// An attention whose distances have rows.
bool tells_distances(const Op& op) { return as<Attention>(op) != nullptr && op.in[4]; }

/// An attention whose scale is each layer's own.
bool has_layer_scale(const Op& op) { return as<Attention>(op) != nullptr && op.in[5]; }

/// An attention that keeps keys of two terms, and has sinks.
bool adds_terms(const Op& op) { return keeps_keys(op) && op.in[7] && op.in[3]; }

/// An attention whose values are not as wide as its keys.
bool has_wide_values(const Graph& graph, const Op& op) {
  return keeps_keys(op) && graph.values[op.in[2]].axes[3] != graph.values[op.in[1]].axes[3];
}

/// What differential attention subtracts.
bool subtracts(const Op& op) { return as<Differential>(op) != nullptr; }

/// A graph with attention of every sort.
RandomGraph sample() {
  for (std::uint64_t seed = 1;; ++seed) {
    RandomGraph random = random_graph(seed);
    const auto has = [&](auto test) { return std::any_of(random.graph.ops.begin(), random.graph.ops.end(), test); };
    const bool wide = has([&](const Op& op) { return has_wide_values(random.graph, op); });
    const bool scaled =
        has([](const Op& op) { return as<Norm>(op) != nullptr && as<Norm>(op)->type == NormType::scale_norm; });
    if (has(sees_pass) && has(tells_distances) && has(has_layer_scale) && has(adds_terms) && has(subtracts) && wide &&
        scaled)
      return random;
  }
}

/// An operand of an attention of two terms.
Value& values_of(Graph& graph, std::size_t operand) {
  return graph.values[graph.ops[find<Attention>(graph, adds_terms)].in[operand]];
}

Distances& distances_of(Graph& graph) {
  return std::get<Attention>(graph.ops[find<Attention>(graph, tells_distances)].what).distances;
}

const std::vector<Mutation> mutations = {
    {"wants operand 3 as", "sinks of the elements of a head",
     [](RandomGraph& r) {
       const Op& op = r.graph.ops[find<Attention>(r.graph, [](const Op& o) { return keeps_keys(o) && o.in[3]; })];
       r.graph.values[op.in[3]].axes = {r.graph.values[op.in[1]].axes[3]};
     }},
    {"wants one number as the layer's scale", "a layer's scale of several numbers",
     [](RandomGraph& r) {
       const Op& op = r.graph.ops[find<Attention>(r.graph, has_layer_scale)];
       r.graph.values[op.in[5]].axes = {r.graph.values[op.in[0]].axes[1]};
     }},
    {"wants another storage of operand 5", "a layer's scale that differs from token to token",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[find<Attention>(r.graph, has_layer_scale)];
       op.in[5] = op.in[0];
     }},
    {"wants keys and values of the same heads", "values of other heads",
     [](RandomGraph& r) {
       Value& values = values_of(r.graph, 2);
       values.axes[1] = values.axes[3];
     }},
    {"wants keys and values of heads x head, at the same places", "values at other places than keys",
     [](RandomGraph& r) {
       Value& values = values_of(r.graph, 2);
       values.axes[2] = values.axes[0];
     }},
    {"wants a result of heads x the values' head", "a result as wide as keys where values are not",
     [](RandomGraph& r) {
       const Op& op = r.graph.ops[find<Attention>(r.graph, [&](const Op& o) { return has_wide_values(r.graph, o); })];
       r.graph.values[op.out].axes = r.graph.values[op.in[0]].axes;
     }},
    {"has values whose quads are more than invocations", "values of more quads than a workgroup has invocations",
     [](RandomGraph& r) { r.graph.axes[values_of(r.graph, 2).axes[3]].size = 513; }},
    {"has half of a second term", "half of a second term",
     [](RandomGraph& r) { r.graph.ops[find<Attention>(r.graph, adds_terms)].in[6] = {}; }},
    {"wants second keys of the same heads", "second keys of other heads",
     [](RandomGraph& r) {
       Value& keys = values_of(r.graph, 7);
       keys.axes[1] = keys.axes[3];
     }},
    {"wants second queries of heads x the second keys' head", "second queries of another width than second keys",
     [](RandomGraph& r) {
       const Op& op = r.graph.ops[find<Attention>(r.graph, adds_terms)];
       r.graph.values[op.in[6]].axes[1] = r.graph.values[op.in[6]].axes[0];
     }},
    {"reads more than a kernel binds", "more operands than a kernel binds",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[find<Attention>(r.graph, adds_terms)];
       op.in[5] =
           r.graph.ops[find<Norm>(r.graph, [](const Op& o) { return as<Norm>(o)->type == NormType::scale_norm; })]
               .in[1];
     }},
    {"wants operand 1 as", "the difference of rows that are not alike",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[find<Differential>(r.graph)];
       op.in[1] = op.in[2];
     }},
    {"wants operand 5 as", "vectors of other elements than the first's",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[find<Differential>(r.graph)];
       op.in[5] = op.in[6];
     }},
    {"wants vectors to make lambda of", "a matrix to make lambda of",
     [](RandomGraph& r) {
       const Op& op = r.graph.ops[find<Differential>(r.graph)];
       for (std::size_t i = 2; i < 6; ++i) {
         std::vector<AxisId>& axes = r.graph.values[op.in[i]].axes;
         axes.push_back(axes[0]);
       }
     }},
    {"wants one number to begin lambda with", "a vector to begin lambda with",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[find<Differential>(r.graph)];
       op.in[6] = op.in[2];
     }},
    {"wants another storage of operand 3", "lambda of what differs from token to token",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[find<Differential>(r.graph)];
       op.in[3] = op.in[0];
     }},
    {"wants rows of distances x heads, or distances x head", "rows of distances that are none",
     [](RandomGraph& r) {
       const Op& op = r.graph.ops[find<Attention>(r.graph, tells_distances)];
       r.graph.values[op.in[4]].axes = {r.graph.values[op.in[1]].axes[0]};
     }},
    {"has distances, and no rows for them", "distances, and no rows for them",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[find<Attention>(r.graph, tells_distances)];
       std::get<Attention>(op.what).distances.back = 3;
       op.in[4] = {};
     }},
    {"has distances without a row", "a distance without a row",
     [](RandomGraph& r) {
       Distances& distances = distances_of(r.graph);
       distances = {distances.back + 100, distances.ahead, {}};
     }},
    {"has distances without a row", "a bucket below the first row",
     [](RandomGraph& r) { distances_of(r.graph) = {1, 0, {0, -1}}; }},
    {"has buckets of other distances", "buckets of other distances",
     [](RandomGraph& r) { distances_of(r.graph) = {1, 0, {0}}; }},
    {"has no such distances", "distances that end before they begin",
     [](RandomGraph& r) { distances_of(r.graph) = {-1, 1, {}}; }},
    {"wants another storage of operand 1", "keys that are no state",
     [](RandomGraph& r) {
       const OpId op = find<Attention>(r.graph, keeps_keys);
       r.graph.ops[op].in[1] = r.graph.ops[op].in[0];
     }},
    {"wants another storage of operand 1", "keys of the pass where kept ones are asked for",
     [](RandomGraph& r) { std::get<Attention>(r.graph.ops[find<Attention>(r.graph, sees_pass)].what).causal = true; }},
    {"keeps no keys, and has a window", "a window of keys that nothing keeps",
     [](RandomGraph& r) { std::get<Attention>(r.graph.ops[find<Attention>(r.graph, sees_pass)].what).recent = 2; }},
};

}  // namespace

TEST_CASE("each rule on attention refuses what breaks it") {
  check_refusals(sample(), mutations, [](const Complaint& complaint) { return complaint.message; });
}
