#include "generator/plan/partition.hpp"

#include <algorithm>
#include <set>

#include "generator/ops/op_type.hpp"

namespace monomorph::generator {
namespace {

bool contains(const std::vector<OpId>& ops, OpId op) { return std::find(ops.begin(), ops.end(), op) != ops.end(); }

}  // namespace

Dtype Planning::format(ValueId weight) const {
  const WeightContract& declared = contract.weights[{value(weight).declared}];
  return declared.axes.size() == 1 ? Dtype::f32 : declared.dtype;
}

std::vector<ValueId> Planning::outputs(const Group& group) const {
  std::vector<ValueId> result;
  for (const OpId id : group.ops) {
    for (const ValueId out : op(id).results()) {
      const std::vector<OpId> readers = graph.readers(out);
      const bool outside = std::any_of(readers.begin(), readers.end(), [&](OpId r) { return !contains(group.ops, r); });
      if (outside || graph.is_result(out) || value(out).storage == Storage::state) result.push_back(out);
    }
  }
  return result;
}

std::vector<ValueId> Planning::inputs(const Group& group) const {
  std::vector<ValueId> result;
  for (const OpId id : group.ops) {
    for (const ValueId in : op(id).in) {
      if (!in || (value(in).writer && contains(group.ops, value(in).writer))) continue;
      if (std::find(result.begin(), result.end(), in) == result.end()) result.push_back(in);
    }
  }
  return result;
}

Partition::Partition(const Planning& planning, const Function& function, const Judgements& judgements)
    : planning_(planning), function_(function), judgements_(judgements) {
  of_.resize(planning.graph.ops.size());
  before_.resize(planning.graph.ops.size());
  for (const OpId id : function.ops) {
    of_[id.index] = {static_cast<std::uint32_t>(groups_.size())};
    groups_.push_back({{id}, id});
    std::vector<OpId>& before = before_[id.index];
    for (const ValueId in : planning.op(id).in) {
      if (!in) continue;
      const Value& value = planning.value(in);
      if (value.writer) before.push_back(value.writer);
      if (value.storage != Storage::state || type_of(planning.op(id)).states == Access::read) continue;
      for (const OpId reader : planning.graph.readers(in)) {
        if (reader != id) before.push_back(reader);
      }
    }
  }
}

GroupId Partition::of(OpId op) const { return of_.at(op.index); }

GroupId Partition::writer(ValueId value) const {
  const OpId op = planning_.value(value).writer;
  return op ? of(op) : GroupId{};
}

std::vector<GroupId> Partition::readers(ValueId value) const {
  std::set<GroupId> found;
  for (const OpId op : planning_.graph.readers(value)) found.insert(of(op));
  return {found.begin(), found.end()};
}

bool Partition::hides_what_others_read(const Group& group) const {
  const std::vector<ValueId> outputs = planning_.outputs(group);
  return std::any_of(outputs.begin(), outputs.end(), [&](ValueId out) {
    const std::vector<OpId> readers = planning_.graph.readers(out);
    return std::any_of(readers.begin(), readers.end(), [&](OpId reader) { return contains(group.ops, reader); });
  });
}

bool Partition::is_convex(const Group& group) const {
  // Groups that must precede this one, through others: none of them may follow it as well.
  std::set<GroupId> seen;
  std::vector<OpId> open;
  for (const OpId id : group.ops) {
    for (const OpId earlier : before(id)) {
      if (!contains(group.ops, earlier)) open.push_back(earlier);
    }
  }
  while (!open.empty()) {
    const OpId id = open.back();
    open.pop_back();
    if (contains(group.ops, id)) return false;
    if (!seen.insert(of(id)).second) continue;
    for (const OpId member : (*this)[of(id)].ops) {
      for (const OpId earlier : before(member)) open.push_back(earlier);
    }
  }
  return true;
}

bool Partition::merge(const std::vector<GroupId>& ids, OpId anchor) {
  Group merged;
  merged.anchor = anchor;
  for (const GroupId id : std::set<GroupId>(ids.begin(), ids.end())) {
    merged.ops.insert(merged.ops.end(), (*this)[id].ops.begin(), (*this)[id].ops.end());
  }
  std::sort(merged.ops.begin(), merged.ops.end());
  if (judgements_.single_reader && hides_what_others_read(merged)) return false;
  if (judgements_.convex && !is_convex(merged)) return false;
  if (!type_of(planning_.op(anchor)).accepts(merged, planning_)) return false;
  const GroupId kept = *std::min_element(ids.begin(), ids.end());
  for (const GroupId id : ids) groups_[id.index].ops.clear();
  for (const OpId op : merged.ops) of_[op.index] = kept;
  groups_[kept.index] = std::move(merged);
  return true;
}

std::vector<Group> Partition::ordered() const {
  std::vector<Group> result;
  std::set<GroupId> done;
  std::vector<GroupId> left;
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    if (!groups_[i].ops.empty()) left.push_back({i});
  }
  const auto ready = [&](GroupId id) {
    const std::vector<OpId>& ops = (*this)[id].ops;
    return std::all_of(ops.begin(), ops.end(), [&](OpId op) {
      return std::all_of(before(op).begin(), before(op).end(),
                         [&](OpId earlier) { return of(earlier) == id || done.contains(of(earlier)); });
    });
  };
  const auto first = [&](GroupId a, GroupId b) { return (*this)[a].ops.back() < (*this)[b].ops.back(); };
  std::sort(left.begin(), left.end(), first);
  while (!left.empty()) {
    // Groups that are convex have an order; others, which tests make, come as they stand.
    auto next = std::find_if(left.begin(), left.end(), ready);
    if (next == left.end()) next = left.begin();
    done.insert(*next);
    result.push_back((*this)[*next]);
    left.erase(next);
  }
  return result;
}

}  // namespace monomorph::generator
