// Each invariant of the plan has mutations of a valid plan that it refuses, and the plan itself is accepted.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "generator/plan/make.hpp"
#include "tests/support/small_graph.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

Section& layer(Plan& plan, const char* phase = "prefill") {
  return const_cast<PhasePlan&>(plan.phase(phase)).sections[1];
}

/// A call with an argument of this type.
template <class T>
std::pair<Call*, std::size_t> call_with(Plan& plan, bool written = false) {
  for (Call& call : layer(plan).calls) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const bool writes = plan.kernels[call.kernel].bindings[i].access != Access::read;
      if (std::holds_alternative<T>(call.arguments[i]) && writes == written) return {&call, i};
    }
  }
  FAIL("the sample has no such call");
  return {};
}

/// An activation of the layer that is read after the call that writes it, and is not carried.
ValueId inner_value(const Plan& plan, const Section& section) {
  for (const auto& [value, place] : section.places) {
    if (std::find(plan.carried.begin(), plan.carried.end(), place.buffer) == plan.carried.end()) return value;
  }
  FAIL("the sample has no such value");
  return {};
}

struct Mutation {
  const char* invariant;
  const char* what;
  std::function<void(Plan&)> apply;
};

const std::vector<Mutation> mutations = {
    {"P1", "an operation that no call computes", [](Plan& p) { layer(p).calls.erase(layer(p).calls.begin()); }},
    {"P1", "an operation that two calls compute", [](Plan& p) { layer(p).calls.push_back(layer(p).calls.front()); }},
    {"P2", "calls in another order", [](Plan& p) { std::reverse(layer(p).calls.begin(), layer(p).calls.end()); }},
    {"P2", "a kernel is given another buffer to read",
     [](Plan& p) {
       const auto [call, index] = call_with<BufferId>(p);
       call->arguments[index] = p.step;
     }},
    {"P2", "a kernel is given another buffer to write",
     [](Plan& p) {
       const auto [call, index] = call_with<BufferId>(p, true);
       call->arguments[index] = p.step;
     }},
    {"P2", "an operation whose result is read elsewhere is taken out of its call",
     [](Plan& p) {
       for (Call& call : layer(p, "decode").calls) {
         if (call.computes.ops.size() < 2) continue;
         call.computes.ops.pop_back();
         return;
       }
     }},
    {"P3", "two values alive at once on the same bytes",
     [](Plan& p) {
       const ValueId value = inner_value(p, layer(p));
       layer(p).places[value] = {p.carried[0], 0};
       for (Buffer& buffer : p.buffers) {
         if (buffer.arena == Arena::activations) buffer.offset = 0;
       }
     }},
    {"P3", "columns of one row that overlap",
     [](Plan& p) {
       for (Section& section : const_cast<PhasePlan&>(p.phase("prefill")).sections) {
         for (auto& [value, place] : section.places) {
           if (place.first_column > 0) {
             place.first_column = 0;
             return;
           }
         }
       }
       FAIL("the sample has no columns");
     }},
    {"P4", "a carried result in another place",
     [](Plan& p) {
       Buffer other = p.buffers[p.carried[0]];
       other.offset = p.activation_bytes;
       p.activation_bytes += other.bytes;
       p.carried[0] = p.buffers.add(other);
     }},
    {"P4", "a state inside another", [](Plan& p) { p.states.at(1).view.offset = p.states.at(0).view.offset; }},
    {"P4", "a weight that lies nowhere", [](Plan& p) { p.stored[{0}].pieces.at(0).weight = {}; }},
    {"P4", "a weight that lies twice", [](Plan& p) { p.stored.add(p.stored[{0}]); }},
    {"P5", "two arguments of one type",
     [](Plan& p) {
       for (Call& call : layer(p).calls) {
         std::vector<std::size_t> buffers;
         for (std::size_t i = 0; i < call.arguments.size(); ++i) {
           if (std::holds_alternative<BufferId>(call.arguments[i])) buffers.push_back(i);
         }
         if (buffers.size() < 2) continue;
         const Buffer& one = p.buffers[std::get<BufferId>(call.arguments[buffers[0]])];
         Buffer& other = p.buffers[std::get<BufferId>(call.arguments[buffers[1]])];
         if (one.role == other.role) continue;
         other.role = one.role;
         other.axes = one.axes;
         return;
       }
     }},
    {"P6", "a matrix that is cut by other rows",
     [](Plan& p) {
       for (Call& each : layer(p).calls) {
         if (!each.rows.empty()) each.rows.push_back(each.rows[0]);
       }
     }},
    {"P6", "a matrix of other rows than its pieces",
     [](Plan& p) {
       const auto [call, index] = call_with<StoredId>(p);
       p.stored[std::get<StoredId>(call->arguments[index])].pieces[0].rows += 1;
     }},
    {"P7", "an offset that is not aligned", [](Plan& p) { p.buffers[p.output].offset += 4; }},
    {"P7", "a buffer beyond its arena", [](Plan& p) { p.host_bytes -= 256; }},
    {"P7", "a buffer that is too small for its shape", [](Plan& p) { p.buffers[p.output].bytes -= 16; }},
    {"P7", "states beyond their arena", [](Plan& p) { p.state_bytes -= 256; }},
    {"P7", "more bindings than devices have",
     [](Plan& p) {
       const auto [call, index] = call_with<BufferId>(p);
       generator::Kernel& kernel = p.kernels[call->kernel];
       while (kernel.bindings.size() < 8) kernel.bindings.push_back(kernel.bindings[0]);
     }},
    {"P7", "rows that are not padded", [](Plan& p) { p.stored[{0}].bytes -= 16; }},
    {"P7", "an argument too few", [](Plan& p) { layer(p).calls[0].arguments.pop_back(); }},
    {"P7", "more rows than a grid has", [](Plan& p) { p.phases[1].max_rows = 65536; }},
};

