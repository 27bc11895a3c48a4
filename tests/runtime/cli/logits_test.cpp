#include <doctest/doctest.h>

#include "runtime/formats/npy.hpp"
#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

TEST_CASE("logits of every token are written, the same by prefill and by decode") {
  const TemporaryDirectory directory;
  for (const char* const mode : {"prefill", "decode"}) {
    const auto path = directory.path() / mode;
    const Outcome outcome = command({"logits", "--random-weights", "--device", "reference", "--tokens", "3,429,7",
                                     "--mode", mode, "-o", path.string()});
    CHECK(outcome.status == 0);
    CHECK(outcome.output.empty());
    const NpyArray array = read_npy(path);
    CHECK(array.shape == std::vector<std::int64_t>{3, counting_vocab_size});
    std::vector<float> expected(3 * counting_vocab_size);
    expected[4] = expected[counting_vocab_size] = expected[2 * counting_vocab_size + 8] = 9;
    CHECK(array.values == expected);
  }
}

TEST_CASE("each mode calls the reference as its name says") {
  const TemporaryDirectory directory;
  std::vector<std::size_t> calls;
  on_forward = [&](std::span<const std::int32_t> tokens) { calls.push_back(tokens.size()); };
  const std::string path = (directory.path() / "x.npy").string();
  command({"logits", "--random-weights", "--device", "reference", "--tokens", "1,2,3", "-o", path});
  CHECK(calls == std::vector<std::size_t>{3});
  calls.clear();
  command({"logits", "--random-weights", "--device", "reference", "--tokens", "1,2,3", "--mode", "decode", "-o", path});
  CHECK(calls == std::vector<std::size_t>{1, 1, 1});
  on_forward = nullptr;
}

TEST_CASE("when something fails on the way, an older file stays and no new one is left") {
  const TemporaryDirectory directory;
  directory.write("old.npy", "old");
  int calls = 0;
  on_forward = [&](auto) {
    if (++calls == 2) throw std::runtime_error("broken");
  };
  const Outcome outcome = command({"logits", "--random-weights", "--device", "reference", "--tokens", "1,2", "--mode",
                                   "decode", "-o", (directory.path() / "old.npy").string()});
  on_forward = nullptr;
  CHECK(outcome.status == 3);
  CHECK(contains(outcome.errors, "broken"));
  CHECK(read_file(directory.path() / "old.npy") == "old");
  CHECK(entries(directory.path()) == 1);
}
