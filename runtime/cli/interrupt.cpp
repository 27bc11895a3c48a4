#include "runtime/cli/interrupt.hpp"

#include <csignal>

namespace monomorph::cli {
namespace {

volatile std::sig_atomic_t signalled = 0;
struct sigaction before;

void note(int) { signalled = 1; }

}  // namespace

InterruptGuard::InterruptGuard() {
  signalled = 0;
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before);
}

InterruptGuard::~InterruptGuard() { sigaction(SIGINT, &before, nullptr); }

bool interrupted() noexcept { return signalled != 0; }

void check_interrupt() {
  if (interrupted()) throw Interrupted();
}

}  // namespace monomorph::cli
