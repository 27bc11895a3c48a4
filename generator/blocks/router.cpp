#include "generator/blocks/router.hpp"

#include <fmt/format.h>

#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

constexpr std::int64_t most_experts = 65535;  // workgroups that every device takes: a prompt has some for each
constexpr std::int64_t most_groups = 256;     // what TopK takes

bool is_softmax(const Router& router) { return router.scoring_func.value == "softmax"; }
bool is_mixed(const Router& router) { return router.scoring_func.value == "sparsemixer"; }

TopK choice_of(const Router& router) {
  return {router.num_groups.value, router.num_groups_per_tok.value,
          router.group_score.value == "max" ? GroupScore::max : GroupScore::top2_sum};
}

/// Shares of the whole and the scores that they come from have one order. So where nothing is added to shares, nor
/// shares to each other, scores are chosen by, and the chosen ones' shares of the chosen ones are worked out from them;
/// as where the spec says so.
bool chooses_by_scores(const Router& router) {
  if (router.score_after_topk.value || is_mixed(router)) return true;
  return is_softmax(router) && router.norm_topk_prob.value && !router.selection_bias.value &&
         (router.group_score.value == "max" || router.num_groups_per_tok.value == router.num_groups.value) &&
         router.norm_topk_eps.value == 0 && router.norm_topk_min.value == 0;
}

void groups_hold_the_choice(const std::string& section, const Router& router, Diagnostics& diagnostics) {
  const std::int64_t experts = router.num_experts.value, groups = router.num_groups.value;
  if (!usable(router.num_experts) || groups < 1 || groups > experts) return;
  if (experts % groups != 0) {
    diagnostics.error(
        "moe.groups_divide", router.num_groups.span,
        fmt::format("{0}.num_groups is {1}, which does not divide {0}.num_experts = {2}: groups are of as "
                    "many experts each",
                    section, groups, experts));
    return;
  }
  const std::int64_t of_a_group = experts / groups, kept = router.num_groups_per_tok.value;
  if (router.group_score.value == "top2_sum" && of_a_group < 2) {
    diagnostics.error(
        "moe.group_score", router.group_score.span,
        fmt::format("{}.group_score sums the two largest scores of a group, and each of {} groups has one "
                    "expert",
                    section, groups));
  }
  const std::int64_t chosen = router.num_experts_per_tok.value;
  if (kept < 1 || kept > groups || chosen <= kept * of_a_group || chosen > experts) return;
  diagnostics.error("moe.num_experts_per_tok_range", router.num_experts_per_tok.span,
                    fmt::format("{}.num_experts_per_tok is {}; {} of {} groups have {} experts", section, chosen, kept,
                                groups, kept * of_a_group));
}

/// Shares of the chosen ones are 1 together.
void sum_is_not_one(const std::string& section, const Router& router, Diagnostics& diagnostics) {
  if (!is_softmax(router) || !router.score_after_topk.value || !router.norm_topk_prob.value) return;
  diagnostics.error("spec.unused_key", router.norm_topk_prob.span,
                    fmt::format("{0}.norm_topk_prob has no meaning where {0}.score_after_topk has the chosen experts' "
                                "scores become shares, whose sum is 1",
                                section));
}

void sum_is_used(const std::string& section, const Router& router, Diagnostics& diagnostics) {
  if (router.norm_topk_prob.value) return;
  for (const auto& [field, name] :
       {std::pair(&router.norm_topk_eps, "norm_topk_eps"), std::pair(&router.norm_topk_min, "norm_topk_min")}) {
    if (!field->given || field->value == 0) continue;
    diagnostics.error("spec.unused_key", field->span,
                      fmt::format("{0}.{1} has no meaning where {0}.norm_topk_prob is not true", section, name));
  }
}

}  // namespace

void complete_router(Router& router) {
  if (!router.num_groups_per_tok.given) router.num_groups_per_tok.value = router.num_groups.value;
}

