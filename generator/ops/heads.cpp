#include "generator/ops/heads.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace monomorph::generator {
namespace {

/// One operand's way: source -> norm? -> rotary? -> append?
struct Chain {
  const Op *norm = nullptr, *rotary = nullptr, *append = nullptr;
  std::vector<OpId> ops;
  ValueId source, result;
};

std::optional<Chain> chain_from(const Group& group, const Planning& planning, OpId first) {
  Chain chain;
  for (OpId id = first; id;) {
    const Op& op = planning.op(id);
    const bool after_rotary = chain.rotary != nullptr, after_append = chain.append != nullptr;
    if (as<Norm>(op) != nullptr && chain.norm == nullptr && !after_rotary && !after_append) {
      chain.norm = &op;
    } else if (as<Rotary>(op) != nullptr && !after_rotary && !after_append) {
      chain.rotary = &op;
    } else if (as<Append>(op) != nullptr && !after_append) {
      chain.append = &op;
    } else {
      return std::nullopt;
    }
    if (chain.ops.empty()) chain.source = op.in[chain.append != nullptr ? 1 : 0];
    chain.ops.push_back(id);
    chain.result = op.out;
    // The next operation of the group that reads this one's result.
    id = {};
    for (const OpId next : group.ops) {
      const std::vector<ValueId>& in = planning.op(next).in;
      if (std::find(in.begin(), in.end(), chain.result) != in.end()) id = next;
    }
  }
  return chain;
}

AxisId head_axis(const Chain& chain, const Planning& planning) {
  const Axis& row = planning.axis(planning.value(chain.source).axes[1]);
  return row.factors.size() == 2 ? row.factors[1] : AxisId{};
}

/// The chains in the order of the attention's operands: queries, keys, values; nothing where the group is no such
/// thing.
std::optional<std::vector<Chain>> chains_of(const Group& group, const Planning& planning) {
  const auto inside = [&](ValueId value) {
    const OpId writer = planning.value(value).writer;
    return writer && std::find(group.ops.begin(), group.ops.end(), writer) != group.ops.end();
  };
  std::vector<Chain> chains;
  std::size_t ops = 0;
  for (const OpId id : group.ops) {
    const Op& op = planning.op(id);
    if (inside(op.in[as<Append>(op) != nullptr ? 1 : 0])) continue;  // not the first of its chain
    const std::optional<Chain> chain = chain_from(group, planning, id);
    if (!chain) return std::nullopt;
    ops += chain->ops.size();
    chains.push_back(*chain);
  }
  if (ops != group.ops.size()) return std::nullopt;
  return chains;
}

/// By the operand of the attention that a chain serves: 0 queries, 1 keys, 2 values.
int operand_of(const Chain& chain, const Planning& planning) {
  for (const OpId reader : planning.graph.readers(chain.result)) {
    const Op& op = planning.op(reader);
    if (as<Attention>(op) == nullptr) continue;
    for (int i = 0; i < 3; ++i) {
      if (op.in[static_cast<std::size_t>(i)] == chain.result) return i;
    }
  }
  return chain.append != nullptr ? 1 : 0;
}

/// Whether one address function serves both states, whose types may differ.
bool alike(const StateContract& a, const StateContract& b) { return a.axes == b.axes && a.window == b.window; }

constexpr const char* chain_names[] = {"queries", "keys", "values"};

}  // namespace

bool has_weights_per_head(const Op& norm, const Graph& graph) {
  for (const std::size_t vector : {1, 2}) {
    if (norm.in[vector] && graph.values[norm.in[vector]].axes[0] == graph.values[norm.in[0]].axes[1]) {
      return as<Norm>(norm)->over != graph.values[norm.in[0]].axes[1];
    }
  }
  return false;
}

bool accepts_heads(const Group& group, const Planning& planning) {
  const std::optional<std::vector<Chain>> chains = chains_of(group, planning);
  if (!chains) return false;
  std::set<int> operands;
  std::set<AxisId> head_axes;
  std::set<ValueId> angles, sources;
  const Rotary* rotary = nullptr;
  const StateContract* state = nullptr;
  std::int64_t bindings = 1;
  for (const Chain& chain : *chains) {
    const int operand = operand_of(chain, planning);
    if (!operands.insert(operand).second) return false;
    if ((operand == 0) != (chain.append == nullptr)) return false;
    head_axes.insert(head_axis(chain, planning));
    if (chain.append != nullptr) {
      const StateContract& written = planning.contract.states[{planning.value(chain.result).declared}];
      if (state != nullptr && !alike(*state, written)) return false;
      state = &written;
    }
    if (chain.norm != nullptr) {
      if (as<Norm>(*chain.norm)->over != head_axis(chain, planning)) return false;
      bindings += (chain.norm->in[1] ? 1 : 0) + (chain.norm->in[2] ? 1 : 0);
    }
    if (chain.rotary != nullptr) {
      angles.insert(chain.rotary->in[1]);
      if (rotary != nullptr && *rotary != *as<Rotary>(*chain.rotary)) return false;
      rotary = as<Rotary>(*chain.rotary);
    }
    sources.insert(chain.source);
    bindings += 1;
  }
  if (head_axes.size() != 1 || !*head_axes.begin() || angles.size() > 1) return false;
  const bool columns = std::all_of(sources.begin(), sources.end(), [&](ValueId s) { return is_column(s, planning); });
  if (sources.size() > 1 && !columns) return false;
  return bindings + 1 + static_cast<std::int64_t>(angles.size()) <= max_bindings;
}

