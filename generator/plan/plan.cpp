#include "generator/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/plan/buffers.hpp"
#include "generator/plan/fuse.hpp"

namespace monomorph::generator {
namespace {

/// Steps of decode that one submission may hold.
constexpr std::int64_t decode_steps = 16;

/// Axes in the order in which they are first met; an axis met twice has one size.
class AxisTable {
 public:
  explicit AxisTable(std::vector<Axis>& axes) : axes_(axes) {}

  void add(const Axis& axis) {
    for (const Axis& known : axes_) {
      if (known.name != axis.name) continue;
      if (known.size != axis.size) {
        throw InternalError(fmt::format("plan: the axis {} has size {} and {}", axis.name, known.size, axis.size));
      }
      return;
    }
    axes_.push_back(axis);
  }
  void add(const std::vector<Axis>& axes) {
    for (const Axis& axis : axes) add(axis);
  }

 private:
  std::vector<Axis>& axes_;
};

void add_buffer(Plan& plan, std::int64_t& arena_bytes, Arena arena, const std::string& name, const std::string& element,
                const std::vector<Axis>& axes, std::int64_t bytes) {
  BufferPlan buffer{name, element, axes, arena, arena_bytes, bytes};
  arena_bytes += aligned(bytes);
  plan.buffers.push_back(buffer);
}

/// What host and device both touch.
void add_state_buffers(const Contract& contract, Plan& plan) {
  const Axis state{"state_words", plan.sequence_state.bytes / 4};
  add_buffer(plan, plan.state_bytes, Arena::state, "sequence_state", "u32", {state}, plan.sequence_state.bytes);
  add_buffer(plan, plan.state_bytes, Arena::state, "token_ids", "u32", {{"tokens", contract.prefill_chunk}},
             row_bytes(Dtype::f32, contract.prefill_chunk));
  add_buffer(plan, plan.state_bytes, Arena::state, "generated", "u32", {{"decode_steps", decode_steps}},
             row_bytes(Dtype::f32, decode_steps));
  add_buffer(plan, plan.state_bytes, Arena::state, "logits", "f32", {{"vocab", contract.vocab_size}},
             row_bytes(Dtype::f32, contract.vocab_size));
}

/// Cosines and sines for every kind of layer that turns its heads.
void add_rotary_tables(const Contract& contract, Plan& plan) {
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) {
    const LayerContract& layer = contract.kinds[kind];
    if (!plan.caches[kind].present || layer.attention.position != PositionType::rope) continue;
    const std::string name = contract.kinds.size() > 1 ? layer.identifier + "_rotary_angles" : "rotary_angles";
    const Axis angles{layer_axis_name(contract, layer, "angles"), layer.attention.rotary_dim};
    add_buffer(plan, plan.table_bytes, Arena::tables, name, "f32",
               {{"positions", contract.max_sequence_length}, angles},
               contract.max_sequence_length * row_bytes(Dtype::f32, layer.attention.rotary_dim));
    plan.rotary_tables.push_back({name, layer.attention.rotary_frequencies});
  }
}

std::vector<WeightPlan> plan_weights(const std::vector<WeightContract>& weights, std::int64_t copies, Plan& plan) {
  std::vector<WeightPlan> planned;
  for (const WeightContract& weight : weights) {
    planned.push_back(plan_weight(weight));
    plan.weight_bytes += copies * planned.back().bytes;
  }
  return planned;
}

void add_axes(const Contract& contract, Plan& plan) {
  AxisTable axes(plan.axes);
  axes.add({"tokens", contract.prefill_chunk});
  axes.add({"positions", contract.max_sequence_length});
  axes.add({"vocab", contract.vocab_size});
  axes.add({"hidden", contract.hidden_size});
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) {
    const LayerContract& layer = contract.kinds[kind];
    if (!plan.caches[kind].present) continue;
    const auto name = [&](const char* axis) { return layer_axis_name(contract, layer, axis); };
    axes.add({name("heads"), layer.attention.num_attention_heads});
    axes.add({name("kv_heads"), layer.attention.num_key_value_heads});
    axes.add({name("head"), layer.attention.head_dim});
    axes.add({name("q"), layer.attention.q_size});
    axes.add({name("kv"), layer.attention.kv_size});
  }
  const auto add_weights = [&](const std::vector<WeightPlan>& weights) {
    for (const WeightPlan& weight : weights) axes.add(weight.contract.axes);
  };
  add_weights(plan.prologue_weights);
  for (const auto& weights : plan.layer_weights) add_weights(weights);
  add_weights(plan.epilogue_weights);
  for (const BufferPlan& buffer : plan.buffers) axes.add(buffer.axes);
}

}  // namespace

const BufferPlan& Plan::buffer(const std::string& name) const {
  for (const BufferPlan& candidate : buffers) {
    if (candidate.name == name) return candidate;
  }
  throw InternalError("plan: no buffer " + name);
}

std::int64_t Plan::cache_bytes_per_token(const Contract& contract) const {
  std::int64_t bytes = 0;
  for (const std::size_t kind : contract.layer_kinds) {
    if (!caches[kind].present) continue;
    const AttentionContract& attention = contract.kinds[kind].attention;
    bytes += 2 * attention.num_key_value_heads * row_bytes(contract.kv_cache, attention.head_dim);
  }
  return bytes;
}

std::int64_t Plan::decode_dispatches(const Contract& contract) const {
  std::size_t count = decode.prologue.size() + head.epilogue.size() + sample.epilogue.size();
  for (const std::size_t kind : contract.layer_kinds) count += decode.layers[kind].size();
  return static_cast<std::int64_t>(count);
}

Plan make_plan(const Contract& contract, const Graph& graph) {
  Plan plan;
  plan.decode_steps = decode_steps;
  plan.sequence_state = sequence_state_record();
  plan.prologue_weights = plan_weights(contract.prologue, 1, plan);
  for (const LayerContract& kind : contract.kinds) {
    plan.layer_weights.push_back(plan_weights(kind.weights, static_cast<std::int64_t>(kind.layers.size()), plan));
  }
  plan.epilogue_weights = plan_weights(contract.epilogue, 1, plan);
  plan.caches = plan_caches(contract, plan.cache_bytes);
  add_state_buffers(contract, plan);
  add_rotary_tables(contract, plan);

  Planner planner(contract, plan);
  for (const auto& [phase, phase_plan] : {std::pair{Phase::prefill, &plan.prefill}, {Phase::decode, &plan.decode}}) {
    phase_plan->prologue = planner.section(graph.prologue, phase, nullptr);
    for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) {
      phase_plan->layers.push_back(planner.section(graph.layers[kind], phase, &contract.kinds[kind]));
    }
  }
  plan.head.epilogue = planner.section(graph.epilogue, Phase::head, nullptr);
  plan.sample.epilogue = planner.sample();
  plan.activation_bytes = planner.activations().place(plan.buffers);
  add_axes(contract, plan);
  return plan;
}

}  // namespace monomorph::generator
