#include <doctest/doctest.h>

#include "runtime/cli/progress.hpp"
#include "runtime/cli/token_list.hpp"
#include "runtime/engine.hpp"
#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

TEST_CASE("a mistake of usage gives status 2, says what is wrong on standard error, and nothing on standard output") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "subcommand"},
      {{"chat"}, "chat"},
      {{"run", "--tokens", "1"}, "--weights"},
      {{"run", "--tokens", "1", "--random-weights", "--weights", "x"}, "--weights"},
      {{"run", "--random-weights"}, "--prompt"},
      {{"run", "--random-weights", "--tokens", "1", "--prompt", "x"}, "--prompt"},
      {{"run", "--random-weights", "--tokens", "1", "--colour"}, "--colour"},
      {{"run", "--random-weights", "--device", "cpu", "--tokens", "1", "-n", "many"}, "many"},
      {{"run", "--random-weights", "--device", "cpu", "--tokens", "1,,2"}, "number 2"},
      {{"run", "--random-weights", "--device", "cpu", "--tokens", "1,x"}, "'x'"},
      {{"run", "--random-weights", "--device", "cpu", "--tokens", "99999999999"}, "99999999999"},
      {{"run", "--random-weights", "--device", "cpu", "--prompt", "x"}, "--tokenizer"},
      {{"run", "--weights", "/nowhere/model.safetensors", "--device", "cpu", "--tokens", "1"},
       "/nowhere/model.safetensors"},
      {{"logits", "--random-weights", "--device", "cpu", "--tokens", "1"}, "--output"},
      {{"logits", "--random-weights", "--device", "cpu", "--tokens", "1", "-o", "/nowhere/x.npy"}, "/nowhere/x.npy"},
      {{"logits", "--random-weights", "--device", "cpu", "--tokens", "1", "-o", "x", "--mode", "sideways"}, "sideways"},
      {{"bench", "--random-weights", "--device", "cpu", "-r", "0"}, "--repetitions"},
      {{"bench", "--random-weights", "--device", "cpu", "-p", "0"}, "--prompt"},
      {{"bench", "--random-weights", "--device", "cpu", "--profile"}, "--profile"},
      {{"verify", "--random-weights", "--device", "cpu"}, "--device cpu"},
      {{"verify", "--random-weights", "-n", "0"}, "--count"},
  };
  for (const auto& [arguments, expected] : cases) {
    const Outcome outcome = command(arguments);
    INFO(expected, " in: ", outcome.errors);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.errors, expected));
    CHECK(outcome.output.empty());
  }
}

TEST_CASE("what the model does not allow gives status 1 before anything is loaded") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"run", "--weights", "/nowhere", "--tokens", "1,430"}, "token 430 (number 2 of 2)"},
      {{"run", "--weights", "/nowhere", "--tokens", "-1"}, "token -1"},
      {{"run", "--weights", "/nowhere", "--tokens", "1", "--temperature", "-1"}, "temperature"},
      {{"run", "--weights", "/nowhere", "--tokens", "1", "--top-p", "0"}, "top_p"},
      {{"run", "--weights", "/nowhere", "--tokens", "1", "-n", "-1"}, "-1 tokens"},
      {{"run", "--random-weights", "--device", "cpu", "--tokens",
        "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"},
       "41 tokens do not fit"},
      {{"logits", "--weights", "/nowhere", "--tokens", "430", "-o", "/nowhere/x.npy"}, "token 430"},
      {{"bench", "--weights", "/nowhere", "--device", "cpu", "-p", "41"}, "--prompt 41: the sequence holds 40"},
      {{"bench", "--weights", "/nowhere", "--device", "cpu", "-n", "40"}, "--count 40: the sequence holds 39"},
      {{"verify", "--weights", "/nowhere", "-p", "40"}, "the sequence has 40"},
  };
  for (const auto& [arguments, expected] : cases) {
    const Outcome outcome = command(arguments);
    INFO(expected, " in: ", outcome.errors);
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.errors, expected));
    CHECK(contains(outcome.errors, "counting: error: "));
    CHECK(outcome.output.empty());
  }
}

TEST_CASE("help is a result: status 0, on standard output") {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"}, {"run", "--help"}}) {
    const Outcome outcome = command(arguments);
    CHECK(outcome.status == 0);
    CHECK(contains(outcome.output, "run"));
    CHECK(outcome.errors.empty());
  }
}

TEST_CASE("a result that cannot be written gives status 2") {
  const Outcome outcome = command({"info", "--device", "cpu"}, counting_program(), "/dev/full");
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.errors, "No space left"));
}

TEST_CASE("token ids are numbers between commas, with spaces around them") {
  CHECK(cli::parse_tokens("7") == std::vector<std::int32_t>{7});
  CHECK(cli::parse_tokens(" 1, 2 ,-3") == std::vector<std::int32_t>{1, 2, -3});
  for (const char* const bad : {"", ",", "1,", "1 2", "0x1", "1.5", "+1", "2147483648"}) {
    INFO(bad);
    CHECK_THROWS_AS(cli::parse_tokens(bad), Error);
  }
}

TEST_CASE("test tokens stay in the vocabulary, are spread over it, and are the same each time") {
  const std::vector<std::int32_t> tokens = cli::test_tokens(1000, 7);
  std::array<int, 7> counts{};
  for (const std::int32_t token : tokens) ++counts.at(static_cast<std::size_t>(token));
  for (const int count : counts) CHECK(count > 100);
  CHECK(tokens == cli::test_tokens(1000, 7));
  CHECK(cli::test_tokens(3, 262144) == std::vector<std::int32_t>{162013, 61883, 223897});
}

TEST_CASE("a progress bar fills from left to right") {
  CHECK(cli::progress_bar(0, 8, 4) == "[....]   0%");
  CHECK(cli::progress_bar(4, 8, 4) == "[##..]  50%");
  CHECK(cli::progress_bar(8, 8, 4) == "[####] 100%");
  CHECK(cli::progress_bar(0, 0, 4) == "[####] 100%");
}
