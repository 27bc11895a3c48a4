#include "generator/blocks/pooling.hpp"

#include <fmt/format.h>

#include <cmath>

#include "generator/blocks/activation.hpp"
#include "generator/blocks/embedding.hpp"
#include "generator/blocks/lm_head.hpp"
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
const std::vector<FieldRow<PoolingSection>>& fields() {
  using S = PoolingSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("type", at(&S::type), required(), "",
             "Which hidden states a text's vector is made of: the mean of all tokens', the first token's, or the last "
             "one's",
             {"mean", "cls", "last"}),
      row<S>("input_norm", at(&S::input_norm), literal("true"), "",
             "Normalise what the layers give for every token: the final norm. True, false, or keys laid over those of "
             "[norm]"),
      row<S>("dense", at(&S::dense), literal("false"), "", "Whether a matrix stands behind pooling"),
      row<S>("size", at(&S::size), computed("hidden_size"), "elements", "Width of what dense gives"),
      expression(row<S>("activation", at(&S::activation), computed("none"), "",
                        "Of what dense gives: a named activation, or an expression of x and the model's own numbers")),
      row<S>("norm", at(&S::norm), literal("false"), "",
             "Normalise what dense and the activation give: true, false, or keys laid over those of [norm]"),
      row<S>("second_dense", at(&S::second_dense), literal("false"), "",
             "Whether a second matrix stands behind dense, its activation and its norm"),
      row<S>("second_size", at(&S::second_size), computed("hidden_size"), "elements",
             "Width of what second_dense gives"),
      expression(row<S>("second_activation", at(&S::second_activation), computed("none"), "",
                        "Of what second_dense gives: a named activation, or an expression of x and the model's own "
                        "numbers")),
      row<S>("num_labels", at(&S::num_labels), computed("no scores, but a vector"), "labels",
             "Rows of a last matrix, which gives each label a score: the model classifies texts, or with one label "
             "ranks them"),
      row<S>("bias", at(&S::bias), literal("false"), "",
             "Matrices with a bias: true, false, or a list out of \"dense\", \"second_dense\", \"labels\""),
      row<S>("normalize", at(&S::normalize), literal("false"), "",
             "Whether the vector is divided by its length, the root of the sum of its squares"),
  };
  return rows;
}

template class Held<PoolingSection>;

namespace {

std::optional<Expression> dense_activation(const ModelSection& model, const PoolingSection& pooling,
                                           Diagnostics& diagnostics) {
  return activation_of_x(pooling.activation, "pooling.activation", model, diagnostics);
}

std::optional<Expression> second_activation(const ModelSection& model, const PoolingSection& pooling,
                                            Diagnostics& diagnostics) {
  return activation_of_x(pooling.second_activation, "pooling.second_activation", model, diagnostics);
}

/// What stands behind a matrix is there with it alone, and the second with the first.
void dense_is_there(const PoolingSection& pooling, Diagnostics& diagnostics) {
  const auto unused = [&](const Span& span, const char* key, const char* matrix) {
    diagnostics.error("spec.unused_key", span,
                      fmt::format("pooling.{} has no meaning without pooling.{}", key, matrix));
  };
  if (!pooling.dense.value) {
    if (pooling.size.given) unused(pooling.size.span, "size", "dense");
    if (pooling.activation.given) unused(pooling.activation.span, "activation", "dense");
    if (pooling.norm.value.present) unused(pooling.norm.span, "norm", "dense");
    if (pooling.second_dense.value) unused(pooling.second_dense.span, "second_dense", "dense");
  }
  if (!pooling.second_dense.value) {
    if (pooling.second_size.given) unused(pooling.second_size.span, "second_size", "second_dense");
    if (pooling.second_activation.given) {
      unused(pooling.second_activation.span, "second_activation", "second_dense");
    }
  }
}

/// Of tokens that see those before them alone, the first has seen nothing of the text, and the mean is of texts that
/// are cut into passes.
void whole_texts(const Spec& spec, Diagnostics& diagnostics) {
  const PoolingSection& pooling = *spec.pooling;
  if (pooling.type.value == "last" || reads_ahead(spec)) return;
  diagnostics.error(
      "pooling.causal", pooling.type.span,
      pooling.type.value == "cls"
          ? "pooling.type \"cls\" takes the first token's hidden states, which have seen no other token where "
            "attention is causal; \"last\" takes those that have seen all, or say attention.causal = false"
          : "pooling.type \"mean\" wants a text in one pass, and attention.causal = false; \"last\" takes the hidden "
            "states of the token that has seen all");
}

/// A model gives logits or vectors.
void no_head_beside(const Spec& spec, Diagnostics& diagnostics) {
  Held<LmHeadSection> lm_head = spec.lm_head;  // binding may write
  for (const auto& [field, slot] : bind(*lm_head)) {
    const std::optional<Span> given = given_at(slot);
    if (!given) continue;
    diagnostics.error(
        "pooling.lm_head", *given,
        fmt::format("lm_head.{} has no meaning where [pooling] gives a text's vector, and no logits", field->key));
  }
}

AxisId axis_of(const char* word, const Field<std::int64_t>& size, Declarations& declare) {
  return size.given ? declare.model_axis(word, sane(size), size.span) : declare.hidden();
}

}  // namespace

