// What a terminal is shown on standard error.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/runtime/cli/command.hpp"

namespace monomorph::tests {

/// Runs `work` with a terminal for its standard error; nothing where the machine has no pseudo terminals, as in a bare
/// chroot. What it writes fits the terminal's buffer (4096 bytes).
inline std::optional<std::string> on_terminal(const std::function<void()>& work) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) return std::nullopt;
  if (::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0)
    throw std::runtime_error("a pseudo terminal that is locked");
  const std::string name = ::ptsname(terminal);
  // Open from here on, so that what was written stays when the redirection closes its own.
  const int kept = ::open(name.c_str(), O_RDWR | O_NOCTTY);
  {
    const TemporaryDirectory directory;
    const Redirection out(stdout, directory.path() / "out");
    const Redirection err(stderr, name);
    work();
  }
  ::fcntl(terminal, F_SETFL, O_NONBLOCK);
  std::string shown;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(terminal, buffer, sizeof buffer)) > 0;) {
    shown.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(kept);
  ::close(terminal);
  return shown;
}

}  // namespace monomorph::tests
