#include "generator/blocks/embedding.hpp"

#include <fmt/format.h>

#include "generator/blocks/added_positions.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/encoder_section.hpp"
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
      row<S>("projection", at(&S::projection), literal("\"first\""), "",
             "Where the projection of a table of another width stands: before positions and types are added and the "
             "norm, or after them, which are then as wide as the table",
             {"first", "last"}),
      row<S>("bias", at(&S::bias), literal("false"), "", "Whether the projection has a bias"),
      row<S>("token_types", at(&S::token_types), computed("tokens have no types"), "types",
             "Types that tokens may have, as those of a text and of a second one beside it, and rows of the table that "
             "is added for them. Where attention is causal all tokens are of type 0"),
      row<S>("norm", at(&S::norm), literal("false"), "",
             "Normalise embeddings, positions and types added: true, false, or keys laid over those of [norm]"),
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

const Field<std::int64_t>& added_width(const ModelSection& model, const EmbeddingSection& embedding) {
  return embedding.size.given && embedding.projection.value == "last" ? embedding.size : model.hidden_size;
}

const std::vector<std::string>& embedding_parts() {
  static const std::vector<std::string> parts = {"embedding.tokens", "embedding.projection", "embedding.positions",
                                                 "embedding.token_types", "embedding.norm"};
  return parts;
}

namespace {

constexpr std::int64_t most_token_types = 256;

/// What a projection has is there with embedding.size alone.
void projection_is_there(const EmbeddingSection& embedding, Diagnostics& diagnostics) {
  if (embedding.size.given) return;
  const auto unused = [&](const Span& span, const char* key) {
    diagnostics.error("spec.unused_key", span,
                      fmt::format("embedding.{} has no meaning without embedding.size: there is no projection", key));
  };
  if (embedding.projection.value == "last") unused(embedding.projection.span, "projection");
  if (embedding.bias.value) unused(embedding.bias.span, "bias");
}

}  // namespace

StackInput input_of(const Spec& spec, std::size_t stack) {
  if (stack == own_stack) return {spec.model, *spec.embedding, *spec.position};
  const EncoderSpec& encoder = *spec.encoder;
  return {encoder.model, *encoder.embedding, *encoder.position, encoder.section->own_embedding.value};
}

void check_embedding(const StackInput& input, Diagnostics& diagnostics) {
  check_range(input.embedding.size, "embedding.size", 1, max_size, diagnostics);
  embedding_scale(input.model, input.embedding, diagnostics);
  projection_is_there(input.embedding, diagnostics);
  check_range(input.embedding.token_types, "embedding.token_types", 1, most_token_types, diagnostics);
  check_added_positions(input, diagnostics);
}

AxisId embedding_axis(const EmbeddingSection& embedding, Declarations& declare) {
  const Field<std::int64_t>& size = embedding.size;
  return size.given ? declare.model_axis("embedded", sane(size), size.span) : declare.hidden();
}

void declare_embedding(const StackInput& input, Declarations& declare) {
  const ModelSection& model = input.model;
  const EmbeddingSection& embedding = input.embedding;
  declare.enter_model("embedding");
  const AxisId hidden = declare.hidden();  // in a line of its own: compilers declare what stands in one in any order
  const AxisId columns = embedding_axis(embedding, declare);
  const AxisId added = embedding.projection.value == "last" ? columns : hidden;
  if (input.own_table)
    declare.matrix("tokens", declare.model_axis("vocab", sane(model.vocab_size), model.vocab_size.span), columns);
  if (embedding.size.given) {
    declare.matrix("projection", hidden, columns);
    if (embedding.bias.value) declare.bias("projection", hidden);
  }
  declare_added_positions(input, added, declare);
  if (const Field<std::int64_t>& types = embedding.token_types; types.given) {
    declare.matrix("token_types", declare.model_axis("types", sane(types, most_token_types), types.span), added);
  }
  if (embedding.norm.value.present) declare_norm("norm", embedding.norm.value.norm, added, declare);
}

ValueId build_embedding(const StackContract& stack, Builder& build) {
  Diagnostics none;
  const EmbeddingSection& embedding = *stack.embedding;
  const ValueId ids = build.host(HostList::token_ids);
  const ValueId own = build.weight("embedding::tokens");
  const ValueId table = own ? own : build.weight_of_model("embedding::tokens");
  const bool projected = embedding.size.given, projected_last = projected && embedding.projection.value == "last";
  const double scale = embedding_scale(stack.model, embedding, none).value();
  const NormChoice& norm = embedding.norm.value;
  std::vector<ValueId> added;
  const bool of_projection = projected && !projected_last;
  const AxisId columns =
      of_projection ? build.axes_of(build.weight("embedding::projection"))[0] : build.axes_of(table)[1];
  if (const ValueId positions = build_added_positions(stack, columns, build)) added.push_back(positions);
  if (embedding.token_types.given) {
    added.push_back(build.gather("embed_types", build.weight("embedding::token_types"),
                                 build.host(HostList::token_types), "type_embeddings"));
  }
  // Whatever comes last is the residual stream.
  int left = (scale != 1 ? 1 : 0) + (projected ? 1 : 0) + (added.empty() ? 0 : 1) + (norm.present ? 1 : 0);
  const auto role = [&](const char* word) { return left-- == 0 ? "hidden_states" : word; };
  const auto project = [&](ValueId in) {
    return build.linear("embedding_projection", "embedding::projection", "embedding::projection_bias", in,
                        role("projected_embeddings"));
  };
  ValueId hidden_states = build.gather("embed", table, ids, role("token_embeddings"));
  if (scale != 1) {
    const Expression scaled = known_expression(fmt::format("{} * x", scale), {"x"});
    hidden_states = build.map("scale", scaled, {"x"}, {hidden_states}, role("scaled_embeddings"));
  }
  if (projected && !projected_last) hidden_states = project(hidden_states);
  if (!added.empty()) {
    added.push_back(hidden_states);
    hidden_states = build.sum(added, role("placed_embeddings"));
  }
  if (norm.present) {
    hidden_states = build.norm("embedding_norm", derive_norm(norm.norm), "embedding::norm", hidden_states,
                               role("normed_embeddings"));
  }
  return projected_last ? project(hidden_states) : hidden_states;
}

}  // namespace monomorph::generator
