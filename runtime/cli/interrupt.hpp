// Ctrl-C as a question the work asks between its steps: the first asks for an orderly end, the second ends the process.
#pragma once

#include <exception>

namespace monomorph::cli {

/// Unwinds a command that has no partial result, so that what it had begun is removed.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Takes SIGINT for as long as it lives.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// Throws Interrupted when it came.
void check_interrupt();

}  // namespace monomorph::cli
