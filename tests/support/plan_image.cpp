#include "tests/support/plan_image.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "generator/ops/op_type.hpp"
#include "generator/plan/draft.hpp"
#include "runtime/program/program.hpp"

namespace monomorph::test {

using namespace generator;

namespace {
const double poison = std::numeric_limits<double>::quiet_NaN();
}

PlanImage::PlanImage(const Plan& plan, const Graph& graph, const Contract& contract, WeightReader weights)
    : plan_(plan),
      graph_(graph),
      contract_(contract),
      weights_(std::move(weights)),
      activations_(static_cast<std::size_t>(plan.activation_bytes / 2), poison),
      states_(static_cast<std::size_t>(plan.state_bytes / 2), poison),
      host_(static_cast<std::size_t>(plan.host_bytes / 2), poison) {}

double& PlanImage::at(const Place& place, std::int64_t row, std::int64_t column) {
  const Buffer& buffer = plan_.buffers[place.buffer];
  const std::int64_t stride = row_bytes(Dtype::f32, plan_.axes[buffer.axes.back()].size);
  const std::int64_t byte = buffer.offset + row * stride + 4 * (place.first_column + column);
  return (buffer.arena == Arena::host ? host_ : activations_).at(static_cast<std::size_t>(byte / 2));
}

double& PlanImage::state_at(std::uint32_t state, std::int64_t layer, std::int64_t position, std::int64_t column) {
  const StateContract& contract = contract_.states[{state}];
  const StateTable& table = plan_.states[state];
  const std::vector<std::int32_t>& layers = contract_.kinds[contract.scope.kind].layers;
  const std::int64_t count = contract_.own().num_hidden_layers;
  layer = owner_of(contract_, state, layer);
  const auto of_kind = std::find(layers.begin(), layers.end(), layer % count) - layers.begin();
  const std::int64_t nth = of_kind + layer / count * static_cast<std::int64_t>(layers.size());
  const std::int64_t head_dim = plan_.axes[contract.axes[3]].size;
  const std::int64_t row = state_row(table, slot_, column / head_dim, position);
  const std::int64_t byte = table.view.offset + nth * table.stride + row * table.row_bytes +
                            column % head_dim * element_bytes(contract.element);
  return states_.at(static_cast<std::size_t>(byte / 2));
}

double PlanImage::read(const Planning& planning, const Section& section, const Call& call, ValueId id, std::int64_t row,
                       std::int64_t column, std::int64_t layer) {
  const Value& value = graph_.values[id];
  const std::vector<OpId>& ops = call.computes.ops;
  const bool inside = value.writer && std::find(ops.begin(), ops.end(), value.writer) != ops.end();
  switch (value.storage) {
    case Storage::weight:
      if (layer >= 0) layer %= contract_.stack_of(section.kind).num_hidden_layers;
      return weights_({value.declared}, layer, row, column);
    case Storage::angles:
      return angle_element(contract_.angles[{value.declared}], positions_[static_cast<std::size_t>(row)],
                           positions_.back() + 1, column);
    case Storage::host:
      if (value.list == HostList::token_ids) return tokens_[static_cast<std::size_t>(row)];
      if (value.list == HostList::token_types) return types_[static_cast<std::size_t>(row)];
      return static_cast<double>(
          (value.list == HostList::positions ? positions_ : rows_)[static_cast<std::size_t>(row)]);
    case Storage::state:
      if (!contract_.states[{value.declared}].recurrent()) return state_at(value.declared, layer, row, column);
      return matrices_.at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(column));
    default:
      break;
  }
  if (inside) return compute(planning, section, call, graph_.ops[value.writer], row, column, layer);
  const auto place = section.places.find(id);
  return place == section.places.end() ? poison : at(place->second, row, column);
}

double PlanImage::compute(const Planning& planning, const Section& section, const Call& call, const Op& op,
                          std::int64_t row, std::int64_t column, std::int64_t layer) {
  const OperandReader reader = [&](std::size_t operand, std::int64_t r, std::int64_t c) {
    return read(planning, section, call, op.in[operand], r, c, layer);
  };
  const auto source = sources_.find(slot_);
  return op_element(graph_, op, reader, positions_, row, column, source == sources_.end() ? 0 : source->second);
}

/// Whether the kernel is given this buffer to write to.
bool PlanImage::writes(const Call& call, const Place& place) const {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const bool written = plan_.kernels[call.kernel].bindings[i].access != Access::read;
    if (written && call.arguments[i] == generator::Argument(place.buffer)) return true;
  }
  return false;
}

