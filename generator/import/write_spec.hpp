// Writes a spec as a person would: the sections in their usual order, what is the default left out unless config.json
// says it, and a comment where a value did not come from config.json. Equal descriptions give equal bytes.
#pragma once

#include <string>

#include "generator/import/description.hpp"
#include "generator/import/import.hpp"

namespace monomorph::generator {

/// `config`: the config.json that the description was read from.
ImportedSpec write_spec(const ModelDescription& model, std::shared_ptr<const Source> config);

}  // namespace monomorph::generator
