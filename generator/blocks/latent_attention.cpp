#include "generator/blocks/latent_attention.hpp"

#include <fmt/format.h>

#include "generator/blocks/norm.hpp"
#include "generator/blocks/position.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/spec/engine_section.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<LatentAttentionSection>>& fields() {
  using S = LatentAttentionSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("num_attention_heads", at(&S::num_attention_heads), required(), "heads", "Heads"),
      row<S>("q_lora_rank", at(&S::q_lora_rank), computed("none: queries are made of what is read"), "elements",
             "Width of the vector that q_down gives and queries are made of"),
      row<S>("kv_lora_rank", at(&S::kv_lora_rank), required(), "elements",
             "Width of the vector that kv_down gives and keys and values are made of: what is kept of a token, beside "
             "its rotated key"),
      row<S>("qk_nope_head_dim", at(&S::qk_nope_head_dim), required(), "elements",
             "Elements of a head's query and key that are not rotated"),
      row<S>("qk_rope_head_dim", at(&S::qk_rope_head_dim), required(), "elements",
             "Elements of a head's query that are rotated, and of the one key that all heads compare them with"),
      row<S>("v_head_dim", at(&S::v_head_dim), required(), "elements", "Width of a head's value"),
      expression(row<S>("scale", at(&S::scale), literal("\"1 / sqrt(qk_nope_head_dim + qk_rope_head_dim)\""), "",
                        "Factor of query times key: an expression of the spec's own numbers")),
      row<S>("bias", at(&S::bias), literal("false"), "",
             "Projections with a bias: true, false, or a list out of \"q_down\", \"kv_down\", \"k_rope\", \"o\""),
      row<S>("latent_norm", at(&S::latent_norm), literal("true"), "",
             "Normalise what q_down and kv_down give: true, false, or keys laid over those of [norm]"),
      row<S>("position", at(&S::position), literal("true"), "",
             "Whether positions are told as [position] says, where that is \"rope\"; or keys of its own laid over "
             "those of [position]"),
  };
  return rows;
}

