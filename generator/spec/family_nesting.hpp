// A family whose keys stand in an object of config.json, as those of a decoder beside an encoder of images do.
#pragma once

#include <string>

#include "generator/spec/document.hpp"

namespace monomorph::generator {

/// Moves every key of config.json that `family` reads, checks or ignores into `object`: in [keys], and wherever an
/// expression names it. What a file says of whole models becomes checks of the object: it has the family's model_type,
/// and its architectures and version decide nothing.
void put_under(const std::string& object, TomlValue& family);

/// Makes what a file says of a model's layers what it says of an encoder's: its lines of [spec],
/// [checkpoint.tensors], [absent] and [present] begin with "encoder.", its [layer] is the encoder's. What an encoder
/// has not (a vocabulary, logits) goes. Gives the condition of [refuse] that cannot be about an encoder, since it names
/// the kind of one of the model's own layers; "" where there is none.
std::string put_in_encoder(TomlValue& family);

}  // namespace monomorph::generator
