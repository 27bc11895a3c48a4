// Each invariant of the graph has mutations of a valid graph that it refuses, and the graph itself is accepted.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "tests/generator/graph/mutation.hpp"
#include "tests/support/small_graph.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

/// A norm of heads, with weights and a bias.
bool is_biased_norm_of_heads(const Graph& graph, const Op& op) {
  return as<Norm>(op) != nullptr && as<Norm>(op)->over != graph.values[op.in[0]].axes[1] && op.in[1] && op.in[2];
}

/// An attention that keeps keys.
bool keeps_keys(const Op& op) { return as<Attention>(op) != nullptr && as<Attention>(op)->causal; }

/// A graph with appends, norms over heads, rotations, attention with and without a cache, and Maps of several operands.
bool sees_ring(const RandomGraph& random, const Op& op) {
  const auto* attention = as<Attention>(op);
  if (attention == nullptr || !attention->causal) return false;
  return random.contract.states[{random.graph.values[op.in[1]].declared}].ring();
}

RandomGraph sample() {
  for (std::uint64_t seed = 1;; ++seed) {
    RandomGraph random = random_graph(seed, {.two_stacks = false});
    const auto has = [&](auto test) { return std::any_of(random.graph.ops.begin(), random.graph.ops.end(), test); };
    const bool rotary = has([](const Op& op) { return as<Rotary>(op) != nullptr; });
    const bool heads = has([&](const Op& op) { return is_biased_norm_of_heads(random.graph, op); });
    const bool biased = has([](const Op& op) { return as<Linear>(op) != nullptr && op.in[2]; });
    const bool weightless = has([](const Op& op) { return as<Norm>(op) != nullptr && !op.in[1]; });
    const bool weighted = has([&](const Op& op) {
      const bool in_layer = op.function != random.graph.own().embed && op.function != random.graph.head;
      return in_layer && as<Norm>(op) != nullptr && as<Norm>(op)->type == NormType::rms_norm && op.in[1];
    });
    const bool scaled =
        has([](const Op& op) { return as<Norm>(op) != nullptr && as<Norm>(op)->type == NormType::scale_norm; });
    const bool spread = has([&](const Op& op) {
      return as<Map>(op) != nullptr && op.in.size() > 1 && op.function != random.graph.own().embed &&
             random.graph.values[op.in[1]].storage == Storage::activation &&
             random.graph.run_of(op.in[0], op.in[1]) > 1;
    });
    const bool ring = has([&](const Op& op) { return sees_ring(random, op); });
    if (rotary && heads && has(keeps_keys) && biased && weightless && weighted && scaled && spread && ring &&
        random.contract.kinds.size() == 2)
      return random;
  }
}

/// An attention over rings.
OpId find_ring(const RandomGraph& r) {
  return find<Attention>(r.graph, [&](const Op& op) { return sees_ring(r, op); });
}

