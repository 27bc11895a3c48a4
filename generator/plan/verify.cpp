#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "generator/ops/op_type.hpp"
#include "generator/plan/draft.hpp"
#include "generator/plan/make.hpp"
#include "generator/plan/place.hpp"

namespace monomorph::generator {
namespace {

constexpr std::int64_t max_slice_bytes = std::int64_t{128} << 20, max_grid = 65535;

/// Bytes of an arena, in columns where several values share a row.
struct Bytes {
  std::int64_t begin = 0, end = 0;
  std::int64_t first_column = 0, last_column = 0;
  BufferId buffer;
};

bool overlap(const Bytes& a, const Bytes& b) {
  if (a.buffer == b.buffer) return a.first_column < b.last_column && b.first_column < a.last_column;
  return a.begin < b.end && b.begin < a.end;
}

/// One section of one phase.
class SectionCheck {
 public:
  SectionCheck(const Plan& plan, const Planning& planning, const Section& section, std::vector<Complaint>& complaints)
      : plan_(plan), planning_(planning), section_(section), complaints_(complaints) {}

  void run() {
    each_op_once();
    reads_follow_writes();
    bytes_are_apart();
    carried_results_arrive();
  }

 private:
  void complain(const char* invariant, const std::string& message) {
    complaints_.push_back({invariant, fmt::format("{}, {}: {}", planning_.phase.name,
                                                  planning_.graph.functions[section_.function].name, message)});
  }
  const std::string& role(ValueId value) const { return planning_.value(value).role; }

  void each_op_once() {
    std::map<OpId, int> computed;
    for (const Call& call : section_.calls) {
      for (const OpId op : call.computes.ops) ++computed[op];
    }
    for (const OpId op : planning_.graph.functions[section_.function].ops) {
      if (computed[op] != 1) {
        complain("P1", fmt::format("{} is computed {} times", role(planning_.op(op).out), computed[op]));
      }
      computed.erase(op);
    }
    if (!computed.empty()) complain("P1", "a call computes an operation of another function");
  }

  /// Whether an argument is what holds this value.
  bool holds(const Argument& argument, ValueId id) const {
    const Value& value = planning_.value(id);
    if (const auto* buffer = std::get_if<BufferId>(&argument)) {
      if (value.storage == Storage::angles && *buffer == plan_.angles[value.declared]) return true;
      const auto place = section_.places.find(id);
      return place != section_.places.end() && place->second.buffer == *buffer;
    }
    if (const auto* state = std::get_if<StateId>(&argument)) {
      return value.storage == Storage::state && state->index == value.declared;
    }
    if (value.storage != Storage::weight) return false;
    const std::vector<StoredRows>& pieces = plan_.stored[std::get<StoredId>(argument)].pieces;
    return std::any_of(pieces.begin(), pieces.end(),
                       [&](const StoredRows& p) { return p.weight.index == value.declared; });
  }

  /// Whether the call binds what holds this value, so that it can be read or written.
  bool binds(const Call& call, ValueId id, bool write) const {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const Access access = plan_.kernels[call.kernel].bindings[i].access;
      if (write ? access == Access::read : access == Access::write) continue;
      if (holds(call.arguments[i], id)) return true;
    }
    return false;
  }

  /// What a call binds holds something that it reads or writes.
  void bindings_are_used(const Call& call) {
    std::vector<ValueId> values = planning_.inputs(call.computes);
    std::ranges::copy(planning_.outputs(call.computes), std::back_inserter(values));
    if (call.copies) values.push_back(call.copies);
    // Where a copy goes is P4's matter.
    for (std::size_t i = 0; i + (call.copies ? 1 : 0) < call.arguments.size(); ++i) {
      if (std::ranges::any_of(values, [&](ValueId id) { return holds(call.arguments[i], id); })) continue;
      complain("P2", fmt::format("argument {} of {} holds nothing that it reads or writes", i + 1, call.word));
    }
  }

