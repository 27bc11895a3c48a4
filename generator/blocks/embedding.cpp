#include "generator/blocks/embedding.hpp"

#include <fmt/format.h>

#include "generator/blocks/added_positions.hpp"
#include "generator/blocks/norm.hpp"
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
      row<S>("size", at(&S::size), computed("hidden_size, and no projection"), "elements",
             "Width of a token's embedding, which a projection makes hidden_size wide. Before the head's matrix, "
             "lm_head.projection or lm_head.dense makes it so wide again"),
      expression(row<S>("scale", at(&S::scale), literal("\"1\""), "",
                        "Factor of the token embeddings: an expression of the model's own numbers")),
      row<S>("norm", at(&S::norm), literal("false"), "",
             "Normalise embeddings, positions added: true, false, or keys laid over those of [norm]"),
  };
  return rows;
}

template class Held<EmbeddingSection>;

namespace {

/// Factor of the token embeddings; nothing where it is wrong.
std::optional<double> embedding_scale(const ModelSection& model, const EmbeddingSection& embedding,
                                      Diagnostics& diagnostics) {
  return positive_constant(embedding.scale, "embedding.scale", model_numbers(model), "sqrt(hidden_size)", diagnostics);
}

}  // namespace

const std::vector<std::string>& embedding_parts() {
  static const std::vector<std::string> parts = {"embedding.tokens", "embedding.projection", "embedding.positions",
                                                 "embedding.norm"};
  return parts;
}

void check_embedding(const Spec& spec, Diagnostics& diagnostics) {
  check_range(spec.embedding->size, "embedding.size", 1, max_size, diagnostics);
  embedding_scale(spec.model, *spec.embedding, diagnostics);
  check_added_positions(spec, diagnostics);
}

AxisId embedding_axis(const Spec& spec, Declarations& declare) {
  const Field<std::int64_t>& size = spec.embedding->size;
  return size.given ? declare.model_axis("embedded", sane(size), size.span) : declare.hidden();
}

void declare_embedding(const Spec& spec, Declarations& declare) {
  const ModelSection& model = spec.model;
  declare.enter_model("embedding");
  const AxisId hidden = declare.hidden();  // in a line of its own: compilers declare what stands in one in any order
  const AxisId columns = embedding_axis(spec, declare);
  declare.matrix("tokens", declare.model_axis("vocab", sane(model.vocab_size), model.vocab_size.span), columns);
  if (spec.embedding->size.given) declare.matrix("projection", hidden, columns);
  declare_added_positions(spec, declare);
  if (spec.embedding->norm.value.present) declare_norm("norm", spec.embedding->norm.value.norm, hidden, declare);
}

ValueId build_embedding(const Contract& contract, Builder& build) {
  Diagnostics none;
  const ValueId ids = build.host(HostList::token_ids);
  const ValueId table = build.weight("embedding::tokens");
  const bool projected = contract.embedding->size.given;
  const double scale = embedding_scale(contract.model, *contract.embedding, none).value();
  const NormChoice& norm = contract.embedding->norm.value;
  const ValueId positions = build_added_positions(contract, build);
  // Whatever comes last is the residual stream.
  int left = (scale != 1 ? 1 : 0) + (projected ? 1 : 0) + (positions ? 1 : 0) + (norm.present ? 1 : 0);
  const auto role = [&](const char* word) { return left-- == 0 ? "hidden_states" : word; };
  ValueId hidden_states = build.gather("embed", table, ids, role("token_embeddings"));
  if (scale != 1) {
    const Expression scaled = known_expression(fmt::format("{} * x", scale), {"x"});
    hidden_states = build.map("scale", scaled, {"x"}, {hidden_states}, role("scaled_embeddings"));
  }
  if (projected) {
    hidden_states =
        build.linear("embedding_projection", "embedding::projection", "", hidden_states, role("projected_embeddings"));
  }
  if (positions) hidden_states = build.sum({positions, hidden_states}, role("placed_embeddings"));
  if (!norm.present) return hidden_states;
  return build.norm("embedding_norm", derive_norm(norm.norm), "embedding::norm", hidden_states, "hidden_states");
}

}  // namespace monomorph::generator
