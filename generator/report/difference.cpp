#include "generator/report/difference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "generator/audit/meanings.hpp"
#include "generator/contract/parts.hpp"
#include "generator/plan/make.hpp"
#include "generator/report/report.hpp"
#include "generator/spec/document.hpp"
#include "generator/spec/explain.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph::generator {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;  ///< of one layer, or outside the layers

/// What both have of something that has values in layers: each change once, with the layers that have it.
class Changes {
 public:
  /// `layer`: -1 outside the layers.
  void add(std::int64_t layer, const Values& before, const Values& after) {
    for (const auto& [what, value] : before) {
      const auto other = std::ranges::find(after, what, &Values::value_type::first);
      if (other == after.end() || other->second != value)
        note(layer, what, value, other == after.end() ? "" : other->second);
    }
    for (const auto& [what, value] : after) {
      if (std::ranges::find(before, what, &Values::value_type::first) == before.end()) note(layer, what, "", value);
    }
  }

  /// `layers`: how many both have; those of all are not listed.
  std::vector<Change> list(std::size_t layers) const {
    std::vector<Change> result;
    for (const auto& [what, before, after] : order_) {
      const std::vector<std::int64_t>& where = layers_.at({what, before, after});
      const bool outside = where.front() < 0;
      result.push_back({what, outside || where.size() == layers ? "" : layer_ranges(where), before, after});
    }
    return result;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  void note(std::int64_t layer, const std::string& what, const std::string& before, const std::string& after) {
    std::vector<std::int64_t>& layers = layers_[{what, before, after}];
    if (layers.empty()) order_.push_back({what, before, after});
    if (layer >= 0 || layers.empty()) layers.push_back(layer);
  }
  std::vector<Key> order_;
  std::map<Key, std::vector<std::int64_t>> layers_;
};

/// The kinds of a stack's layers; empty where the model has no encoder.
std::vector<std::size_t> kinds_of(const Spec& spec, std::size_t stack) {
  if (stack == own_stack) return spec.layer_kinds;
  return spec.encoder ? spec.encoder->layer_kinds : std::vector<std::size_t>{};
}

std::vector<std::size_t> kinds_of(const Contract& contract, std::size_t stack) {
  return stack < contract.stacks.size() ? contract.stacks[stack].layer_kinds : std::vector<std::size_t>{};
}

std::size_t shared_layers(const ComparedModel& a, const ComparedModel& b, std::size_t stack) {
  return std::min(kinds_of(a.spec, stack).size(), kinds_of(b.spec, stack).size());
}

/// The key of a field of a layer of this kind in a spec's text.
std::string path_in(const LayerKind& kind, const std::string& what) {
  const std::string layers = "layers.", prefix = section_prefix(kind.stack);
  if (kind.in_pattern.empty()) return prefix + what;
  return prefix + layers + write_key(kind.in_pattern) + "." +
         (what.starts_with(layers) ? what.substr(layers.size()) : what);
}

/// Fields whose values differ and do not mean the same.
class FieldComparison {
 public:
  FieldComparison(const ComparedModel& a, const ComparedModel& b, bool same_meaning)
      : a_(a), b_(b), same_(same_meaning), of_a_(a.spec, a.overrides), of_b_(b.spec, b.overrides) {}

  std::vector<Change> list() {
    Changes outside;
    std::vector<Change> result;
    for (const std::size_t stack : {own_stack, encoder_stack}) {
      for (const Change& change : list_layers(stack)) result.push_back(change);
    }
    outside.add(-1, outside_of(a_.spec), outside_of(b_.spec));
    for (const Change& change : outside.list(0)) {
      // [norm] and [position] are the layers' too, who have told it.
      const auto is_told = [&](const Change& other) {
        return other.what == change.what && other.before == change.before && other.after == change.after;
      };
      if (std::ranges::any_of(result, is_told) || means_nothing(change, change.what, change.what)) continue;
      result.push_back(change);
    }
    return result;
  }

 private:
  std::vector<Change> list_layers(std::size_t stack) {
    Changes in_layers;
    const std::vector<std::size_t> of_a = kinds_of(a_.spec, stack), of_b = kinds_of(b_.spec, stack);
    const std::size_t layers = shared_layers(a_, b_, stack);
    std::map<std::pair<std::size_t, std::size_t>, std::pair<Values, Values>> told;  // by kinds
    for (std::size_t layer = 0; layer < layers; ++layer) {
      const std::pair kinds = {of_a[layer], of_b[layer]};
      auto known = told.find(kinds);
      if (known == told.end()) {
        known = told.emplace(kinds, differing(a_.spec.kinds[of_a[layer]], b_.spec.kinds[of_b[layer]])).first;
      }
      in_layers.add(static_cast<std::int64_t>(layer), known->second.first, known->second.second);
    }
    std::vector<Change> result = in_layers.list(layers);
    for (Change& change : result) change.what = section_prefix(stack) + change.what;
    return result;
  }

