// What stands before the layers: token embeddings, and the positions that they have added.
#pragma once

#include <optional>
#include <string>

#include "generator/ids.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

class Builder;
class Declarations;
struct Axis;
struct StackContract;
struct Value;

/// From token ids to the residual stream.
struct EmbeddingSection {
  Field<std::int64_t> size{-1, {}, false};         ///< of a token's row, which a projection makes wide; -1: hidden_size
  Field<std::string> scale;                        ///< an expression of the model's numbers; default 1
  Field<std::string> projection;                   ///< first | last: before what is added and the norm, or after
  Field<bool> bias;                                ///< of that projection
  Field<std::int64_t> token_types{-1, {}, false};  ///< rows of a table of types; -1: tokens have none
  Field<NormChoice> norm;                          ///< default false
};

/// The width of what is added to tokens' embeddings, and of their norm: that of the residual stream, or of a token's
/// row where the projection comes last.
const Field<std::int64_t>& added_width(const ModelSection& model, const EmbeddingSection& embedding);

/// What stands before a stack's layers, as the spec has it.
struct StackInput {
  const ModelSection& model;
  const EmbeddingSection& embedding;
  const PositionSection& position;
  bool own_table = true;  ///< else its tokens have the embeddings of the model's own
};
StackInput input_of(const Spec& spec, std::size_t stack);

/// The rules on [embedding], norms aside.
void check_embedding(const StackInput& input, Diagnostics& diagnostics);
void declare_embedding(const StackInput& input, Declarations& declare);
/// The axis of a token's row: what the head's matrix reads, too.
Id<Axis> embedding_axis(const EmbeddingSection& embedding, Declarations& declare);
/// The residual stream before the first layer.
Id<Value> build_embedding(const StackContract& stack, Builder& build);

}  // namespace monomorph::generator
