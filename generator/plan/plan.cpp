#include "generator/plan/plan.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "generator/blocks/pooling.hpp"
#include "generator/contract/names.hpp"
#include "generator/ops/op_type.hpp"
#include "generator/plan/draft.hpp"
#include "generator/plan/make.hpp"
#include "generator/plan/place.hpp"
#include "generator/plan/sampling.hpp"
#include "runtime/program/step.hpp"

namespace monomorph::generator {
namespace {

/// Passes that one submission may hold.
constexpr std::int64_t decode_steps = 16;

bool same_piece(const StoredRows& a, const StoredRows& b) { return a.weight == b.weight && a.rows == b.rows; }

class Planner {
 public:
  Planner(const Contract& contract, const Graph& graph, const Judgements& judgements)
      : contract_(contract), graph_(graph), judgements_(judgements), places_(plan_) {}

  Plan run(std::vector<std::int64_t>* fired) {
    plan_.axes = graph_.axes;
    plan_.decode_steps = decode_steps;
    axis("slots", contract_.max_batch);
    axis("positions", contract_.max_sequence_length, Live::positions);
    place_host();
    place_states();
    place_angles();
    for (const PhaseRow& row : phase_rows) {
      if (serves(row, contract_)) plan_phase(row, fired);
    }
    plan_.activation_bytes = places_.lay_out();
    for (const Stored& stored : plan_.stored) {
      std::int64_t most = 1;  // of the tensors that its pieces have
      for (const StoredRows& piece : stored.pieces) {
        if (piece.weight) most = std::max(most, contract_.tensors(contract_.weights[piece.weight]));
      }
      plan_.weight_bytes += most * stored.bytes;
      if (stored.shared) plan_.shared_bytes += most * stored.bytes;
    }
    name_all(plan_, contract_);
    return std::move(plan_);
  }

 private:
  BufferId add_buffer(std::int64_t& arena_bytes, Arena arena, const std::string& word, std::vector<AxisId> axes,
                      std::int64_t bytes) {
    Buffer buffer;
    buffer.word = word;
    buffer.axes = std::move(axes);
    buffer.arena = arena;
    buffer.offset = arena_bytes;
    buffer.bytes = bytes;
    arena_bytes += aligned(bytes);
    return plan_.buffers.add(buffer);
  }

  AxisId axis(const std::string& word, std::int64_t size, Live live = Live::all) {
    return plan_.axes.intern({word, size, {}, live, {}, {}});
  }

  StepLayout step_layout() const {
    return {contract_.max_batch, decode_steps, contract_.head_rows, contract_.pass_rows()};
  }

  /// What host and device both touch.
  void place_host() {
    const std::vector<AxisId> words = {axis("step_words", step_layout().bytes() / 4)};
    plan_.step = add_buffer(plan_.host_bytes, Arena::host, "step", words, padded_bytes(plan_.axes, words, Dtype::f32));
    plan_.buffers[plan_.step].element = Element::u32;
    const Value& given = graph_.values[graph_.functions[graph_.head].results.at(0)];
    plan_.output = add_buffer(plan_.host_bytes, Arena::host, given.role, given.axes,
                              padded_bytes(plan_.axes, given.axes, Dtype::f32));
  }

  void place_states() {
    for (const StateContract& state : contract_.states) {
      const auto size = [&](std::size_t axis) { return plan_.axes[state.axes[axis]].size; };
      StateTable table;
      table.kind = state.kind;
      table.layers = contract_.runs(state.scope);
      table.slots = size(0);
      table.heads = size(1);
      table.entries = size(2);
      table.row_bytes = state_row_bytes(state.element, size(3));
      table.view = {Arena::states, plan_.state_bytes, size(0) * size(1) * size(2) * table.row_bytes};
      table.stride = aligned(table.view.bytes);
      table.recent = state.window.recent;
      table.first = state.window.first;
      table.dtype = state.element;
      plan_.state_bytes += table.layers * table.stride;
      plan_.states.push_back(table);
    }
  }

  void place_angles() {
    for (const AnglesContract& angles : contract_.angles) {
      const std::vector<AxisId> axes = {axis("angle_rows", step_layout().angle_rows()), angles.axis};
      plan_.angles.push_back(
          add_buffer(plan_.host_bytes, Arena::host, angles.role, axes, padded_bytes(plan_.axes, axes, Dtype::f32)));
    }
  }

