// The graph as stable text: one operation a line, "out: tokens x axis = op(...)".
#include <fmt/format.h>

#include "generator/graph/graph.hpp"

namespace monomorph::generator {
namespace {

std::string typed(const Value& value) {
  return fmt::format("{}: tokens x {} ({})", value.name, value.axis.name, value.axis.size);
}

std::string optional_role(const std::string& role) { return role.empty() ? "" : ", " + role; }

struct Printer {
  std::string operator()(const EmbedOp& op) const {
    return fmt::format("{} = embed({}{})", typed(op.out), op.table, optional_role(op.positions));
  }
  std::string operator()(const NormOp& op) const {
    return fmt::format("{} = {}({}, {}{}; eps {})", typed(op.out),
                       op.norm.type == NormType::rms_norm ? "rms_norm" : "layer_norm", op.in.name, op.weights.weight,
                       optional_role(op.weights.bias), op.norm.eps);
  }
  std::string operator()(const LinearOp& op) const {
    return fmt::format("{} = linear({}, {}{})", typed(op.out), op.in.name, op.weight, optional_role(op.bias));
  }
  std::string operator()(const SplitOp& op) const {
    return fmt::format("{}, {}, {} = split({})", typed(op.queries), typed(op.keys), typed(op.values), op.in.name);
  }
  std::string operator()(const HeadNormOp& op) const {
    return fmt::format("{} = head_norm({}, {}; eps {})", typed(op.out), op.in.name, op.weight, op.eps);
  }
  std::string operator()(const RotaryOp& op) const {
    return fmt::format("{} = rotary({}; rotary_dim {})", typed(op.out), op.in.name, op.rotary_dim);
  }
  std::string operator()(const CacheWriteOp& op) const {
    return fmt::format("cache.{}[position] = {}", op.cache, op.in.name);
  }
  std::string operator()(const AttentionOp& op) const {
    return fmt::format("{} = attention({}, cache.keys, cache.values; scale {}, causal)", typed(op.out), op.queries.name,
                       op.scale);
  }
  std::string operator()(const ActivationOp& op) const {
    return fmt::format("{} = {}", typed(op.out), op.expression.text);
  }
  std::string operator()(const AddOp& op) const { return fmt::format("{} += {}", op.residual.name, op.in.name); }
};

std::string section(const std::string& title, const std::vector<Op>& ops) {
  std::string text = title + "\n";
  for (const Op& op : ops) text += "  " + std::visit(Printer{}, op) + "\n";
  return text;
}

}  // namespace

std::string dump_graph(const Graph& graph, const Contract& contract) {
  std::string text = section("prologue", graph.prologue);
  for (std::size_t kind = 0; kind < graph.layers.size(); ++kind) {
    const LayerContract& layer = contract.kinds[kind];
    text += section(fmt::format("{} x {}", layer.name, layer.layers.size()), graph.layers[kind]);
  }
  return text + section("epilogue", graph.epilogue);
}

}  // namespace monomorph::generator
