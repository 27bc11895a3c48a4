// The script that reads templates travels inside the generator.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace monomorph::generator {

using Scripts = std::map<std::string, std::string_view>;

/// By their paths in the repository.
const Scripts& scripts();

}  // namespace monomorph::generator
