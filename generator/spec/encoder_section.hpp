// [encoder]: the stack of layers that reads a source, which the model's own layers see by cross-attention. These are
// the keys of its own; the sections under it are laid over those of the model.
#pragma once

#include <cstdint>

#include "generator/spec/fields.hpp"

namespace monomorph::generator {

struct EncoderSection {
  Field<std::int64_t> num_hidden_layers;                       ///< default: the model's
  Field<std::int64_t> hidden_size;                             ///< default: the model's
  Field<std::int64_t> max_position_embeddings{-1, {}, false};  ///< default: the model's; -1: nothing says it
  Field<NormChoice> final_norm;                                ///< default true
  Field<bool> own_embedding;                                   ///< its tokens have a table of their own
};

template <>
const std::vector<FieldRow<EncoderSection>>& fields();

}  // namespace monomorph::generator
