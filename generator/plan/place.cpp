#include "generator/plan/place.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "generator/ops/op_type.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

/// When each activation of a function is written and last read, by the number of the call.
struct Lifetimes {
  std::map<ValueId, std::int64_t> written, last_read;

  Lifetimes(const Planning& planning, const std::vector<Group>& groups, const Function& function) {
    const auto count = static_cast<std::int64_t>(groups.size());
    for (const ValueId parameter : function.parameters) written[parameter] = last_read[parameter] = -1;
    for (std::int64_t call = 0; call < count; ++call) {
      const Group& group = groups[static_cast<std::size_t>(call)];
      for (const ValueId out : planning.outputs(group)) written[out] = last_read[out] = call;
      for (const ValueId in : planning.inputs(group)) last_read[in] = std::max(last_read[in], call);
    }
    for (const ValueId result : function.results) last_read[result] = count;
  }
};

/// Values that lie side by side in one row: what a stack of matrices gives, and what one `heads` reads.
std::vector<std::vector<ValueId>> packs_of(const Planning& planning, const std::vector<Group>& groups) {
  std::vector<std::vector<ValueId>> packs;
  const auto join = [&](const std::vector<ValueId>& values) {
    if (values.size() < 2) return;
    std::vector<ValueId> pack = values;
    for (auto other = packs.begin(); other != packs.end();) {
      const bool meets = std::any_of(other->begin(), other->end(), [&](ValueId value) {
        return std::find(values.begin(), values.end(), value) != values.end();
      });
      if (!meets) {
        ++other;
        continue;
      }
      for (const ValueId value : *other) {
        if (std::find(pack.begin(), pack.end(), value) == pack.end()) pack.push_back(value);
      }
      other = packs.erase(other);
    }
    packs.push_back(std::move(pack));
  };
  for (const Group& group : groups) {
    if (ops_of<Linear>(group, planning).size() > 1 && ops_of<Map>(group, planning).empty()) {
      join(planning.outputs(group));
    }
    std::vector<ValueId> sources;
    for (const ValueId in : planning.inputs(group)) {
      const bool of_heads = ops_of<Append>(group, planning).size() + ops_of<Rotary>(group, planning).size() > 0;
      if (group.ops.size() > 1 && of_heads && is_column(in, planning)) sources.push_back(in);
    }
    join(sources);
  }
  // In the order of writing: what one stack gives stays together.
  const auto call_of = [&](ValueId value) {
    const OpId writer = planning.value(value).writer;
    for (std::size_t call = 0; call < groups.size(); ++call) {
      const std::vector<OpId>& ops = groups[call].ops;
      if (std::find(ops.begin(), ops.end(), writer) != ops.end()) return call;
    }
    return groups.size();
  };
  for (std::vector<ValueId>& pack : packs) {
    std::sort(pack.begin(), pack.end(), [&](ValueId a, ValueId b) {
      return std::pair(call_of(a), planning.value(a).writer) < std::pair(call_of(b), planning.value(b).writer);
    });
  }
  return packs;
}

std::string joined_role(const Planning& planning, const std::vector<ValueId>& pack) {
  const std::string first = planning.value(pack[0]).role;
  const std::size_t colon = first.rfind("::");
  std::string role = colon == std::string::npos ? "" : first.substr(0, colon + 2);
  for (std::size_t i = 0; i < pack.size(); ++i) role += (i > 0 ? "_" : "") + last_word(planning.value(pack[i]).role);
  return role;
}

/// Whether it begins a record.
bool is_embedding(FunctionId function, const Graph& graph) {
  return std::ranges::find(graph.stacks, function, &Stack::embed) != graph.stacks.end();
}

}  // namespace

std::vector<ValueId> in_place_operands(const Group& group, const Planning& planning) {
  std::vector<ValueId> candidates = step_operands(group, planning);
  const Op& anchor = planning.op(group.anchor);
  const Norm* norm = as<Norm>(anchor);
  const bool of_rows = norm != nullptr && norm->over == planning.value(anchor.in[0]).axes[1];
  if (of_rows && ops_of<Gather>(group, planning).empty()) candidates.push_back(anchor.in[0]);
  // Not what other rows or columns of the result are computed from.
  std::erase_if(candidates, [&](ValueId candidate) {
    if (!planning.elementwise(candidate, planning.op(group.ops.back()).out)) return true;
    return std::any_of(group.ops.begin(), group.ops.end(), [&](OpId id) {
      const Op& op = planning.op(id);
      const bool reads = std::find(op.in.begin(), op.in.end(), candidate) != op.in.end();
      return reads && as<Map>(op) == nullptr && !(id == group.anchor && as<Norm>(op) != nullptr);
    });
  });
  return candidates;
}

