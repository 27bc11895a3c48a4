// What stands before and after the layers: token (and position) embeddings, the final norm and the head.
#pragma once

#include <optional>
#include <string>

#include "generator/expression/expression.hpp"
#include "generator/ids.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

class Builder;
class Declarations;
struct Contract;
struct Value;

/// From token ids to the residual stream.
struct EmbeddingSection {
  Field<std::string> scale;  ///< an expression of the model's numbers; default 1
  Field<NormChoice> norm;    ///< default false
};

struct LmHeadSection {
  Field<bool> tie_word_embeddings;
  Field<std::string> scale;    ///< an expression of the model's numbers; default 1
  Field<std::string> softcap;  ///< an expression of the model's numbers; logits become softcap * tanh(logits / softcap)
  Field<std::string> logits;   ///< an expression of x, what the matrix gives
};

/// Factor of the token embeddings; nothing where it is wrong.
std::optional<double> embedding_scale(const ModelSection& model, const EmbeddingSection& embedding,
                                      Diagnostics& diagnostics);
/// Factor of the logits; nothing where it is wrong.
std::optional<double> logits_scale(const ModelSection& model, const LmHeadSection& lm_head, Diagnostics& diagnostics);
/// What becomes of x, a number that the head's matrix gives, scaled; an empty expression where it stays, nothing where
/// it is wrong.
std::optional<Expression> logits_expression(const ModelSection& model, const LmHeadSection& lm_head,
                                            Diagnostics& diagnostics);

void declare_embedding(const Spec& spec, Declarations& declare);
/// The residual stream before the first layer.
Id<Value> build_embedding(const Contract& contract, Builder& build);

/// Final norm and, where it is not the embedding's matrix, the head.
void declare_head(const Spec& spec, Declarations& declare);
/// Logits of the rows that are wanted.
Id<Value> build_head(const Contract& contract, Builder& build, Id<Value> hidden_states);

}  // namespace monomorph::generator
