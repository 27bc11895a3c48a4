#include "generator/plan/section.hpp"

#include <fmt/format.h>

namespace monomorph::generator {
namespace {

std::string shape_of(const std::vector<Axis>& axes) {
  std::string text;
  for (const Axis& axis : axes) text += (text.empty() ? "" : " x ") + axis.name;
  return text;
}

}  // namespace

std::vector<CallPlan> SectionPlanner::run() {
  while (at_ < ops_.size()) {
    if (const auto* embed_op = as<EmbedOp>(ops_, at_)) {
      embed(*embed_op);
    } else if (const auto* norm_op = as<NormOp>(ops_, at_)) {
      norm(*norm_op);
    } else if (const auto* linear_op = as<LinearOp>(ops_, at_)) {
      linear(*linear_op, nullptr);
    } else if (const auto* split_op = as<SplitOp>(ops_, at_)) {
      heads(*split_op);
    } else if (const auto* attention_op = as<AttentionOp>(ops_, at_)) {
      attention(*attention_op);
    } else {
      throw InternalError(fmt::format("plan: no kernel begins with operation {} of this section", at_));
    }
  }
  return std::move(calls_);
}

const WeightPlan& SectionPlanner::weight(const std::string& role) const {
  const auto find = [&](const std::vector<WeightPlan>& weights) -> const WeightPlan* {
    for (const WeightPlan& candidate : weights) {
      if (candidate.contract.role == role) return &candidate;
    }
    return nullptr;
  };
  const WeightPlan* found = nullptr;
  if (kind_ != nullptr) {
    found = find(plan_.layer_weights[static_cast<std::size_t>(kind_ - contract_.kinds.data())]);
  } else {
    found = find(plan_.prologue_weights);
    if (found == nullptr) found = find(plan_.epilogue_weights);
  }
  if (found == nullptr) throw InternalError("plan: the contract has no weight " + role);
  return *found;
}

void SectionPlanner::add_weight(Call& call, const std::string& role, const std::string& block,
                                const std::string& member, bool splits) {
  const WeightPlan& found = weight(role);
  call.kernel.parameters.push_back({role, "const " + found.type() + "&", block, member,
                                    role + ": " + shape_of(found.contract.axes), Access::read, splits});
  call.arguments.push_back((kind_ != nullptr ? "layer." : "weights.") + role);
}

void SectionPlanner::add_value(Call& call, const Value& value, const std::string& block, const std::string& member,
                               Access access) {
  const bool residual = value.name == "hidden_states";
  const bool logits = value.name == "logits";
  BufferPlan buffer;
  // A value whose axis belongs to one kind of layer is a buffer of that kind.
  const bool of_kind = kind_ != nullptr && contract_.kinds.size() > 1 && value.axis.name != "hidden";
  buffer.name = of_kind ? kind_->identifier + "_" + value.name : value.name;
  buffer.element = "f32";
  if (!logits) buffer.axes.push_back({"tokens", contract_.prefill_chunk});
  buffer.axes.push_back(value.axis);
  buffer.bytes = row_stride(value.axis.size) * 4 * (logits ? 1 : contract_.prefill_chunk);
  if (!logits) planner_.activations_.use(buffer, section_, calls_.size(), residual);
  call.kernel.parameters.push_back({value.name, "const " + buffer.type() + "&", block, member,
                                    value.name + ": " + shape_of(buffer.axes), access, false});
  call.arguments.push_back("buffers::" + buffer.name);
}

void SectionPlanner::add_buffer(Call& call, const std::string& name, const std::string& block,
                                const std::string& member, Access access) {
  const BufferPlan& buffer = plan_.buffer(name);
  call.kernel.parameters.push_back(
      {name, "const " + buffer.type() + "&", block, member, name + ": " + shape_of(buffer.axes), access, false});
  call.arguments.push_back("buffers::" + name);
}

void SectionPlanner::add_cache(Call& call, const std::string& role, const std::string& block, const std::string& member,
                               Access access) {
  const CachePlan& cache = plan_.caches[static_cast<std::size_t>(kind_ - contract_.kinds.data())];
  call.kernel.parameters.push_back(
      {role, "const " + cache.type(role) + "&", block, member, role + ": " + shape_of(cache.axes), access, false});
  call.arguments.push_back("cache." + role);
}

void SectionPlanner::finish(Call call) {
  const std::string kind = kind_ != nullptr && contract_.kinds.size() > 1 ? "_" + kind_->identifier : "";
  const std::string phase = phase_ == Phase::prefill ? "_prefill" : "_decode";
  call.kernel.name = call.base + kind + (call.per_phase ? phase : "") + (call.dtype.empty() ? "" : "_" + call.dtype);
  const std::size_t function = planner_.add_function(call.base + kind + phase, call.kernel, call.rows, call.tokens);
  calls_.push_back({function, call.arguments});
}

}  // namespace monomorph::generator
