// The rules of fusion. A rule proposes; Partition::merge judges.
#include <algorithm>

#include "generator/ops/op_type.hpp"
#include "generator/plan/partition.hpp"

namespace monomorph::generator {
namespace {

bool is_single(const Partition& partition, OpId op) { return partition[partition.of(op)].ops.size() == 1; }

OpId anchor_of(const Partition& partition, GroupId id) { return partition[id].anchor; }

template <class T>
bool is_anchored_by(const Partition& partition, GroupId id) {
  return as<T>(partition.planning().op(anchor_of(partition, id))) != nullptr;
}

/// The one operation that reads a value, where there is one.
OpId only_reader(const Partition& partition, ValueId value) {
  const std::vector<OpId> readers = partition.planning().graph.readers(value);
  return readers.size() == 1 && !partition.planning().graph.is_result(value) ? readers[0] : OpId{};
}

/// Two matrices of one input whose rows one Map joins: gate and up.
bool pair_rows(Partition& partition, OpId id) {
  const Planning& planning = partition.planning();
  const Op& op = planning.op(id);
  if (as<Map>(op) == nullptr || op.in.size() != 2 || !is_single(partition, id)) return false;
  const OpId first = planning.value(op.in[0]).writer, second = planning.value(op.in[1]).writer;
  if (!first || !second || first == second) return false;
  if (as<Linear>(planning.op(first)) == nullptr || as<Linear>(planning.op(second)) == nullptr) return false;
  if (!is_single(partition, first) || !is_single(partition, second)) return false;
  return partition.merge({partition.of(first), partition.of(second), partition.of(id)}, first);
}

/// Matrices of one input and one type become one matrix, whose results are columns of one row: q, k and v. Not those
/// whose result a Map takes, which is their epilogue.
bool stack_rows(Partition& partition, OpId id) {
  const Planning& planning = partition.planning();
  const auto stacks = [&](OpId candidate) {
    const Op& op = planning.op(candidate);
    if (as<Linear>(op) == nullptr || planning.graph.is_result(op.out)) return false;
    const std::vector<OpId> readers = planning.graph.readers(op.out);
    return std::none_of(readers.begin(), readers.end(), [&](OpId r) {
      return as<Map>(planning.op(r)) != nullptr && planning.elementwise(planning.op(r).out, op.out);
    });
  };
  const Op& op = planning.op(id);
  if (!stacks(id) || !is_single(partition, id)) return false;
  bool merged = false;
  for (const OpId other : planning.graph.readers(op.in[0])) {
    if (other <= id || !stacks(other) || !is_single(partition, other)) continue;
    merged |= partition.merge({partition.of(id), partition.of(other)}, id);
  }
  return merged;
}

bool is_norm_of_heads(const Planning& planning, const Op& op) {
  const Norm* norm = as<Norm>(op);
  return norm != nullptr && norm->over != planning.value(op.in[0]).axes[1];
}

/// A norm of heads takes the difference of two attentions that it alone reads.
bool norm_after(Partition& partition, OpId id) {
  const Planning& planning = partition.planning();
  const Op& op = planning.op(id);
  if (!is_norm_of_heads(planning, op) || !is_single(partition, id)) return false;
  const GroupId writer = partition.writer(op.in[0]);
  if (!writer || !is_anchored_by<Differential>(partition, writer)) return false;
  return partition.merge({writer, partition.of(id)}, anchor_of(partition, writer));
}

/// A Map becomes the epilogue of what writes one of its operands, the latest first.
bool map_after(Partition& partition, OpId id) {
  const Op& op = partition.planning().op(id);
  if (as<Map>(op) == nullptr || !is_single(partition, id)) return false;
  std::vector<ValueId> operands = op.in;
  std::stable_sort(operands.begin(), operands.end(), [&](ValueId a, ValueId b) {
    const OpId one = partition.planning().value(a).writer, other = partition.planning().value(b).writer;
    return (one ? one.index + 1 : 0) > (other ? other.index + 1 : 0);
  });
  for (const ValueId operand : operands) {
    const GroupId writer = partition.writer(operand);
    if (!writer) continue;
    const bool has_epilogue =
        is_anchored_by<Linear>(partition, writer) || is_anchored_by<Norm>(partition, writer) ||
        is_anchored_by<Gather>(partition, writer) || is_anchored_by<Differential>(partition, writer) ||
        is_anchored_by<Pick>(partition, writer) || is_anchored_by<Shares>(partition, writer) ||
        is_anchored_by<Combine>(partition, writer) || is_anchored_by<Convolve>(partition, writer) ||
        is_anchored_by<Recurrence>(partition, writer) || is_anchored_by<WeightedMean>(partition, writer) ||
        is_anchored_by<Concat>(partition, writer);
    if (has_epilogue && partition.merge({writer, partition.of(id)}, anchor_of(partition, writer))) return true;
  }
  return false;
}

/// A norm becomes the prologue of the matrices that alone read it.
bool norm_before(Partition& partition, OpId id) {
  const Op& op = partition.planning().op(id);
  if (as<Norm>(op) == nullptr || !is_single(partition, id)) return false;
  const std::vector<GroupId> readers = partition.readers(op.out);
  if (readers.size() != 1 || !is_anchored_by<Linear>(partition, readers[0])) return false;
  return partition.merge({partition.of(id), readers[0]}, anchor_of(partition, readers[0]));
}

/// The rows whose logits are wanted are picked by the kernel that reads them.
bool rows_before(Partition& partition, OpId id) {
  const Op& op = partition.planning().op(id);
  if (as<Gather>(op) == nullptr || !is_single(partition, id)) return false;
  const std::vector<GroupId> readers = partition.readers(op.out);
  if (readers.size() != 1) return false;
  if (!is_anchored_by<Linear>(partition, readers[0]) && !is_anchored_by<Norm>(partition, readers[0])) return false;
  return partition.merge({partition.of(id), readers[0]}, anchor_of(partition, readers[0]));
}

/// What stands between projections and attention, head by head: norm, rotation, append, of queries, keys and values.
/// One kernel for all three where that is legal, else one for each.
bool heads(Partition& partition, OpId id) {
  const Planning& planning = partition.planning();
  const Op& attention = planning.op(id);
  if (as<Attention>(attention) == nullptr) return false;
  std::vector<std::vector<OpId>> chains;
  for (const ValueId operand : attention.in) {
    std::vector<OpId> chain;
    for (OpId at = operand ? planning.value(operand).writer : OpId{}; at;) {
      const Op& op = planning.op(at);
      const bool of_heads = as<Append>(op) != nullptr || as<Rotary>(op) != nullptr || is_norm_of_heads(planning, op);
      const bool goes_on = chain.empty() || only_reader(partition, op.out) == chain.back();
      if (!of_heads || !goes_on || !is_single(partition, at)) break;
      chain.push_back(at);
      at = planning.value(op.in[as<Append>(op) != nullptr ? 1 : 0]).writer;
    }
    if (!chain.empty()) chains.push_back(chain);
  }
  const auto merge = [&](const std::vector<OpId>& ops) {
    std::vector<GroupId> groups;
    for (const OpId op : ops) groups.push_back(partition.of(op));
    return groups.size() > 1 && partition.merge(groups, ops.front());
  };
  std::vector<OpId> all;
  for (const std::vector<OpId>& chain : chains) all.insert(all.end(), chain.begin(), chain.end());
  if (merge(all)) return true;
  // As many as go together: values that are mixed before they are kept stand apart.
  bool merged = false;
  std::vector<OpId> together;
  for (const std::vector<OpId>& chain : chains) {
    std::vector<OpId> longer = together;
    longer.insert(longer.end(), chain.begin(), chain.end());
    const bool fits = merge(longer);
    merged |= fits || merge(chain);
    if (fits || together.empty()) together = std::move(longer);
  }
  return merged;
}

/// Maps on Maps are one kernel.
bool map_chain(Partition& partition, OpId id) {
  const Op& op = partition.planning().op(id);
  if (as<Map>(op) == nullptr || !is_anchored_by<Map>(partition, partition.of(id))) return false;
  for (const ValueId operand : op.in) {
    const GroupId writer = partition.writer(operand);
    if (!writer || writer == partition.of(id) || !is_anchored_by<Map>(partition, writer)) continue;
    if (partition.merge({writer, partition.of(id)}, anchor_of(partition, writer))) return true;
  }
  return false;
}

}  // namespace

const std::vector<Rule> rules = {
    {"pair_rows", pair_rows},     {"stack_rows", stack_rows},   {"norm_after", norm_after}, {"map_after", map_after},
    {"norm_before", norm_before}, {"rows_before", rows_before}, {"heads", heads},           {"map_chain", map_chain},
};

void fuse(Partition& partition, std::vector<std::int64_t>* fired) {
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    for (const OpId op : partition.function().ops) {
      if (!rules[rule].apply(partition, op)) continue;
      if (fired != nullptr) ++fired->at(rule);
    }
  }
}

}  // namespace monomorph::generator