std::int64_t padded_bytes(const AxisTable& axes, const std::vector<AxisId>& shape, Dtype element) {
  std::int64_t bytes = row_bytes(element, axes[shape.back()].size);
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) bytes *= axes[shape[i]].size;
  return bytes;
}

AxisId joined_axis(AxisTable& axes, const std::vector<AxisId>& parts) {
  if (parts.size() == 1) return parts[0];
  Axis joined;
  std::set<std::string> users;
  for (const AxisId part : parts) {
    joined.word += (joined.word.empty() ? "" : "_") + axes[part].word;
    joined.size += axes[part].size;
    users.insert(axes[part].users.begin(), axes[part].users.end());
  }
  const AxisId id = axes.intern(joined);
  for (const std::string& user : users) axes.intern(joined, user);
  return id;
}

ActivationPlaces::Entry& ActivationPlaces::entry(BufferId id) {
  return *std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.buffer == id; });
}

bool ActivationPlaces::is_carried(BufferId id) const {
  return std::find(plan_.carried.begin(), plan_.carried.end(), id) != plan_.carried.end();
}

void ActivationPlaces::use(BufferId id, const Use& use, const std::string& user) {
  entry(id).uses.push_back(use);
  std::vector<std::string>& users = plan_.buffers[id].users;
  if (!user.empty() && std::find(users.begin(), users.end(), user) == users.end()) users.push_back(user);
}

BufferId ActivationPlaces::free_buffer(const std::string& role, const std::vector<AxisId>& axes, const Use& use,
                                       BufferId own) {
  int number = 1;
  for (const Entry& entry : entries_) {
    const Buffer& buffer = plan_.buffers[entry.buffer];
    if (buffer.word != role || buffer.axes != axes) continue;
    ++number;
    const bool taken = std::any_of(entry.uses.begin(), entry.uses.end(), [&](const Use& other) {
      return other.section == use.section && other.first <= use.last && use.first <= other.last;
    });
    if (!taken && (!is_carried(entry.buffer) || entry.buffer == own || !own)) return entry.buffer;
  }
  Buffer buffer;
  buffer.word = role;
  buffer.number = number;
  buffer.axes = axes;
  buffer.bytes = padded_bytes(plan_.axes, axes, Dtype::f32);
  const BufferId id = plan_.buffers.add(buffer);
  entries_.push_back({id, {}});
  return id;
}

void ActivationPlaces::carry(const Planning& planning) {
  std::vector<FunctionId> functions;
  for (const Stack& stack : planning.graph.stacks) functions.push_back(stack.embed);
  functions.insert(functions.end(), planning.graph.layers.begin(), planning.graph.layers.end());
  plan_.hidden_states.resize(planning.graph.stacks.size());
  for (const FunctionId function : functions) {
    for (const ValueId id : planning.graph.functions[function].results) {
      const Value& value = planning.value(id);
      if (value.storage != Storage::activation || plan_.carried_as(value.role)) continue;
      plan_.carried.push_back(free_buffer(value.role, value.axes, {}, {}));
      for (std::size_t stack = 0; stack < planning.graph.stacks.size(); ++stack) {
        if (id == planning.graph.stacks[stack].hidden_states) plan_.hidden_states[stack] = plan_.carried.back();
      }
    }
  }
}