namespace {

constexpr std::int64_t max_width = 512;    // attention gives each vec4 of a value an invocation; every device has 128
constexpr std::int64_t max_heads = 65535;  // banks of a matrix: what every device dispatches at once

const LatentAttentionSection& own(const BlockContext& context) {
  return section_of<LatentAttentionSection>(context.block);
}

/// Whether queries are made of a short vector, too.
bool has_short_queries(const LatentAttentionSection& attention) { return attention.q_lora_rank.given; }

void complete(Block& block, LayerKind& kind, const ModelSection& model) {
  auto& attention = *std::any_cast<LatentAttentionSection>(&block.section);
  if (!attention.q_lora_rank.given) attention.q_lora_rank.value = -1;  // absent
  complete_position(position_of(kind, block), attention.qk_rope_head_dim.value, model);
}

std::optional<double> scale_of(const BlockContext& context, Diagnostics& diagnostics) {
  return positive_constant(own(context).scale, "latent_attention.scale", spec_numbers(context),
                           "1 / sqrt(qk_nope_head_dim + qk_rope_head_dim)", diagnostics);
}

/// A latent is kept once, as key and value, and has one type; rows are whole blocks of it.
void check_cache(const BlockContext& context, Diagnostics& diagnostics) {
  const LatentAttentionSection& attention = own(context);
  const CacheTypes& cache = context.spec->engine->kv_cache.value;
  check_cache_width(cache.keys, "latents", "latent_attention.kv_lora_rank", attention.kv_lora_rank,
                    attention.kv_lora_rank.value, diagnostics);
  check_cache_width(cache.keys, "rotated keys", "latent_attention.qk_rope_head_dim", attention.qk_rope_head_dim,
                    attention.qk_rope_head_dim.value, diagnostics);
  if (!cache.values.given || cache.values.value == cache.keys.value) return;
  diagnostics.error("engine.kv_cache_latents", cache.values.span,
                    fmt::format("engine.kv_cache.values is \"{}\", and keys is \"{}\": latent_attention keeps one "
                                "latent of a token, which is its key and its value; leave values out, or give both "
                                "one type",
                                cache.values.value, cache.keys.value));
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  const LatentAttentionSection& attention = own(context);
  const auto range = [&](const Field<std::int64_t>& field, const std::string& key, std::int64_t most) {
    check_range(field, "latent_attention." + key, 1, most, diagnostics);
  };
  range(attention.num_attention_heads, "num_attention_heads", max_heads);
  range(attention.q_lora_rank, "q_lora_rank", max_size);
  range(attention.kv_lora_rank, "kv_lora_rank", max_width);
  range(attention.qk_nope_head_dim, "qk_nope_head_dim", max_size);
  range(attention.qk_rope_head_dim, "qk_rope_head_dim", max_width);
  range(attention.v_head_dim, "v_head_dim", max_size);
  const bool scale_is_known =
      attention.scale.given || (usable(attention.qk_nope_head_dim) && usable(attention.qk_rope_head_dim));
  if (scale_is_known) scale_of(context, diagnostics);
  std::vector<std::string> projections = {"kv_down", "k_rope", "o"};
  if (has_short_queries(attention)) projections.insert(projections.begin(), "q_down");
  check_bias_projections(attention.bias, "latent_attention", projections, diagnostics);
  const Field<NormChoice>& norm = attention.latent_norm;
  if (norm.value.present) {
    check_norm_of_heads("latent_attention.latent_norm", norm.value.norm, norm.span, diagnostics);
  }
  check_cache(context, diagnostics);
  check_rotated(context, "latent_attention", diagnostics);
  check_position(context, attention.num_attention_heads, attention.qk_rope_head_dim, "qk_rope_head_dim", diagnostics);
}

void advise(const BlockContext& context, const EngineSection&, Diagnostics& diagnostics) {
  const LatentAttentionSection& attention = own(context);
  advise_multiple("kv_lora_rank", attention.kv_lora_rank.value, attention.kv_lora_rank.span, diagnostics);
}

void declare(const BlockContext& context, Declarations& declare) {
  const LatentAttentionSection& attention = own(context);
  const std::int64_t num_heads = sane(attention.num_attention_heads, max_heads);
  const std::int64_t latent_dim = sane(attention.kv_lora_rank, max_width), nope_dim = sane(attention.qk_nope_head_dim),
                     rope_dim = sane(attention.qk_rope_head_dim, max_width), value_dim = sane(attention.v_head_dim);
  const Span &of_heads = attention.num_attention_heads.span, &of_latent = attention.kv_lora_rank.span,
             &of_nope = attention.qk_nope_head_dim.span, &of_rope = attention.qk_rope_head_dim.span,
             &of_value = attention.v_head_dim.span;
  // One key, which all heads' queries are a group of.
  const AxisId keys = declare.axis("kv_heads", 1, of_heads);
  const AxisId group = declare.axis("kv_group", num_heads, of_heads);
  const AxisId heads = declare.axis("heads", num_heads, of_heads, {keys, group});
  const AxisId latent = declare.axis("latent_dim", latent_dim, of_latent);
  const AxisId latents = declare.axis("kv_latent", latent_dim, of_latent, {keys, latent});
  const AxisId nope = declare.axis("nope_dim", nope_dim, of_nope);
  const AxisId rope = declare.axis("rope_dim", rope_dim, of_rope);
  const AxisId value = declare.axis("value_dim", value_dim, of_value);
  const AxisId of_all_values = declare.axis("v", num_heads * value_dim, of_value, {heads, value});
  const AxisId hidden = declare.hidden();

  const Field<Biases> without_bias;
  const auto declare_queries = [&](const std::string& input, AxisId columns) {
    const AxisId q_nope = declare.axis("q_nope", num_heads * nope_dim, of_nope, {heads, nope});
    const AxisId q_rope = declare.axis("q_rope", num_heads * rope_dim, of_rope, {heads, rope});
    declare.projections(input, without_bias,
                        {{"q_nope", q_nope, columns, false, num_heads}, {"q_rope", q_rope, columns, false, num_heads}});
  };
  const bool is_short = has_short_queries(attention);
  const NormChoice& norm = attention.latent_norm.value;
  std::vector<Projection> inputs = {{"kv_down", latents, hidden},
                                    {"k_rope", declare.axis("k_rope", rope_dim, of_rope, {keys, rope}), hidden}};
  if (is_short) {
    const AxisId of_queries = declare.axis("q_lora", sane(attention.q_lora_rank), attention.q_lora_rank.span);
    inputs.insert(inputs.begin(), {"q_down", of_queries, hidden});
    declare.projections("input", attention.bias, inputs);
    if (norm.present) declare_norm("q_norm", norm.norm, of_queries, declare);
    declare_queries("q_latent", of_queries);
  } else {
    declare_queries("input", hidden);
    declare.projections("input", attention.bias, inputs);
  }
  if (norm.present) declare_norm("kv_norm", norm.norm, latent, declare);
  // A query's product with the key that k_up makes of a latent is the product of what k_up's transpose makes of the
  // query with the latent itself. Checkpoints have k_up as it makes keys.
  const AxisId absorbed = declare.axis("absorbed", num_heads * latent_dim, of_latent, {heads, latent});
  declare.projections(
      "latent", without_bias,
      {{.word = "k_up", .rows = absorbed, .columns = nope, .heads = num_heads, .by_head = true, .turned = true},
       {.word = "v_up", .rows = of_all_values, .columns = latent, .heads = num_heads, .by_head = true}});
  const Dtype kept = declare.contract().kv_cache.keys;
  declare.state("latents", keys, latent, kept, {});
  declare.state("rotated_keys", keys, rope, kept, {});
  declare_position(context, declare);
  declare.projections("attended", attention.bias, {{"o", hidden, of_all_values}});
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  const LatentAttentionSection& attention = own(context);
  const auto normed = [&](const std::string& word, ValueId x, const std::string& role, AxisId over = {}) {
    const Field<NormChoice>& norm = attention.latent_norm;
    return norm.value.present ? build_norm(word, norm, context.block, build, x, role, over) : x;
  };
  ValueId read = in;
  if (has_short_queries(attention))
    read = normed("q_norm", build.projection("q_down", in, "q_latent"), "q_latent_normed");
  const ValueId latent = build.projection("kv_down", in, "latent");
  const ValueId rotated_key = build.projection("k_rope", in, "rotated_key");
  const ValueId unrotated = build.projection("q_nope", read, "queries");
  const ValueId rotated = build.projection("q_rope", read, "rotated_queries");

  const AxisId width = build.axes()[build.axes_of(latent)[1]].factors[1];
  const ValueId latents = build.append("latents", normed("kv_norm", latent, "latent_normed", width));
  const ValueId keys = build.append("rotated_keys", build_turned(context, build, rotated_key, "rotated_key_turned"));
  const ValueId absorbed = build.projection_by_bank("k_up", unrotated, "absorbed_queries");
  Diagnostics none;
  AttentionOperands operands{.queries = absorbed, .keys = latents, .values = latents};
  operands.second_queries = build_turned(context, build, rotated, "rotated_queries_turned");
  operands.second_keys = keys;
  const ValueId attended = build.attention({.scale = scale_of(context, none).value()}, operands, "attended_latents");
  return build.projection("o", build.projection_by_bank("v_up", attended, "attended"), "projected");
}

/// 2 operations each for an element of a query and of the weighted sum, which is as wide as a latent.
PairWork pair_work(const BlockContext& context) {
  const LatentAttentionSection& attention = own(context);
  const std::int64_t of_head = 4 * attention.kv_lora_rank.value + 2 * attention.qk_rope_head_dim.value;
  return {of_head * attention.num_attention_heads.value, {}};
}

}  // namespace

BlockType latent_attention_block() {
  return {.name = "latent_attention",
          .meaning = "Self-attention whose keys and values are made of one short vector of each token (MLA).",
          .parts = {"q_down", "q_norm", "q_nope", "q_rope", "kv_down", "k_rope", "kv_norm", "k_up", "v_up", "o"},
          .position = [](std::any& section) -> Field<PositionChoice>& {
            return std::any_cast<LatentAttentionSection>(&section)->position;
          },
          .make = make_section<LatentAttentionSection>,
          .bind = bind_section<LatentAttentionSection>,
          .complete = complete,
          .check = check,
          .advise = advise,
          .declare = declare,
          .build = build,
          .pair_work = pair_work};
}

}  // namespace monomorph::generator