const std::vector<Mutation> mutations = {
    {"G1", "two operations write one value",
     [](RandomGraph& r) {
       const OpId op = find<Map>(r.graph);
       r.graph.ops[op].out = r.graph.ops[{op.index - 1}].out;
     }},
    {"G1", "a value names another writer",
     [](RandomGraph& r) { r.graph.values[r.graph.ops[find<Map>(r.graph)].out].writer = find<Linear>(r.graph); }},
    {"G1", "a weight is written",
     [](RandomGraph& r) {
       const OpId op = find<Linear>(r.graph);
       r.graph.values[r.graph.ops[op].in[1]].writer = op;
     }},
    {"G1", "an operation gives nothing", [](RandomGraph& r) { r.graph.ops[find<Map>(r.graph)].out = {}; }},
    {"G2", "operations in another order",
     [](RandomGraph& r) {
       std::vector<OpId>& ops = r.graph.functions[r.graph.layers[0]].ops;
       std::reverse(ops.begin(), ops.end());
     }},
    {"G2", "a value of another function is read",
     [](RandomGraph& r) {
       const ValueId other = r.graph.functions[r.graph.layers[1]].parameters[0];
       r.graph.ops[find<Map>(r.graph)].in[0] = other;
     }},
    {"G2", "a weight of another kind of layer is read",
     [](RandomGraph& r) {
       const OpId op = find<Linear>(r.graph, [&](const Op& o) { return o.function == r.graph.layers[0]; });
       WeightContract& weight = r.contract.weights[{r.graph.values[r.graph.ops[op].in[1]].declared}];
       weight.scope = {1};
     }},
    {"G2", "a result that the function does not have",
     [](RandomGraph& r) {
       const ValueId other = r.graph.functions[r.graph.layers[1]].parameters[0];
       r.graph.functions[r.graph.layers[0]].results[0] = other;
     }},
    {"G3", "a matrix of other columns",
     [](RandomGraph& r) {
       const OpId op = find<Linear>(r.graph, [&](const Op& o) {
         const std::vector<AxisId>& axes = r.graph.values[o.in[1]].axes;
         return axes[0] != axes[1];
       });
       Value& weight = r.graph.values[r.graph.ops[op].in[1]];
       weight.axes[1] = weight.axes[0];
     }},
    {"G3", "a bias of another size",
     [](RandomGraph& r) {
       const OpId op = find<Linear>(r.graph, [](const Op& o) { return static_cast<bool>(o.in[2]); });
       Value& bias = r.graph.values[r.graph.ops[op].in[2]];
       bias.axes = {r.graph.values[r.graph.ops[op].in[1]].axes[1], bias.axes[0]};
     }},
    {"G3", "an operand too few", [](RandomGraph& r) { r.graph.ops[find<Map>(r.graph)].in.pop_back(); }},
    {"G3", "an operand that is missing", [](RandomGraph& r) { r.graph.ops[find<Linear>(r.graph)].in[1] = {}; }},
    {"G3", "a ScaleNorm without its number",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[find<Norm>(r.graph, [](const Op& o) { return as<Norm>(o)->type == NormType::scale_norm; })];
       op.in[1] = {};
     }},
    {"G3", "a ScaleNorm of many weights",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[find<Norm>(r.graph,
                                       [](const Op& o) { return as<Norm>(o)->type == NormType::rms_norm && o.in[1]; })];
       std::get<Norm>(op.what).type = NormType::scale_norm;
     }},
    {"G3", "a ScaleNorm of heads",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[find<Norm>(r.graph, [&](const Op& o) { return is_biased_norm_of_heads(r.graph, o); })];
       std::get<Norm>(op.what).type = NormType::scale_norm;
     }},
    {"G3", "weights of one head beside a bias of all, or the other way round",
     [](RandomGraph& r) {
       const Op& op =
           r.graph.ops[find<Norm>(r.graph, [&](const Op& o) { return is_biased_norm_of_heads(r.graph, o); })];
       const AxisId row = r.graph.values[op.in[0]].axes[1], over = as<Norm>(op)->over;
       Value& bias = r.graph.values[op.in[2]];
       bias.axes = {bias.axes[0] == row ? over : row};
     }},
    {"G3", "an offset of weights that are not there",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[find<Norm>(r.graph, [](const Op& o) { return !o.in[1]; })];
       std::get<Norm>(op.what).weight_offset = 1;
     }},
    {"G3", "a norm over an axis of others",
     [](RandomGraph& r) {
       const OpId op = find<Norm>(r.graph);
       std::get<Norm>(r.graph.ops[op].what).over =
           r.graph.values[r.graph.functions[r.graph.own().embed].results[0]].axes[0];
     }},
    {"G3", "a rotation of more than a head",
     [](RandomGraph& r) { std::get<Rotary>(r.graph.ops[find<Rotary>(r.graph)].what).rotary_dim += 2; }},
    {"G3", "an append of other heads",
     [](RandomGraph& r) {
       const OpId op = find<Append>(r.graph);
       std::swap(r.graph.values[r.graph.ops[op].in[0]].axes[1], r.graph.values[r.graph.ops[op].in[0]].axes[3]);
     }},
    {"G3", "an expression of a name that is no operand",
     [](RandomGraph& r) {
       const auto reads_first = [](const Op& op) {
         return as<Map>(op) != nullptr && names_in(as<Map>(op)->expression).contains(as<Map>(op)->names[0]);
       };
       std::get<Map>(r.graph.ops[find<Map>(r.graph, reads_first)].what).names[0] = "other";
     }},
    {"G3", "a first operand that has an element for several of another's",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[find<Map>(r.graph, [&](const Op& o) {
         return o.in.size() > 1 && r.graph.values[o.in[1]].storage == Storage::activation &&
                r.graph.run_of(o.in[0], o.in[1]) > 1;
       })];
       std::swap(op.in[0], op.in[1]);
     }},
    {"G3", "an operand that is a matrix",
     [](RandomGraph& r) {
       const OpId linear = find<Linear>(r.graph);
       const auto with_several = [&](const Op& o) {
         return o.in.size() > 1 && o.function == r.graph.ops[linear].function;
       };
       r.graph.ops[find<Map>(r.graph, with_several)].in[1] = r.graph.ops[linear].in[1];
     }},
    {"G3", "a gather by what the host does not say",
     [](RandomGraph& r) {
       Op& op = r.graph.ops[r.graph.functions[r.graph.own().embed].ops[0]];
       op.in[1] = op.in[0];
     }},
    {"G4", "attention reads keys as they were",
     [](RandomGraph& r) {
       const OpId op = find<Attention>(r.graph, keeps_keys);
       const ValueId keys = r.graph.ops[op].in[1];
       r.graph.ops[op].in[1] = r.graph.ops[r.graph.values[keys].writer].in[0];
     }},
    {"G4", "a function gives back a state as it was",
     [](RandomGraph& r) {
       const OpId op = find<Append>(r.graph);
       Function& function = r.graph.functions[r.graph.ops[op].function];
       std::replace(function.results.begin(), function.results.end(), r.graph.ops[op].out, r.graph.ops[op].in[0]);
     }},
    {"G5", "a weight that nothing reads",
     [](RandomGraph& r) {
       WeightContract unused;
       unused.role = "unused";
       r.contract.weights.add(unused);
     }},
    {"G5", "a state that nothing reads", [](RandomGraph& r) { r.contract.states.add(r.contract.states[{0}]); }},
    {"G5", "a table that nothing reads", [](RandomGraph& r) { r.contract.angles.add(r.contract.angles[{0}]); }},
    {"G5", "a result that nothing reads",
     [](RandomGraph& r) {
       // The last Map adds what was left over to the residual stream: now it does not.
       Function& function = r.graph.functions[r.graph.layers[0]];
       function.results[0] = function.parameters[0];
     }},
    {"G6", "a layer gives another type than it takes",
     [](RandomGraph& r) {
       Function& function = r.graph.functions[r.graph.layers[0]];
       r.graph.values[function.results[0]].role = "something_else";
     }},
    {"G6", "a layer takes what the embedding does not give",
     [](RandomGraph& r) {
       std::vector<ValueId>& given = r.graph.functions[r.graph.own().embed].results;
       given.push_back(given[0]);
     }},
    {"G6", "hidden states that the embedding does not give",
     [](RandomGraph& r) { r.graph.own().hidden_states = r.graph.functions[r.graph.head].results[0]; }},
    {"G6", "the head takes another type",
     [](RandomGraph& r) { r.graph.values[r.graph.functions[r.graph.head].parameters[0]].role = "something_else"; }},
    {"G6", "a state goes on as another",
     [](RandomGraph& r) {
       const OpId op = find<Append>(r.graph);
       r.graph.values[r.graph.ops[op].out].declared += 1;
     }},
    {"G7", "an attention that sees more than a ring keeps",
     [](RandomGraph& r) { std::get<Attention>(r.graph.ops[find_ring(r)].what).recent += 1; }},
    {"G7", "an attention that sees all of a ring's sequence",
     [](RandomGraph& r) { std::get<Attention>(r.graph.ops[find_ring(r)].what).recent = 0; }},
    {"G7", "a ring whose first positions are taken",
     [](RandomGraph& r) { std::get<Attention>(r.graph.ops[find_ring(r)].what).first += 1; }},
    {"G7", "a ring of one entry fewer",
     [](RandomGraph& r) {
       const Value& keys = r.graph.values[r.graph.ops[find_ring(r)].in[1]];
       r.contract.axes[r.contract.states[{keys.declared}].axes[2]].size -= 1;
     }},
};

}  // namespace

