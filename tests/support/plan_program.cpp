#include "tests/support/plan_program.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "generator/compile/spirv.hpp"
#include "generator/emit/emit.hpp"
#include "generator/plan/words.hpp"
#include "runtime/cpu/backend.hpp"
#include "runtime/vulkan/backend.hpp"
#include "tests/support/contract_weights.hpp"

namespace monomorph::test {

using namespace generator;

namespace {

/// A kernel that counts each group of 16 bytes that it reads of a matrix.
std::string counting(const std::string& text, std::size_t binding) {
  const std::string includes = "#include \"step.glsl\"\n",
                    reader = "uvec4 weight_quad(uint matrix, uint row, uint quad) {";
  const std::size_t declared = text.find(includes), reads = text.find(reader);
  if (declared == std::string::npos || reads == std::string::npos) throw std::logic_error("it multiplies no matrix");
  std::string result = text;
  result.insert(reads + reader.size(), " atomicAdd(row_reads[first_row + stored_row(row)], 1u);");
  result.insert(declared + includes.size(),
                "layout(set = 0, binding = " + std::to_string(binding) + ") buffer RowReads { uint row_reads[]; };\n");
  return result;
}

}  // namespace

PlanProgram::PlanProgram(const Contract& contract, const Graph& graph, const Plan& plan,
                         const std::vector<std::string>& counted)
    : contract_(contract), graph_(graph), plan_(plan) {
  program_.name = program_.spec_hash = "random";
  backends_ = {&vulkan::backend()};
  program_.backends = backends_;
  program_.version = "test";
  program_.vocab_size = contract.vocab_size;
  program_.hidden_size = contract.own().hidden_size;
  program_.output_size = plan.axes[plan.buffers[plan.output].axes[1]].size;
  program_.num_hidden_layers = contract.own().num_hidden_layers;
  program_.max_sequence_length = contract.max_sequence_length;
  program_.prefill_chunk = contract.prefill_chunk;
  program_.max_batch = contract.max_batch;
  program_.head_rows = contract.head_rows;
  program_.token_types = contract.token_types;
  program_.max_source_length = contract.max_source_length;
  program_.decode_steps = plan.decode_steps;
  program_.arena_bytes = {plan.activation_bytes, plan.state_bytes, plan.host_bytes};
  for (const std::string& kernel : counted) add_reads(kernel);
  add_kernels();
  add_weights({});
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) add_weights({kind});
  program_.weights = groups_;
  add_states();
  for (const AnglesId id : contract.angles.ids()) {
    const Buffer& buffer = plan.buffers[plan.angles[id.index]];
    angles_.push_back(
        {view(plan.angles[id.index]), plan.axes[buffer.axes[0]].size, frequencies_of(contract.angles[id].rotary)});
  }
  program_.rotary_angles = angles_;
  program_.step = view(plan.step);
  program_.output = view(plan.output);
  program_.hidden_states = view(plan.hidden_states[own_stack]);
  program_.make_reference = [](const HostWeights&) -> std::unique_ptr<Reference> {
    throw std::logic_error("a plan has no reference");
  };
  add_phases();
}

void PlanProgram::add_cpu_kernels(std::span<const cpu::Function> kernels) {
  program_.cpu_kernels = kernels;
  backends_ = {&vulkan::backend(), &cpu::backend()};
  program_.backends = backends_;
}

void PlanProgram::add_reads(const std::string& kernel) {
  for (const PhasePlan& phase : plan_.phases) {
    for (const Section& section : phase.sections) {
      for (const Call& call : section.calls) {
        if (plan_.kernels[call.kernel].name != kernel || reads_.contains(kernel)) continue;
        std::int64_t& end = program_.arena_bytes[static_cast<std::size_t>(Arena::host)];
        const std::int64_t rows = plan_.rows_of(call) * (call.banks ? plan_.axes[call.banks].size : 1);
        reads_[kernel] = {Arena::host, (end + 255) / 256 * 256, rows * 4};
        end = reads_[kernel].offset + reads_[kernel].bytes;
      }
    }
  }
}

