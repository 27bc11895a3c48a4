#include "generator/plan/section.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace monomorph::generator {
namespace {

/// Query rows whose tile of attention fits the shared memory that every device has, 16 KiB, with workgroups of 128: a
/// row takes its query, its scores and three statistics, and the tile 2 KiB of partial results
/// (shaders/attention.glsl).
std::int64_t attention_tile_rows(std::int64_t head_dim) {
  constexpr std::int64_t shared_bytes = 16384, workgroup_size = 128;
  const std::int64_t row_bytes = (head_dim + 3) / 4 * 16 + workgroup_size * 4 + 12;
  return (shared_bytes - workgroup_size * 16) / row_bytes;
}

}  // namespace

void SectionPlanner::heads(const SplitOp& split) {
  const AttentionContract& attention = kind_->attention;
  Value queries = split.queries;
  std::string q_norm, k_norm;
  double eps = 0;
  bool rotary = false;
  std::size_t writes = 0;
  std::size_t next = at_ + 1;
  for (; next < ops_.size() && writes < 2; ++next) {
    if (const auto* norm_op = as<HeadNormOp>(ops_, next)) {
      const bool of_queries = norm_op->in == queries;
      (of_queries ? q_norm : k_norm) = norm_op->weight;
      if (of_queries) queries = norm_op->out;
      eps = norm_op->eps;
    } else if (const auto* rotary_op = as<RotaryOp>(ops_, next)) {
      if (rotary_op->in == queries) queries = rotary_op->out;
      rotary = true;
    } else if (as<CacheWriteOp>(ops_, next) != nullptr) {
      ++writes;
    } else {
      break;
    }
  }
  if (writes != 2) throw InternalError("plan: keys and values are not both written to the cache");

  const bool f32_cache = contract_.kv_cache == Dtype::f32;
  const std::int64_t cache_row = row_bytes(contract_.kv_cache, attention.head_dim);
  Call call;
  call.base = "heads";
  call.per_phase = false;
  KernelPlan& kernel = call.kernel;
  kernel.about = fmt::format("queries, cache.keys, cache.values = {}{}split(qkv)", rotary ? "rotary of " : "",
                             q_norm.empty() ? "" : "head_norm of ");
  kernel.template_path = "kernels/heads.comp";
  kernel.kind = KernelKind::heads;
  kernel.max_tile_tokens = contract_.prefill_chunk;
  kernel.holes = {{"num_attention_heads", attention.num_attention_heads},
                  {"num_key_value_heads", attention.num_key_value_heads},
                  {"head_dim", attention.head_dim},
                  {"rotary", rotary},
                  {"head_norm", !q_norm.empty()},
                  {"max_sequence_length", contract_.max_sequence_length},
                  {"cache_dtype", name_of(contract_.kv_cache)},
                  {"cache_pairs", cache_row / (f32_cache ? 8 : 4)},
                  {"qkv_stride", row_stride(split.in.axis.size)},
                  {"query_stride", row_stride(queries.axis.size)}};
  if (!q_norm.empty()) {
    kernel.holes.insert({"eps", eps});
    add_weight(call, q_norm, "QNorm", "float q_norm[]", false);
    add_weight(call, k_norm, "KNorm", "float k_norm[]", false);
  }
  if (rotary) {
    kernel.holes.insert({"rotary_dim", attention.rotary_dim});
    kernel.holes.insert({"angle_stride", row_bytes(Dtype::f32, attention.rotary_dim) / 8});
    add_buffer(call, rotary_buffer_name(), "Angles", "vec2 angles[]", Access::read);
  }
  add_value(call, split.in, "Qkv", "float qkv[]", Access::read);
  Value stored{"queries", queries.axis};
  add_value(call, stored, "Queries", "float queries[]", Access::write);
  const std::string pair = f32_cache ? "uvec2 " : "uint ";
  add_cache(call, "keys", "Keys", pair + "keys[]", Access::write);
  add_cache(call, "values", "Values", pair + "values[]", Access::write);
  call.rows = fmt::format("{0}::size + 2 * {1}::size", layer_axis_name(contract_, *kind_, "heads"),
                          layer_axis_name(contract_, *kind_, "kv_heads"));
  call.tokens = all_tokens();
  finish(call);
  at_ = next;
}

std::string SectionPlanner::rotary_buffer_name() const {
  return contract_.kinds.size() > 1 ? kind_->identifier + "_rotary_angles" : "rotary_angles";
}

void SectionPlanner::attention(const AttentionOp& op) {
  const AttentionContract& attention = kind_->attention;
  const bool f32_cache = contract_.kv_cache == Dtype::f32;
  const std::int64_t cache_row = row_bytes(contract_.kv_cache, attention.head_dim);
  Call call;
  call.base = "attention";
  KernelPlan& kernel = call.kernel;
  kernel.about = "attended = softmax(attention_scale * queries x keys, causal) x values";
  kernel.template_path = "kernels/attention.comp";
  kernel.kind = KernelKind::attention;
  kernel.max_tile_tokens = std::min(token_count() * attention.kv_group_size, attention_tile_rows(attention.head_dim));
  kernel.holes = {{"head_dim", attention.head_dim},
                  {"head_quads", (attention.head_dim + 3) / 4},
                  {"kv_group_size", attention.kv_group_size},
                  {"attention_scale", op.scale},
                  {"max_sequence_length", contract_.max_sequence_length},
                  {"cache_dtype", name_of(contract_.kv_cache)},
                  {"cache_quads", cache_row / (f32_cache ? 16 : 8)},
                  {"query_stride", row_stride(op.out.axis.size)}};
  add_value(call, Value{"queries", op.queries.axis}, "Queries", "float queries[]", Access::read);
  const std::string quad = f32_cache ? "uvec4 " : "uvec2 ";
  add_cache(call, "keys", "Keys", quad + "keys[]", Access::read);
  add_cache(call, "values", "Values", quad + "values[]", Access::read);
  add_value(call, op.out, "Attended", "float attended[]", Access::write);
  kernel.cost.bytes_per_key = 2 * cache_row;
  kernel.cost.flops_per_key = 4 * attention.head_dim;
  const std::string kv_heads = layer_axis_name(contract_, *kind_, "kv_heads");
  call.rows = kv_heads + "::size";
  call.tokens =
      fmt::format("{} * {}::size / {}::size", all_tokens(), layer_axis_name(contract_, *kind_, "heads"), kv_heads);
  finish(call);
  ++at_;
}

}  // namespace monomorph::generator
