// A user's own C++ against the headers emitted from a spec: `monomorph check SPEC --host FILE.cpp [-- FLAGS]`.
#pragma once

#include <string>
#include <vector>

#include "generator/diagnostics.hpp"

namespace monomorph::generator {

/// Checks `file` as the compiler would be called with `flags`, then with `include_dirs` (the emitted headers', the
/// runtime's) searched after them. A header found first through the user's own flags is the one that counts: if it was
/// generated from a spec with another hash than `spec_hash`, that is a diagnostic too. No errors: the file compiles.
/// Throws EnvironmentError where the file cannot be read.
Diagnostics check_host_file(const std::string& spec_hash, const std::vector<std::string>& include_dirs,
                            const std::string& file, const std::vector<std::string>& flags);

}  // namespace monomorph::generator
