// Roles, words and names call things; nothing is decided by how they are spelled.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "generator/emit/cpp_writer.hpp"
#include "generator/plan/make.hpp"
#include "tests/generator/plan/named_graphs.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

/// Everything is called otherwise; the first names are words that the house itself uses.
RandomGraph renamed(const RandomGraph& random) {
  RandomGraph result = random;
  std::vector<std::string> words = {"part_words", "positions", "token_ids", "head_rows", "logits", "hidden_states"};
  std::map<std::string, std::string> roles;
  const auto rename = [&](std::string& role) {
    const auto [found, is_new] = roles.emplace(role, "");
    if (is_new)
      found->second = roles.size() <= words.size() ? words[roles.size() - 1] : "r" + std::to_string(roles.size());
    role = found->second;
  };
  for (Value& value : result.graph.values) rename(value.role);
  for (WeightContract& weight : result.contract.weights) rename(weight.role);
  for (StateContract& state : result.contract.states) rename(state.role);
  for (AnglesContract& table : result.contract.angles) rename(table.role);
  for (Op& op : result.graph.ops)
    op.word = op.word.empty() ? "" : "w" + std::to_string(&op - &*result.graph.ops.begin());
  for (const AxisId id : result.graph.axes.ids()) {
    Axis& axis = result.graph.axes[id];
    axis.name = axis.word = id.index == 0 ? "part_words" : "a" + std::to_string(id.index);
  }
  result.contract.axes = result.graph.axes;
  for (std::size_t i = 0; i < result.contract.kinds.size(); ++i) {
    LayerKind& kind = result.contract.kinds[i].kind;
    kind.name = kind.identifier = "k" + std::to_string(i);
    result.graph.functions[result.graph.layers[i]].name = kind.identifier;
  }
  return result;
}

/// GLSL without its comments, which say what things are called.
std::string without_comments(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    result += line.substr(0, line.find("//")) + "\n";
    begin = end + 1;
  }
  return result;
}

std::vector<std::string> kernels_of(const RandomGraph& random, const Plan& plan) {
  const EmittedFiles files = emit_kernels(random.contract, plan, "By a test.");
  std::vector<std::string> kernels;
  for (const generator::Kernel& kernel : plan.kernels) {
    kernels.push_back(without_comments(files.at("kernels/" + kernel.name + ".comp")));
  }
  return kernels;
}

std::string element_of(const Spelling& spelling, BufferId id) {
  const std::string type = spelling.type(id);
  return type.substr(type.find(", ") + 2, 3);
}

/// Calls and memory in numbers.
std::vector<std::int64_t> numbers_of(const Plan& plan) {
  std::vector<std::int64_t> numbers = {plan.weight_bytes, plan.state_bytes, plan.activation_bytes, plan.host_bytes};
  for (const Buffer& buffer : plan.buffers) numbers.insert(numbers.end(), {buffer.offset, buffer.bytes});
  for (const PhasePlan& phase : plan.phases) {
    for (const Section& section : phase.sections) {
      for (const Call& call : section.calls) {
        numbers.insert(numbers.end(), {call.kernel.index, plan.rows_of(call), static_cast<std::int64_t>(call.count)});
        for (const generator::Argument& argument : call.arguments) {
          numbers.push_back(static_cast<std::int64_t>(argument.index()));
          numbers.push_back(std::visit([](auto id) { return static_cast<std::int64_t>(id.index); }, argument));
        }
      }
    }
  }
  return numbers;
}

}  // namespace

TEST_CASE("whatever things are called, plans and kernels are the same") {
  for (const auto& [name, graph] : some_graphs()) {
    CAPTURE(name);
    const RandomGraph other = renamed(graph);
    REQUIRE_NOTHROW(verify_graph(other.graph, other.contract));
    const Plan plan = make_plan(graph.contract, graph.graph), again = make_plan(other.contract, other.graph);
    CHECK(numbers_of(plan) == numbers_of(again));
    CHECK(kernels_of(graph, plan) == kernels_of(other, again));
    const Spelling spelling(graph.contract, graph.graph, plan), otherwise(other.contract, other.graph, again);
    for (const BufferId id : plan.buffers.ids()) CHECK(element_of(spelling, id) == element_of(otherwise, id));
  }
}

TEST_CASE("the hidden states are a field of the record wherever it stands") {
  RandomGraph streams = stream_graph();
  std::vector<ValueId>& embedded = streams.graph.functions[streams.graph.own().embed].results;
  std::swap(embedded[0], embedded[1]);
  const Plan plan = make_plan(streams.contract, streams.graph);
  const BufferId hidden_states = plan.hidden_states[own_stack];
  REQUIRE(plan.carried[0] != hidden_states);
  CHECK(plan.buffers[hidden_states].word == "hidden_states");
}
