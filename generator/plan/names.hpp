// The enumerators of runtime/program.hpp by name, as emitted code and dumps write them.
#pragma once

#include "runtime/program.hpp"

namespace monomorph::generator {

const char* name_of(KernelKind kind);
const char* name_of(Access access);
const char* name_of(Arena arena);

}  // namespace monomorph::generator