  static Values outside_of(const Spec& spec) {
    Values values = explain_outside_layers(spec);
    std::erase_if(values, [](const auto& value) { return value.first == "model.name"; });
    return values;
  }

  /// What the two kinds of a layer have that differs in meaning.
  std::pair<Values, Values> differing(const LayerKind& of_a, const LayerKind& of_b) {
    Changes changes;
    changes.add(0, explain_layer(of_a), explain_layer(of_b));
    std::pair<Values, Values> result;
    for (const Change& change : changes.list(1)) {
      if (means_nothing(change, path_in(of_a, change.what), path_in(of_b, change.what))) continue;
      if (!change.before.empty()) result.first.emplace_back(change.what, change.before);
      if (!change.after.empty()) result.second.emplace_back(change.what, change.after);
    }
    return result;
  }

  /// Whether each of the two means the same with the other's value. What bounds an engine, and what it is told beside
  /// the model, is no part of the meaning and is always told.
  bool means_nothing(const Change& change, const std::string& in_a, const std::string& in_b) {
    for (const char* told : {"engine.", "tokenizer.", "chat.", "model.max_position_embeddings"}) {
      if (change.what.starts_with(told)) return false;
    }
    if (same_) return true;
    return means_same(of_a_, in_a, change.after) && means_same(of_b_, in_b, change.before);
  }

  static bool means_same(Meanings& meanings, const std::string& path, const std::string& value) {
    if (value.empty()) return false;
    const std::optional<Meaning>&own = meanings.of({}), &other = meanings.of({{path, value}});
    return own && other && same(*own, *other);
  }

