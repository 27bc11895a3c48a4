// Files that the system refuses: a failure of the environment, whatever asked for them.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

TEST_CASE("what the file system refuses is status 2 and names the path") {
  const TemporaryDirectory directory;
  const std::string loop = (directory.path() / "loop").string();
  std::filesystem::create_symlink("loop", loop);
  const std::vector<std::vector<std::string>> cases = {
      {"run", "--weights", loop, "--tokens", "1"},
      {"run", "--weights", loop, "--prompt", "x"},
      {"run", "--weights", loop + "/model.safetensors", "--tokens", "1"},
      {"run", "--random-weights", "--tokens", "1", "--tokenizer", loop},
      {"logits", "--weights", loop, "--tokens", "1", "-o", (directory.path() / "x.npy").string()},
      {"logits", "--random-weights", "--tokens", "1", "-o", loop + "/x.npy"},
      {"bench", "--weights", loop},
  };
  for (std::vector<std::string> arguments : cases) {
    arguments.insert(arguments.end(), {"--device", "reference"});
    const Outcome outcome = command(arguments);
    INFO(arguments[0], " ", arguments[2], ": ", outcome.errors);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.errors, "loop"));
    CHECK(outcome.output.empty());
  }
  CHECK(entries(directory.path()) == 1);
}
