// explain: a spec with every default written out and every layer kind resolved. The text is itself a spec, which
// resolves to the same contract.
#pragma once

#include <string>

#include "generator/spec/spec.hpp"

namespace monomorph::generator {

std::string explain_spec(const Spec& spec);

}  // namespace monomorph::generator