TEST_CASE("each invariant of the graph refuses what breaks it") {
  check_refusals(sample(), mutations, [](const Complaint& complaint) { return complaint.invariant; });
}

TEST_CASE("a field of the record is given before it is taken, as one type, and taken by somebody") {
  const RandomGraph valid = stream_graph();
  REQUIRE(check_graph(valid.graph, valid.contract).empty());
  const std::vector<std::function<void(RandomGraph&)>> breaks = {
      [](RandomGraph& r) { r.contract.own().layer_kinds = {2, 0, 1}; },  // memory is taken before it is given
      [](RandomGraph& r) { r.contract.own().layer_kinds = {0, 1, 1}; },  // nobody takes it
      [](RandomGraph& r) {
        Function& taking = r.graph.functions[r.graph.layers[2]];
        const ValueId memory = taking.parameters.back();
        r.graph.values[memory].axes[1] = r.graph.values[memory].axes[0];
      },
      [](RandomGraph& r) {
        Function& giving = r.graph.functions[r.graph.layers[0]];
        r.graph.values[giving.results.back()].role = "second_stream";
      },
  };
  for (const auto& apply : breaks) {
    RandomGraph broken = valid;
    apply(broken);
    const std::vector<Complaint> complaints = check_graph(broken.graph, broken.contract);
    CHECK(std::any_of(complaints.begin(), complaints.end(),
                      [](const Complaint& complaint) { return complaint.invariant == "G6"; }));
  }
}

TEST_CASE("the head computes the rows that are wanted, and no others") {
  const RandomGraph broken = stream_graph(true);
  const std::vector<Complaint> complaints = check_graph(broken.graph, broken.contract);
  REQUIRE(complaints.size() == 1);
  CHECK(complaints[0].invariant == "G3");
}

TEST_CASE("states of another kind of layer are read when it has run, within its window, and not given back") {
  const RandomGraph valid = sharing_graph({4, 1}, {3, 1});
  REQUIRE(check_graph(valid.graph, valid.contract).empty());
  const auto complains = [](const RandomGraph& graph, const std::string& invariant) {
    const std::vector<Complaint> complaints = check_graph(graph.graph, graph.contract);
    return std::any_of(complaints.begin(), complaints.end(),
                       [&](const Complaint& complaint) { return complaint.invariant == invariant; });
  };
  CHECK(complains(sharing_graph({4, 1}, {5, 1}), "G7"));
  CHECK(complains(sharing_graph({4, 1}, {3, 2}), "G7"));
  RandomGraph early = valid;
  early.contract.own().layer_kinds = {1, 0, 0, 1, 1};
  CHECK(complains(early, "G6"));
  RandomGraph back = valid;
  Function& reading = back.graph.functions[back.graph.layers[1]];
  reading.results.push_back(reading.parameters.back());
  CHECK(complains(back, "G6"));
}