void plan_head_chains(Draft& draft) {
  const Planning& planning = draft.planning();
  std::vector<Chain> chains = *chains_of(draft.group(), planning);
  std::sort(chains.begin(), chains.end(),
            [&](const Chain& a, const Chain& b) { return operand_of(a, planning) < operand_of(b, planning); });
  draft.call.word = "heads";
  draft.kernel.path = "kernels/heads.comp";
  draft.kernel.kind = KernelKind::heads;
  const std::int64_t head_dim = planning.axis(head_axis(chains[0], planning)).size;
  draft.set("head_dim", head_dim);
  draft.set("head_norm", false);
  draft.set("rotary", false);
  draft.set("has_state", false);
  draft.set("has_blocks", false);
  for (const char* name : chain_names) {
    draft.set(std::string("has_") + name, false);
    draft.set(std::string(name) + "_norm_weighted", false);
    draft.set(std::string(name) + "_norm_biased", false);
  }

  std::vector<Parameters> records;
  ValueId angles;
  std::int64_t heads = 0;
  std::string about;
  for (const Chain& chain : chains) {
    const std::string name = chain_names[operand_of(chain, planning)];
    const Axis& row = planning.axis(planning.value(chain.source).axes[1]);
    draft.set("has_" + name, true);
    if (chain.norm != nullptr) {
      draft.set("head_norm", true);
      draft.set(name + "_norm_weighted", static_cast<bool>(chain.norm->in[1]));
      draft.set(name + "_norm_biased", static_cast<bool>(chain.norm->in[2]));
      if (chain.norm->in[1]) draft.weight(name + "_norm_weight", chain.norm->in[1]);
      if (chain.norm->in[2]) draft.weight(name + "_norm_bias", chain.norm->in[2]);
    }
    if (chain.rotary != nullptr) {
      const auto& [rotary_dim, layout] = *as<Rotary>(*chain.rotary);
      draft.set("rotary", true);
      draft.set("layout", name_of(layout));
      draft.set("rotary_dim", rotary_dim);
      draft.set("angle_stride", row_stride(rotary_dim) / 2);
      angles = chain.rotary->in[1];
    }
    if (chain.append != nullptr && is_quantized(planning.value(chain.result).element)) draft.set("has_blocks", true);
    records.push_back({{"name", name},
                       {"begin", heads},
                       {"end", heads + planning.axis(row.factors[0]).size},
                       {"column", draft.placement().place(chain.source).first_column},
                       {"norm", chain.norm != nullptr ? name_of(as<Norm>(*chain.norm)->type) : "none"},
                       {"weighted", chain.norm != nullptr && chain.norm->in[1]},
                       {"biased", chain.norm != nullptr && chain.norm->in[2]},
                       {"per_head", chain.norm != nullptr && has_weights_per_head(*chain.norm, planning.graph)},
                       {"eps", chain.norm != nullptr ? as<Norm>(*chain.norm)->eps : 0.0},
                       {"offset", chain.norm != nullptr && as<Norm>(*chain.norm)->weight_offset != 0},
                       {"weight_offset", chain.norm != nullptr ? as<Norm>(*chain.norm)->weight_offset : 0.0},
                       {"rotary", chain.rotary != nullptr},
                       {"dtype", chain.append != nullptr ? name_of(planning.value(chain.result).element) : ""}});
    heads += planning.axis(row.factors[0]).size;
    draft.call.rows.push_back(row.factors[0]);
    about += (about.empty() ? "" : ", ") + planning.value(chain.result).role;
  }
  draft.kernel.about = about + ", head by head";
  draft.set("chains", std::move(records));
  if (angles) draft.angles("angles", angles);
  const Place place = draft.placement().place(chains[0].source);
  draft.activation("projected", chains[0].source, Access::read);
  draft.kernel.parameters.erase("projected_column");
  for (const Chain& chain : chains) {
    const std::string name = chain_names[operand_of(chain, planning)];
    if (draft.placement().place(chain.source).buffer != place.buffer) {
      throw InternalError("plan: " + planning.value(chain.source).role + " does not lie beside the others");
    }
    if (chain.append == nullptr) {
      draft.activation(name, chain.result, Access::write);
      continue;
    }
    draft.state(name, chain.append->out, Access::write, 2);
  }
}

}  // namespace monomorph::generator
