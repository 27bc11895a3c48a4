#include "generator/blocks/around_heads.hpp"

#include <fmt/format.h>

#include <optional>

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

void check_clip(const BlockContext& context, Diagnostics& diagnostics) { clip_of(context, diagnostics); }

ValueId build_clipped(const BlockContext& context, Builder& build, const std::string& word, ValueId in,
                      const std::string& role) {
  Diagnostics none;
  const std::optional<double> clip = clip_of(context, none);
  const ValueId projected = build.projection(word, in, clip ? role + "_projected" : role);
  if (!clip) return projected;
  const Expression limit = known_expression(fmt::format("clamp(x, {}, {})", -*clip, *clip), {"x"});
  return build.map("clip", limit, {"x"}, {projected}, role);
}

}  // namespace monomorph::generator
