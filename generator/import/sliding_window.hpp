// Sliding windows: whether one would be in force. Attention reaches every earlier token in what runs, so a window at
// least as long as any sequence changes nothing, and a shorter one is refused by name.
#pragma once

#include <cstdint>

#include "generator/import/config_reader.hpp"

namespace monomorph::generator {

void check_sliding_window(ConfigReader& config, Family family, std::int64_t num_hidden_layers,
                          std::int64_t max_position_embeddings);

}  // namespace monomorph::generator
