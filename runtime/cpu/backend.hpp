// The processor, as a backend.
#pragma once

#include "runtime/engine/backend.hpp"

namespace monomorph::cpu {

const Backend& backend();

}  // namespace monomorph::cpu
