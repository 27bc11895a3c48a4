// `run --denoise`: its options, and what is refused; how tokens are found is runtime/engine/denoise.hpp's test's.
#include <doctest/doctest.h>

#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

/// What stands at a mask is the next id after it.
Program masked_program() {
  Program program = counting_program();
  program.name = "masked";
  program.one_pass = true;
  program.mask_token = 400;
  program.max_sequence_length = program.prefill_chunk = 16;
  return program;
}

Outcome run(std::vector<std::string> arguments, const Program& program = masked_program()) {
  arguments.insert(arguments.begin(), {"run", "--random-weights", "--device", "reference", "--tokens", "3,5"});
  return command(arguments, program);
}

}  // namespace

TEST_CASE("masks behind a prompt become tokens, and figures tell in how many steps") {
  const Outcome outcome = run({"--denoise", "-n", "4", "--steps", "2", "--block-length", "4"});
  CAPTURE(outcome.errors);
  CHECK(outcome.status == 0);
  CHECK(outcome.output == "401,401,401,401\n");
  CHECK(contains(outcome.errors, "found: 4 tokens in 2 steps"));
  CHECK(run({"--denoise", "-n", "4", "--steps", "2", "--block-length", "2", "--remasking", "random"}).output ==
        outcome.output);
}

TEST_CASE("what a text of masks cannot be is refused before anything runs") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"-n", "4", "--beams", "2"}, "2 masked: error: --beams has no meaning beside --denoise"},
      {{"-n", "4", "--top-k", "2"}, "2 masked: error: --top-k has no meaning beside --denoise"},
      {{"-n", "4", "--block-length", "3"}, "1 masked: error: "},
      {{"-n", "4", "--steps", "0"}, "1 masked: error: "},
      {{"-n", "15"}, "1 masked: error: "},
      {{"-n", "4", "--remasking", "none"}, "2 "},
  };
  for (const auto& [arguments, expected] : cases) {
    std::vector<std::string> all = {"--denoise"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run(all);
    CAPTURE(outcome.errors);
    CHECK((std::to_string(outcome.status) + " " + outcome.errors).starts_with(expected));
    CHECK(outcome.output.empty());
  }
  CHECK(run({"--steps", "3"}).status == 2);
}

TEST_CASE("drawing from a model with masks says what to do, and so does denoising without them") {
  const Outcome drawn = run({"-n", "3"});
  CHECK(drawn.status == 1);
  CHECK(contains(drawn.errors, "run --denoise"));
  const Outcome none = run({"--denoise", "-n", "3"}, counting_program());
  CHECK(none.status == 1);
  CHECK(contains(none.errors, "goes on token by token"));
}
