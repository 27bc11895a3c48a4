// The graph as stable text: one operation a line, "role: axes = type(operands; attributes)".
#include <fmt/format.h>

#include <map>

#include "generator/graph/recurrences.hpp"
#include "generator/ops/op_type.hpp"

namespace monomorph::generator {
namespace {

struct Attribute {
  const Graph& graph;
  std::string operator()(const Gather& gather) const {
    return gather.offset != 0 ? fmt::format("; offset {}", gather.offset) : "";
  }
  std::string operator()(const Norm& norm) const {
    return fmt::format("; {} over {}, eps {}{}", name_of(norm.type), graph.axes[norm.over].name, norm.eps,
                       norm.weight_offset != 0 ? fmt::format(", weight_offset {}", norm.weight_offset) : "");
  }
  std::string operator()(const Linear& linear) const { return linear.segments ? "; by segments" : ""; }
  std::string operator()(const TopK& top) const {
    if (top.groups == top.groups_kept) return "";
    return fmt::format("; {} of {} groups by {}", top.groups_kept, top.groups, name_of(top.group_score));
  }
  std::string operator()(const Pick& pick) const { return pick.jitter ? fmt::format("; jitter {}", *pick.jitter) : ""; }
  std::string operator()(const Shares& shares) const {
    if (shares.type == ShareType::softmax) return "; softmax";
    return fmt::format("; sum, eps {}, floor {}", shares.eps, shares.floor);
  }
  std::string operator()(const Combine&) const { return ""; }
  std::string operator()(const Concat&) const { return ""; }
  std::string operator()(const Pool&) const { return ""; }
  std::string operator()(const Convolve&) const { return ""; }
  std::string operator()(const Recurrence& recurrence) const {
    std::string text;
    if (!recurrence.log_decay.empty()) {
      text += fmt::format("; log decay {} of {}", recurrence.log_decay.text, fmt::join(recurrence.names, ", "));
    }
    if (recurrence.normalized) text += "; normalized";
    if (recurrence.erased_beside) text += "; erased beside what is removed";
    return text + (recurrence.removed_first ? "; removed first" : "");
  }
  std::string operator()(const WeightedMean& mean) const {
    return fmt::format("; log decay {} of {}", mean.log_decay.text, decay_name);
  }
  std::string operator()(const Map& map) const {
    return fmt::format("; {} of {}", map.expression.text, fmt::join(map.names, ", "));
  }
  std::string operator()(const Rotary& rotary) const {
    return fmt::format("; rotary_dim {}{}", rotary.rotary_dim,
                       rotary.layout != RotaryLayout::half ? fmt::format(", {}", name_of(rotary.layout)) : "");
  }
  std::string operator()(const Sinusoids& sinusoids) const { return fmt::format("; {}", name_of(sinusoids.layout)); }
  std::string operator()(const Append&) const { return ""; }
  std::string operator()(const Differential&) const { return ""; }
  std::string operator()(const Attention& attention) const {
    std::string text = fmt::format("; scale {}, {}", attention.scale,
                                   attention.causal      ? "causal"
                                   : attention.of_source ? "of the source"
                                                         : "of the whole pass");
    if (!attention.score.empty()) text += ", score " + attention.score.text;
    if (!attention.slopes.empty()) text += fmt::format(", slopes {}", fmt::join(attention.slopes, " "));
    if (!attention.mask.empty()) text += ", mask " + attention.mask.text;
    if (attention.recent > 0) text += fmt::format(", window {} recent, {} first", attention.recent, attention.first);
    if (const Distances& distances = attention.distances; distances != Distances{}) {
      text += fmt::format(", distances from -{} to {}", distances.back, distances.ahead);
      if (!distances.buckets.empty()) text += fmt::format(" in buckets {}", fmt::join(distances.buckets, " "));
    }
    return text;
  }
};

/// Values of one role in a function are numbered from the second on.
class Names {
 public:
  Names(const Graph& graph, const Function& function) : graph_(graph) {
    for (const ValueId parameter : function.parameters) add(parameter);
    for (const OpId op : function.ops) {
      for (const ValueId result : graph.ops[op].results()) add(result);
    }
  }
  std::string of(ValueId id) const {
    if (!id) return "-";
    const auto found = names_.find(id);
    return found != names_.end() ? found->second : graph_.values[id].role;
  }

 private:
  void add(ValueId id) {
    const std::string& role = graph_.values[id].role;
    const int number = ++counts_[role];
    names_[id] = number == 1 ? role : fmt::format("{}'{}", role, number);
  }
  const Graph& graph_;
  std::map<ValueId, std::string> names_;
  std::map<std::string, int> counts_;
};

std::string list(const Graph& graph, const Names& names, const std::vector<ValueId>& values) {
  std::string text;
  for (const ValueId value : values) {
    text +=
        fmt::format("{}{}: {}", text.empty() ? "" : ", ", names.of(value), graph.axes.shape(graph.values[value].axes));
  }
  return text;
}

}  // namespace

std::string dump_graph(const Graph& graph, const Contract& contract) {
  std::string text = "axes\n";
  for (const Axis& axis : graph.axes) {
    std::string factors;
    for (const AxisId factor : axis.factors) factors += (factors.empty() ? " = " : " x ") + graph.axes[factor].name;
    text += fmt::format("  {} {}{}\n", axis.name, axis.size, factors);
  }
  for (const FunctionId id : graph.functions.ids()) {
    const Function& function = graph.functions[id];
    const Names names(graph, function);
    std::string copies;
    for (std::size_t kind = 0; kind < graph.layers.size(); ++kind) {
      if (graph.layers[kind] == id) copies = fmt::format(" x {}", contract.runs({kind}));
    }
    text += fmt::format("\n{}{}({})\n", function.name, copies, list(graph, names, function.parameters));
    for (const OpId op_id : function.ops) {
      const Op& op = graph.ops[op_id];
      std::string operands;
      for (const ValueId in : op.in) operands += (operands.empty() ? "" : ", ") + names.of(in);
      text += fmt::format("  {} = {}({}{})\n", list(graph, names, op.results()), type_of(op).name, operands,
                          std::visit(Attribute{graph}, op.what));
    }
    text += "  gives " + list(graph, names, function.results) + "\n";
  }
  return text;
}

}  // namespace monomorph::generator
