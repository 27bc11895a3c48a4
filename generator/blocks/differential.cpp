#include "generator/blocks/differential.hpp"

#include <fmt/format.h>

#include "generator/blocks/layer_number.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

constexpr const char* path = "attention.differential";
constexpr const char* usual = "0.8 - 0.6 * exp(-0.3 * layer)";
constexpr const char* vectors[] = {"lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"};
constexpr std::int64_t max_head_dim = 256;  // a value has two, and max_head_dim of all attentions is 512

const AttentionSection& own(const BlockContext& context) { return section_of<AttentionSection>(context.block); }

/// Lambda's beginning takes a part of each head away, and leaves one.
void check_initial(const BlockContext& context, Diagnostics& diagnostics) {
  const Field<std::string>& field = own(context).differential;
  const std::optional<Expression> initial = layer_expression(field, context, diagnostics);
  if (!initial) return;
  for (const std::int64_t layer : layers_of(context)) {
    const double value = value_in(*initial, layer);
    if (static_cast<float>(value) > 0 && static_cast<float>(value) < 1) continue;
    diagnostics.error(path, field.span,
                      fmt::format("{} is {} in layer {}; a number above 0 and below 1 is required, and {} is usual",
                                  path, value, layer, usual));
    return;
  }
}

void heads_go_in_pairs(const AttentionSection& attention, Diagnostics& diagnostics) {
  const Field<std::int64_t>&heads = attention.num_attention_heads, &kv_heads = attention.num_key_value_heads;
  if (!usable(heads) || !usable(kv_heads) || kv_heads.value % 2 == 0) return;
  const bool of_queries = !kv_heads.given || heads.value % 2 != 0;
  diagnostics.error(path, of_queries ? heads.span : kv_heads.span,
                    fmt::format("{} {} heads do not go in pairs, as {} has them; an even number is needed, such as {}",
                                of_queries ? heads.value : kv_heads.value, of_queries ? "query" : "key and value", path,
                                of_queries ? heads.value + 1 : 2));
}

/// Both attentions are normed by the weights of one.
void norms_are_of_a_head(const AttentionSection& attention, Diagnostics& diagnostics) {
  for (const auto& [norm, short_name] : {std::pair{&attention.q_norm, "q_norm"}, {&attention.k_norm, "k_norm"}}) {
    if (!norm->value.present) continue;
    const HeadNormSection& of = norm->value.norm;
    if (of.over.value != "projection" && !of.per_head.value) continue;
    const Span& span = norm->given ? norm->span : attention.qk_norm.span;
    diagnostics.error(path, span,
                      fmt::format("attention.{0} has weights for each of the heads, which are the queries and keys of "
                                  "two attentions; where {1} is given, {0} may be over \"head\", with weights that "
                                  "all heads share",
                                  short_name, path));
  }
}

}  // namespace

void check_differential(const BlockContext& context, Diagnostics& diagnostics) {
  const AttentionSection& attention = own(context);
  if (!is_differential(attention)) return;
  check_initial(context, diagnostics);
  heads_go_in_pairs(attention, diagnostics);
  norms_are_of_a_head(attention, diagnostics);
  const Field<std::int64_t>& head_dim = attention.head_dim;
  if (!usable(head_dim) || head_dim.value <= max_head_dim) return;
  diagnostics.error(path, head_dim.given ? head_dim.span : attention.num_attention_heads.span,
                    fmt::format("head_dim is {}, and a value of {} has twice as many elements; 1 to {} is valid",
                                head_dim.value, path, max_head_dim));
}

void declare_difference(const BlockContext& context, AxisId head, Declarations& declare) {
  const Field<std::string>& field = own(context).differential;
  if (!field.given) return;
  for (const char* vector : vectors) declare.vector(vector, head);
  Diagnostics none;
  const std::optional<Expression> initial = layer_expression(field, context, none);
  declare.number("lambda_init", field.span,
                 [&](std::int64_t layer) { return initial ? value_in(*initial, layer) : 0.5; });
}

ValueId build_difference(Builder& build, ValueId first, ValueId second) {
  std::vector<std::string> words(std::begin(vectors), std::end(vectors));
  words.emplace_back("lambda_init");
  return build.differential(first, second, words, "difference");
}

ValueId build_remaining(Builder& build, ValueId given) {
  static const Expression remaining = known_expression("x * (1 - lambda_init)", {"x", "lambda_init"});
  return build.map("remaining", remaining, {"x", "lambda_init"}, {given, build.vector("lambda_init")}, "remaining");
}

}  // namespace monomorph::generator
