// The commands of an emitted engine with their options: from the words of a command line to a call of
// runtime/cli/commands.hpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/program/program.hpp"

namespace monomorph::cli {

/// Reads `words`, without the program's own, and runs the command they name. Gives the exit status; throws what the
/// command throws.
int read_and_run(std::vector<std::string> words, const Program& program);

}  // namespace monomorph::cli
