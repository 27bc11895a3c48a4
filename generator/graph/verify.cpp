#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "generator/ops/op_type.hpp"

namespace monomorph::generator {
namespace {

class GraphCheck {
 public:
  GraphCheck(const Graph& graph, const Contract& contract) : graph_(graph), contract_(contract) {}

  std::vector<Complaint> run() {
    one_writer();
    if (!complaints_.empty()) return std::move(complaints_);  // who writes what is asked by all that follows
    for (const FunctionId id : graph_.functions.ids()) check_function(id);
    all_used();
    chained();
    return std::move(complaints_);
  }

 private:
  void complain(const char* invariant, const std::string& message) { complaints_.push_back({invariant, message}); }

  std::string described(OpId id) const {
    const Op& op = graph_.ops[id];
    const std::string out = op.out ? graph_.values[op.out].role : "nothing";
    return fmt::format("{}: operation {} ({} -> {})", graph_.function_of(op).name, id.index, type_of(op).name, out);
  }

  void one_writer() {
    std::map<ValueId, OpId> writers;
    for (const OpId id : graph_.ops.ids()) {
      if (!graph_.ops[id].out) {
        complain("G1", described(id) + " gives nothing");
        continue;
      }
      for (const ValueId out : graph_.ops[id].results()) {
        if (!writers.emplace(out, id).second) complain("G1", described(id) + ": its result has another writer");
        if (graph_.values[out].writer != id) complain("G1", described(id) + ": its result names another writer");
      }
    }
    for (const ValueId id : graph_.values.ids()) {
      const Value& value = graph_.values[id];
      if (value.writer && !writers.contains(id)) complain("G1", value.role + " names a writer that does not write it");
      const bool given = value.storage != Storage::activation || graph_.is_parameter(id);
      if (!value.writer && !given) complain("G1", value.role + " is never written");
      if (value.writer && graph_.is_parameter(id)) complain("G1", value.role + " is a parameter, and written");
      const bool constant =
          value.storage == Storage::weight || value.storage == Storage::angles || value.storage == Storage::host;
      if (value.writer && constant) complain("G1", value.role + " is declared, and written");
    }
  }

  void check_function(FunctionId id) {
    const Function& function = graph_.functions[id];
    std::set<ValueId> known(function.parameters.begin(), function.parameters.end());
    std::map<std::uint32_t, ValueId> newest;  // of each state
    for (const ValueId parameter : function.parameters) {
      const Value& value = graph_.values[parameter];
      if (value.storage == Storage::state) newest[value.declared] = parameter;
    }
    for (const OpId op_id : function.ops) {
      const Op& op = graph_.ops[op_id];
      if (op.function != id) complain("G2", described(op_id) + " stands in another function");
      for (const ValueId in : op.in) {
        if (!in) continue;
        const Value& value = graph_.values[in];
        if (!value.function) {
          check_scope(id, op_id, value);
        } else if (!known.contains(in)) {
          complain("G2",
                   fmt::format("{} reads {} before it is written, or from elsewhere", described(op_id), value.role));
        }
        if (value.storage == Storage::state && newest[value.declared] != in) {
          complain("G4", fmt::format("{} reads an old version of {}", described(op_id), value.role));
        }
      }
      std::vector<std::string> faults;
      OperandCheck operands(graph_, op, faults);
      type_of(op).verify(op, operands);
      if (const auto* attention = as<Attention>(op)) check_ring(op_id, {attention->recent, attention->first});
      if (as<Convolve>(op) != nullptr) check_ring(op_id, {convolved_positions(op, graph_), 0});
      check_source(id, op_id);
      if (op.next && type_of(op).states != Access::read_write) {
        complain("G3", described(op_id) + " gives a next version beside its result, and no state that it writes");
      }
      if (as<Pool>(op) != nullptr && !contract_.one_pass) {
        complain("G3", described(op_id) + " pools the tokens of a pass, of which a text may have several");
      }
      for (const std::string& fault : faults) complain("G3", described(op_id) + " " + fault);
      for (const ValueId result : op.results()) {
        known.insert(result);
        const Value& out = graph_.values[result];
        if (id == graph_.head && (out.axes.empty() || graph_.axes[out.axes[0]].live != Live::rows)) {
          complain("G3", described(op_id) + " is in the head, and not of the rows that are wanted");
        }
        if (out.storage == Storage::state) newest[out.declared] = result;
      }
    }
    for (const ValueId result : function.results) {
      if (!known.contains(result)) complain("G2", function.name + " gives a value that it does not have");
      const Value& value = graph_.values[result];
      if (value.storage == Storage::state && newest[value.declared] != result) {
        complain("G4", fmt::format("{} gives back an old version of {}", function.name, value.role));
      }
    }
  }