bool pools(const PoolingSection& pooling) { return pooling.type.given; }

void check_pooling(const Spec& spec, Diagnostics& diagnostics) {
  const PoolingSection& pooling = *spec.pooling;
  if (!pools(pooling)) return;
  no_head_beside(spec, diagnostics);
  whole_texts(spec, diagnostics);
  dense_is_there(pooling, diagnostics);
  dense_activation(spec.model, pooling, diagnostics);
  second_activation(spec.model, pooling, diagnostics);
  check_range(pooling.size, "pooling.size", 1, max_size, diagnostics);
  check_range(pooling.second_size, "pooling.second_size", 1, max_size, diagnostics);
  check_range(pooling.num_labels, "pooling.num_labels", 1, max_size, diagnostics);
  std::vector<std::string> matrices;
  if (pooling.dense.value) matrices.push_back("dense");
  if (pooling.second_dense.value) matrices.push_back("second_dense");
  if (pooling.num_labels.given) matrices.push_back("labels");
  check_bias_projections(pooling.bias, "pooling", matrices, diagnostics);
}

void declare_pooling(const Spec& spec, Declarations& declare) {
  const PoolingSection& pooling = *spec.pooling;
  declare.enter_model("");
  const AxisId hidden = declare.hidden();
  if (pooling.input_norm.value.present) declare_norm("final_norm", pooling.input_norm.value.norm, hidden, declare);
  declare.enter_model("pooling");
  AxisId columns = hidden;
  if (pooling.dense.value) {
    columns = axis_of("vector", pooling.size, declare);
    declare.matrix("dense", columns, hidden);
    if (pooling.bias.value.has("dense")) declare.bias("dense", columns);
    if (pooling.norm.value.present) declare_norm("norm", pooling.norm.value.norm, columns, declare);
  }
  if (pooling.dense.value && pooling.second_dense.value) {
    const AxisId rows = axis_of("second_vector", pooling.second_size, declare);
    declare.matrix("second_dense", rows, columns);
    if (pooling.bias.value.has("second_dense")) declare.bias("second_dense", rows);
    columns = rows;
  }
  if (!pooling.num_labels.given) return;
  const AxisId labels = declare.model_axis("label", sane(pooling.num_labels), pooling.num_labels.span);
  declare.matrix("labels", labels, columns);
  if (pooling.bias.value.has("labels")) declare.bias("labels", labels);
}

ValueId build_pooling(const Contract& contract, Builder& build, ValueId hidden_states) {
  const PoolingSection& pooling = *contract.pooling;
  Diagnostics none;
  const Expression activation = dense_activation(contract.own().model, pooling, none).value();
  const Expression second = second_activation(contract.own().model, pooling, none).value();
  const NormChoice& norm = pooling.norm.value;
  // Whatever comes last is what the engine gives.
  int left = (pooling.dense.value ? 1 : 0) + (activation.empty() ? 0 : 1) + (norm.present ? 1 : 0) +
             (pooling.second_dense.value ? 1 : 0) + (second.empty() ? 0 : 1) + (pooling.num_labels.given ? 1 : 0) +
             (pooling.normalize.value ? 2 : 0);
  const auto role = [&](const char* word) { return left-- == 0 ? "pooled" : word; };
  const ValueId rows = build.host(HostList::head_rows);
  ValueId vector = pooling.type.value == "mean" ? build.pool("mean", hidden_states, rows, role("mean_states"))
                                                : build.gather("rows", hidden_states, rows, role("row_states"));
  if (pooling.dense.value) {
    vector = build.linear("pooling_dense", "pooling::dense", "pooling::dense_bias", vector, role("dense_states"));
  }
  if (!activation.empty()) vector = build.map("", activation, {"x"}, {vector}, role("activated_states"));
  if (norm.present) {
    vector = build.norm("pooling_norm", derive_norm(norm.norm), "pooling::norm", vector, role("normed_states"));
  }
  if (pooling.second_dense.value) {
    vector = build.linear("pooling_second_dense", "pooling::second_dense", "pooling::second_dense_bias", vector,
                          role("second_dense_states"));
  }
  if (!second.empty()) vector = build.map("", second, {"x"}, {vector}, role("second_activated_states"));
  if (pooling.num_labels.given) {
    vector = build.linear("labels", "pooling::labels", "pooling::labels_bias", vector, role("scores"));
  }
  if (!pooling.normalize.value) return vector;
  // x / sqrt(sum of x^2) is what an RMSNorm gives over the root of the width. A vector of zeros stays what it is.
  constexpr double least_square = 1e-24;  // of a length below 1e-12, as torch.nn.functional.normalize has it
  const auto width = static_cast<double>(build.axes()[build.axes_of(vector)[1]].size);
  const NormContract length{NormType::rms_norm, least_square / width, false, false, 0};
  vector = build.norm("normalize", length, "", vector, role("unit_mean_square"));
  const Expression scale = known_expression(fmt::format("{} * x", 1 / std::sqrt(width)), {"x"});
  return build.map("scale", scale, {"x"}, {vector}, role("scaled"));
}

const std::vector<std::string>& pooling_parts() {
  static const std::vector<std::string> parts = {"pooling.dense", "pooling.norm", "pooling.second_dense",
                                                 "pooling.labels"};
  return parts;
}

}  // namespace monomorph::generator
