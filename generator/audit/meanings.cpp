#include "generator/audit/meanings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/blocks/pooling.hpp"
#include "generator/spec/checkpoint_section.hpp"

namespace monomorph::generator {
namespace {

template <class Rows, class Same>
bool all_same(const Rows& a, const Rows& b, const Same& same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

// Names of axes and functions follow from words and kinds of layer, and mean nothing.
bool same_axis(const Axis& a, const Axis& b) {
  return a.word == b.word && a.size == b.size && a.factors == b.factors && a.live == b.live;
}

bool same_value(const Value& a, const Value& b) {
  return a.role == b.role && a.storage == b.storage && a.element == b.element && a.axes == b.axes &&
         a.declared == b.declared && a.list == b.list && a.function == b.function && a.writer == b.writer;
}

bool same_op(const Op& a, const Op& b) {
  return a.what == b.what && a.in == b.in && a.out == b.out && a.next == b.next && a.function == b.function;
}

bool same_function(const Function& a, const Function& b) {
  return a.parameters == b.parameters && a.ops == b.ops && a.results == b.results;
}

bool same_weight(const WeightContract& a, const WeightContract& b) {
  return a.role == b.role && a.scope == b.scope && a.axes == b.axes && a.values == b.values;
}

bool same_state(const StateContract& a, const StateContract& b) {
  return a.role == b.role && a.scope == b.scope && a.axes == b.axes && a.element == b.element && a.window == b.window &&
         a.kind == b.kind;
}

bool same_stack(const Stack& a, const Stack& b) {
  return a.embed == b.embed && a.hidden_states == b.hidden_states && a.finish == b.finish;
}

bool same_layers(const StackContract& a, const StackContract& b) {
  return a.layer_kinds == b.layer_kinds && a.repeat == b.repeat;
}

bool same_angles(const AnglesContract& a, const AnglesContract& b) { return a.axis == b.axis && a.rotary == b.rotary; }

}  // namespace

bool same(const Meaning& a, const Meaning& b) {
  const Graph &one = a.graph, &other = b.graph;
  return all_same(one.axes, other.axes, same_axis) && all_same(one.values, other.values, same_value) &&
         all_same(one.ops, other.ops, same_op) && all_same(one.functions, other.functions, same_function) &&
         all_same(one.stacks, other.stacks, same_stack) && one.layers == other.layers && one.sources == other.sources &&
         one.head == other.head &&
         a.contract.pooling->type.value == b.contract.pooling->type.value &&  // which row is the host's choice
         all_same(a.contract.stacks, b.contract.stacks, same_layers) &&
         all_same(a.contract.weights, b.contract.weights, same_weight) &&
         all_same(a.contract.states, b.contract.states, same_state) &&
         all_same(a.contract.angles, b.contract.angles, same_angles);
}

const std::optional<Meaning>& Meanings::of(const std::vector<Override>& changes) {
  std::string key;
  for (const Override& change : changes) {
    key += fmt::format("{}{}{}\n", change.path, change.value ? "=" : "", change.value.value_or(""));
  }
  const auto known = known_.find(key);
  return known != known_.end() ? known->second : known_.emplace(key, work_out(changes)).first->second;
}

std::optional<Meaning> Meanings::work_out(const std::vector<Override>& changes) const {
  std::vector<Override> all = overrides_;
  all.insert(all.end(), changes.begin(), changes.end());
  Diagnostics found, none;
  std::optional<Spec> spec = read_spec_leniently(source_, all, found);
  // Where a kind stands alone the others are unused, and what they alone read.
  const auto is_harmless = [](const Diagnostic& diagnostic) {
    return diagnostic.severity != Severity::error || diagnostic.rule == "layers.kind_unused" ||
           diagnostic.rule == "spec.unused_section" || diagnostic.rule == "layers.shared_norm_unused";
  };
  const bool reads = std::all_of(found.all().begin(), found.all().end(), is_harmless);
  if (!spec || !reads) return std::nullopt;
  // Types and names of tensors mean nothing, and those said of a part may be of a kind that the pattern does not have.
  spec->checkpoint->dtype.value = "f32";
  spec->checkpoint->dtypes.clear();
  for (auto& [part, name] : spec->checkpoint->tensors) name.given = false;
  std::optional<Contract> contract = check_contract(*spec, none);
  if (!contract) return std::nullopt;
  Graph graph = build_graph(*contract);
  return Meaning{std::move(*contract), std::move(graph)};
}

}  // namespace monomorph::generator
