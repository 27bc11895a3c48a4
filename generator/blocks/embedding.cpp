#include "generator/blocks/embedding.hpp"

#include <fmt/format.h>

#include "generator/blocks/norm.hpp"
#include "generator/blocks/position.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/field_rows.hpp"
#include "generator/spec/held_members.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<EmbeddingSection>>& fields() {
  using S = EmbeddingSection;
  static const std::vector<FieldRow<S>> rows = {
      expression(row<S>("scale", at(&S::scale), literal("\"1\""), "",
                        "Factor of the token embeddings: an expression of the model's own numbers")),
      row<S>("norm", at(&S::norm), literal("false"), "",
             "Normalise embeddings, positions added: true, false, or keys laid over those of [norm]"),
  };
  return rows;
}

template class Held<EmbeddingSection>;

template <>
const std::vector<FieldRow<LmHeadSection>>& fields() {
  using S = LmHeadSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("tie_word_embeddings", at(&S::tie_word_embeddings), literal("false"), "",
             "Whether the head is the embedding's matrix"),
      in_place_of("logits", expression(row<S>("scale", at(&S::scale), computed("1"), "",
                                              "Factor of the logits, before softcap: an expression of the model's own "
                                              "numbers"))),
      in_place_of("logits",
                  expression(row<S>(
                      "softcap", at(&S::softcap), computed("none"), "",
                      "Logits become softcap * tanh(logits / softcap): an expression of the model's own numbers"))),
      in_place_of("softcap",
                  expression(row<S>("logits", at(&S::logits), computed("none"), "",
                                    "An expression of x, what the head's matrix gives, and the model's own numbers"))),
  };
  return rows;
}

template class Held<LmHeadSection>;

std::optional<double> embedding_scale(const ModelSection& model, const EmbeddingSection& embedding,
                                      Diagnostics& diagnostics) {
  return positive_constant(embedding.scale, "embedding.scale", model_numbers(model), "sqrt(hidden_size)", diagnostics);
}

std::optional<double> logits_scale(const ModelSection& model, const LmHeadSection& lm_head, Diagnostics& diagnostics) {
  if (!lm_head.scale.given) return 1;
  if (lm_head.logits.given) {
    diagnostics.error("spec.unused_key", lm_head.scale.span,
                      "lm_head.scale has no meaning where lm_head.logits says all");
    return std::nullopt;
  }
  return positive_constant(lm_head.scale, "lm_head.scale", model_numbers(model), "0.0625", diagnostics);
}

std::optional<Expression> logits_expression(const ModelSection& model, const LmHeadSection& lm_head,
                                            Diagnostics& diagnostics) {
  const Field<std::string>& softcap = lm_head.softcap;
  const Field<std::string>& logits = lm_head.logits;
  if (softcap.given && logits.given) {
    diagnostics.error("spec.unused_key", softcap.span, "lm_head.softcap has no meaning where lm_head.logits says all");
    return std::nullopt;
  }
  ExpressionNames names = model_numbers(model);
  if (softcap.given) return softcap_expression(softcap, "lm_head.softcap", names, "x", diagnostics);
  if (!logits.given) return Expression{};
  names.merge(variables({"x"}));
  auto expression = parse_expression(logits.value, logits.span, names, Type::real, diagnostics);
  if (expression && !names_in(*expression).contains("x")) {
    diagnostics.error("lm_head.logits", logits.span, "lm_head.logits does not use x: all tokens would be alike");
    return std::nullopt;
  }
  return expression;
}

void declare_embedding(const Spec& spec, Declarations& declare) {
  const ModelSection& model = spec.model;
  declare.enter_model("embedding");
  const AxisId hidden = declare.hidden();  // in a line of its own: compilers declare what stands in one in any order
  const AxisId vocab = declare.model_axis("vocab", sane(model.vocab_size), model.vocab_size.span);
  declare.matrix("tokens", vocab, hidden);
  if (spec.position->type.value == "learned") {
    const Field<std::int64_t>& positions = model.max_position_embeddings;
    declare.matrix("positions", declare.model_axis("position_embeddings", sane(positions), positions.span), hidden);
  }
  if (spec.embedding->norm.value.present) declare_norm("norm", spec.embedding->norm.value.norm, hidden, declare);
}

ValueId build_embedding(const Contract& contract, Builder& build) {
  Diagnostics none;
  const ValueId ids = build.host(HostList::token_ids);
  const ValueId table = build.weight("embedding::tokens");
  const double scale = embedding_scale(contract.model, *contract.embedding, none).value();
  const NormChoice& norm = contract.embedding->norm.value;
  // Whatever comes last is the residual stream.
  int left = (scale != 1 ? 1 : 0) + (contract.learned_positions ? 1 : 0) + (norm.present ? 1 : 0);
  const auto role = [&](const char* word) { return left-- == 0 ? "hidden_states" : word; };
  ValueId placed;
  if (contract.learned_positions) {
    const ValueId positions = build.host(HostList::positions);
    placed = build.gather("embed_positions", build.weight("embedding::positions"), positions, "position_embeddings");
  }
  ValueId hidden_states = build.gather("embed", table, ids, role("token_embeddings"));
  if (scale != 1) {
    const Expression scaled = known_expression(fmt::format("{} * x", scale), {"x"});
    hidden_states = build.map("scale", scaled, {"x"}, {hidden_states}, role("scaled_embeddings"));
  }
  if (placed) hidden_states = build.sum({placed, hidden_states}, role("placed_embeddings"));
  if (!norm.present) return hidden_states;
  return build.norm("embedding_norm", derive_norm(norm.norm), "embedding::norm", hidden_states, "hidden_states");
}

void declare_head(const Spec& spec, Declarations& declare) {
  declare.enter_model("");
  const AxisId hidden = declare.hidden();
  declare_norm("final_norm", spec.norm, hidden, declare);
  if (spec.lm_head->tie_word_embeddings.value) return;
  const Field<std::int64_t>& vocab_size = spec.model.vocab_size;
  declare.matrix("lm_head", declare.model_axis("vocab", sane(vocab_size), vocab_size.span), hidden);
}

ValueId build_head(const Contract& contract, Builder& build, ValueId hidden_states) {
  const ValueId rows = build.host(HostList::head_rows);
  const ValueId last = build.gather("rows", hidden_states, rows, "last_hidden_states");
  const ValueId normed = build.norm("final_norm", contract.final_norm, "final_norm", last, "final_hidden_states");
  const std::string matrix = contract.tie_word_embeddings ? "embedding::tokens" : "lm_head";
  Diagnostics none;
  const double scale = logits_scale(contract.model, *contract.lm_head, none).value();
  const Expression expression = logits_expression(contract.model, *contract.lm_head, none).value();
  // Whatever comes last is the logits.
  int left = (scale != 1 ? 1 : 0) + (expression.empty() ? 0 : 1);
  const auto role = [&](const char* word) { return left-- == 0 ? "logits" : word; };
  ValueId logits = build.linear("lm_head", matrix, "", normed, role("raw_logits"));
  if (scale != 1) {
    const Expression scaled = known_expression(fmt::format("{} * x", scale), {"x"});
    logits = build.map("scale", scaled, {"x"}, {logits}, role("scaled_logits"));
  }
  return expression.empty() ? logits : build.map("cap", expression, {"x"}, {logits}, role("capped_logits"));
}

}  // namespace monomorph::generator
