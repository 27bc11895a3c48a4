// Standard output for results, standard error for the rest. A result that cannot be written is an error, not a loss.
#pragma once

#include <string_view>

namespace monomorph::cli {

/// Writes and flushes. Throws Error(environment) naming the system's reason.
void print(std::string_view text);
void print_error(std::string_view text) noexcept;

}  // namespace monomorph::cli