void check_router(const BlockContext& context, const Router& router, Diagnostics& diagnostics) {
  const std::string& section = context.block.type->name;
  check_range(router.num_experts, section + ".num_experts", 2, most_experts, diagnostics);
  // Where the number is wrong, as many as there may be are nothing to complain of.
  const bool known = router.num_experts.value >= 2 && router.num_experts.value <= most_experts;
  const std::int64_t experts = known ? router.num_experts.value : most_experts;
  check_range(router.num_experts_per_tok, section + ".num_experts_per_tok", 1, experts, diagnostics);
  const std::int64_t groups = std::min(experts, most_groups);
  check_range(router.num_groups, section + ".num_groups", 1, groups, diagnostics);
  if (router.num_groups_per_tok.given) {
    check_range(router.num_groups_per_tok, section + ".num_groups_per_tok", 1, sane(router.num_groups, groups),
                diagnostics);
  }
  groups_hold_the_choice(section, router, diagnostics);
  sum_is_not_one(section, router, diagnostics);
  if (is_mixed(router) && router.score_after_topk.value) {
    diagnostics.error(
        "spec.unused_key", router.score_after_topk.span,
        fmt::format("{0}.score_after_topk has no meaning where {0}.scoring_func is \"sparsemixer\", which "
                    "chooses by scores in any case",
                    section));
  }
  sum_is_used(section, router, diagnostics);
  for (const auto& [field, name] :
       {std::pair(&router.norm_topk_eps, ".norm_topk_eps"), std::pair(&router.norm_topk_min, ".norm_topk_min"),
        std::pair(&router.router_jitter_noise, ".router_jitter_noise")}) {
    if (!field->given || (field->value >= 0 && field->value < 1)) continue;
    diagnostics.error(section + name + "_range", field->span,
                      fmt::format("{}{} is {}; a small number from 0 on is usual", section, name, field->value));
  }
  check_factor(router.routed_scaling_factor.value, router.routed_scaling_factor.span,
               section + ".routed_scaling_factor_range", section + ".routed_scaling_factor", "2.5", diagnostics);
}

RouterAxes declare_router_axes(const Router& router, Declarations& declare) {
  return {declare.axis("experts", sane(router.num_experts, most_experts), router.num_experts.span),
          declare.axis("choices", sane(router.num_experts_per_tok, most_experts), router.num_experts_per_tok.span)};
}

void declare_router(const Router& router, Declarations& declare) {
  const AxisId experts = declare_router_axes(router, declare).experts;
  declare.exact_matrix("router", experts, declare.hidden());
  if (router.router_bias.value) declare.bias("router", experts);
  if (router.selection_bias.value) declare.vector("selection_bias", experts);
}

Routed build_router(const Router& router, Builder& build, ValueId in) {
  static const Expression sigmoid = known_expression("sigmoid(x)", {"x"});
  const AxisId choices = build.axis("choices", router.num_experts_per_tok.value);
  const bool by_scores = chooses_by_scores(router);
  const auto scored = [&](ValueId scores, const std::string& before) {
    if (is_softmax(router)) return build.shares("softmax", {}, scores, before + "shares");
    return build.map("", sigmoid, {"x"}, {scores}, before + "squashed");
  };
  ValueId scores = build.matrix("router", in, "scores");
  if (!by_scores) scores = scored(scores, "");
  const std::string bias = router.selection_bias.value ? "selection_bias" : "";
  const ValueId choice = build.top_k("choose", choice_of(router), scores, bias, choices, "choice");
  const Pick pick{is_mixed(router) ? std::optional(router.router_jitter_noise.value) : std::nullopt};
  ValueId weights = build.pick("pick", pick, scores, choice, "picked");
  if (by_scores && !pick.jitter) weights = scored(weights, "picked_");
  if (router.norm_topk_prob.value && !(by_scores && is_softmax(router))) {
    const Shares sum{ShareType::sum, router.norm_topk_eps.value, router.norm_topk_min.value};
    weights = build.shares("share", sum, weights, "picked_shares");
  }
  if (router.routed_scaling_factor.value == 1) return {choice, weights};
  const Expression scaled = known_expression(fmt::format("{} * x", router.routed_scaling_factor.value), {"x"});
  return {choice, build.map("scale", scaled, {"x"}, {weights}, "scaled")};
}

}  // namespace monomorph::generator
