#include "generator/blocks/remembering_heads.hpp"

#include "generator/blocks/norm.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {

ValueId build_short(Builder& build, const std::string& word, const Field<std::int64_t>& rank, ValueId in,
                    const std::string& role, const Expression& activation) {
  if (!rank.given) return build.projection(word, in, role);
  ValueId low = build.projection(word + "_down", in, word + "_low");
  if (!activation.empty()) low = build.map("", activation, {"x"}, {low}, word + "_activated");
  return build.projection(word, low, role);
}

ValueId build_given_by_heads(const BlockContext& context, Builder& build, ValueId read,
                             const Field<NormChoice>& head_norm, const Field<NormChoice>& inner_norm, ValueId gate) {
  static const Expression gated = known_expression("y * gate", {"y", "gate"});
  ValueId given = read;
  if (head_norm.value.present) {
    const AxisId value = build.axes()[build.axes_of(given)[1]].factors[1];
    given = build_norm("head_norm", head_norm, context.block, build, given, "head_normed", value);
  }
  if (inner_norm.value.present) {
    given = build_norm("inner_norm", inner_norm, context.block, build, given, "inner_normed");
  }
  return gate ? build.map("", gated, {"y", "gate"}, {given, gate}, "gated") : given;
}

}  // namespace monomorph::generator
