// The ids that begin and end a text: config.json's, or generation_config.json's where it has some.
#pragma once

#include <cstdint>
#include <string>

#include "generator/import/config_reader.hpp"

namespace monomorph::generator {

/// Fills bos_token_id and eos_token_ids. `bos`, `eos`: the architecture's defaults, -1 for none. Everything else in
/// generation_config.json is about how tokens are drawn, which is chosen when the engine runs.
void read_stop_tokens(ConfigReader& config, const std::string& directory, std::int64_t bos, std::int64_t eos,
                      ModelDescription& model, Diagnostics& diagnostics);

}  // namespace monomorph::generator
