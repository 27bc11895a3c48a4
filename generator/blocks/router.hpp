// A router: which of a bank's experts each token has, and what they weigh. What the experts are, their block says.
#pragma once

#include "generator/spec/block_type.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

struct Axis;

struct Router {
  Field<std::int64_t> num_experts, num_experts_per_tok;
  Field<bool> router_bias;
  Field<std::string> scoring_func;  ///< softmax | sigmoid | sparsemixer
  Field<double> router_jitter_noise;
  Field<bool> score_after_topk;  ///< scores are chosen by as they are, and the chosen ones alone become that
  Field<bool> selection_bias;    ///< added to scores for choosing, not for weighing
  Field<std::int64_t> num_groups, num_groups_per_tok;
  Field<std::string> group_score;  ///< max | top2_sum
  Field<bool> norm_topk_prob;
  Field<double> norm_topk_eps, norm_topk_min;
  Field<double> routed_scaling_factor;
  Field<std::string> weigh;  ///< input | output

  bool weighs_input() const { return weigh.value == "input"; }
};

/// The rows of its fields.
template <class S>
std::vector<FieldRow<S>> router_rows() {
  return {
      row<S>("num_experts", at(&S::num_experts), required(), "experts", "Experts that there are"),
      row<S>("num_experts_per_tok", at(&S::num_experts_per_tok), required(), "experts",
             "Experts that each token has: those of the largest scores, of equal ones the first"),
      row<S>("router_bias", at(&S::router_bias), literal("false"), "",
             "Whether the matrix that gives scores has a bias"),
      row<S>(
          "scoring_func", at(&S::scoring_func), literal("\"softmax\""), "",
          "What scores become before they are chosen by: shares of all experts, or numbers of each by itself; or, once "
          "they are chosen by, SparseMixer's shares of those experts that are near, none of which was chosen before",
          {"softmax", "sigmoid", "sparsemixer"}),
      where("scoring_func", {"sparsemixer"},
            row<S>(
                "router_jitter_noise", at(&S::router_jitter_noise), literal("0.01"), "",
                "Which experts are near: those whose score is less by at most twice this, relative to the larger one")),
      row<S>(
          "score_after_topk", at(&S::score_after_topk), literal("false"), "",
          "Whether scores are chosen by as the matrix gives them, and those of the chosen experts alone become that"),
      row<S>("selection_bias", at(&S::selection_bias), literal("false"), "",
             "Whether learned numbers are added to scores for choosing; experts weigh what they do without"),
      row<S>("num_groups", at(&S::num_groups), literal("1"), "groups",
             "Groups of neighbouring experts, of which some compete for a token"),
      row<S>("num_groups_per_tok", at(&S::num_groups_per_tok), computed("num_groups"), "groups",
             "Groups that compete: those that are worth most"),
      row<S>("group_score", at(&S::group_score), literal("\"max\""), "",
             "What a group is worth: its largest score, or the sum of its two largest, selection_bias added",
             {"max", "top2_sum"}),
      row<S>("norm_topk_prob", at(&S::norm_topk_prob), literal("false"), "",
             "Whether what the chosen experts weigh is divided by its sum"),
      row<S>("norm_topk_eps", at(&S::norm_topk_eps), literal("0.0"), "", "Added to that sum"),
      row<S>("norm_topk_min", at(&S::norm_topk_min), literal("0.0"), "", "What the sum is at least"),
      row<S>("routed_scaling_factor", at(&S::routed_scaling_factor), literal("1.0"), "",
             "What the experts' weights are multiplied by at last"),
      row<S>("weigh", at(&S::weigh), literal("\"output\""), "",
             "What an expert's weight multiplies: what the expert gives, or what it reads (Llama 4)",
             {"input", "output"}),
  };
}

void complete_router(Router& router);
/// The rules on its numbers.
void check_router(const BlockContext& context, const Router& router, Diagnostics& diagnostics);
/// The experts, and those of a token.
struct RouterAxes {
  Id<Axis> experts, choices;
};
RouterAxes declare_router_axes(const Router& router, Declarations& declare);
/// Its matrix and vectors.
void declare_router(const Router& router, Declarations& declare);

/// What it gives for each token: ids of experts, and what they weigh.
struct Routed {
  Id<Value> choice, weights;
};
Routed build_router(const Router& router, Builder& build, Id<Value> in);

}  // namespace monomorph::generator
