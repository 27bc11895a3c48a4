// An activation, as a spec says it: by name, or as an expression of x.
#pragma once

#include <optional>
#include <string>

#include "generator/spec/spec.hpp"

namespace monomorph::generator {

/// The activation as the text of an expression of x; nothing, and the rule `path`, where no activation has this name.
std::optional<std::string> activation_text(const Field<std::string>& activation, const std::string& path,
                                           Diagnostics& diagnostics);

}  // namespace monomorph::generator
