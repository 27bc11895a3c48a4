// The model's own name, beside model_<name>, which all that is emitted is called: a courtesy to programs that embed the
// engine. Only headers that forward to the real ones and an alias of the CMake target have it; nothing of ours uses
// them.
#pragma once

#include <string>

#include "generator/contract/contract.hpp"

namespace monomorph::generator {

/// kjv for model_kjv. Empty where no namespace, folder or target can be called so. What a program's other headers
/// declare is not known here: where they have the name, the program says model_<name>.
std::string short_name(const Contract& contract);

/// What a program says: the short name, or model_<name> where there is none.
std::string cpp_name(const Contract& contract);

}  // namespace monomorph::generator
