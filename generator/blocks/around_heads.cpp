#include "generator/blocks/around_heads.hpp"

#include <fmt/format.h>

#include <optional>

#include "generator/blocks/differential.hpp"
#include "generator/blocks/low_rank.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {

namespace {

const AttentionSection& own(const BlockContext& context) { return section_of<AttentionSection>(context.block); }

/// The limit; none where nothing is limited, or what says so is wrong.
std::optional<double> clip_of(const BlockContext& context, Diagnostics& diagnostics) {
  const Field<std::string>& clip = own(context).clip;
  if (!clip.given) return std::nullopt;
  return positive_constant(clip, "attention.clip", spec_numbers(context), "8", diagnostics);
}

}  // namespace

void check_around_heads(const BlockContext& context, Diagnostics& diagnostics) {
  clip_of(context, diagnostics);
  const Field<NormChoice>& norm = own(context).head_norm;
  if (norm.given && norm.value.present)
    check_norm_of_heads("attention.head_norm", norm.value.norm, norm.span, diagnostics);
}

ValueId build_clipped(const BlockContext& context, Builder& build, const std::string& word, ValueId in,
                      const std::string& role) {
  Diagnostics none;
  const std::optional<double> clip = clip_of(context, none);
  const std::string name = clip ? role + "_unclipped" : role;
  const ValueId projected = own(context).adapter_rank.given && is_adapted(word)
                                ? build_adapted(word, build, in, build_narrowed(word + "_adapter", build, in), name)
                                : build.projection(word, in, name);
  if (!clip) return projected;
  const Expression limit = known_expression(fmt::format("clamp(x, {}, {})", -*clip, *clip), {"x"});
  return build.map("clip", limit, {"x"}, {projected}, role);
}

void declare_given(const BlockContext& context, AxisId heads, AxisId given, Declarations& declare) {
  const NormChoice& of_heads = own(context).head_norm.value;
  const AxisId head = declare.contract().axes[given].factors[1];
  if (of_heads.present) declare_norm("head_norm", of_heads.norm, head, declare);
  if (own(context).head_scale.value) declare.vector("head_scale", heads);
  const NormChoice& norm = own(context).inner_norm.value;
  if (norm.present) declare_norm("inner_norm", norm.norm, given, declare);
}

ValueId build_given(const BlockContext& context, Builder& build, ValueId attended, ValueId gate) {
  static const Expression gating = known_expression("x * sigmoid(gate)", {"x", "gate"});
  static const Expression scaling = known_expression("x * scale", {"x", "scale"});
  ValueId given = attended;
  const Field<NormChoice>& of_heads = own(context).head_norm;
  if (of_heads.value.present) {
    const AxisId head = build.axes()[build.axes_of(given)[1]].factors[1];
    given = build_norm("head_norm", of_heads, context.block, build, given, "head_normed", head);
  }
  if (is_differential(own(context))) given = build_remaining(build, given);
  if (gate) given = build.map("gated", gating, {"x", "gate"}, {given, gate}, "gated");
  if (own(context).head_scale.value) {
    given = build.map("head_scale", scaling, {"x", "scale"}, {given, build.vector("head_scale")}, "scaled");
  }
  const Field<NormChoice>& norm = own(context).inner_norm;
  if (norm.value.present) given = build_norm("inner_norm", norm, context.block, build, given, "inner_normed");
  return given;
}

}  // namespace monomorph::generator