  void reads_follow_writes() {
    const Function& function = planning_.graph.functions[section_.function];
    std::set<ValueId> known(function.parameters.begin(), function.parameters.end());
    for (const Call& call : section_.calls) {
      bindings_are_used(call);
      if (call.copies && !known.contains(call.copies)) complain("P2", "a copy of what is not written");
      for (const ValueId in : planning_.inputs(call.computes)) {
        const Value& value = planning_.value(in);
        if (value.storage == Storage::host) continue;  // in the step, which every kernel has
        if (value.function && !known.contains(in))
          complain("P2", fmt::format("{} is read before it is written", role(in)));
        const bool appended = value.storage == Storage::state;
        if (!binds(call, in, appended && !reads_state(call, in))) {
          complain("P2", fmt::format("{} is read, and {} does not bind it", role(in), call.word));
        }
      }
      for (const ValueId out : planning_.outputs(call.computes)) {
        if (!binds(call, out, true))
          complain("P2", fmt::format("{} is written, and {} does not bind it", role(out), call.word));
        known.insert(out);
      }
    }
  }

  /// Whether an operation of the call reads a state's entries, and does not only replace its version.
  bool reads_state(const Call& call, ValueId state) const {
    return std::any_of(call.computes.ops.begin(), call.computes.ops.end(), [&](OpId id) {
      const Op& op = planning_.op(id);
      return type_of(op).states != Access::write && std::find(op.in.begin(), op.in.end(), state) != op.in.end();
    });
  }

  Bytes bytes_of(ValueId value) const {
    const Place& place = section_.places.at(value);
    const Buffer& buffer = plan_.buffers[place.buffer];
    const std::int64_t columns = planning_.axis(planning_.value(value).axes[1]).size;
    return {buffer.offset, buffer.offset + buffer.bytes, place.first_column, place.first_column + columns,
            place.buffer};
  }

  /// Whether the call that writes `result` may do so where `operand`, which it reads, lies.
  bool may_take(ValueId result, ValueId operand, const Call& call) const {
    std::vector<ValueId> outputs = planning_.outputs(call.computes);
    std::erase_if(outputs, [&](ValueId out) { return planning_.value(out).storage == Storage::state; });
    if (outputs.size() != 1 || outputs[0] != result) return false;
    const std::vector<ValueId> operands = in_place_operands(call.computes, planning_);
    return std::find(operands.begin(), operands.end(), operand) != operands.end();
  }

  void bytes_are_apart() {
    const Function& function = planning_.graph.functions[section_.function];
    const auto count = static_cast<std::int64_t>(section_.calls.size());
    struct Life {
      ValueId value;
      std::int64_t written, last_read;
    };
    std::vector<Life> lives;
    const auto life = [&](ValueId value, std::int64_t written) {
      Life result{value, written, written};
      for (std::int64_t call = 0; call < count; ++call) {
        const Call& each = section_.calls[static_cast<std::size_t>(call)];
        const std::vector<ValueId> inputs = planning_.inputs(each.computes);
        const bool reads = std::find(inputs.begin(), inputs.end(), value) != inputs.end() || each.copies == value;
        if (reads) result.last_read = call;
      }
      const bool copied = std::any_of(section_.calls.begin(), section_.calls.end(),
                                      [&](const Call& call) { return call.copies == value; });
      if (planning_.graph.is_result(value) && !copied) result.last_read = count;
      lives.push_back(result);
    };
    const std::vector<Stack>& stacks = planning_.graph.stacks;
    const bool is_embedding = std::ranges::find(stacks, section_.function, &Stack::embed) != stacks.end();
    const bool is_layer = !is_embedding && section_.function != planning_.graph.head;
    for (const ValueId parameter : function.parameters) {
      if (planning_.value(parameter).storage != Storage::activation) continue;
      life(parameter, -1);
      if (is_layer && !gives(function, role(parameter))) lives.back().last_read = count;
    }
    for (std::int64_t call = 0; call < count; ++call) {
      for (const ValueId out : planning_.outputs(section_.calls[static_cast<std::size_t>(call)].computes)) {
        if (planning_.value(out).storage == Storage::activation && section_.places.contains(out)) life(out, call);
      }
    }
    for (const Life& one : lives) {
      for (const BufferId passing : plan_.carried) {
        const Buffer& field = plan_.buffers[passing];
        const Bytes bytes = bytes_of(one.value);
        if (!is_layer || one.written < 0 || gives(function, field.word)) continue;
        if (bytes.begin >= field.offset + field.bytes || field.offset >= bytes.end) continue;
        complain("P3", fmt::format("{} overwrites {}, which passes by", role(one.value), field.word));
      }
      for (const Life& other : lives) {
        const bool earlier = std::pair(one.written, one.value) < std::pair(other.written, other.value);
        if (!earlier || one.last_read < other.written) continue;
        const Bytes a = bytes_of(one.value), b = bytes_of(other.value);
        if (plan_.buffers[a.buffer].arena != plan_.buffers[b.buffer].arena || !overlap(a, b)) continue;
        const bool last_reader = one.last_read == other.written && one.written < other.written;
        if (last_reader && may_take(other.value, one.value, section_.calls[static_cast<std::size_t>(other.written)]))
          continue;
        complain("P3", fmt::format("{} overwrites {}, which is read later", role(other.value), role(one.value)));
      }
    }
  }

