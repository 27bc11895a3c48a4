#include "generator/blocks/attention.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/blocks/around_heads.hpp"
#include "generator/blocks/attention_advice.hpp"
#include "generator/blocks/differential.hpp"
#include "generator/blocks/distances.hpp"
#include "generator/blocks/earlier_layer.hpp"
#include "generator/blocks/low_rank.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/blocks/position.hpp"
#include "generator/blocks/scores.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/spec/engine_section.hpp"

namespace monomorph::generator {

namespace {

constexpr std::int64_t max_head_dim = 512;  // attention gives each vec4 of a head an invocation; every device has 128
constexpr std::int64_t max_heads = 65535;   // a workgroup for each: what every device dispatches at once

const AttentionSection& own(const BlockContext& context) { return section_of<AttentionSection>(context.block); }

/// What queries, keys and what they give begin with: those of the second attention where there are two.
std::vector<std::string> terms(const AttentionSection& attention) {
  return is_differential(attention) ? std::vector<std::string>{"", "second_"} : std::vector<std::string>{""};
}

/// Whether it has keys and values of its own.
bool keeps_keys(const AttentionSection& attention) { return !attention.keys_and_values_from.given; }

/// What qk_norm says: an RMSNorm with weights, of the kind's eps and offset.
HeadNormChoice short_norm(const std::string& over, const NormSection& shared) {
  HeadNormChoice choice;
  choice.present = true;
  choice.norm.type.value = name_of(NormType::rms_norm);
  choice.norm.eps = shared.eps;
  choice.norm.weight.value = true;
  choice.norm.weight_offset = shared.weight_offset;
  choice.norm.over.value = over;
  return choice;
}

void complete(Block& block, LayerKind& kind, const ModelSection& model) {
  auto& attention = *std::any_cast<AttentionSection>(&block.section);
  if (is_of_source(attention) && !attention.causal.given) attention.causal.value = false;
  if (!attention.sliding_window.given) attention.sliding_window.value = -1;  // absent
  if (!attention.scale_interval.given) attention.scale_interval.value = -1;
  if (!attention.scale_offset.given) attention.scale_offset.value = attention.scale_growth.given ? 0 : -1;
  if (!attention.chunk_size.given) attention.chunk_size.value = -1;
  if (!attention.adapter_rank.given) attention.adapter_rank.value = -1;
  if (!attention.num_key_value_heads.given) attention.num_key_value_heads.value = attention.num_attention_heads.value;
  if (!attention.head_dim.given && attention.num_attention_heads.value > 0) {
    attention.head_dim.value = input_size({model, kind, block}) / attention.num_attention_heads.value;
  }
  complete_position(position_of(kind, block), attention.head_dim.value, model);
  for (Field<HeadNormChoice>* norm : {&attention.q_norm, &attention.k_norm}) {
    if (!norm->given && attention.qk_norm.value != "none") norm->value = short_norm(attention.qk_norm.value, kind.norm);
  }
}

/// The weights of a whole projection are each head's already.
void check_head_norm(const std::string& path, const Field<HeadNormChoice>& choice, Diagnostics& diagnostics) {
  const HeadNormSection& norm = choice.value.norm;
  if (!choice.given || !choice.value.present) return;
  if (norm.per_head.value && !norm.weight.value && !norm.bias.value) {
    diagnostics.error("spec.unused_key", norm.per_head.span,
                      fmt::format("{0}.per_head has no meaning where {0} has neither weights nor a bias", path));
  }
  if (norm.over.value == "projection") {
    if (!norm.per_head.value) return;
    diagnostics.error("spec.unused_key", norm.per_head.span,
                      fmt::format("{0}.per_head has no meaning where {0}.over is \"projection\": its weights are "
                                  "each head's already",
                                  path));
  } else {
    check_norm_of_heads(path, norm, choice.span, diagnostics);
  }
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
      fmt::format("head_dim is the input's width / num_attention_heads = {}; 1 to {} is valid: give more heads, or "
                  "head_dim",
                  attention.head_dim.value, max_head_dim));
}

/// By default head_dim is the input's width / num_attention_heads, which must come out whole.
void head_dim_is_known(const BlockContext& context, Diagnostics& diagnostics) {
  const AttentionSection& attention = own(context);
  if (attention.head_dim.given || !usable(context.model.hidden_size) || !usable(attention.num_attention_heads)) return;
  const std::int64_t hidden_size = context.model.hidden_size.value, heads = attention.num_attention_heads.value;
  if (input_size(context) % heads == 0) return;
  diagnostics.error("attention.head_dim_given", attention.num_attention_heads.span,
                    fmt::format("hidden_size {} is no multiple of num_attention_heads {}, and head_dim is not given; "
                                "give head_dim, or {} or {} as hidden_size",
                                hidden_size, heads, std::max<std::int64_t>(1, hidden_size / heads) * heads,
                                (hidden_size / heads + 1) * heads));
}

/// A source is seen whole, and its tokens stand on no line with the query's.
void check_source(const BlockContext& context, Diagnostics& diagnostics) {
  const AttentionSection& attention = own(context);
  if (!is_of_source(attention)) return;
  if (!context.spec->encoder) {
    diagnostics.error("attention.source", attention.source.span,
                      fmt::format("{} reads an encoder's source, and there is no [encoder]", context.block.instance));
  } else if (context.kind.stack == encoder_stack) {
    diagnostics.error("attention.source", attention.source.span,
                      fmt::format("{} is a step of the encoder, which has no source of its own; give encoder.layers "
                                  "steps without it",
                                  context.block.instance));
  }
  const auto unused = [&](const auto& field, const char* key) {
    if (!field.given) return;
    diagnostics.error("spec.unused_key", field.span,
                      fmt::format("attention.{} has no meaning where attention.source is given: all of a source is "
                                  "seen, whatever the query's position",
                                  key));
  };
  if (attention.causal.value) unused(attention.causal, "causal");
  unused(attention.sliding_window, "sliding_window");
  unused(attention.chunk_size, "chunk_size");
  unused(attention.mask, "mask");
  unused(attention.window, "window");
  unused(attention.scale_growth, "scale_growth");
  unused(attention.scale_interval, "scale_interval");
  unused(attention.keys_and_values_from, "keys_and_values_from");
  unused(attention.values_from, "values_from");
  unused(attention.differential, "differential");
  const std::string& position = position_of(context).type.value;
  if (position == "none") return;
  diagnostics.error("attention.source_position", attention.position.span,
                    fmt::format("attention.position tells \"{}\" of a source's tokens, which stand on no line with the "
                                "query's; leave it out, or say false",
                                position));
}

/// What is said of keys that are kept has no meaning where none are.
void check_uncached(const AttentionSection& attention, Diagnostics& diagnostics) {
  if (attention.causal.value || is_of_source(attention)) return;
  const auto unused = [&](const auto& field, const char* key) {
    if (!field.given) return;
    diagnostics.error(
        "spec.unused_key", field.span,
        fmt::format("attention.{} has no meaning where attention.causal is false: no keys are kept", key));
  };
  unused(attention.chunk_size, "chunk_size");
  unused(attention.window, "window");
  unused(attention.keys_and_values_from, "keys_and_values_from");
}

/// Rows of the cache are whole blocks. A value of differential attention is as wide as two keys.
void check_cache(const BlockContext& context, Diagnostics& diagnostics) {
  const AttentionSection& attention = own(context);
  if (!keeps_keys(attention) || (!attention.causal.value && !is_of_source(attention))) return;
  const CacheTypes& cache = context.spec->engine->kv_cache.value;
  const Field<std::int64_t>& head_dim = attention.head_dim;
  const std::int64_t keys = is_differential(attention) ? 2 : 1;
  check_cache_width(cache.keys, "keys", "attention.head_dim", head_dim, head_dim.value, diagnostics);
  check_cache_width(cache.values, "values", "attention.head_dim", head_dim, keys * head_dim.value, diagnostics);
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  const AttentionSection& attention = own(context);
  check_range(attention.num_attention_heads, "attention.num_attention_heads", 1, max_heads, diagnostics);
  check_range(attention.num_key_value_heads, "attention.num_key_value_heads", 1, max_heads, diagnostics);
  head_dim_in_range(attention, diagnostics);
  kv_heads_divide_heads(attention, diagnostics);
  head_dim_is_known(context, diagnostics);
  std::vector<std::string> projections;
  for (const std::string& prefix : terms(attention)) projections.push_back(prefix + "q");
  if (keeps_keys(attention)) {
    for (const std::string& prefix : terms(attention)) projections.push_back(prefix + "k");
    projections.emplace_back("v");
  }
  if (attention.gate.value != "none") projections.emplace_back("gate");
  projections.emplace_back("o");
  check_bias_projections(attention.bias, "attention", projections, diagnostics);
  check_adapter_rank(attention.adapter_rank, "attention.adapter_rank", diagnostics);
  if (attention.adapter_rank.given && is_of_source(attention)) {
    diagnostics.error("spec.unused_key", attention.adapter_rank.span,
                      "attention.adapter_rank belongs to attention to the tokens of its own text");
  }
  check_head_norm("attention.q_norm", attention.q_norm, diagnostics);
  check_head_norm("attention.k_norm", attention.k_norm, diagnostics);
  check_around_heads(context, diagnostics);
  check_differential(context, diagnostics);
  check_source(context, diagnostics);
  check_uncached(attention, diagnostics);
  check_cache(context, diagnostics);
  check_scores(context, diagnostics);
  check_earlier_layer(context, diagnostics);
  check_position(context, attention.num_attention_heads, attention.head_dim, "head_dim", diagnostics);
  check_distances(context, attention.causal.value, diagnostics);
}

bool is_of_heads(const HeadNormSection& norm) { return norm.over.value != "projection"; }

/// Its weights are one head's, or those of the whole row.
void declare_head_norm(const std::string& word, const HeadNormChoice& choice, AxisId row, AxisId head,
                       Declarations& declare) {
  if (!choice.present) return;
  declare_norm(word, choice.norm, is_of_heads(choice.norm) && !choice.norm.per_head.value ? head : row, declare);
}

void declare(const BlockContext& context, Declarations& declare) {
  const AttentionSection& attention = own(context);
  std::int64_t num_heads = sane(attention.num_attention_heads, max_heads);
  const std::int64_t head_dim = sane(attention.head_dim, max_head_dim);
  std::int64_t num_kv_heads = sane(attention.num_key_value_heads, max_heads);
  if (num_heads % num_kv_heads != 0) num_kv_heads = num_heads;  // has been reported
  const bool pairs = is_differential(attention);
  if (pairs && num_kv_heads % 2 != 0) num_heads = num_kv_heads = 2;  // has been reported
  if (pairs) {
    num_heads /= 2;
    num_kv_heads /= 2;
  }
  const Span& of_heads = attention.num_attention_heads.span;
  const AxisId kv_heads = declare.axis("kv_heads", num_kv_heads, of_heads);
  const AxisId group = declare.axis("kv_group", num_heads / num_kv_heads, of_heads);
  const AxisId heads = declare.axis("heads", num_heads, of_heads, {kv_heads, group});
  const AxisId head = declare.axis("head", head_dim, attention.head_dim.span);
  const AxisId q = declare.axis("q", num_heads * head_dim, of_heads, {heads, head});
  const AxisId kv = declare.axis("kv", num_kv_heads * head_dim, of_heads, {kv_heads, head});
  const AxisId hidden = declare.hidden(), input = declare.input();
  const bool of_source = is_of_source(attention);
  const AxisId read = of_source ? declare.source_hidden() : input;  // by keys and values
  // A value is as wide as the two keys that it has.
  const AxisId value_head = pairs ? declare.axis("value_head", 2 * head_dim, attention.head_dim.span) : head;
  const AxisId values =
      pairs ? declare.axis("kv_wide", 2 * num_kv_heads * head_dim, of_heads, {kv_heads, value_head}) : kv;
  const AxisId attended = pairs ? declare.axis("q_wide", 2 * num_heads * head_dim, of_heads, {heads, value_head}) : q;

  const bool keeps = keeps_keys(attention);
  std::vector<Projection> inputs, source;
  for (const std::string& prefix : terms(attention)) {
    inputs.push_back({prefix + "q", q, input, false, num_heads, num_kv_heads});
    if (keeps) (of_source ? source : inputs).push_back({prefix + "k", kv, read, false, num_kv_heads, num_kv_heads});
  }
  if (keeps) (of_source ? source : inputs).push_back({"v", values, read, false, num_kv_heads, num_kv_heads});
  const std::string& gate = attention.gate.value;
  if (gate != "none")
    inputs.push_back({"gate", gate == "head" ? heads : attended, input, false, num_heads, num_kv_heads});
  declare.projections("input", attention.bias, inputs);
  if (attention.adapter_rank.given && !of_source) {
    for (const Projection& one : inputs) {
      if (!is_adapted(one.word)) continue;
      declare_narrowing(one.word + "_adapter", input, attention.adapter_rank, declare);
      declare_widening(one.word + "_adapted", {one}, attention.adapter_rank, declare);
    }
  }
  if (of_source) declare.projections(source_input, attention.bias, source);
  if (keeps) declare_value_mix(context, declare);
  declare_head_norm("q_norm", attention.q_norm.value, q, head, declare);
  if (keeps) declare_head_norm("k_norm", attention.k_norm.value, kv, head, declare);
  const CacheDtypes& kept = declare.contract().kv_cache;
  if (of_source) {
    declare.source_state("keys", kv_heads, head, kept.keys);
    declare.source_state("values", kv_heads, value_head, kept.values);
  } else if (keeps && attention.causal.value) {
    for (const std::string& prefix : terms(attention)) {
      declare.state(prefix + "keys", kv_heads, head, kept.keys, window_of(attention));
    }
    declare.state("values", kv_heads, value_head, kept.values, window_of(attention));
  }
  if (attention.sinks.value) declare.vector("sinks", heads);
  declare_layer_scale(context, declare);
  declare_position(context, declare);
  declare_distances(context, heads, head, declare);
  declare_difference(context, head, declare);
  declare_given(context, heads, attended, declare);
  declare.projections("attended", attention.bias, {{"o", hidden, attended}});
}

/// Queries or keys, normed and turned. `name` is what they are called, "queries", and `word` the norm's part.
ValueId prepared(const BlockContext& context, Builder& build, const std::string& name, const std::string& word,
                 const HeadNormChoice& choice, ValueId in) {
  const HeadNormSection& norm = choice.norm;
  const AxisId over = is_of_heads(norm) ? build.axes()[build.axes_of(in)[1]].factors[1] : AxisId{};
  const auto normed = [&](bool after_rotation, ValueId x) {
    if (!choice.present || norm.after_rotation.value != after_rotation) return x;
    return build.norm(word, derive_norm(norm), word, x, name + "_normed", over);
  };
  const ValueId turned = build_turned(context, build, normed(false, in), name + "_turned");
  return normed(true, turned);
}

/// The queries and keys of an attention, as `terms` has them.
struct Term {
  std::string prefix;
  ValueId queries, keys;
};

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  const AttentionSection& attention = own(context);
  const bool of_source = is_of_source(attention);
  const bool keeps = keeps_keys(attention) && !of_source;  // of a source they are there already
  std::vector<Term> pair;
  for (const std::string& prefix : terms(attention)) {
    const ValueId queries = build_clipped(context, build, prefix + "q", in, prefix + "queries");
    pair.push_back({prefix, queries, {}});
    if (keeps) pair.back().keys = build_clipped(context, build, prefix + "k", in, prefix + "keys");
  }
  const ValueId values = keeps ? build_values(context, build, in) : ValueId{};
  const bool gated = attention.gate.value != "none";
  const ValueId gate = gated ? build.projection("gate", in, "gate") : ValueId{};
  for (auto& [prefix, queries, keys] : pair) {
    queries = prepared(context, build, prefix + "queries", "q_norm", attention.q_norm.value, queries);
    if (keeps) keys = prepared(context, build, prefix + "keys", "k_norm", attention.k_norm.value, keys);
  }
  const std::string& owner = attention.keys_and_values_from.value;
  const bool kept = attention.causal.value;  // they are the state's newest version, else rows of the pass
  const auto seen = [&](const std::string& word, ValueId of_pass) {
    if (of_source) return build.source_state(word);
    if (!keeps) return build.state_of(owner, word);
    return kept ? build.append(word, of_pass) : of_pass;
  };
  for (Term& term : pair) term.keys = seen(term.prefix + "keys", term.keys);
  AttentionOperands operands = {.queries = {},
                                .keys = {},
                                .values = seen("values", values),
                                .sinks = attention.sinks.value ? build.vector("sinks") : ValueId{},
                                .relative = build_distances(context, build),
                                .layer_scale = build_layer_scale(context, build)};
  if (pair.size() > 1) operands.attended = build.axes_of(build.weight(role_of(context.block) + "::o_proj"))[1];
  std::vector<ValueId> attended;
  for (const Term& term : pair) {
    operands.queries = term.queries;
    operands.keys = term.keys;
    attended.push_back(build.attention(scores_of(context), operands, term.prefix + "attended"));
  }
  const ValueId given = pair.size() > 1 ? build_difference(build, attended[0], attended[1]) : attended[0];
  return build.projection("o", build_given(context, build, given, gate), "projected");
}

