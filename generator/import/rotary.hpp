// Rotary settings in both spellings: rope_theta and rope_scaling beside each other, and the newer rope_parameters.
//
// Gives rope_theta. A scaling, a part of each head left unrotated, and spellings that disagree are refused by name.
#pragma once

#include "generator/import/config_reader.hpp"

namespace monomorph::generator {

Imported<double> read_rotary(ConfigReader& config, Family family, const std::string& architecture,
                             const std::vector<std::string>& ignore, std::vector<std::string>& accepted);

}  // namespace monomorph::generator
