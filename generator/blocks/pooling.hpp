// What stands after the layers of a model that gives a vector for a text: the final norm, pooling, and what a text's
// vector passes.
#pragma once

#include <string>

#include "generator/ids.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

class Builder;
class Declarations;
struct Contract;
struct Value;

/// From the last hidden states of a text to its vector: input_norm of every token, pooling, dense, activation, norm,
/// second_dense, its activation, scores of labels, normalisation. In place of [lm_head].
struct PoolingSection {
  Field<std::string> type;                         ///< mean | cls | last; not given: the model has [lm_head]
  Field<NormChoice> input_norm;                    ///< default true: the final norm
  Field<bool> dense;                               ///< whether a matrix stands behind pooling
  Field<std::int64_t> size{-1, {}, false};         ///< of what dense gives; -1: hidden_size
  Field<std::string> activation;                   ///< of what dense gives: a named one, or an expression of x
  Field<NormChoice> norm;                          ///< of what the activation gives; default false
  Field<bool> second_dense;                        ///< whether another matrix stands behind that
  Field<std::int64_t> second_size{-1, {}, false};  ///< of what second_dense gives; -1: hidden_size
  Field<std::string> second_activation;            ///< of what second_dense gives
  Field<std::int64_t> num_labels{-1, {}, false};   ///< rows of a last matrix; -1: there is none
  Field<Biases> bias;                              ///< of "dense", "second_dense" and "labels"
  Field<bool> normalize;                           ///< whether the vector is divided by its length
};

/// Whether a model gives a vector for a text, in place of logits.
bool pools(const PoolingSection& pooling);

/// The rules on [pooling], norms aside.
void check_pooling(const Spec& spec, Diagnostics& diagnostics);
void declare_pooling(const Spec& spec, Declarations& declare);
/// The vectors of the texts whose rows are wanted.
Id<Value> build_pooling(const Contract& contract, Builder& build, Id<Value> hidden_states);

}  // namespace monomorph::generator
