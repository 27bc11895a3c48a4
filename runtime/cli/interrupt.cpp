#include "runtime/cli/interrupt.hpp"

#include <atomic>

namespace monomorph::cli {
namespace {

volatile std::sig_atomic_t signalled = 0;
std::atomic<void (*)()> last_call = nullptr;

void note(int) {
  if (signalled == 0) {
    signalled = 1;
    return;
  }
  if (void (*const call)() = last_call) call();
  std::signal(SIGINT, SIG_DFL);
  std::raise(SIGINT);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  signalled = 0;
  struct sigaction action{};
  action.sa_handler = note;
  // Restarted, so that a result is written whole; what waits for input waits with poll, which never is.
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGTTOU);  // the last call may set the terminal from the background
  sigaction(SIGINT, &action, &before_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &before_, nullptr);
  signalled = 0;
}

void set_last_call(void (*call)()) { last_call = call; }

bool interrupted() { return signalled != 0; }

void check_interrupt() {
  if (interrupted()) throw Interrupted();
}

}  // namespace monomorph::cli