void PlanProgram::add_kernels() {
  EmittedFiles files = emit_kernels(contract_, plan_, "By a test.");
  for (const generator::Kernel& kernel : plan_.kernels) {
    std::string& text = files.at("kernels/" + kernel.name + ".comp");
    if (reads_.contains(kernel.name)) text = counting(text, kernel.bindings.size() + 1);
  }
  const auto compiled = compile_spirv(files);
  for (const generator::Kernel& kernel : plan_.kernels) {
    const auto& spirv = spirv_.emplace_back(compiled.at(kernel.name).optimized);
    auto& bindings = bindings_.emplace_back();
    bindings.push_back({"step", kernel.step_access, false});
    for (const KernelBinding& binding : kernel.bindings) {
      bindings.push_back({keep(binding.name), binding.access, binding.splits});
    }
    if (reads_.contains(kernel.name)) bindings.push_back({"row_reads", Access::read_write, false});
    kernels_.push_back({keep(kernel.name), kernel.kind, std::as_bytes(std::span(spirv)), bindings, kernel.cost,
                        kernel.max_tile_tokens, kernel.lanes});
  }
  program_.kernels = kernels_;
}

void PlanProgram::add_weights(Scope scope) {
  const std::vector<WeightId> ids = contract_.weights_of(scope);
  auto& patterns = weights_.emplace_back();
  for (const WeightId id : ids) {
    const WeightContract& weight = contract_.weights[id];
    const bool vector = weight.axes.size() == 1;
    const std::int64_t columns = contract_.axes[weight.axes.back()].size;
    const std::int64_t rows = vector ? 1 : contract_.axes[weight.axes[0]].size;
    auto& parts = parts_.emplace_back();
    if (weight.in_checkpoint()) {
      parts.push_back({keep(weight.role), {vector ? columns : rows, 0, vector ? columns : rows}});
    }
    patterns.push_back({keep(weight.role + ".{i}"), weight.dtype, rows, columns, parts, vector, {}, {}, weight.values});
  }
  auto& stored = stored_.emplace_back();
  for (const StoredId id : plan_.stored_of(scope)) {
    const Stored& matrix = plan_.stored[id];
    auto& pieces = pieces_.emplace_back();
    for (const StoredRows& piece : matrix.pieces) {
      const auto at = std::find(ids.begin(), ids.end(), piece.weight) - ids.begin();
      pieces.push_back({piece.weight ? static_cast<std::int32_t>(at) : -1, piece.rows});
    }
    stored.push_back({keep(matrix.role), matrix.format, matrix.rows, matrix.columns, pieces});
  }
  WeightGroup group{patterns, stored, {}};
  if (scope.kind != Scope::model) {
    const LayerContract& kind = contract_.kinds[scope.kind];
    group.layers = kind.layers;
    group.numbers = kind.numbers;
    group.sets = kind.sets;
  }
  groups_.push_back(group);
}

void PlanProgram::add_states() {
  for (const StateId id : contract_.states.ids()) {
    states_.push_back(plan_.states[id.index]);
    states_.back().name = keep(contract_.states[id].role);
  }
  program_.states = states_;
}

void PlanProgram::add_phases() {
  for (const PhasePlan& phase : plan_.phases) {
    program_.phases.push_back({phase.row->name, phase.row->stage, phase.row->lowering, phase.max_rows,
                               [this, &phase](Recorder& recorder) { record(recorder, phase); }});
  }
}

BufferView PlanProgram::view(BufferId id) const {
  const Buffer& buffer = plan_.buffers[id];
  return {buffer.arena, buffer.offset, buffer.bytes};
}

std::int64_t PlanProgram::turn(const StackContract& stack, std::int64_t layer) {
  const auto end = stack.layer_kinds.begin() + layer;
  return std::count(stack.layer_kinds.begin(), end, *end);
}