void PlanImage::run_call(const Planning& planning, const Section& section, const Call& call, std::int64_t layer) {
  const auto rows_of = [&](const Value& value) {
    const bool picked = graph_.axes[value.axes[0]].live == Live::rows;
    return static_cast<std::int64_t>(picked ? rows_.size() : tokens_.size());
  };
  if (call.copies) {
    const Value& value = graph_.values[call.copies];
    for (std::int64_t row = 0; row < rows_of(value); ++row) {
      for (std::int64_t column = 0; column < graph_.axes[value.axes[1]].size; ++column) {
        at({std::get<BufferId>(call.arguments[1]), 0}, row, column) =
            at({std::get<BufferId>(call.arguments[0]), 0}, row, column);
      }
    }
    return;
  }
  const Group& group = call.computes;
  const std::vector<OpId> linears = ops_of<Linear>(group, planning);
  const bool stacked = linears.size() > 1 && ops_of<Map>(group, planning).empty();
  if (stacked) {
    // As the kernel does: row r of the stored matrix gives column r after the first result's.
    const Stored& stored = plan_.stored[std::get<StoredId>(call.arguments[0])];
    const Place place = section.places.at(graph_.ops[linears[0]].out);
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(tokens_.size()); ++row) {
      std::int64_t column = 0;
      for (const StoredRows& piece : stored.pieces) {
        const Op* op = nullptr;
        for (const OpId id : linears) {
          if (graph_.values[graph_.ops[id].in[1]].declared == piece.weight.index) op = &graph_.ops[id];
        }
        for (std::int64_t r = 0; r < piece.rows; ++r, ++column) {
          at(place, row, column) = compute(planning, section, call, *op, row, r, layer);
        }
      }
    }
    return;
  }
  const Op& anchor = graph_.ops[group.anchor];
  if (type_of(anchor).states == Access::read_write) run_recurrence(planning, section, call, anchor, layer);
  const bool by_row = as<Norm>(anchor) != nullptr;  // a workgroup reads its row before it writes
  for (const ValueId out : planning.outputs(group)) {
    const Value& value = graph_.values[out];
    const Op& op = graph_.ops[value.writer];
    if (value.storage == Storage::activation && !writes(call, section.places.at(out))) continue;
    if (value.storage == Storage::state && contract_.states[{value.declared}].recurrent()) continue;  // it has been
    if (value.storage == Storage::state) {
      const std::int64_t columns = plan_.axes[value.axes[1]].size * plan_.axes[value.axes[3]].size;
      for (const std::int64_t position : positions_) {
        for (std::int64_t column = 0; column < columns; ++column) {
          state_at(value.declared, layer, position, column) =
              compute(planning, section, call, op, position, column, layer);
        }
      }
      continue;
    }
    const std::int64_t columns = graph_.axes[value.axes[1]].size;
    const Place place = section.places.at(out);
    for (std::int64_t row = 0; row < rows_of(value); ++row) {
      std::vector<double> elements;
      for (std::int64_t column = 0; column < columns; ++column) {
        const double element = compute(planning, section, call, op, row, column, layer);
        if (by_row) {
          elements.push_back(element);
        } else {
          at(place, row, column) = element;
        }
      }
      for (std::size_t column = 0; column < elements.size(); ++column) {
        at(place, row, static_cast<std::int64_t>(column)) = elements[column];
      }
    }
  }
}

void PlanImage::run_recurrence(const Planning& planning, const Section& section, const Call& call, const Op& op,
                               std::int64_t layer) {
  const std::uint32_t state = graph_.values[op.next].declared;
  const std::int64_t columns = plan_.axes[graph_.values[op.next].axes[3]].size;
  matrices_.assign(1, std::vector<double>(static_cast<std::size_t>(columns)));
  for (std::int64_t column = 0; column < columns && positions_.front() > 0; ++column) {
    matrices_[0][static_cast<std::size_t>(column)] = from_ < 0 ? poison : state_at(state, layer, from_, column);
  }
  const OperandReader reader = [&](std::size_t operand, std::int64_t row, std::int64_t column) {
    return read(planning, section, call, op.in[operand], row, column, layer);
  };
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(tokens_.size()); ++row) {
    std::vector<double> after;
    for (std::int64_t column = 0; column < columns; ++column) {
      after.push_back(state_element(graph_, op, reader, positions_[static_cast<std::size_t>(row)], row, column));
    }
    matrices_.push_back(std::move(after));
  }
  for (std::int64_t column = 0; column < columns; ++column) {
    state_at(state, layer, to_, column) = matrices_.back()[static_cast<std::size_t>(column)];
  }
}

