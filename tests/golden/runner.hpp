// What a golden engine's project gives the runner: the program of the model it was emitted for.
#pragma once

#include "runtime/program/program.hpp"

namespace monomorph::golden {

const Program& golden_program();

}  // namespace monomorph::golden
