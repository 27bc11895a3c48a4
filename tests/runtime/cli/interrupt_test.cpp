// Ctrl-C, in a process of its own: what ends by the signal would end the tests.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "runtime/tokenizer/tokenizer.hpp"
#include "tests/runtime/cli/command.hpp"
#include "tests/runtime/cli/terminal.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

const std::string tokenizer_directory = MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/gpt2";

struct Ending {
  int status;
  std::string output, errors;
  std::size_t calls;  ///< of the reference
};

/// Ctrl-C in the forward pass `call`, counted from 1.
Ending interrupted_at(std::size_t call, std::vector<std::string> arguments, bool ignored = false,
                      std::int64_t slots = 1) {
  Program program = counting_program();
  program.max_batch = slots;
  const TemporaryDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) {
    // What a process started in the background by a script has.
    std::signal(SIGINT, ignored ? SIG_IGN : SIG_DFL);
    const std::string calls = (directory.path() / "calls").string();
    std::size_t count = 0;
    on_forward = [&](auto) {
      std::ofstream(calls, std::ios::app) << '.';
      if (++count == call) std::raise(SIGINT);
    };
    const Redirection out(stdout, directory.path() / "out");
    const Redirection err(stderr, directory.path() / "err");
    ::_exit(status_of(std::move(arguments), program));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {status, read_file(directory.path() / "out"), read_file(directory.path() / "err"),
          read_file(directory.path() / "calls").size()};
}

/// As the shell has it.
int shell_status(const Ending& ending) {
  return WIFSIGNALED(ending.status) ? 128 + WTERMSIG(ending.status) : WEXITSTATUS(ending.status);
}

/// 40 tokens, in chunks of 16.
const std::string long_prompt = "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1";

}  // namespace

TEST_CASE("interrupted, run ends its text after the token at hand, by the signal") {
  const Ending ending =
      interrupted_at(3, {"run", "--random-weights", "--device", "reference", "--tokens", "1", "-n", "30"});
  CHECK(WIFSIGNALED(ending.status));
  CHECK(WTERMSIG(ending.status) == SIGINT);
  CHECK(shell_status(ending) == 130);
  CHECK(ending.output == "2,3,4\n");
  CHECK(ending.errors.ends_with("counting: interrupted\n"));
  CHECK(ending.calls == 3);
}

TEST_CASE("interrupted, run leaves no file of log-probabilities") {
  const TemporaryDirectory directory;
  const Ending ending = interrupted_at(3, {"run", "--random-weights", "--device", "reference", "--tokens", "1", "-n",
                                           "30", "--log-probabilities", (directory.path() / "drawn.jsonl").string()});
  CHECK(shell_status(ending) == 130);
  CHECK(ending.output == "2,3,4\n");
  CHECK(entries(directory.path()) == 0);
}

TEST_CASE("interrupted, run of many prompts gives the answers that are whole, in order") {
  const TemporaryDirectory directory;
  const std::string lines = R"({"tokens": [1], "count": 3}
{"tokens": [2], "count": 30}
{"tokens": [3], "count": 2}
{"tokens": [4], "count": 30}
)";
  // The third step, passes 7 to 9, is finished: in it the first line ends, as the third has in the second.
  const Ending ending = interrupted_at(
      7, {"run", "--random-weights", "--device", "reference", "--prompts", directory.write("prompts.jsonl", lines)},
      false, 3);
  CHECK(shell_status(ending) == 130);
  CHECK(ending.output ==
        "{\"index\":0,\"tokens\":[2,3,4],\"finish\":\"length\"}\n"
        "{\"index\":2,\"tokens\":[4,5],\"finish\":\"length\"}\n");
  CHECK(ending.errors.ends_with("counting: interrupted\n"));
  CHECK(ending.calls == 9);
}

