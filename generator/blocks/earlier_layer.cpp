#include "generator/blocks/earlier_layer.hpp"

#include <fmt/format.h>

#include "generator/blocks/around_heads.hpp"
#include "generator/blocks/differential.hpp"
#include "generator/blocks/earlier_kind.hpp"
#include "generator/blocks/scores.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

constexpr const char* learned_mix = "lambda1 * value + lambda2 * earlier";
constexpr const char* lambdas[] = {"lambda1", "lambda2"};

const AttentionSection& own(const BlockContext& context) { return section_of<AttentionSection>(context.block); }

/// Of value, earlier and the learned numbers; nothing where it is wrong.
std::optional<Expression> mix_expression(const BlockContext& context, Diagnostics& diagnostics) {
  const Field<std::string>& mix = own(context).value_mix;
  ExpressionNames names = variables({"value", "earlier", "lambda1", "lambda2"});
  names.merge(spec_numbers(context));
  auto expression = parse_expression(mix.given ? mix.value : learned_mix, mix.span, names, Type::real, diagnostics);
  for (const char* name : {"value", "earlier"}) {
    if (!expression || names_in(*expression).contains(name)) continue;
    diagnostics.error("attention.value_mix", mix.span,
                      fmt::format("attention.value_mix does not use {}: it would have no effect", name));
    return std::nullopt;
  }
  return expression;
}

/// What is wrong with the kind of layer that is to be read; empty: nothing.
std::string fault_of_source(const BlockContext& context, const std::string& name) {
  const AttentionSection& attention = own(context);
  const auto [found, fault] = earlier_block(context, name);
  if (found == nullptr) return fault;
  const auto& other = section_of<AttentionSection>(*found);
  if (other.keys_and_values_from.given) {
    return fmt::format("layers of the kind {} have no keys and values of their own: those of {} are read", name,
                       other.keys_and_values_from.value);
  }
  if (attention.keys_and_values_from.given && !other.causal.value) {
    return fmt::format("layers of the kind {} keep no keys and values: their attention.causal is false", name);
  }
  const auto size = [](const AttentionSection& section) {
    return fmt::format("{} heads of {}{}", section.num_key_value_heads.value, section.head_dim.value,
                       is_differential(section) ? " in pairs" : "");
  };
  if (size(other) == size(attention)) return "";
  return fmt::format("the kind {} has values of {}, and this one of {}", name, size(other), size(attention));
}

/// Keys and values of another kind: they are kept as far as this one sees them.
void check_shared_keys(const BlockContext& context, Diagnostics& diagnostics) {
  const AttentionSection& attention = own(context);
  for (const Field<std::string>* mixing : {&attention.values_from, &attention.value_mix}) {
    if (!mixing->given) continue;
    diagnostics.error(
        "spec.unused_key", mixing->span,
        "a layer that sees the keys and values of another (attention.keys_and_values_from) has none to mix");
  }
  const Field<std::string>& name = attention.keys_and_values_from;
  std::string fault = fault_of_source(context, name.value);
  if (fault.empty()) {
    const Window kept = window_of(section_of<AttentionSection>(*earlier_block(context, name.value).block));
    const Window seen = window_of(attention);
    const bool within = seen.recent >= 1 && seen.recent <= kept.recent && seen.first <= kept.first;
    if (kept.recent == 0 || within) return;
    fault = fmt::format("the kind {} keeps {} recent and {} first keys, and this one sees {}", name.value, kept.recent,
                        kept.first, seen.recent == 0 ? "all" : fmt::format("{} and {}", seen.recent, seen.first));
  }
  diagnostics.error("attention.keys_and_values_from", name.span, fault);
}

}  // namespace

void check_earlier_layer(const BlockContext& context, Diagnostics& diagnostics) {
  const AttentionSection& attention = own(context);
  if (attention.keys_and_values_from.given) return check_shared_keys(context, diagnostics);
  if (!attention.values_from.given) {
    if (!attention.value_mix.given) return;
    diagnostics.error("spec.unused_key", attention.value_mix.span,
                      "attention.value_mix has no meaning without attention.values_from");
    return;
  }
  mix_expression(context, diagnostics);
  const std::string fault = fault_of_source(context, attention.values_from.value);
  if (!fault.empty()) diagnostics.error("attention.values_from", attention.values_from.span, fault);
}

void declare_value_mix(const BlockContext& context, Declarations& declare) {
  if (!own(context).values_from.given) return;
  Diagnostics none;
  const auto mix = mix_expression(context, none);
  for (const char* lambda : lambdas) {
    if (!mix || !names_in(*mix).contains(lambda)) continue;
    declare.vector(lambda, declare.model_axis("one", 1, own(context).value_mix.span));
  }
}

ValueId build_values(const BlockContext& context, Builder& build, ValueId in) {
  const auto named = [](const Block& other) { return section_of<AttentionSection>(other).values_from.value; };
  const ValueId values = build_for_later(context, build, named, "values", [&](const std::string& role) {
    return build_clipped(context, build, "v", in, role);
  });
  const std::string& source = own(context).values_from.value;
  if (source.empty()) return values;
  Diagnostics none;
  const Expression mix = mix_expression(context, none).value();
  std::vector<std::string> names = {"value", "earlier"};
  std::vector<ValueId> operands = {values, build_of_earlier(build, source, "values", values)};
  for (const char* lambda : lambdas) {
    if (!names_in(mix).contains(lambda)) continue;
    names.push_back(lambda);
    operands.push_back(build.vector(lambda));
  }
  return build.map("mix", mix, names, operands, "values_mixed");
}

}  // namespace monomorph::generator
