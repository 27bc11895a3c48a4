#include <fmt/format.h>

#include <limits>

#include "generator/contract/rules.hpp"

namespace monomorph::generator {
namespace {

void rotary_dim_is_even(const Spec& spec, const LayerKind& kind, Diagnostics& diagnostics) {
  const PositionSection& position = kind.position;
  if (!usable(position.rotary_dim) || position.rotary_dim.value % 2 == 0) return;
  // A head_dim that did not come out whole says nothing about rotary_dim.
  const AttentionSection& attention = kind.attention;
  const bool head_dim_is_whole = attention.head_dim.given || !usable(attention.num_attention_heads) ||
                                 spec.model.hidden_size.value % attention.num_attention_heads.value == 0;
  if (!position.rotary_dim.given && !head_dim_is_whole) return;
  if (position.rotary_dim.given) {
    diagnostics.error(
        "position.rotary_dim_even", position.rotary_dim.span,
        fmt::format("rotary_dim is {}; elements are rotated in pairs: {} or {}", position.rotary_dim.value,
                    position.rotary_dim.value - 1, position.rotary_dim.value + 1));
  } else {
    diagnostics.error(
        "position.rotary_dim_even", position.rotary_dim.span,
        fmt::format("rotary_dim is head_dim, {}; elements are rotated in pairs: give an even rotary_dim or "
                    "head_dim",
                    position.rotary_dim.value));
  }
}

void rotary_dim_within_head(const LayerKind& kind, Diagnostics& diagnostics) {
  const Field<std::int64_t>& rotary_dim = kind.position.rotary_dim;
  if (!usable(rotary_dim) || !usable(kind.attention.head_dim)) return;
  if (rotary_dim.value <= kind.attention.head_dim.value) return;
  diagnostics.error("position.rotary_dim_within_head", rotary_dim.span,
                    fmt::format("rotary_dim is {} and head_dim {}; at most head_dim elements can be rotated",
                                rotary_dim.value, kind.attention.head_dim.value));
}

void rope_theta_in_range(const PositionSection& position, Diagnostics& diagnostics) {
  constexpr double largest = 1e30;  // powers of it must stay within f32
  const Field<double>& theta = position.rope_theta;
  if (theta.value > 1 && theta.value <= largest) return;
  diagnostics.error(
      "position.rope_theta_range", theta.span,
      fmt::format("rope_theta is {}; more than 1 and at most {} is valid, and 10000.0 usual", theta.value, largest));
}

/// A learned table is added to the embedding, before any layer: kinds cannot differ in it.
void learned_positions_are_the_models(const Spec& spec, const LayerKind& kind, Diagnostics& diagnostics) {
  const std::string& model = spec.position.type.value;
  const Field<std::string>& own = kind.position.type;
  if (own.value == "learned" && model != "learned") {
    diagnostics.error("position.learned_for_all", own.span,
                      fmt::format("learned positions are added to the embedding, for all layers: say so in [position], "
                                  "not for the kind {}",
                                  kind.name));
  } else if (own.value != "learned" && model == "learned") {
    diagnostics.error(
        "position.learned_for_all", own.span,
        fmt::format("learned positions are added to the embedding, for all layers: the kind {} cannot have "
                    "\"{}\" in their place",
                    kind.name, own.value));
  }
}

}  // namespace

void check_position_rules(const Spec& spec, Diagnostics& diagnostics) {
  for (const LayerKind& kind : spec.kinds) {
    if (!kind.has_step("attention")) continue;
    learned_positions_are_the_models(spec, kind, diagnostics);
    if (kind.position.type.value != "rope") continue;
    check_range(kind.position.rotary_dim, "position.rotary_dim", 2, max_size, diagnostics);
    rotary_dim_is_even(spec, kind, diagnostics);
    rotary_dim_within_head(kind, diagnostics);
    rope_theta_in_range(kind.position, diagnostics);
  }
}

}  // namespace monomorph::generator