/// Keys and values of a source's tokens.
void build_source(const BlockContext& context, Builder& build, ValueId source) {
  const HeadNormChoice& norm = own(context).k_norm.value;
  const ValueId keys = build_clipped(context, build, "k", source, "keys");
  const ValueId values = build_clipped(context, build, "v", source, "values");
  build.append("keys", prepared(context, build, "keys", "k_norm", norm, keys));
  build.append("values", values);
}

/// Scores and their weighted sum: 2 operations each for an element of a query; values of pairs are twice as wide.
PairWork pair_work(const BlockContext& context) {
  const AttentionSection& attention = own(context);
  const std::int64_t of_element = is_differential(attention) ? 6 : 4;
  return {of_element * attention.num_attention_heads.value * attention.head_dim.value, window_of(attention)};
}

Field<std::string>& reads_kind(std::any& section) {
  auto& attention = *std::any_cast<AttentionSection>(&section);
  return keeps_keys(attention) ? attention.values_from : attention.keys_and_values_from;
}

}  // namespace

BlockType attention_block() {
  return {.name = "attention",
          .meaning = "Self-attention; with `source`, attention to what the encoder gives.",
          .parts = {"q",
                    "k",
                    "second_q",
                    "second_k",
                    "v",
                    "gate",
                    "q_adapter_down",
                    "q_adapter_up",
                    "k_adapter_down",
                    "k_adapter_up",
                    "v_adapter_down",
                    "v_adapter_up",
                    "lambda1",
                    "lambda2",
                    "q_norm",
                    "k_norm",
                    "sinks",
                    "relative_bias",
                    "relative_keys",
                    "lambda_q1",
                    "lambda_k1",
                    "lambda_q2",
                    "lambda_k2",
                    "head_norm",
                    "head_scale",
                    "inner_norm",
                    "o"},
          .position = [](std::any& section) -> Field<PositionChoice>& {
            return std::any_cast<AttentionSection>(&section)->position;
          },
          .make = make_section<AttentionSection>,
          .bind = bind_section<AttentionSection>,
          .complete = complete,
          .check = check,
          .advise = advise_attention,
          .declare = declare,
          .build = build,
          .pair_work = pair_work,
          .reads_kind = reads_kind,
          .reads_ahead =
              [](const Block& block) {
                const auto& attention = section_of<AttentionSection>(block);
                return !attention.causal.value && !is_of_source(attention);
              },
          .reads_source = [](const Block& block) { return is_of_source(section_of<AttentionSection>(block)); },
          .build_source = build_source,
          .takes_embedding = true};
}

}  // namespace monomorph::generator