  const ComparedModel &a_, &b_;
  bool same_;
  Meanings of_a_, of_b_;
};

std::string shape_of(const Contract& contract, const WeightContract& weight) {
  std::vector<std::int64_t> sizes;
  for (const AxisId axis : weight.axes) sizes.push_back(contract.axes[axis].size);
  std::string type = name_of(weight.file_dtype());
  if (weight.converted_from) type += fmt::format(" as {}", name_of(weight.dtype));
  return fmt::format("[{}] {}", fmt::join(sizes, ", "), type);
}

struct Tensors {
  Values shapes, names;  ///< by part
};

Tensors tensors_of(const Contract& contract, Scope scope) {
  Tensors tensors;
  for (const WeightId id : contract.weights_of(scope)) {
    const WeightContract& weight = contract.weights[id];
    if (!weight.in_checkpoint()) continue;
    tensors.shapes.emplace_back(weight.part, shape_of(contract, weight));
    std::vector<std::string> sources;
    for (const CheckpointPart& source : weight.sources) {
      const RowView& view = source.view;
      const bool whole = view.rows == view.source_rows;
      if (!source.numbered.empty() && source.name != weight.sources.front().name) continue;  // told by the pattern
      sources.push_back(source.pattern() + (whole ? "" : fmt::format(" from row {}", view.source_row)) +
                        (view.run != 0 || view.halves != 0 || view.apart != 0 ? ", interleaved" : "") +
                        (view.banks != 0 ? fmt::format(", {} matrices", view.banks) : "") +
                        (view.transposed ? ", transposed" : "") +
                        (view.lines != 0 ? fmt::format(" from line {}", view.first_line) : ""));
    }
    tensors.names.emplace_back(weight.part, fmt::format("{}", fmt::join(sources, " + ")));
  }
  return tensors;
}

/// Tensors of a stack's layers, and with those of the model's own what stands outside.
void compare_tensors_of(std::size_t stack, const ComparedModel& a, const ComparedModel& b, Difference& difference) {
  Changes shapes, names;
  const auto add = [&](std::int64_t layer, const Tensors& before, const Tensors& after) {
    shapes.add(layer, before.shapes, after.shapes);
    Values common_before, common_after;
    for (const auto& name : before.names) {
      const auto other = std::ranges::find(after.names, name.first, &Values::value_type::first);
      if (other == after.names.end()) continue;
      common_before.push_back(name);
      common_after.push_back(*other);
    }
    names.add(layer, common_before, common_after);
  };
  if (stack == own_stack) add(-1, tensors_of(a.contract, {}), tensors_of(b.contract, {}));
  const std::vector<std::size_t> of_a = kinds_of(a.contract, stack), of_b = kinds_of(b.contract, stack);
  const std::size_t layers = std::max(of_a.size(), of_b.size());
  for (std::size_t layer = 0; layer < layers; ++layer) {
    add(static_cast<std::int64_t>(layer), layer < of_a.size() ? tensors_of(a.contract, {of_a[layer]}) : Tensors(),
        layer < of_b.size() ? tensors_of(b.contract, {of_b[layer]}) : Tensors());
  }
  for (const Change& change : shapes.list(layers)) difference.tensors.push_back(change);
  for (const Change& change : names.list(shared_layers(a, b, stack))) difference.names.push_back(change);
}

void compare_tensors(const ComparedModel& a, const ComparedModel& b, Difference& difference) {
  for (const std::size_t stack : {own_stack, encoder_stack}) compare_tensors_of(stack, a, b, difference);
  if (a.contract.checkpoint_prefixes != b.contract.checkpoint_prefixes) {
    difference.names.push_back({"prefix", "",
                                fmt::format("\"{}\"", fmt::join(a.contract.checkpoint_prefixes, "\", \"")),
                                fmt::format("\"{}\"", fmt::join(b.contract.checkpoint_prefixes, "\", \""))});
  }
}

void compare_counts(const Report& a, const Report& b, std::vector<CountChange>& counts) {
  const auto add = [&](const std::string& what, std::int64_t before, std::int64_t after, bool bytes = true) {
    if (before != after) counts.push_back({what, bytes, before, after});
  };
  const auto parameters = [](const Report& report, const std::string& name) {
    const auto found = std::ranges::find(report.components, name, &ComponentContract::name);
    return found == report.components.end() ? 0 : found->parameters;
  };
  add("parameters", a.total_parameters, b.total_parameters, false);
  std::vector<std::string> names;
  for (const Report* report : {&a, &b}) {
    for (const ComponentContract& component : report->components) {
      if (std::ranges::count(names, component.name) == 0) names.push_back(component.name);
    }
  }
  for (const std::string& name : names) add("  of " + name, parameters(a, name), parameters(b, name), false);
  add("weights", a.weight_bytes, b.weight_bytes);
  add("keys and values of a token", a.kv_bytes_per_token, b.kv_bytes_per_token);
  add("keys and values in all", a.state_bytes, b.state_bytes);
  add("activations", a.activation_bytes, b.activation_bytes);
  add("host", a.host_bytes, b.host_bytes);
  add("memory", a.total_bytes, b.total_bytes);
  add("dispatches of a decoded token", a.decode_dispatches, b.decode_dispatches, false);
  add("kernels", a.kernels, b.kernels, false);
}

/// How often each kernel is dispatched in a pass, by its name: "decode 24".
std::map<std::string, std::map<std::string, std::int64_t>> dispatches_of(const ComparedModel& model) {
  std::map<std::string, std::map<std::string, std::int64_t>> result;
  for (const PhasePlan& phase : model.plan.phases) {
    for (const Section& section : phase.sections) {
      for (const Call& call : section.calls) {
        result[model.plan.kernels[call.kernel].name][phase.row->name] += model.contract.runs({section.kind});
      }
    }
  }
  return result;
}

std::string told(const std::map<std::string, std::int64_t>& dispatches) {
  std::vector<std::string> phases;
  for (const auto& [phase, count] : dispatches) phases.push_back(fmt::format("{} x {}", count, phase));
  return fmt::format("{}", fmt::join(phases, ", "));
}

const Kernel* find_kernel(const Plan& plan, const std::string& name) {
  const auto found = std::ranges::find(plan.kernels, name, &Kernel::name);
  return found == plan.kernels.end() ? nullptr : &*found;
}

/// What a kernel's template is filled with, where it is a number or a word: "columns = 768".
std::string constants_other_than(const Kernel& kernel, const Kernel& other) {
  std::vector<std::string> result;
  for (const auto& [name, parameter] : kernel.parameters) {
    const auto found = other.parameters.find(name);
    std::visit(
        [&, &key = name](const auto& value) {
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
            const auto* same = found != other.parameters.end() ? std::get_if<Value>(&found->second.value) : nullptr;
            if (same == nullptr || *same != value) result.push_back(fmt::format("{} = {}", key, value));
          }
        },
        parameter.value);
  }
  return result.empty() ? "another text" : fmt::format("{}", fmt::join(result, ", "));
}