monomorph::Argument PlanProgram::argument(const generator::Argument& argument, std::size_t kind,
                                          std::int64_t nth) const {
  const StackContract& stack = kind == Scope::model ? contract_.own() : contract_.stack_of(kind);
  const std::int64_t count = stack.num_hidden_layers, layer = nth < 0 ? -1 : nth % count;
  struct Nothing;
  using AnyTensor = Tensor<Nothing, f32>;
  using AnyWeight = Weight<Nothing, f32>;
  if (const auto* buffer = std::get_if<BufferId>(&argument)) return AnyTensor{view(*buffer)};
  if (const auto* state = std::get_if<StateId>(&argument)) {
    const StateTable& table = plan_.states[state->index];
    const std::int64_t owner = owner_of(contract_, state->index, nth);
    const std::int64_t turn = this->turn(stack, owner % count) + owner / count * (table.layers / stack.repeat);
    return AnyTensor{{Arena::states, table.view.offset + turn * table.stride, table.view.bytes}};
  }
  const StoredId id = std::get<StoredId>(argument);
  const Scope scope = plan_.stored[id].scope;
  const std::vector<StoredId> alike = plan_.stored_of(scope);
  auto row = static_cast<std::int64_t>(std::find(alike.begin(), alike.end(), id) - alike.begin());
  if (scope.kind != Scope::model) {
    row += static_cast<std::int64_t>(plan_.stored_of({}).size()) +
           turn(stack, layer) * static_cast<std::int64_t>(alike.size());
    for (std::size_t kind = 0; kind < scope.kind; ++kind) {
      row += static_cast<std::int64_t>(plan_.stored_of({kind}).size() * contract_.kinds[kind].layers.size());
    }
  }
  return AnyWeight{static_cast<std::int32_t>(row)};
}

void PlanProgram::record(Recorder& recorder, const Section& section, std::int64_t layer) const {
  for (const Call& call : section.calls) {
    std::vector<monomorph::Argument> arguments = {Tensor<void, f32>{program_.step}};
    for (const generator::Argument& each : call.arguments) arguments.push_back(argument(each, section.kind, layer));
    const auto counted = reads_.find(plan_.kernels[call.kernel].name);
    if (counted != reads_.end()) arguments.push_back(Tensor<void, f32>{counted->second});
    const std::int64_t per_row = call.per_row ? plan_.axes[call.per_row].size : 1;
    recorder.dispatch(static_cast<std::int32_t>(call.kernel.index), std::move(arguments),
                      std::max<std::int64_t>(plan_.rows_of(call), 1), call.count, per_row,
                      call.banks ? plan_.axes[call.banks].size : 1);
  }
}

void PlanProgram::record(Recorder& recorder, const PhasePlan& phase) const {
  const bool of_source = phase.row->stage == Stage::encode;
  if (!of_source && phase.row->stage != Stage::layers) return record(recorder, phase.sections.front(), -1);
  const std::size_t index = of_source ? encoder_stack : own_stack;
  const Stack& stack = graph_.stacks[index];
  const StackContract& contract = contract_.stacks[index];
  record(recorder, phase.section_of(stack.embed), -1);
  for (std::int64_t nth = 0; nth < contract.repeat * contract.num_hidden_layers; ++nth) {
    const auto layer = static_cast<std::size_t>(nth % contract.num_hidden_layers);
    record(recorder, phase.section_of(graph_.layers[contract.layer_kinds[layer]]), nth);
    if (!of_source) recorder.end_of_layer(nth, view(plan_.hidden_states[own_stack]));
  }
  if (stack.finish) record(recorder, phase.section_of(stack.finish), -1);
  if (of_source) record_sources(recorder, phase);
}

/// What the model's own layers keep of a source.
void PlanProgram::record_sources(Recorder& recorder, const PhasePlan& phase) const {
  const StackContract& own = contract_.own();
  for (std::int64_t nth = 0; nth < own.repeat * own.num_hidden_layers; ++nth) {
    const auto layer = static_cast<std::size_t>(nth % own.num_hidden_layers);
    const FunctionId keeps = graph_.sources[own.layer_kinds[layer]];
    if (keeps) record(recorder, phase.section_of(keeps), nth);
  }
}

WeightReader PlanProgram::reader(const HostWeights& weights) const {
  return [places = places_of_weights(contract_), &weights](WeightId id, std::int64_t layer, std::int64_t row,
                                                           std::int64_t column) {
    return weights.at(places.at({id, layer}), row, column);
  };
}

}  // namespace monomorph::test
