// A family whose keys stand in an object of config.json, as those of a decoder beside an encoder of images do.
#pragma once

#include <string>

#include "generator/spec/document.hpp"

namespace monomorph::generator {

/// Moves every key of config.json that `family` reads, checks or ignores into `object`: in [keys], and wherever an
/// expression names it. What a file says of whole models becomes checks of the object: it has the family's model_type,
/// and its architectures and version decide nothing.
void put_under(const std::string& object, TomlValue& family);

}  // namespace monomorph::generator
