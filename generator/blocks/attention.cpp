#include "generator/blocks/attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "generator/blocks/norm.hpp"
#include "generator/blocks/position.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<AttentionSection>>& fields() {
  using S = AttentionSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("num_attention_heads", at(&S::num_attention_heads), required(), "heads", "Query heads"),
      row<S>("num_key_value_heads", at(&S::num_key_value_heads), computed("num_attention_heads"), "heads",
             "Key and value heads; each serves num_attention_heads / num_key_value_heads query heads"),
      row<S>("head_dim", at(&S::head_dim), computed("hidden_size / num_attention_heads"), "elements",
             "Width of a head"),
      expression(row<S>("scale", at(&S::scale), literal("\"1 / sqrt(head_dim)\""), "",
                        "Factor of query times key: an expression of the spec's own numbers")),
      row<S>("bias", at(&S::bias), literal("false"), "",
             "Projections with a bias: true, false, or a list out of \"q\", \"k\", \"v\", \"o\""),
      row<S>("qk_norm", at(&S::qk_norm), literal("\"none\""), "",
             "RMS normalisation of queries and keys, with weights: none, over each head, or over the whole projection",
             {"none", "head", "projection"}),
  };
  return rows;
}

namespace {

constexpr std::int64_t max_head_dim = 512;  // attention gives each vec4 of a head an invocation; every device has 128
constexpr std::int64_t max_heads = 65535;   // a workgroup for each: what every device dispatches at once

const AttentionSection& own(const BlockContext& context) { return section_of<AttentionSection>(context.block); }

void complete(Block& block, LayerKind& kind, const ModelSection& model) {
  auto& attention = *std::any_cast<AttentionSection>(&block.section);
  if (!attention.num_key_value_heads.given) attention.num_key_value_heads.value = attention.num_attention_heads.value;
  if (!attention.head_dim.given && attention.num_attention_heads.value > 0) {
    attention.head_dim.value = model.hidden_size.value / attention.num_attention_heads.value;
  }
  complete_position(kind.position, attention.head_dim.value, model);
}

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

/// The factor of query times key; nothing where the expression is wrong.
std::optional<double> attention_scale(const BlockContext& context, Diagnostics& diagnostics) {
  const Field<std::string>& scale = own(context).scale;
  // The default's operands are judged by their own rules.
  if (!scale.given && !usable(own(context).head_dim)) return std::nullopt;
  return positive_constant(scale, "attention.scale", spec_numbers(context), "1 / sqrt(head_dim)", diagnostics);
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  const AttentionSection& attention = own(context);
  check_range(attention.num_attention_heads, "attention.num_attention_heads", 1, max_heads, diagnostics);
  check_range(attention.num_key_value_heads, "attention.num_key_value_heads", 1, max_heads, diagnostics);
  head_dim_in_range(attention, diagnostics);
  kv_heads_divide_heads(attention, diagnostics);
  head_dim_is_known(context.model, attention, diagnostics);
  attention_scale(context, diagnostics);
  check_bias_projections(attention.bias, "attention", {"q", "k", "v", "o"}, diagnostics);
  check_position(context, attention.num_attention_heads, attention.head_dim, diagnostics);
}

/// Rows of the cache are padded to whole blocks.
void advise(const BlockContext& context, const EngineSection& engine, Diagnostics& diagnostics) {
  const Dtype cached = engine.kv_cache.value == "f32" ? Dtype::f32 : Dtype::f16;
  const std::int64_t head_dim = own(context).head_dim.value;
  const std::int64_t padded = row_bytes(cached, head_dim) / element_bytes(cached);
  if (padded == head_dim) return;
  diagnostics.advice("advice.head_dim", own(context).head_dim.span,
                     fmt::format("head_dim is {}, and a cached key or value takes the room of {}; a multiple of {} "
                                 "wastes none",
                                 head_dim, padded, row_alignment / element_bytes(cached)));
}

void declare(const BlockContext& context, Declarations& declare) {
  const AttentionSection& attention = own(context);
  const std::int64_t num_heads = sane(attention.num_attention_heads), head_dim = sane(attention.head_dim);
  std::int64_t num_kv_heads = sane(attention.num_key_value_heads);
  if (num_heads % num_kv_heads != 0) num_kv_heads = num_heads;  // has been reported
  const Span& of_heads = attention.num_attention_heads.span;
  const AxisId kv_heads = declare.axis("kv_heads", num_kv_heads, of_heads);
  const AxisId group = declare.axis("kv_group", num_heads / num_kv_heads, of_heads);
  const AxisId heads = declare.axis("heads", num_heads, of_heads, {kv_heads, group});
  const AxisId head = declare.axis("head", head_dim, attention.head_dim.span);
  const AxisId q = declare.axis("q", num_heads * head_dim, of_heads, {heads, head});
  const AxisId kv = declare.axis("kv", num_kv_heads * head_dim, of_heads, {kv_heads, head});
  const AxisId hidden = declare.hidden(), slots = declare.slots(), positions = declare.positions();

  declare.projections("input", attention.bias,
                      {{"q", q, hidden, false, num_heads},
                       {"k", kv, hidden, false, num_kv_heads},
                       {"v", kv, hidden, false, num_kv_heads}});
  if (attention.qk_norm.value == "head") {
    declare.norm_weight("q_norm", head);
    declare.norm_weight("k_norm", head);
  } else if (attention.qk_norm.value == "projection") {
    declare.norm_weight("q_norm", q);
    declare.norm_weight("k_norm", kv);
  }
  declare_position(context, declare);
  declare.state("keys", {slots, kv_heads, positions, head});
  declare.state("values", {slots, kv_heads, positions, head});
  declare.projections("attended", attention.bias, {{"o", hidden, q}});
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  ValueId queries = build.projection("q", in, "queries");
  ValueId keys = build.projection("k", in, "keys");
  const ValueId values = build.projection("v", in, "values");
  if (own(context).qk_norm.value != "none") {
    const NormSection& shared = context.kind.norm;
    const NormContract norm{NormType::rms_norm, shared.eps.value, false, true, shared.weight_offset.value};
    const bool of_heads = own(context).qk_norm.value == "head";
    const AxisId over = of_heads ? build.axes()[build.axes_of(queries)[1]].factors[1] : AxisId{};
    queries = build.norm("q_norm", norm, "q_norm", queries, "queries_normed", over);
    keys = build.norm("k_norm", norm, "k_norm", keys, "keys_normed", over);
  }
  queries = build_turned(context, build, queries, "queries_turned");
  keys = build_turned(context, build, keys, "keys_turned");
  const ValueId cached_keys = build.append("keys", keys);
  const ValueId cached_values = build.append("values", values);
  Diagnostics none;
  const double scale = attention_scale(context, none).value();
  return build.projection("o", build.attention(scale, queries, cached_keys, cached_values, "attended"), "projected");
}

/// Scores and their weighted sum: 2 operations each for an element of a query.
std::int64_t flops_per_pair(const BlockContext& context) {
  return 4 * own(context).num_attention_heads.value * own(context).head_dim.value;
}

}  // namespace

BlockType attention_block() {
  return {"attention",
          "Causal self-attention.",
          {"q", "k", "v", "q_norm", "k_norm", "o"},
          true,
          make_section<AttentionSection>,
          bind_section<AttentionSection>,
          complete,
          check,
          advise,
          declare,
          build,
          flops_per_pair};
}

}  // namespace monomorph::generator