  /// What is kept of a source is written by the functions of sources alone, and seen as such.
  void check_source(FunctionId function, OpId id) {
    const Op& op = graph_.ops[id];
    const bool of_source = std::ranges::find(graph_.sources, function) != graph_.sources.end();
    const auto* attention = as<Attention>(op);
    const bool writes = type_of(op).states != Access::read, sees_source = attention != nullptr && attention->of_source;
    for (const ValueId in : op.in) {
      if (!in || graph_.values[in].storage != Storage::state) continue;
      const StateContract& state = contract_.states[{graph_.values[in].declared}];
      if (!writes && sees_source != state.source()) {
        complain("G3", fmt::format("{} takes {} for what it is not: a source's tokens are no positions", described(id),
                                   state.role));
      }
      if (writes && state.source() != of_source) {
        complain("G6", fmt::format("{} writes {}, which is {}", described(id), state.role,
                                   state.source() ? "a source's" : "no source's"));
      }
      if ((type_of(op).states == Access::read_write) != state.recurrent()) {
        complain("G3", fmt::format("{} takes {} for what it is not: a recurrence's state has no positions",
                                   described(id), state.role));
      }
    }
  }

  /// What an operation sees of a ring still has its entry when a whole pass has been written.
  void check_ring(OpId id, const Window& seen) {
    for (const ValueId in : graph_.ops[id].in) {
      if (!in || graph_.values[in].storage != Storage::state) continue;
      const StateContract& state = contract_.states[{graph_.values[in].declared}];
      if (!state.ring()) continue;
      const Window& kept = state.window;
      const bool within = seen.recent >= 1 && seen.recent <= kept.recent && seen.first <= kept.first;
      if (!within) complain("G7", fmt::format("{} sees more than {} keeps", described(id), state.role));
      const std::int64_t entries = contract_.axes[state.axes[2]].size;
      if (entries >= kept.first + kept.recent + contract_.prefill_chunk - 1) continue;
      complain("G7", fmt::format("{} has {} entries, too few for its window and a pass", state.role, entries));
    }
  }

  /// A layer's weights are those of its kind or of the model.
  void check_scope(FunctionId function, OpId op, const Value& value) {
    if (value.storage != Storage::weight) return;
    const Scope scope = contract_.weights[{value.declared}].scope;
    if (scope.kind == Scope::model) return;
    const bool own = graph_.kind_of(function) == scope.kind;
    if (!own) complain("G2", fmt::format("{} reads {} of another kind of layer", described(op), value.role));
  }

  void all_used() {
    for (const OpId id : graph_.ops.ids()) {
      for (const ValueId out : graph_.ops[id].results()) {
        if (graph_.readers(out).empty() && !graph_.is_result(out)) {
          complain("G5", described(id) + ": nothing reads its result");
        }
      }
    }
    const auto read = [&](Storage storage, std::uint32_t declared) {
      return std::any_of(graph_.ops.begin(), graph_.ops.end(), [&](const Op& op) {
        return std::any_of(op.in.begin(), op.in.end(), [&](ValueId in) {
          return in && graph_.values[in].storage == storage && graph_.values[in].declared == declared;
        });
      });
    };
    for (const WeightId id : contract_.weights.ids()) {
      if (!read(Storage::weight, id.index)) complain("G5", contract_.weights[id].role + " is declared and never read");
    }
    for (const StateId id : contract_.states.ids()) {
      if (!read(Storage::state, id.index)) complain("G5", contract_.states[id].role + " is declared and never read");
    }
    for (const AnglesId id : contract_.angles.ids()) {
      if (!read(Storage::angles, id.index)) complain("G5", contract_.angles[id].role + " is declared and never read");
    }
  }

  bool alike(ValueId a, ValueId b) const {
    const Value &one = graph_.values[a], &other = graph_.values[b];
    return one.role == other.role && one.storage == other.storage && one.element == other.element &&
           one.axes == other.axes && (one.storage != Storage::state || one.declared == other.declared);
  }