  /// Whether the function gives this field of the record anew.
  bool gives(const Function& function, const std::string& field) const {
    return std::any_of(function.results.begin(), function.results.end(),
                       [&](ValueId result) { return role(result) == field; });
  }

  void carried_results_arrive() {
    const FunctionId id = section_.function;
    const Function& function = planning_.graph.functions[id];
    for (const ValueId parameter : function.parameters) {
      if (planning_.value(parameter).storage != Storage::activation) continue;
      if (section_.places.at(parameter).buffer != plan_.carried_as(role(parameter))) {
        complain("P4", role(parameter) + " is not read where it is carried");
      }
    }
    for (const ValueId result : function.results) {
      if (id == planning_.graph.head || planning_.value(result).storage != Storage::activation) continue;
      const BufferId field = plan_.carried_as(role(result));
      const bool in_place = section_.places.contains(result) && section_.places.at(result).buffer == field;
      const bool copied = std::any_of(section_.calls.begin(), section_.calls.end(), [&](const Call& call) {
        return call.copies == result && call.arguments.back() == Argument(field);
      });
      if (!in_place && !copied) complain("P4", role(result) + " is not left where the next function reads it");
    }
  }

  const Plan& plan_;
  const Planning planning_;
  const Section& section_;
  std::vector<Complaint>& complaints_;
};

class PlanCheck {
 public:
  PlanCheck(const Plan& plan, const Graph& graph, const Contract& contract)
      : plan_(plan), graph_(graph), contract_(contract) {}

  std::vector<Complaint> run() {
    for (const PhasePlan& phase : plan_.phases) {
      for (const Section& section : phase.sections) {
        for (const Call& call : section.calls) check_call(call);
        if (!section.function) continue;
        const Planning planning{contract_, graph_, plan_.axes, *phase.row, phase.max_rows};
        SectionCheck(plan_, planning, section, complaints_).run();
      }
      if (phase.max_rows > max_grid) complain("P7", fmt::format("{} has {} rows", phase.row->name, phase.max_rows));
    }
    weights_lie_once();
    buffers_fit();
    return std::move(complaints_);
  }

 private:
  void complain(const char* invariant, const std::string& message) { complaints_.push_back({invariant, message}); }

  /// What the argument's C++ type is made of.
  std::string type_of_argument(const Argument& argument) const {
    if (const auto* buffer = std::get_if<BufferId>(&argument)) {
      const Buffer& b = plan_.buffers[*buffer];
      return fmt::format("Tensor {} {}", b.role, plan_.axes.shape(b.axes));
    }
    if (const auto* state = std::get_if<StateId>(&argument)) {
      const StateContract& s = contract_.states[*state];
      return fmt::format("State {} {}", s.role, plan_.axes.shape(s.axes));
    }
    const Stored& s = plan_.stored[std::get<StoredId>(argument)];
    return fmt::format("Weight {} {} {}", s.role, name_of(s.format), plan_.axes.shape(s.axes));
  }

