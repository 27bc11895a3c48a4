// Ctrl-C as a question the work asks between its steps: the first asks for an orderly end, the second ends the process.
#pragma once

#include <csignal>
#include <exception>

namespace monomorph::cli {

/// Unwinds a command that has no partial result, so that what it had begun is removed.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Takes SIGINT for as long as it lives. Within another one it hears what comes in its own time: work of its own, whose
/// end is not the command's.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction before_{};
};

/// Called in the signal's handler before the second Ctrl-C ends the process, which runs no destructor; null: nothing
/// is.
void set_last_call(void (*call)());

/// Whether it came.
bool interrupted();
/// Throws Interrupted when it came.
void check_interrupt();

}  // namespace monomorph::cli