void compare_kernels(const ComparedModel& a, const ComparedModel& b, std::vector<Change>& changes) {
  auto of_a = dispatches_of(a), of_b = dispatches_of(b);
  // Kinds of layer give kernels their names: those that are one shader, dispatched as often, differ in nothing.
  for (const Kernel& own : a.plan.kernels) {
    const auto same = std::ranges::find_if(b.plan.kernels, [&](const Kernel& other) { return alike(own, other); });
    if (same == b.plan.kernels.end() || of_a[own.name] != of_b[same->name]) continue;
    of_a.erase(own.name);
    of_b.erase(same->name);
  }
  std::set<std::string> names;
  for (const auto* dispatches : {&of_a, &of_b}) {
    for (const auto& [name, count] : *dispatches) names.insert(name);
  }
  for (const std::string& name : names) {
    const auto before = of_a.find(name), after = of_b.find(name);
    if (before == of_a.end()) {
      changes.push_back({name, "", "", told(after->second)});
    } else if (after == of_b.end()) {
      changes.push_back({name, "", told(before->second), ""});
    } else {
      const Kernel &own = *find_kernel(a.plan, name), &other = *find_kernel(b.plan, name);
      if (before->second != after->second) changes.push_back({name, "", told(before->second), told(after->second)});
      if (!alike(own, other)) {
        changes.push_back({name, "", constants_other_than(own, other), constants_other_than(other, own)});
      }
    }
  }
}

/// A value of a template or a list may be long.
std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 100;
  return text.size() <= longest ? text : text.substr(0, longest - 3) + "...";
}

std::string lines_of(const char* title, const std::vector<Change>& changes) {
  std::string text;
  std::size_t width = 0;
  const auto label = [](const Change& change) {
    return change.what + (change.layers.empty() ? "" : " (layers " + change.layers + ")");
  };
  for (const Change& change : changes) width = std::max(width, label(change).size());
  for (const Change& change : changes) {
    const std::string before = shortened(change.before), after = shortened(change.after);
    const char sign = before.empty() ? '+' : after.empty() ? '-' : ' ';
    text += fmt::format("{} {:<{}}  {}{}{}\n", sign, label(change), width, before,
                        before.empty() || after.empty() ? "" : " -> ", after);
  }
  return text.empty() ? text : fmt::format("\n{}\n{}", title, text);
}

Json json_of(const std::vector<Change>& changes) {
  Json list = Json::array();
  for (const Change& change : changes) {
    list.push_back(Json::object(
        {{"what", change.what}, {"layers", change.layers}, {"before", change.before}, {"after", change.after}}));
  }
  return list;
}

}  // namespace

bool Difference::none() const {
  return same_meaning && fields.empty() && tensors.empty() && names.empty() && counts.empty() && kernels.empty();
}

Difference compare_models(const ComparedModel& before, const ComparedModel& after) {
  Difference difference;
  difference.before = before.name;
  difference.after = after.name;
  difference.same_meaning = same({before.contract, before.graph}, {after.contract, after.graph});
  difference.fields = FieldComparison(before, after, difference.same_meaning).list();
  compare_tensors(before, after, difference);
  compare_counts(make_report(before.contract, before.plan), make_report(after.contract, after.plan), difference.counts);
  compare_kernels(before, after, difference.kernels);
  return difference;
}

std::string difference_text(const Difference& difference) {
  if (difference.none()) return fmt::format("{} and {} mean the same\n", difference.before, difference.after);
  std::string text = fmt::format("--- {}\n+++ {}\n", difference.before, difference.after);
  if (difference.same_meaning) text += "\nBoth compute the same of the same weights.\n";
  text += lines_of("Fields", difference.fields) + lines_of("Tensors", difference.tensors) +
          lines_of("Names in the checkpoint", difference.names);
  if (!difference.counts.empty()) text += "\nCosts\n";
  for (const CountChange& count : difference.counts) {
    const std::string change =
        count.before == 0
            ? ""
            : fmt::format("  {:+.1f} %",
                          100 * (static_cast<double>(count.after) / static_cast<double>(count.before) - 1));
    const std::string bytes =
        count.bytes ? fmt::format("  {} -> {}", in_bytes(count.before), in_bytes(count.after)) : "";
    text += fmt::format("  {:<30}{:>16} -> {:<16}{}{}\n", count.what, count.before, count.after, change, bytes);
  }
  return text + lines_of("Kernels", difference.kernels);
}

std::string difference_json(const Difference& difference) {
  Json json = Json::object({{"before", difference.before},
                            {"after", difference.after},
                            {"same", difference.none()},
                            {"same_meaning", difference.same_meaning},
                            {"fields", json_of(difference.fields)},
                            {"tensors", json_of(difference.tensors)},
                            {"names", json_of(difference.names)}});
  json["counts"] = Json::array();
  for (const CountChange& count : difference.counts) {
    json["counts"].push_back(Json::object({{"what", count.what}, {"before", count.before}, {"after", count.after}}));
  }
  json["kernels"] = json_of(difference.kernels);
  return json.dump(2) + "\n";
}

}  // namespace monomorph::generator