  std::vector<ValueId> activations(const std::vector<ValueId>& values) const {
    std::vector<ValueId> result;
    for (const ValueId value : values) {
      if (graph_.values[value].storage == Storage::activation) result.push_back(value);
    }
    return result;
  }

  /// The record between functions, by role, and the roles that have been taken of it.
  struct Record {
    std::map<std::string, ValueId> fields;
    std::set<std::string> taken;
  };

  void take(Record& record, const Function& function) {
    for (const ValueId parameter : activations(function.parameters)) {
      const std::string& role = graph_.values[parameter].role;
      const auto given = record.fields.find(role);
      if (given == record.fields.end()) {
        complain("G6", fmt::format("{} takes {}, which nothing before it gives", function.name, role));
      } else if (!alike(given->second, parameter)) {
        complain("G6", fmt::format("{} takes {} as another type than is given", function.name, role));
      }
      record.taken.insert(role);
    }
  }

  void give(Record& record, const Function& function) {
    std::set<std::string> roles;
    for (const ValueId result : activations(function.results)) {
      const std::string& role = graph_.values[result].role;
      const auto [known, is_new] = record.fields.emplace(role, result);
      const bool once = roles.insert(role).second;
      if (!once || !alike(known->second, result)) {
        complain("G6", fmt::format("{} gives {} twice, or as another type", function.name, role));
      }
    }
  }

  /// `run`: the kinds of the layers that have run, this one's last.
  void states_go_on(const Function& function, std::size_t kind, std::span<const std::size_t> run) {
    std::multiset<std::uint32_t> taken, given;
    for (const ValueId id : function.parameters) {
      const Value& value = graph_.values[id];
      if (value.storage != Storage::state) continue;
      if (value.declared < contract_.states.size() && contract_.states[{value.declared}].source()) {
        if (contract_.states[{value.declared}].scope.kind != kind) {
          complain("G6", fmt::format("{} reads {} of another kind of layer", function.name, value.role));
        }
        continue;
      }
      const std::size_t owner =
          value.declared < contract_.states.size() ? contract_.states[{value.declared}].scope.kind : Scope::model;
      if (owner == kind) taken.insert(value.declared);
      const auto is_alike = [&](std::size_t each) {
        return owner < contract_.kinds.size() && contract_.kinds[each].kind.name == contract_.kinds[owner].kind.name;
      };
      const auto last = std::find_if(run.rbegin(), run.rend(), is_alike);
      if (last == run.rend()) {
        complain("G6", fmt::format("{} reads {} of a kind of layer that has not run", function.name, value.role));
      } else if (*last != owner) {
        complain("G6",
                 fmt::format("{} reads {} of a layer that is not the last of its kind", function.name, value.role));
      }
    }
    for (const ValueId id : function.results) {
      if (graph_.values[id].storage == Storage::state) given.insert(graph_.values[id].declared);
    }
    if (taken != given) complain("G6", function.name + " gives other states than its own");
  }

  /// A kind's function of sources takes and gives all that the kind keeps of one.
  void sources_are_kept(std::size_t kind) {
    std::multiset<std::uint32_t> kept;
    for (const StateId id : contract_.states.ids()) {
      if (contract_.states[id].source() && contract_.states[id].scope.kind == kind) kept.insert(id.index);
    }
    const FunctionId function = kind < graph_.sources.size() ? graph_.sources[kind] : FunctionId{};
    const auto states_in = [&](const std::vector<ValueId>& values) {
      std::multiset<std::uint32_t> states;
      for (const ValueId id : values) {
        if (graph_.values[id].storage == Storage::state) states.insert(graph_.values[id].declared);
      }
      return states;
    };
    if (!function) {
      if (!kept.empty())
        complain("G6", contract_.kinds[kind].kind.name + " keeps something of a source that nothing gives");
      return;
    }
    const Function& of_source = graph_.functions[function];
    if (states_in(of_source.parameters) != kept || states_in(of_source.results) != kept) {
      complain("G6", of_source.name + " gives something else than is kept of a source");
    }
  }

