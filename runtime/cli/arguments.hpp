// The words of a command line, read into options the same way by the generator and by every engine. A mistake is said
// with its remedy; a mistyped word before whatever is missing because of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace monomorph::cli {

/// Reads `words`, without the program's own, into the options of `app`, whose name is the program's and of whose
/// commands one is required. Gives the exit status where the process has nothing more to do: 0 for help and version,
/// which go to standard output; 2 for a mistake of usage, which goes to standard error.
std::optional<int> read_arguments(CLI::App& app, std::vector<std::string> words);

}  // namespace monomorph::cli
