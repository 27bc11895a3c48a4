#include "runtime/cli/interrupt.hpp"

namespace monomorph::cli {
namespace {

volatile std::sig_atomic_t signalled = 0;

void note(int) { signalled = 1; }

}  // namespace

InterruptGuard::InterruptGuard() {
  signalled = 0;
  struct sigaction action{};
  action.sa_handler = note;
  // Restarted, so that a result is written whole; what waits for input waits with poll, which never is.
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &before_, nullptr);
  signalled = 0;
}

bool interrupted() { return signalled != 0; }

void check_interrupt() {
  if (interrupted()) throw Interrupted();
}

}  // namespace monomorph::cli