  void chain(std::size_t index) {
    const Stack& stack = graph_.stacks[index];
    const std::vector<std::size_t>& layer_kinds = contract_.stacks[index].layer_kinds;
    const std::vector<ValueId> embedded = activations(graph_.functions[stack.embed].results);
    if (std::find(embedded.begin(), embedded.end(), stack.hidden_states) == embedded.end()) {
      complain("G6", "the embedding does not give the hidden states");
    }
    Record record;
    give(record, graph_.functions[stack.embed]);
    for (std::size_t layer = 0; layer < layer_kinds.size(); ++layer) {
      const std::size_t kind = layer_kinds[layer];
      states_go_on(graph_.functions[graph_.layers[kind]], kind, std::span(layer_kinds).first(layer + 1));
      take(record, graph_.functions[graph_.layers[kind]]);
      give(record, graph_.functions[graph_.layers[kind]]);
    }
    if (stack.finish) {
      take(record, graph_.functions[stack.finish]);
      give(record, graph_.functions[stack.finish]);
    }
    for (const FunctionId source : index == encoder_stack ? graph_.source_functions() : std::vector{graph_.head}) {
      take(record, graph_.functions[source]);
    }
    for (const auto& [role, value] : record.fields) {
      if (!record.taken.contains(role)) complain("G6", role + " is given, and nothing takes it");
    }
  }

  void chained() {
    const auto begins = [](const Stack& stack) { return bool(stack.embed); };
    if (!std::ranges::all_of(graph_.stacks, begins) || !graph_.head) {
      return complain("G6", "the graph has no embedding, or no head");
    }
    if (graph_.stacks.size() != contract_.stacks.size()) return complain("G6", "the graph has other stacks");
    for (std::size_t stack = 0; stack < graph_.stacks.size(); ++stack) chain(stack);
    for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) sources_are_kept(kind);
  }

  const Graph& graph_;
  const Contract& contract_;
  std::vector<Complaint> complaints_;
};

}  // namespace

bool OperandCheck::operands(std::size_t count, std::size_t required) {
  if (op_.in.size() != count) {
    fault(fmt::format("has {} operands, not {}", op_.in.size(), count));
    return false;
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (op_.in[i]) continue;
    fault(fmt::format("lacks operand {}", i));
    return false;
  }
  return true;
}

void OperandCheck::storage(std::size_t operand, Storage storage) {
  if (in(operand).storage != storage) fault(fmt::format("wants another storage of operand {}", operand));
}

void OperandCheck::axes(std::size_t operand, const std::vector<AxisId>& axes) {
  if (in(operand).axes == axes) return;
  fault(fmt::format("wants operand {} as {}, not {}", operand, graph_.axes.shape(axes),
                    graph_.axes.shape(in(operand).axes)));
}

void OperandCheck::result(Storage storage, const std::vector<AxisId>& axes) {
  const Value& out = graph_.values[op_.out];
  if (out.storage != storage || out.axes != axes) {
    fault(fmt::format("gives {}, not {}", graph_.axes.shape(axes), graph_.axes.shape(out.axes)));
  }
}

void OperandCheck::next_version(std::size_t operand) {
  if (!op_.next) return fault("gives no next version of its state");
  const Value &before = in(operand), &after = graph_.values[op_.next];
  if (before.writer) fault("goes on from a version that this pass has made; a state is changed once a pass");
  const bool fits = after.storage == Storage::state && after.declared == before.declared && after.axes == before.axes;
  if (!fits) fault("gives another state");
}

bool OperandCheck::is_row_of(const Value& state, AxisId row) const {
  const AxisId heads = state.axes[1], head = state.axes[3];
  return axis(row).factors == std::vector{heads, head} || (axis(heads).size == 1 && row == head);
}

bool OperandCheck::matrix(std::size_t operand) {
  const Value& value = in(operand);
  const bool fits = value.storage == Storage::activation && value.axes.size() == 2 &&
                    (axis(value.axes[0]).live == Live::tokens || axis(value.axes[0]).live == Live::rows);
  if (!fits) fault(fmt::format("wants operand {} as tokens x an axis", operand));
  return fits;
}

std::vector<Complaint> check_graph(const Graph& graph, const Contract& contract) {
  return GraphCheck(graph, contract).run();
}

void verify_graph(const Graph& graph, const Contract& contract) {
  const std::vector<Complaint> complaints = check_graph(graph, contract);
  if (complaints.empty()) return;
  throw InternalError(fmt::format("graph {}: {}", complaints[0].invariant, complaints[0].message));
}

}  // namespace monomorph::generator