void PlanImage::run_section(const PhasePlan& phase, const Section& section, std::int64_t layer) {
  const Planning planning{contract_, graph_, plan_.axes, *phase.row, phase.max_rows};
  for (const Call& call : section.calls) run_call(planning, section, call, layer);
}

void PlanImage::begin(std::size_t stack, std::int64_t slot, std::span<const std::int32_t> tokens, std::int64_t first) {
  stack_ = stack;
  slot_ = slot;
  tokens_.assign(tokens.begin(), tokens.end());
  positions_.clear();
  for (std::size_t t = 0; t < tokens.size(); ++t) positions_.push_back(first + static_cast<std::int64_t>(t));
  std::fill(activations_.begin(), activations_.end(), poison);
}

void PlanImage::run_stack(const PhasePlan& phase) {
  const Stack& stack = graph_.stacks[stack_];
  const StackContract& contract = contract_.stacks[stack_];
  run_section(phase, phase.section_of(stack.embed), -1);
  const std::size_t layers = contract.layer_kinds.size();
  for (std::size_t nth = 0; nth < layers * static_cast<std::size_t>(contract.repeat); ++nth) {
    const FunctionId layer = graph_.layers[contract.layer_kinds[nth % layers]];
    run_section(phase, phase.section_of(layer), static_cast<std::int64_t>(nth));
  }
  if (stack.finish) run_section(phase, phase.section_of(stack.finish), -1);
}

void PlanImage::run(const char* name, std::int64_t slot, std::span<const std::int32_t> tokens, std::int64_t first,
                    std::span<const std::int32_t> types) {
  begin(own_stack, slot, tokens, first);
  types_.assign(types.begin(), types.end());
  types_.resize(tokens.size());
  // As an engine has it: a pass goes on from the copy of its first position, and writes the other one.
  std::array<std::int64_t, recurrent_copies>& copies = copies_.try_emplace(slot, std::array{-1l, -1l}).first->second;
  if (first == 0) copies.fill(-1);
  from_ = std::ranges::find(copies, first) - copies.begin();
  if (from_ == recurrent_copies) from_ = -1;
  to_ = from_ == 0 ? 1 : 0;
  copies[static_cast<std::size_t>(to_)] = first + std::ssize(tokens);
  run_stack(plan_.phase(name));
}

void PlanImage::encode(std::int64_t slot, std::span<const std::int32_t> source) {
  begin(encoder_stack, slot, source, 0);
  types_.assign(source.size(), 0);
  sources_[slot] = std::ssize(source);
  const PhasePlan& phase = plan_.phase("encode");
  run_stack(phase);
  const StackContract& own = contract_.own();
  const std::size_t layers = own.layer_kinds.size();
  for (std::size_t nth = 0; nth < layers * static_cast<std::size_t>(own.repeat); ++nth) {
    const FunctionId keeps = graph_.sources[own.layer_kinds[nth % layers]];
    if (keeps) run_section(phase, phase.section_of(keeps), static_cast<std::int64_t>(nth));
  }
}

EvaluatedValue PlanImage::head(const char* name, std::span<const std::int64_t> rows) {
  rows_.assign(rows.begin(), rows.end());
  const PhasePlan& phase = plan_.phase(name);
  run_section(phase, phase.sections[0], -1);
  EvaluatedValue logits;
  logits.columns = plan_.axes[plan_.buffers[plan_.output].axes[1]].size;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::int64_t column = 0; column < logits.columns; ++column) {
      logits.elements.push_back(at({plan_.output, 0}, static_cast<std::int64_t>(row), column));
    }
  }
  return logits;
}

std::map<std::string, EvaluatedValue> PlanImage::carried() {
  std::map<std::string, EvaluatedValue> record;
  const AxisId rows = plan_.buffers[plan_.hidden_states[stack_]].axes[0];  // each stack's are its own
  for (const BufferId id : plan_.carried) {
    if (plan_.buffers[id].axes[0] != rows) continue;
    EvaluatedValue& value = record[plan_.buffers[id].word];
    value.columns = plan_.axes[plan_.buffers[id].axes[1]].size;
    for (std::size_t row = 0; row < tokens_.size(); ++row) {
      for (std::int64_t column = 0; column < value.columns; ++column) {
        value.elements.push_back(at({id, 0}, static_cast<std::int64_t>(row), column));
      }
    }
  }
  return record;
}

}  // namespace monomorph::test
