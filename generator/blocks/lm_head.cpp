#include "generator/blocks/lm_head.hpp"

#include <fmt/format.h>

#include "generator/blocks/activation.hpp"
#include "generator/blocks/embedding.hpp"
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
const std::vector<FieldRow<LmHeadSection>>& fields() {
  using S = LmHeadSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("tie_word_embeddings", at(&S::tie_word_embeddings), literal("false"), "",
             "Whether the head is the embedding's matrix"),
      row<S>("input_norm", at(&S::input_norm), literal("true"), "",
             "Normalise what the layers give: the final norm. True, false, or keys laid over those of [norm]"),
      row<S>("dense", at(&S::dense), literal("false"), "",
             "Whether a matrix of its own stands before the head's, from hidden_size to the embedding's width"),
      expression(row<S>("activation", at(&S::activation), computed("none"), "",
                        "Of what dense gives: a named activation, or an expression of x and the model's own numbers")),
      row<S>("norm", at(&S::norm), literal("false"), "",
             "Normalise what dense and the activation give: true, false, or keys laid over those of [norm]"),
      row<S>("bias", at(&S::bias), literal("false"), "",
             "Matrices with a bias: true, false, or a list out of \"dense\", \"matrix\""),
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

namespace {

/// Factor of the logits; nothing where it is wrong.
std::optional<double> logits_scale(const ModelSection& model, const LmHeadSection& lm_head, Diagnostics& diagnostics) {
  if (!lm_head.scale.given) return 1;
  if (lm_head.logits.given) {
    diagnostics.error("spec.unused_key", lm_head.scale.span,
                      "lm_head.scale has no meaning where lm_head.logits says all");
    return std::nullopt;
  }
  return positive_constant(lm_head.scale, "lm_head.scale", model_numbers(model), "0.0625", diagnostics);
}

/// What becomes of x, a number that the head's matrix gives, scaled; an empty expression where it stays, nothing where
/// it is wrong.
std::optional<Expression> logits_expression(const ModelSection& model, const LmHeadSection& lm_head,
                                            Diagnostics& diagnostics) {
  const Field<std::string>& softcap = lm_head.softcap;
  const Field<std::string>& logits = lm_head.logits;
  if (softcap.given && logits.given) {
    diagnostics.error("spec.unused_key", softcap.span, "lm_head.softcap has no meaning where lm_head.logits says all");
    return std::nullopt;
  }
  if (softcap.given) return softcap_expression(softcap, "lm_head.softcap", model_numbers(model), "x", diagnostics);
  if (!logits.given) return Expression{};
  return expression_of_x(logits.value, logits.span, "lm_head.logits", model, diagnostics);
}

/// What becomes of x, a number that dense gives; an empty expression where it stays, nothing where it is wrong.
std::optional<Expression> dense_activation(const ModelSection& model, const LmHeadSection& lm_head,
                                           Diagnostics& diagnostics) {
  return activation_of_x(lm_head.activation, "lm_head.activation", model, diagnostics);
}

/// What stands behind lm_head.dense is there with it alone.
void dense_is_there(const LmHeadSection& lm_head, Diagnostics& diagnostics) {
  if (lm_head.dense.value) return;
  const auto unused = [&](const Span& span, const char* key) {
    diagnostics.error("spec.unused_key", span, fmt::format("lm_head.{} has no meaning without lm_head.dense", key));
  };
  if (lm_head.activation.given) unused(lm_head.activation.span, "activation");
  if (lm_head.norm.value.present) unused(lm_head.norm.span, "norm");
}

}  // namespace

const std::vector<std::string>& head_parts() {
  static const std::vector<std::string> parts = {"final_norm", "lm_head.projection", "lm_head.dense", "lm_head.norm",
                                                 "lm_head"};
  return parts;
}

void check_head(const Spec& spec, Diagnostics& diagnostics) {
  const LmHeadSection& lm_head = *spec.lm_head;
  dense_is_there(lm_head, diagnostics);
  dense_activation(spec.model, lm_head, diagnostics);
  check_bias_projections(
      lm_head.bias, "lm_head",
      lm_head.dense.value ? std::vector<std::string>{"dense", "matrix"} : std::vector<std::string>{"matrix"},
      diagnostics);
  logits_scale(spec.model, lm_head, diagnostics);
  logits_expression(spec.model, lm_head, diagnostics);
}

void declare_head(const Spec& spec, Declarations& declare) {
  const LmHeadSection& lm_head = *spec.lm_head;
  declare.enter_model("");
  const AxisId hidden = declare.hidden();
  const AxisId columns = embedding_axis(*spec.embedding, declare);
  if (lm_head.input_norm.value.present) declare_norm("final_norm", lm_head.input_norm.value.norm, hidden, declare);
  declare.enter_model("lm_head", "lm_head_block");
  if (lm_head.dense.value) {
    declare.matrix("dense", columns, hidden);
    if (lm_head.bias.value.has("dense")) declare.bias("dense", columns);
    if (lm_head.norm.value.present) declare_norm("norm", lm_head.norm.value.norm, columns, declare);
  } else if (spec.embedding->size.given) {
    declare.matrix("projection", columns, hidden);
  }
  declare.enter_model("");
  const Field<std::int64_t>& vocab_size = spec.model.vocab_size;
  const AxisId vocab = declare.model_axis("vocab", sane(vocab_size), vocab_size.span);
  if (!lm_head.tie_word_embeddings.value) declare.matrix("lm_head", vocab, columns);
  if (lm_head.bias.value.has("matrix")) declare.bias("lm_head", vocab);
}

namespace {

/// What the head's matrix reads, from the rows whose logits are wanted.
ValueId build_matrix_input(const Contract& contract, Builder& build, ValueId rows) {
  const LmHeadSection& lm_head = *contract.lm_head;
  Diagnostics none;
  if (const NormChoice& norm = lm_head.input_norm.value; norm.present) {
    rows = build.norm("final_norm", derive_norm(norm.norm), "final_norm", rows, "final_hidden_states");
  }
  if (!lm_head.dense.value) {
    if (!contract.own().embedding->size.given) return rows;
    return build.linear("head_projection", "lm_head_block::projection", "", rows, "projected_states");
  }
  rows = build.linear("head_dense", "lm_head_block::dense", "lm_head_block::dense_bias", rows, "dense_states");
  if (const Expression activation = dense_activation(contract.own().model, lm_head, none).value();
      !activation.empty()) {
    rows = build.map("", activation, {"x"}, {rows}, "activated_states");
  }
  const NormChoice& norm = lm_head.norm.value;
  if (!norm.present) return rows;
  return build.norm("head_norm", derive_norm(norm.norm), "lm_head_block::norm", rows, "normed_states");
}

}  // namespace

ValueId build_head(const Contract& contract, Builder& build, ValueId hidden_states) {
  const ValueId rows = build.host(HostList::head_rows);
  const ValueId last = build.gather("rows", hidden_states, rows, "last_hidden_states");
  const ValueId input = build_matrix_input(contract, build, last);
  const std::string matrix = contract.tie_word_embeddings ? "embedding::tokens" : "lm_head";
  Diagnostics none;
  const double scale = logits_scale(contract.own().model, *contract.lm_head, none).value();
  const Expression expression = logits_expression(contract.own().model, *contract.lm_head, none).value();
  // Whatever comes last is the logits.
  int left = (scale != 1 ? 1 : 0) + (expression.empty() ? 0 : 1);
  const auto role = [&](const char* word) { return left-- == 0 ? "logits" : word; };
  ValueId logits = build.linear("lm_head", matrix, "lm_head_bias", input, role("raw_logits"));
  if (scale != 1) {
    const Expression scaled = known_expression(fmt::format("{} * x", scale), {"x"});
    logits = build.map("scale", scaled, {"x"}, {logits}, role("scaled_logits"));
  }
  return expression.empty() ? logits : build.map("cap", expression, {"x"}, {logits}, role("capped_logits"));
}

}  // namespace monomorph::generator