void ActivationPlaces::place(const Planning& planning, const std::vector<Group>& groups, const Judgements& judgements,
                             Section& section) {
  const Function& function = planning.graph.functions[section.function];
  Lifetimes lifetimes(planning, groups, function);
  const auto count = static_cast<std::int64_t>(groups.size());
  const bool is_head = section.function == planning.graph.head;
  const bool is_layer = !is_head && !is_embedding(section.function, planning.graph);
  const std::string user = section.kind != Scope::model ? function.name : "";
  if (plan_.carried.empty()) carry(planning);
  const auto use_of = [&](ValueId value) {
    return Use{sections_, lifetimes.written.at(value), lifetimes.last_read.at(value)};
  };
  const auto put = [&](ValueId value, BufferId buffer) {
    section.places[value] = {buffer, 0};
    use(buffer, use_of(value), user);
  };
  std::map<ValueId, BufferId> own;  // of a result for the record: the buffer that the next function reads
  std::set<BufferId> ends;          // fields whose values end here, since the function gives others
  for (const ValueId result : function.results) {
    if (is_head || planning.value(result).storage != Storage::activation) continue;
    own[result] = plan_.carried_as(planning.value(result).role);
    ends.insert(own[result]);
  }
  std::set<BufferId> taken;
  for (const ValueId parameter : function.parameters) {
    if (planning.value(parameter).storage != Storage::activation) continue;
    const BufferId buffer = plan_.carried_as(planning.value(parameter).role);
    if (is_layer && !ends.contains(buffer)) lifetimes.last_read[parameter] = count;
    put(parameter, buffer);
    taken.insert(buffer);
  }
  for (const BufferId buffer : plan_.carried) {
    if (is_layer && !ends.contains(buffer) && !taken.contains(buffer)) use(buffer, {sections_, -1, count}, "");
  }

  for (const std::vector<ValueId>& pack : packs_of(planning, groups)) {
    std::vector<AxisId> parts;
    Use whole{sections_, count, -1};
    for (const ValueId value : pack) {
      parts.push_back(planning.value(value).axes[1]);
      whole.first = std::min(whole.first, use_of(value).first);
      whole.last = std::max(whole.last, use_of(value).last);
    }
    const std::vector<AxisId> axes = {planning.value(pack[0]).axes[0], joined_axis(plan_.axes, parts)};
    const BufferId buffer = free_buffer(joined_role(planning, pack), axes, whole, {});
    use(buffer, whole, user);
    std::int64_t column = 0;
    for (const ValueId value : pack) {
      section.places[value] = {buffer, column};
      column += planning.axis(planning.value(value).axes[1]).size;
    }
  }

  for (std::int64_t call = 0; call < count; ++call) {
    const Group& group = groups[static_cast<std::size_t>(call)];
    for (const ValueId out : planning.outputs(group)) {
      const Value& value = planning.value(out);
      if (value.storage != Storage::activation || section.places.contains(out)) continue;
      if (is_head && planning.graph.is_result(out)) {
        section.places[out] = {plan_.output, 0};
        continue;
      }
      const BufferId wanted = own.contains(out) ? own.at(out) : BufferId{};
      for (const ValueId operand : in_place_operands(group, planning)) {
        const auto at = section.places.find(operand);
        if (at == section.places.end()) continue;
        const BufferId buffer = at->second.buffer;
        const bool same_type = plan_.buffers[buffer].word == value.role && plan_.buffers[buffer].axes == value.axes;
        const bool free = !judgements.live_in_place || lifetimes.last_read.at(operand) == call;
        const bool foreign = wanted && is_carried(buffer) && buffer != wanted;
        if (!same_type || !free || foreign) continue;
        put(out, buffer);
        break;
      }
      if (!section.places.contains(out)) put(out, free_buffer(value.role, value.axes, use_of(out), wanted));
    }
  }
  ++sections_;
}

std::int64_t ActivationPlaces::lay_out() {
  const auto conflict = [&](const Entry& a, const Entry& b) {
    if (is_carried(a.buffer) || is_carried(b.buffer)) return true;
    for (const Use& one : a.uses) {
      for (const Use& other : b.uses) {
        if (one.section == other.section && one.first <= other.last && other.first <= one.last) return true;
      }
    }
    return false;
  };
  std::vector<Entry> placed;
  std::int64_t total = 0;
  for (const Entry& entry : entries_) {
    Buffer& buffer = plan_.buffers[entry.buffer];
    // First fit: the lowest offset that meets none of those already placed and in use at the same time.
    std::int64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (const Entry& other : placed) {
        const Buffer& taken = plan_.buffers[other.buffer];
        const bool overlaps =
            offset < taken.offset + aligned(taken.bytes) && taken.offset < offset + aligned(buffer.bytes);
        if (!overlaps || !conflict(entry, other)) continue;
        offset = taken.offset + aligned(taken.bytes);
        moved = true;
      }
    }
    buffer.offset = offset;
    total = std::max(total, offset + aligned(buffer.bytes));
    placed.push_back(entry);
  }
  return total;
}

}  // namespace monomorph::generator
