// What stands after the layers: the final norm and the head.
#pragma once

#include <string>

#include "generator/ids.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

class Builder;
class Declarations;
struct Contract;
struct Value;

/// From the last hidden state to logits: input_norm, the embedding's projection back, dense, activation, norm, matrix.
struct LmHeadSection {
  Field<bool> tie_word_embeddings;
  Field<NormChoice> input_norm;   ///< default true: the final norm
  Field<bool> dense;              ///< whether a square matrix stands before the head's
  Field<std::string> activation;  ///< of what dense gives: a named one, or an expression of x
  Field<NormChoice> norm;         ///< of what the activation gives; default false
  Field<Biases> bias;             ///< of "dense" and "matrix"
  Field<std::string> scale;       ///< an expression of the model's numbers; default 1
  Field<std::string> softcap;  ///< an expression of the model's numbers; logits become softcap * tanh(logits / softcap)
  Field<std::string> logits;   ///< an expression of x, what the matrix gives
};

/// The rules on [lm_head], norms aside.
void check_head(const Spec& spec, Diagnostics& diagnostics);
void declare_head(const Spec& spec, Declarations& declare);
/// Logits of the rows that are wanted.
Id<Value> build_head(const Contract& contract, Builder& build, Id<Value> hidden_states);

}  // namespace monomorph::generator