  void plan_phase(const PhaseRow& row, std::vector<std::int64_t>* fired) {
    PhasePlan phase;
    phase.row = &row;
    phase.max_rows = max_rows(row, contract_);
    if (row.stage == Stage::sample) {
      Section section;
      for (Sampling& sampling : plan_sampling(contract_, plan_)) {
        section.calls.push_back(std::move(sampling.call));
        section.calls.back().about = sampling.kernel.about;
        section.calls.back().kernel = intern(std::move(sampling.kernel));
      }
      phase.sections.push_back(std::move(section));
    } else if (row.stage == Stage::head) {
      phase.sections.push_back(plan_function(graph_.head, row, phase.max_rows, fired));
    } else {
      for (const FunctionId function : functions_of(row.stage == Stage::encode ? encoder_stack : own_stack)) {
        phase.sections.push_back(plan_function(function, row, phase.max_rows, fired));
      }
    }
    plan_.phases.push_back(std::move(phase));
  }

  /// What a pass through a stack runs: each function once.
  std::vector<FunctionId> functions_of(std::size_t stack) const {
    std::vector<FunctionId> functions = {graph_.stacks[stack].embed};
    for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
      if (contract_.kinds[kind].kind.stack == stack) functions.push_back(graph_.layers[kind]);
    }
    if (graph_.stacks[stack].finish) functions.push_back(graph_.stacks[stack].finish);
    if (stack == encoder_stack) std::ranges::copy(graph_.source_functions(), std::back_inserter(functions));
    return functions;
  }

  Section plan_function(FunctionId id, const PhaseRow& row, std::int64_t rows, std::vector<std::int64_t>* fired);
  KernelId intern(Kernel kernel);

  const Contract& contract_;
  const Graph& graph_;
  const Judgements judgements_;
  Plan plan_;
  ActivationPlaces places_;
};

/// Where the values of one section lie, for the kernels that are planned in it.
class SectionPlacement final : public Placement {
 public:
  SectionPlacement(const Contract& contract, Plan& plan, const Graph& graph, const Section& section)
      : contract_(contract), plan_(plan), graph_(graph), section_(section) {}

  Place place(ValueId activation) const override { return section_.places.at(activation); }
  const Buffer& buffer(BufferId id) const override { return plan_.buffers[id]; }
  const Stored& stored(StoredId id) const override { return plan_.stored[id]; }
  BufferId angles(AnglesId id) const override { return plan_.angles[id.index]; }

  StoredId store(const std::vector<ValueId>& weights, const std::vector<AxisId>& rows) override {
    Stored stored;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      stored.pieces.push_back({{}, plan_.axes[rows[i]].size});
      if (!weights[i]) continue;
      const WeightId id{graph_.values[weights[i]].declared};
      const WeightContract& weight = contract_.weights[id];
      stored.pieces.back().weight = id;
      stored.scope = weight.scope;
      stored.format = weight.axes.size() == 1 ? Dtype::f32 : weight.dtype;
      stored.shared = weight.shared && (stored.shared || words.empty());
      if (words.empty()) {
        stored.role = weight.role.substr(0, weight.role.size() - last_word(weight.role).size());
        if (weight.axes.size() == 2) stored.columns = plan_.axes[weight.axes[1]].size;
        stored.axes = weight.axes;
      }
      words.push_back(last_word(weight.role));
    }
    for (const StoredId id : plan_.stored.ids()) {
      const std::vector<StoredRows>& pieces = plan_.stored[id].pieces;
      const bool same =
          std::equal(pieces.begin(), pieces.end(), stored.pieces.begin(), stored.pieces.end(), same_piece);
      if (same && plan_.stored[id].scope == stored.scope) return id;
    }
    stored.role += join_words(words);
    stored.axes[0] = joined_axis(plan_.axes, rows);
    const std::int64_t elements = plan_.axes[stored.axes[0]].size;
    const bool matrix = stored.axes.size() == 2;
    stored.rows = matrix ? elements : 1;
    if (!matrix) stored.columns = elements;
    stored.bytes = padded_bytes(plan_.axes, stored.axes, stored.format);
    return plan_.stored.add(std::move(stored));
  }

 private:
  const Contract& contract_;
  Plan& plan_;
  const Graph& graph_;
  const Section& section_;
};

