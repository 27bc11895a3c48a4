#include "generator/plan/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace monomorph::generator {

std::int64_t aligned(std::int64_t bytes) { return (bytes + view_alignment - 1) / view_alignment * view_alignment; }

namespace {

std::string joined_axes(const std::vector<Axis>& axes) {
  std::string text;
  for (const Axis& axis : axes) text += ", " + axis.name;
  return text;
}

std::int64_t padded_bytes(const std::vector<Axis>& axes, Dtype element) {
  std::int64_t bytes = row_bytes(element, axes.back().size);
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) bytes *= axes[i].size;
  return bytes;
}

}  // namespace

std::string BufferPlan::type() const { return fmt::format("Tensor<{}{}>", element, joined_axes(axes)); }

std::string WeightPlan::type() const {
  return fmt::format("Weight<roles::{}, {}{}>", contract.role, name_of(stored), joined_axes(contract.axes));
}

std::string CachePlan::type(const std::string& role) const {
  return fmt::format("Cache<roles::{}, {}{}>", role, element, joined_axes(axes));
}

WeightPlan plan_weight(const WeightContract& weight) {
  WeightPlan plan;
  plan.contract = weight;
  const bool vector = weight.axes.size() == 1;
  plan.stored = vector ? Dtype::f32 : weight.dtype;
  plan.rows = vector ? 1 : weight.axes[0].size;
  plan.columns = weight.axes.back().size;
  plan.bytes = padded_bytes(weight.axes, plan.stored);
  return plan;
}

std::vector<CachePlan> plan_caches(const Contract& contract, std::int64_t& total_bytes) {
  std::vector<CachePlan> caches;
  total_bytes = 0;
  for (const LayerContract& kind : contract.kinds) {
    CachePlan cache;
    cache.present = std::find(kind.steps.begin(), kind.steps.end(), SubBlockKind::attention) != kind.steps.end();
    if (cache.present) {
      const auto axis = [&](const std::string& name) { return layer_axis_name(contract, kind, name); };
      cache.element = name_of(contract.kv_cache);
      cache.axes = {{axis("kv_heads"), kind.attention.num_key_value_heads},
                    {"positions", contract.max_sequence_length},
                    {axis("head"), kind.attention.head_dim}};
      cache.offset = total_bytes;
      cache.bytes = aligned(padded_bytes(cache.axes, contract.kv_cache));
      total_bytes += 2 * cache.bytes * static_cast<std::int64_t>(kind.layers.size());
    }
    caches.push_back(cache);
  }
  return caches;
}

StructRecord sequence_state_record() {
  StructRecord record;
  record.name = "SequenceState";
  const auto field = [&](const char* type, const char* name, const char* meaning, std::int64_t count = 0) {
    record.fields.push_back({type, name, count, record.bytes, meaning});
    record.bytes += 4 * std::max<std::int64_t>(count, 1);
  };
  field("uint", "position", "of the first token of this call");
  field("uint", "seq_len", "tokens in this call");
  field("uint", "logits_row", "the token of this call whose logits are wanted");
  field("uint", "stop_position", "the sequence ends when this many positions are filled");
  field("uint", "done", "1: the sequence has ended, and every kernel returns at once");
  field("uint", "generated", "tokens drawn since the host wrote the state");
  field("float", "inverse_temperature", "0: take the likeliest token");
  field("uint", "top_k", "0: all tokens");
  field("uint", "top_p", "in 1 / 2^24; 0: all tokens");
  field("uint", "seed_low", "of the draws");
  field("uint", "seed_high", "of the draws");
  field("uint", "eos_count", "entries of eos_tokens in use");
  field("uint", "eos_tokens", "tokens that end the sequence", static_cast<std::int64_t>(max_eos_tokens));
  return record;
}

void ActivationBuffers::use(const BufferPlan& buffer, std::size_t section, std::size_t step, bool whole) {
  auto entry = std::find_if(entries_.begin(), entries_.end(),
                            [&](const Entry& candidate) { return candidate.buffer.name == buffer.name; });
  if (entry == entries_.end()) {
    entries_.push_back({buffer, whole, {}});
    entry = entries_.end() - 1;
  }
  if (entry->buffer.type() != buffer.type()) {
    throw InternalError(
        fmt::format("plan: the buffer {} is {} and {}", buffer.name, entry->buffer.type(), buffer.type()));
  }
  for (Lifetime& lifetime : entry->lifetimes) {
    if (lifetime.section == section) {
      lifetime.last = std::max(lifetime.last, step);
      return;
    }
  }
  entry->lifetimes.push_back({section, step, step});
}

bool ActivationBuffers::conflict(const Entry& a, const Entry& b) {
  if (a.whole || b.whole) return true;
  for (const Lifetime& one : a.lifetimes) {
    for (const Lifetime& other : b.lifetimes) {
      if (one.section == other.section && one.first <= other.last && other.first <= one.last) return true;
    }
  }
  return false;
}

std::int64_t ActivationBuffers::place(std::vector<BufferPlan>& out) const {
  std::vector<Entry> placed;
  std::int64_t total = 0;
  for (Entry entry : entries_) {
    // First fit: the lowest offset that meets none of those already placed and alive at the same time.
    std::int64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (const Entry& other : placed) {
        const bool overlaps = offset < other.buffer.offset + aligned(other.buffer.bytes) &&
                              other.buffer.offset < offset + aligned(entry.buffer.bytes);
        if (overlaps && conflict(entry, other)) {
          offset = other.buffer.offset + aligned(other.buffer.bytes);
          moved = true;
        }
      }
    }
    entry.buffer.offset = offset;
    total = std::max(total, offset + aligned(entry.buffer.bytes));
    placed.push_back(entry);
    out.push_back(entry.buffer);
  }
  return total;
}

}  // namespace monomorph::generator