  void check_call(const Call& call) {
    const Kernel& kernel = plan_.kernels[call.kernel];
    if (call.arguments.size() != kernel.bindings.size()) {
      return complain("P7", call.word + " has other arguments than its kernel has bindings");
    }
    if (static_cast<std::int64_t>(kernel.bindings.size()) + 1 > max_bindings) {
      complain("P7", fmt::format("{} binds {} buffers; a device may have {}", kernel.name, kernel.bindings.size() + 1,
                                 max_bindings));
    }
    std::map<std::string, std::size_t> types;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const std::string type = type_of_argument(call.arguments[i]);
      const auto [other, first] = types.emplace(type, i);
      // One value may be read twice: whichever is which.
      const bool read_twice = !first && call.arguments[i] == call.arguments[other->second] &&
                              kernel.bindings[i].access == Access::read &&
                              kernel.bindings[other->second].access == Access::read;
      if (!first && !read_twice) complain("P5", fmt::format("{} takes two of type {}", call.word, type));
      if (!kernel.bindings[i].splits) continue;
      const std::int64_t rows = plan_.rows_of(call) * (call.banks ? plan_.axes[call.banks].size : 1);
      const auto* stored = std::get_if<StoredId>(&call.arguments[i]);
      if (stored == nullptr || plan_.stored[*stored].rows != rows) {
        complain("P6",
                 fmt::format("{} is cut by {} rows, which {} does not have", call.word, rows, kernel.bindings[i].name));
      }
    }
  }

  void weights_lie_once() {
    std::map<WeightId, int> places;
    for (const Stored& stored : plan_.stored) {
      std::int64_t rows = 0;
      for (const StoredRows& piece : stored.pieces) {
        rows += piece.rows;
        if (piece.weight) ++places[piece.weight];
      }
      if (rows != (stored.axes.size() == 2 ? stored.rows : stored.columns)) {
        complain("P6", stored.role + " has other rows than its pieces");
      }
      const std::int64_t row = row_bytes(stored.format, stored.columns);
      if (stored.bytes != stored.rows * row) complain("P7", stored.role + " has not the bytes of its rows");
      if (row > max_slice_bytes) complain("P7", stored.role + " has rows that no device binds");
    }
    for (const WeightId id : contract_.weights.ids()) {
      if (places[id] != 1) complain("P4", fmt::format("{} lies in {} places", contract_.weights[id].role, places[id]));
    }
  }

  void buffers_fit() {
    const std::map<Arena, std::int64_t> arenas = {{Arena::activations, plan_.activation_bytes},
                                                  {Arena::states, plan_.state_bytes},
                                                  {Arena::host, plan_.host_bytes}};
    for (const Buffer& buffer : plan_.buffers) {
      if (buffer.offset % view_alignment != 0) complain("P7", buffer.role + " begins at an offset that is not aligned");
      if (buffer.offset < 0 || buffer.offset + buffer.bytes > arenas.at(buffer.arena)) {
        complain("P7", buffer.role + " leaves its arena");
      }
      if (buffer.bytes < padded_bytes(plan_.axes, buffer.axes, Dtype::f32))
        complain("P7", buffer.role + " is too small");
    }
    std::int64_t end = 0;
    for (const StateId id : contract_.states.ids()) {
      const StateTable& table = plan_.states[id.index];
      const std::int64_t begin = table.view.offset;
      if (begin % view_alignment != 0 || table.stride % view_alignment != 0 || table.stride < table.view.bytes) {
        complain("P7", contract_.states[id].role + " is not laid out in whole layers");
      }
      if (begin < end) complain("P4", contract_.states[id].role + " lies in another state");
      end = begin + table.layers * table.stride;
    }
    if (end > plan_.state_bytes) complain("P7", "states leave their arena");
  }

  const Plan& plan_;
  const Graph& graph_;
  const Contract& contract_;
  std::vector<Complaint> complaints_;
};

}  // namespace

std::vector<Complaint> check_plan(const Plan& plan, const Graph& graph, const Contract& contract) {
  return PlanCheck(plan, graph, contract).run();
}

void verify_plan(const Plan& plan, const Graph& graph, const Contract& contract) {
  const std::vector<Complaint> complaints = check_plan(plan, graph, contract);
  if (complaints.empty()) return;
  throw InternalError(fmt::format("plan {}: {}", complaints[0].invariant, complaints[0].message));
}

}  // namespace monomorph::generator