RandomGraph sample(bool two_stacks) {
  for (std::uint64_t seed = 1;; ++seed) {
    RandomGraph random = random_graph(seed, {.two_stacks = two_stacks});
    if ((random.graph.stacks.size() > 1) != two_stacks) continue;
    if (random.contract.states.size() < 2) continue;
    const Plan plan = make_plan(random.contract, random.graph);
    const Section& section = plan.phase("prefill").sections[1];
    const bool columns = std::any_of(section.places.begin(), section.places.end(),
                                     [](const auto& each) { return each.second.first_column > 0; });
    const bool fused =
        std::any_of(plan.phase("decode").sections[1].calls.begin(), plan.phase("decode").sections[1].calls.end(),
                    [](const Call& call) { return call.computes.ops.size() > 1; });
    if (columns && fused) return random;
  }
}

}  // namespace

TEST_CASE("each invariant of the plan refuses what breaks it") {
  for (const bool two_stacks : {false, true}) {
    CAPTURE(two_stacks);
    const RandomGraph random = sample(two_stacks);
    const Plan valid = make_plan(random.contract, random.graph);
    REQUIRE(check_plan(valid, random.graph, random.contract).empty());
    for (const Mutation& mutation : mutations) {
      CAPTURE(std::string(mutation.invariant));
      CAPTURE(std::string(mutation.what));
      Plan broken = valid;
      mutation.apply(broken);
      const std::vector<Complaint> complaints = check_plan(broken, random.graph, random.contract);
      CHECK(std::any_of(complaints.begin(), complaints.end(),
                        [&](const Complaint& complaint) { return complaint.invariant == mutation.invariant; }));
      CHECK_THROWS_AS(verify_plan(broken, random.graph, random.contract), InternalError);
    }
  }
}

TEST_CASE("what a layer lets pass by, or takes and does not give anew, is not overwritten") {
  const RandomGraph streams = stream_graph();
  const Plan valid = make_plan(streams.contract, streams.graph);
  REQUIRE(check_plan(valid, streams.graph, streams.contract).empty());
  const BufferId memory = valid.carried_as("memory");
  for (const std::size_t kind : {1, 2}) {
    CAPTURE(kind);
    Plan broken = valid;
    Section& section = const_cast<PhasePlan&>(broken.phase("prefill")).sections[1 + kind];
    // The second stream's new value, which is written when all has been read.
    const ValueId last = streams.graph.functions[streams.graph.layers[kind]].results[1];
    section.places.at(last) = {memory, 0};
    const std::vector<Complaint> complaints = check_plan(broken, streams.graph, streams.contract);
    CHECK(std::any_of(complaints.begin(), complaints.end(),
                      [](const Complaint& complaint) { return complaint.invariant == "P3"; }));
  }
}
