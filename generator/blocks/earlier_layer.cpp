#include "generator/blocks/earlier_layer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/blocks/around_heads.hpp"
#include "generator/blocks/differential.hpp"
#include "generator/blocks/scores.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/spec/section_reader.hpp"

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

using Kind = std::vector<LayerKind>::const_iterator;

Kind find_kind(const Spec& spec, const std::string& name) {
  return std::ranges::find(spec.kinds, name, &LayerKind::name);
}

/// The attention of this kind of layer that is called as the context's is; nullptr: there is none.
const AttentionSection* find_attention(const LayerKind& kind, const BlockContext& context) {
  const Block* block = kind.find(context.block.instance);
  return block != nullptr && block->type == context.block.type ? &section_of<AttentionSection>(*block) : nullptr;
}

/// What is wrong with the kind of layer that is to be read; empty: nothing.
std::string fault_of_source(const BlockContext& context, const std::string& name, const Spec& spec) {
  const AttentionSection& attention = own(context);
  const Kind source = find_kind(spec, name);
  if (source == spec.kinds.end()) {
    std::vector<std::string> names;
    for (const LayerKind& kind : spec.kinds) names.push_back(kind.name);
    return fmt::format("no layer is of a kind \"{}\"{}", name, did_you_mean(nearest(name, names)));
  }
  const auto first_layer = [&](Kind kind) {
    const auto index = static_cast<std::size_t>(kind - spec.kinds.begin());
    return std::ranges::find(spec.layer_kinds, index) - spec.layer_kinds.begin();
  };
  const auto first = first_layer(find_kind(spec, context.kind.name));
  if (first_layer(source) >= first) {
    return fmt::format(
        "layer {}, of the kind {}, has no layer of the kind {} before it; give the first layer a kind of "
        "its own in layers.pattern",
        first, context.kind.name, name);
  }
  const AttentionSection* found = find_attention(*source, context);
  if (found == nullptr) {
    return fmt::format("layers of the kind {} have no attention that is called {}", name, context.block.instance);
  }
  const AttentionSection& other = *found;
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
  std::string fault = fault_of_source(context, name.value, *context.spec);
  if (fault.empty()) {
    const Window kept = window_of(*find_attention(*find_kind(*context.spec, name.value), context));
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
  const std::string fault = fault_of_source(context, attention.values_from.value, *context.spec);
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
  const std::vector<LayerContract>& kinds = build.contract().kinds;
  const bool wanted = std::any_of(kinds.begin(), kinds.end(), [&](const LayerContract& each) {
    const AttentionSection* attention = find_attention(each.kind, context);
    return attention != nullptr && attention->values_from.value == context.kind.name;
  });
  const ValueId values =
      build_clipped(context, build, "v", in, wanted ? identifier_of(context.kind.name) + "_values" : "values");
  if (wanted) build.result(values);
  const std::string& source = own(context).values_from.value;
  if (source.empty()) return values;
  Diagnostics none;
  const Expression mix = mix_expression(context, none).value();
  std::vector<std::string> names = {"value", "earlier"};
  std::vector<ValueId> operands = {values, build.taken(identifier_of(source) + "_values", values)};
  for (const char* lambda : lambdas) {
    if (!names_in(mix).contains(lambda)) continue;
    names.push_back(lambda);
    operands.push_back(build.vector(lambda));
  }
  return build.map("mix", mix, names, operands, "values_mixed");
}

}  // namespace monomorph::generator
