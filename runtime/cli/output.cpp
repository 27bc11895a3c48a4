#include "runtime/cli/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/error.hpp"

namespace monomorph::cli {

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(ErrorKind::environment, fmt::format("standard output: cannot write: {}", std::strerror(errno)));
  }
}

void print_error(std::string_view text) noexcept { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace monomorph::cli