Section Planner::plan_function(FunctionId id, const PhaseRow& row, std::int64_t rows,
                               std::vector<std::int64_t>* fired) {
  const Planning planning{contract_, graph_, plan_.axes, row, rows};
  Partition partition(planning, graph_.functions[id], judgements_);
  if (contract_.fusion) fuse(partition, fired);
  const std::vector<Group> groups = partition.ordered();

  Section section;
  section.function = id;
  section.kind = graph_.kind_of(id);
  places_.place(planning, groups, judgements_, section);
  SectionPlacement placement(contract_, plan_, graph_, section);
  for (const Group& group : groups) {
    Draft draft(group, planning, placement);
    draft.call.word = words_of(group, planning);
    draft.set("stage", row.stage == Stage::head ? "head" : "layers");
    type_of(graph_.ops[group.anchor]).plan(draft);
    draft.call.about = draft.kernel.about;
    draft.call.kernel = intern(std::move(draft.kernel));
    section.calls.push_back(std::move(draft.call));
  }
  if (id == graph_.head) return section;
  // A result that could not be written where the next function reads it is copied there.
  for (const ValueId result : graph_.functions[id].results) {
    if (graph_.values[result].storage != Storage::activation) continue;
    const BufferId from = section.places.at(result).buffer, to = plan_.carried_as(graph_.values[result].role);
    if (from == to) continue;
    auto [kernel, call] = plan_copy(plan_, planning, result, from, to);
    call.about = kernel.about;
    call.kernel = intern(std::move(kernel));
    section.calls.push_back(std::move(call));
  }
  return section;
}

KernelId Planner::intern(Kernel kernel) {
  for (const KernelId id : plan_.kernels.ids()) {
    if (alike(plan_.kernels[id], kernel)) return id;
  }
  return plan_.kernels.add(std::move(kernel));
}

}  // namespace

bool serves(const PhaseRow& row, const Contract& contract) {
  if (row.stage == Stage::sample) return !pools(*contract.pooling);
  if (row.stage == Stage::encode && contract.encoder() == nullptr) return false;
  if (row.stage == Stage::head && row.lowering == Lowering::tiles) {
    return !pools(*contract.pooling) && contract.head_rows > std::max(contract.max_batch, usual_head_rows);
  }
  return row.lowering != Lowering::few || contract.max_batch > 1;
}

std::int64_t max_rows(const PhaseRow& row, const Contract& contract) {
  if (row.stage == Stage::head) return contract.head_rows;
  if (row.stage == Stage::sample) return contract.max_batch;
  if (row.stage == Stage::encode) return contract.max_source_length;
  return row.lowering == Lowering::vector ? 1 : contract.prefill_chunk;
}

const Section& PhasePlan::section_of(FunctionId function) const {
  const auto found = std::ranges::find(sections, function, &Section::function);
  if (found == sections.end()) throw InternalError(std::string("plan: a function that is not in ") + row->name);
  return *found;
}

const PhasePlan& Plan::phase(const char* name) const {
  const auto found = std::find_if(phases.begin(), phases.end(),
                                  [&](const PhasePlan& phase) { return std::strcmp(phase.row->name, name) == 0; });
  if (found == phases.end()) throw InternalError(std::string("plan: no phase ") + name);
  return *found;
}

BufferId Plan::carried_as(const std::string& role) const {
  const auto found =
      std::find_if(carried.begin(), carried.end(), [&](BufferId id) { return buffers[id].word == role; });
  return found == carried.end() ? BufferId{} : *found;
}

std::vector<StoredId> Plan::stored_of(Scope scope) const {
  std::vector<StoredId> result;
  for (const StoredId id : stored.ids()) {
    if (stored[id].scope == scope) result.push_back(id);
  }
  const auto first_weight = [&](StoredId id) {
    for (const StoredRows& piece : stored[id].pieces) {
      if (piece.weight) return piece.weight;
    }
    return WeightId{};
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](StoredId a, StoredId b) { return first_weight(a) < first_weight(b); });
  return result;
}

std::int64_t Plan::rows_of(const Call& call) const {
  std::int64_t rows = 0;
  for (const AxisId axis : call.rows) rows += axes[axis].size;
  return rows;
}

std::int64_t Plan::decode_dispatches(const Contract& contract) const {
  std::int64_t count = 0;
  for (const PhasePlan& phase : phases) {
    if (phase.row->lowering != Lowering::vector) continue;
    for (const Section& section : phase.sections) {
      count += contract.runs({section.kind}) * static_cast<std::int64_t>(section.calls.size());
    }
  }
  return count;
}

Plan make_plan(const Contract& contract, const Graph& graph) {
  Plan plan = make_plan(contract, graph, {}, nullptr);
  verify_plan(plan, graph, contract);
  return plan;
}

Plan make_plan(const Contract& contract, const Graph& graph, const Judgements& judgements,
               std::vector<std::int64_t>* fired) {
  return Planner(contract, graph, judgements).run(fired);
}

}  // namespace monomorph::generator
