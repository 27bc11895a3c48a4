#include <fmt/format.h>

#include <cmath>

#include "generator/contract/parts.hpp"
#include "generator/contract/rules.hpp"

namespace monomorph::generator {
namespace {

constexpr std::int64_t max_head_dim = 512;  // attention gives each vec4 of a head an invocation; every device has 128
constexpr std::int64_t max_heads = 65535;   // a workgroup for each: what every device dispatches at once

void kv_heads_divide_heads(const AttentionSection& attention, Diagnostics& diagnostics) {
  const std::int64_t heads = attention.num_attention_heads.value;
  const std::int64_t kv_heads = attention.num_key_value_heads.value;
  if (!usable(attention.num_attention_heads) || !usable(attention.num_key_value_heads) || heads % kv_heads == 0) return;
  std::string divisors;
  int listed = 0;
  for (std::int64_t divisor = 1; divisor <= heads && divisor <= 4096 && listed < 12; ++divisor) {
    if (heads % divisor != 0) continue;
    divisors += (listed++ > 0 ? ", " : "") + std::to_string(divisor);
  }
  diagnostics.error("attention.kv_heads_divide_heads", attention.num_key_value_heads.span,
                    fmt::format("{} query heads cannot share {} key and value heads evenly; num_key_value_heads must "
                                "divide num_attention_heads: {}",
                                heads, kv_heads, divisors));
}

void head_dim_in_range(const AttentionSection& attention, Diagnostics& diagnostics) {
  check_range(attention.head_dim, "attention.head_dim", 1, max_head_dim, diagnostics);
  if (attention.head_dim.given || !usable(attention.num_attention_heads) || attention.head_dim.value <= max_head_dim)
    return;
  diagnostics.error(
      "attention.head_dim_range", attention.num_attention_heads.span,
      fmt::format("head_dim is hidden_size / num_attention_heads = {}; 1 to {} is valid: more heads, or a "
                  "head_dim of its own",
                  attention.head_dim.value, max_head_dim));
}

/// Without head_dim it is hidden_size / num_attention_heads, which must come out whole.
void head_dim_is_known(const ModelSection& model, const AttentionSection& attention, Diagnostics& diagnostics) {
  if (attention.head_dim.given || !usable(model.hidden_size) || !usable(attention.num_attention_heads)) return;
  const std::int64_t hidden_size = model.hidden_size.value, heads = attention.num_attention_heads.value;
  if (hidden_size % heads == 0) return;
  diagnostics.error("attention.head_dim_given", attention.num_attention_heads.span,
                    fmt::format("hidden_size {} is no multiple of num_attention_heads {}, and head_dim is not given; "
                                "give head_dim, or {} or {} as hidden_size",
                                hidden_size, heads, std::max<std::int64_t>(1, hidden_size / heads) * heads,
                                (hidden_size / heads + 1) * heads));
}

}  // namespace

std::optional<double> attention_scale(const Spec& spec, const LayerKind& kind, Diagnostics& diagnostics) {
  const Field<std::string>& scale = kind.attention.scale;
  const auto expression = parse_expression(scale.value, scale.span, spec_numbers(spec, kind), Type::real, diagnostics);
  if (!expression) return std::nullopt;
  // The default's operands are judged by their own rules.
  if (!scale.given && !usable(kind.attention.head_dim)) return std::nullopt;
  const double value = evaluate(*expression, {});
  if (std::isfinite(value) && value > 0 && std::isfinite(static_cast<float>(value)) && static_cast<float>(value) > 0) {
    return value;
  }
  diagnostics.error(
      "attention.scale", scale.span,
      fmt::format("attention.scale is {}; a number above 0 is required, and 1 / sqrt(head_dim) is usual", value));
  return std::nullopt;
}

void check_attention_rules(const Spec& spec, Diagnostics& diagnostics) {
  for (const LayerKind& kind : spec.kinds) {
    if (!kind.has_step("attention")) continue;
    const AttentionSection& attention = kind.attention;
    check_range(attention.num_attention_heads, "attention.num_attention_heads", 1, max_heads, diagnostics);
    check_range(attention.num_key_value_heads, "attention.num_key_value_heads", 1, max_heads, diagnostics);
    head_dim_in_range(attention, diagnostics);
    kv_heads_divide_heads(attention, diagnostics);
    head_dim_is_known(spec.model, attention, diagnostics);
    attention_scale(spec, kind, diagnostics);
    check_bias_projections(attention.bias, "attention", {"q", "k", "v", "o"}, diagnostics);
    check_fused_biases(spec.checkpoint, "attention", attention.bias, diagnostics);
  }
}

}  // namespace monomorph::generator
