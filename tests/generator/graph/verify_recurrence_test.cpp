// Each rule on recurrences refuses what breaks it, by its own complaint.
#include "generator/graph/builder.hpp"
#include "generator/graph/recurrences.hpp"
#include "tests/generator/graph/mutation.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

using Operand = RecurrenceOperand;

bool any(const Op&) { return true; }
bool is_plain(const Op& op) {
  return as<Recurrence>(op) != nullptr && op.in[Operand::keys] && !op.in[Operand::removed];
}
bool removes(const Op& op) { return as<Recurrence>(op) != nullptr && op.in[Operand::removed]; }
bool erases_beside(const Op& op) { return removes(op) && std::get<Recurrence>(op.what).erased_beside; }
bool has_bonus(const Op& op) { return as<Recurrence>(op) != nullptr && op.in[Operand::bonus]; }
bool has_rates(const Op& op) { return as<Recurrence>(op) != nullptr && op.in[Operand::rates]; }
bool decays(const Op& op) { return as<Recurrence>(op) != nullptr && op.in.size() > Operand::decays; }

RandomGraph sample() {
  for (std::uint64_t seed = 1;; ++seed) {
    RandomGraph random = random_graph(seed, {.two_stacks = false});
    const auto has = [&](bool (*test)(const Op&)) {
      return std::any_of(random.graph.ops.begin(), random.graph.ops.end(), test);
    };
    if (has(is_plain) && has(removes) && has(erases_beside) && has(has_bonus) && has(has_rates) && has(decays))
      return random;
  }
}

Op& first(RandomGraph& random, bool (*test)(const Op&) = any) {
  return random.graph.ops[find<Recurrence>(random.graph, test)];
}

