// Ctrl-C, in a process of its own: what ends by the signal would end the tests.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <csignal>

#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

struct Ending {
  int status;
  std::string output;
};

Ending interrupted_at(int call, std::vector<std::string> arguments) {
  const TemporaryDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) {
    int calls = 0;
    on_forward = [&](auto) {
      if (++calls == call) std::raise(SIGINT);
    };
    const Outcome outcome = command(std::move(arguments));
    directory.write("output", outcome.output);
    ::_exit(outcome.status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {status, read_file(directory.path() / "output")};
}

}  // namespace

TEST_CASE("interrupted, run ends its text after the token at hand, and is done") {
  const Ending ending = interrupted_at(3, {"run", "--random-weights", "--device", "cpu", "--tokens", "1", "-n", "30"});
  CHECK(WIFEXITED(ending.status));
  CHECK(WEXITSTATUS(ending.status) == 0);
  CHECK(ending.output == "2,3,4\n");
}

TEST_CASE("interrupted, logits end by the signal and leave no file") {
  const TemporaryDirectory directory;
  const Ending ending = interrupted_at(2, {"logits", "--random-weights", "--device", "cpu", "--tokens", "1,2,3",
                                           "--mode", "decode", "-o", (directory.path() / "x.npy").string()});
  CHECK(WIFSIGNALED(ending.status));
  CHECK(WTERMSIG(ending.status) == SIGINT);
  CHECK(entries(directory.path()) == 0);
}