TEST_CASE("interrupted in a prompt, run ends with the chunk at hand, and prints nothing") {
  for (const std::size_t call : {1, 2}) {
    const Ending ending =
        interrupted_at(call, {"run", "--random-weights", "--device", "reference", "--tokens", long_prompt, "-n", "5"});
    CHECK(shell_status(ending) == 130);
    CHECK(ending.output.empty());
    CHECK(ending.errors.ends_with("\ncounting: interrupted\n"));
    CHECK(ending.calls == call);
  }
}

TEST_CASE("interrupted, bench ends as run does, in a prompt and between two tokens") {
  const std::vector<std::string> arguments = {"bench", "--random-weights", "--device", "reference", "-p", "40", "-n",
                                              "20"};
  // Three chunks of the prompt, then the first token of the decode and its steps.
  for (const std::size_t call : {1, 2, 3, 4, 5, 9}) {
    const Ending ending = interrupted_at(call, arguments);
    CHECK(shell_status(ending) == 130);
    CHECK(ending.output.empty());
    CHECK(ending.errors == "counting: interrupted\n");
    CHECK(ending.calls == call);
  }
}

TEST_CASE("of text that is interrupted whole characters are kept, and no part of one") {
  // From 150 on each token is the first byte of a character of two, and never followed by its second.
  const Tokenizer tokenizer = Tokenizer::load(tokenizer_directory);
  const Ending ending = interrupted_at(2, {"run", "--random-weights", "--device", "reference", "--tokens", "150", "-n",
                                           "9", "--tokenizer", tokenizer_directory});
  CHECK(shell_status(ending) == 130);
  CHECK(ending.output == tokenizer.decode(std::vector<std::int32_t>{151}) + "\n");
  CHECK(tokenizer.decode(std::vector<std::int32_t>{151, 152}) ==
        ending.output.substr(0, 3) + ending.output.substr(0, 3));
}

TEST_CASE("where the signal was ignored before, the status is the same") {
  const Ending ending =
      interrupted_at(2, {"run", "--random-weights", "--device", "reference", "--tokens", "1", "-n", "30"}, true);
  CHECK(WIFEXITED(ending.status));
  CHECK(shell_status(ending) == 130);
  CHECK(ending.output == "2,3\n");
}

TEST_CASE("on a terminal a prompt's progress is shown chunk by chunk, and in a pipe it is not") {
  const std::vector<std::string> arguments = {"run",      "--random-weights", "--device", "reference",
                                              "--tokens", long_prompt,        "-n",       "1"};
  CHECK_FALSE(contains(command(arguments).errors, "reading the prompt"));
  on_forward = [](auto) { std::this_thread::sleep_for(std::chrono::milliseconds(120)); };
  const std::optional<std::string> shown = on_terminal([&] { status_of(arguments); });
  on_forward = nullptr;
  if (!shown) {
    MESSAGE("this machine has no pseudo terminals: what one is shown is not looked at");
    return;
  }
  for (const std::string part : {"reading the prompt [", "  0%", " 40%", " 80%", "\r\x1b[K", "prompt: 40 tokens"}) {
    INFO(part, " in: ", *shown);
    CHECK(contains(*shown, part));
  }
}

TEST_CASE("interrupted, logits of a prompt end with the chunk at hand and leave no file") {
  const TemporaryDirectory directory;
  const Ending ending = interrupted_at(2, {"logits", "--random-weights", "--device", "reference", "--tokens",
                                           long_prompt, "-o", (directory.path() / "x.npy").string()});
  CHECK(shell_status(ending) == 130);
  CHECK(ending.calls == 2);
  CHECK(entries(directory.path()) == 0);
}

TEST_CASE("interrupted, logits end by the signal and leave no file") {
  const TemporaryDirectory directory;
  const Ending ending = interrupted_at(2, {"logits", "--random-weights", "--device", "reference", "--tokens", "1,2,3",
                                           "--mode", "decode", "-o", (directory.path() / "x.npy").string()});
  CHECK(WIFSIGNALED(ending.status));
  CHECK(WTERMSIG(ending.status) == SIGINT);
  CHECK(entries(directory.path()) == 0);
}