const std::vector<Mutation> mutations = {
    {"wants a state of slots x one x copies", "a recurrence of what is no state",
     [](RandomGraph& r) { first(r).in[Operand::state] = first(r).in[Operand::values]; }},
    {"wants a state of f32", "a state that is rounded",
     [](RandomGraph& r) { r.graph.values[first(r).in[Operand::state]].element = Dtype::f16; }},
    {"takes r", "a state whose entries are positions",
     [](RandomGraph& r) {
       r.contract.states[{r.graph.values[first(r).in[Operand::state]].declared}].kind = StateKind::growing;
     }},
    {"gives no next version", "a state that is read and stays",
     [](RandomGraph& r) {
       r.graph.values[first(r).next].writer = {};
       first(r).next = {};
     }},
    {"gives another state", "the next version of something else",
     [](RandomGraph& r) { r.graph.values[first(r).next].axes.pop_back(); }},
    {"beside its result, and no state that it writes", "a projection with a next version",
     [](RandomGraph& r) {
       Op& op = first(r);
       const OpId linear = find<Linear>(r.graph, [&](const Op& o) { return o.function == op.function; });
       Value version = r.graph.values[op.next];
       version.writer = linear;
       r.graph.ops[linear].next = r.graph.values.add(version);
     }},
    {"lacks values", "a recurrence without values", [](RandomGraph& r) { first(r).in[Operand::values] = {}; }},
    {"wants values of the state's heads x value", "values of another width",
     [](RandomGraph& r) {
       Op& op = first(r);
       r.graph.values[op.in[Operand::values]].axes[1] = r.graph.values[op.in[Operand::state]].axes[3];
     }},
    {"as heads x the state's key", "keys of another width",
     [](RandomGraph& r) { first(r, is_plain).in[Operand::keys] = first(r, is_plain).in[Operand::values]; }},
    {"wants queries and keys, or neither", "keys that no query reads",
     [](RandomGraph& r) { first(r, is_plain).in[Operand::queries] = {}; }},
    {"wants what is removed, and beside it what is erased", "what is erased beside half a row",
     [](RandomGraph& r) {
       first(r, erases_beside).in[Operand::removed] = first(r, erases_beside).in[Operand::values];
     }},
    {"wants what is removed as heads x", "two rows where one is removed",
     [](RandomGraph& r) { std::get<Recurrence>(first(r, erases_beside).what).erased_beside = false; }},
    {"erases beside what it does not remove", "something erased beside nothing",
     [](RandomGraph& r) { std::get<Recurrence>(first(r, is_plain).what).erased_beside = true; }},
    {"removes nothing first", "nothing removed, and that first",
     [](RandomGraph& r) { std::get<Recurrence>(first(r, is_plain).what).removed_first = true; }},
    {"is normalized by a decay that is none", "normalized, and nothing decays",
     [](RandomGraph& r) {
       Op& op = first(r, is_plain);
       std::get<Recurrence>(op.what) = {.normalized = true};
       op.in.resize(Operand::decays);
     }},
    {"is normalized, and has a bonus", "normalized beside a bonus",
     [](RandomGraph& r) {
       auto& recurrence = std::get<Recurrence>(first(r, has_bonus).what);
       recurrence.normalized = true;
       if (recurrence.log_decay.empty()) recurrence.log_decay = known_expression("-0.5", {});
     }},
    {"wants a rate of each head", "a rate of each value",
     [](RandomGraph& r) {
       Op& op = first(r, has_rates);
       op.in[Operand::rates] = op.in[Operand::values];
     }},
    {"has rates of what it does not remove", "rates of nothing",
     [](RandomGraph& r) {
       Op& op = first(r, has_rates);
       op.in[Operand::removed] = {};
     }},
    {"wants a bonus of heads x key", "a bonus of each value",
     [](RandomGraph& r) {
       Op& op = first(r, has_bonus);
       r.graph.values[op.in[Operand::bonus]].axes = {r.graph.values[op.in[Operand::values]].axes[1]};
     }},
    {"as a number for each head", "a decay of slots",
     [](RandomGraph& r) {
       Op& op = first(r, decays);
       r.graph.values[op.in[Operand::decays]].axes.back() = r.graph.values[op.in[Operand::state]].axes[0];
     }},
    {"which is no operand", "a decay of a name that there is not",
     [](RandomGraph& r) { std::get<Recurrence>(first(r, decays).what).names[0] = "other"; }},
    {"has operands of a decay that is none", "operands of no decay",
     [](RandomGraph& r) { std::get<Recurrence>(first(r, decays).what).log_decay = {}; }},
    {"takes more operands than a kernel binds", "what phones cannot bind",
     [](RandomGraph& r) {
       Op& op = first(r, is_plain);
       op.in[Operand::removed] = op.in[Operand::queries];
       const ValueId values = op.in[Operand::values];
       auto& recurrence = std::get<Recurrence>(op.what);
       recurrence.names = {"a", "b"};
       recurrence.log_decay = known_expression("-abs(a + b)", {"a", "b"});
       op.in.resize(Operand::decays);
       op.in.insert(op.in.end(), {values, values});
     }},
};

}  // namespace

TEST_CASE("each rule on recurrences refuses what breaks it") {
  check_refusals(sample(), mutations, [](const Complaint& complaint) { return complaint.message; });
}

TEST_CASE("a state is changed once a pass") {
  RandomGraph random = sample();
  const OpId id = find<Recurrence>(random.graph, any);
  Op again = random.graph.ops[id];
  Function& function = random.graph.functions[again.function];
  again.in[Operand::state] = again.next;
  for (ValueId* const value : {&again.out, &again.next}) {
    *value = random.graph.values.add(random.graph.values[*value]);
    random.graph.values[*value].writer = OpId{static_cast<std::uint32_t>(random.graph.ops.size())};
  }
  function.ops.push_back(random.graph.ops.add(again));
  const auto complaints = check_graph(random.graph, random.contract);
  CHECK(std::any_of(complaints.begin(), complaints.end(), [](const Complaint& complaint) {
    return complaint.message.find("a state is changed once a pass") != std::string::npos;
  }));
}
