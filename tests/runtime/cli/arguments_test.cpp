#include <doctest/doctest.h>

#include "runtime/cli/progress.hpp"
#include "runtime/cli/token_list.hpp"
#include "runtime/error.hpp"
#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

TEST_CASE("a mistake of usage gives status 2, says what is wrong on standard error, and nothing on standard output") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "subcommand"},
      {{"talk"}, "talk"},
      {{"run", "--tokens", "1"}, "--weights"},
      {{"run", "--tokens", "1", "--random-weights", "--weights", "x"}, "--weights"},
      {{"run", "--random-weights"}, "--prompt"},
      {{"run", "--random-weights", "--tokens", "1", "--prompt", "x"}, "--prompt"},
      {{"run", "--random-weights", "--tokens", "1", "--prompt-file", "x"}, "--prompt-file"},
      {{"run", "--random-weights", "--prompt", "x", "--prompt-file", "x"}, "--prompt-file"},
      {{"run", "--random-weights", "--tokens", "1", "--colour"}, "--colour"},
      {{"run", "--random-weights", "--device", "reference", "--tokens", "1", "-n", "many"}, "many"},
      {{"run", "--random-weights", "--device", "reference", "--tokens", "1,,2"}, "number 2"},
      {{"run", "--random-weights", "--device", "reference", "--tokens", "1,x"}, "'x'"},
      {{"run", "--random-weights", "--device", "reference", "--tokens", "99999999999"}, "99999999999"},
      {{"run", "--random-weights", "--device", "reference", "--prompt", "x"}, "--tokenizer"},
      {{"run", "--weights", "/nowhere/model.safetensors", "--device", "reference", "--tokens", "1"},
       "/nowhere/model.safetensors"},
      {{"logits", "--random-weights", "--device", "reference", "--tokens", "1"}, "--output"},
      {{"logits", "--random-weights", "--device", "reference", "--tokens", "1", "-o", "/nowhere/x.npy"},
       "/nowhere/x.npy"},
      {{"logits", "--random-weights", "--device", "reference", "--tokens", "1", "-o", "x", "--mode", "sideways"},
       "sideways"},
      {{"bench", "--random-weights", "--device", "reference", "-r", "0"}, "--repetitions"},
      {{"bench", "--random-weights", "--device", "reference", "-r", "9223372036854775807"}, "--repetitions"},
      {{"bench", "--random-weights", "--device", "reference", "-p", "0"}, "--prompt"},
      {{"bench", "--random-weights", "--device", "reference", "--profile"}, "--profile"},
      {{"verify", "--random-weights", "--device", "reference"}, "--device reference"},
      {{"verify", "--random-weights", "-n", "0"}, "--count"},
      {{"verify", "--random-weights", "--tolerance", "nan"}, "--tolerance"},
      {{"verify", "--random-weights", "--tolerance", "inf"}, "--tolerance"},
      {{"verify", "--random-weights", "--tolerance", "0"}, "--tolerance"},
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
      {{"run", "--random-weights", "--device", "reference", "--tokens",
        "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"},
       "41 tokens do not fit"},
      {{"logits", "--weights", "/nowhere", "--tokens", "430", "-o", "/nowhere/x.npy"}, "token 430"},
      {{"bench", "--weights", "/nowhere", "--device", "reference", "-p", "41"}, "--prompt 41: the sequence holds 40"},
      {{"bench", "--weights", "/nowhere", "--device", "reference", "-n", "40"}, "--count 40: the sequence holds 39"},
      {{"bench", "--weights", "/nowhere", "--device", "reference", "-d", "40"},
       "--depth 40: the sequence holds 40 tokens"},
      {{"bench", "--weights", "/nowhere", "--device", "reference", "-d", "30", "-p", "11"},
       "--prompt 11: the sequence holds 10"},
      {{"verify", "--weights", "/nowhere", "-p", "40"}, "the sequence has 40"},
      {{"verify", "--weights", "/nowhere", "-p", "33"}, "the sequence has 40"},
      {{"verify", "--weights", "/nowhere", "-p", "9223372036854775807"}, "the sequence has 40"},
      {{"verify", "--weights", "/nowhere", "-n", "9223372036854775807"}, "the sequence has 40"},
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

TEST_CASE("a number that cannot be read as it stands is refused, by its option") {
  const std::vector<std::string> run = {"run", "--random-weights", "--device", "reference", "--tokens", "1"};
  const std::vector<std::string> bench = {"bench", "--random-weights", "--device", "reference"};
  const std::vector<std::string> verify = {"verify", "--random-weights"};
  const std::string beyond_int = "9223372036854775808", beyond_uint = "18446744073709551616";
  const std::vector<std::tuple<std::vector<std::string>, std::string, std::string>> cases = {
      {run, "--count", beyond_int},
      {run, "--count", "-9223372036854775809"},
      {run, "--count", "0x10"},
      {run, "--count", ""},
      {run, "--count", "1e3"},
      {run, "--top-k", "4294967296"},
      {run, "--top-k", "-1"},
      {run, "--seed", beyond_uint},
      {run, "--random-seed", beyond_uint},
      {run, "--temperature", "1e99"},
      {run, "--temperature", "warm"},
      {run, "--top-p", "0.5x"},
      {bench, "--prompt", beyond_int},
      {bench, "--count", beyond_int},
      {bench, "--repetitions", beyond_int},
      {verify, "--prompt", beyond_int},
      {verify, "--count", beyond_int},
      {verify, "--tolerance", "1e999"},
      {verify, "--tolerance", "a thousand"},
  };
  for (auto [arguments, option, word] : cases) {
    arguments.insert(arguments.end(), {option, word});
    const Outcome outcome = command(arguments);
    INFO(option, " ", word, ": ", outcome.errors);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.errors, option + ": '" + word + "' is no "));
    CHECK(outcome.output.empty());
  }
}

TEST_CASE("digits are a decimal number, whatever they begin with") {
  const Outcome outcome =
      command({"run", "--random-weights", "--device", "reference", "--tokens", "1", "-n", "010", "--seed", "08"});
  CHECK(outcome.status == 0);
  CHECK(outcome.output == "2,3,4,5,6,7,8,9,10,11\n");
}

TEST_CASE("the largest count there is draws what the sequence holds") {
  const Outcome outcome =
      command({"run", "--random-weights", "--device", "reference", "--tokens", "200", "-n", "9223372036854775807"});
  CHECK(outcome.status == 0);
  CHECK(std::count(outcome.output.begin(), outcome.output.end(), ',') == 39);
  CHECK(contains(outcome.errors, "the sequence is full"));
}

TEST_CASE("a mistyped word is named, with the nearest known one, before what is missing because of it") {
  const std::vector<std::tuple<std::vector<std::string>, std::string, std::string>> cases = {
      {{"run", "--wieghts", "x", "--tokens", "1"}, "run has no option '--wieghts'", "did you mean --weights?"},
      {{"run", "--wieghts=x", "--tokens", "1"}, "run has no option '--wieghts'", "did you mean --weights?"},
      {{"run", "-weights", "x", "--tokens", "1"}, "run has no option '-weights'", "did you mean --weights?"},
      {{"run", "weights", "x", "--tokens", "1"}, "run has no use for 'weights'", "did you mean --weights?"},
      {{"run", "--random-weights", "--promt", "x"}, "run has no option '--promt'", "did you mean --prompt?"},
      {{"run", "--random-weights", "--tokens", "1", "--Temperature", "1"}, "'--Temperature'", "mean --temperature?"},
      {{"run", "--random-weights", "--tokens", "1", "-N", "1"}, "'-N'", "did you mean -n?"},
      {{"logits", "--random-weights", "--token", "1", "-o", "x"}, "'--token'", "did you mean --tokens?"},
      {{"logits", "--random-weights", "--tokens", "1", "--outptu", "x"}, "'--outptu'", "did you mean --output?"},
      {{"bench", "--random-weights", "--repetition", "many"}, "'--repetition'", "did you mean --repetitions?"},
      {{"bnech", "--random-weights"}, "there is no command 'bnech'", "did you mean bench?"},
      {{"--verison"}, "there is no option '--verison'", "did you mean --version?"},
  };
  for (const auto& [arguments, unknown, meant] : cases) {
    const Outcome outcome = command(arguments);
    INFO(unknown, " in: ", outcome.errors);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.errors, "counting: error: "));
    CHECK(contains(outcome.errors, unknown));
    CHECK(contains(outcome.errors, meant));
    CHECK_FALSE(contains(outcome.errors, "required"));
  }
  const Outcome far = command({"run", "--random-weights", "--tokens", "1", "--colour", "red"});
  CHECK(contains(far.errors, "run has no option '--colour'"));
  CHECK_FALSE(contains(far.errors, "did you mean"));
  CHECK(contains(far.errors, "counting run --help"));
}

TEST_CASE("an option that is given twice is named as it was written") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"-n", "1", "-n", "2"}, "-n is given twice; keep one of them"},
      {{"--count", "1", "--count=2"}, "--count is given twice; keep one of them"},
      {{"-n1", "--count", "2"}, "-n and --count are one option; keep one of them"},
      {{"--seed", "1", "--seed", "2"}, "--seed is given twice; keep one of them"},
      {{"--tokens", "2"}, "--tokens is given twice; keep one of them"},
  };
  for (const auto& [more, expected] : cases) {
    std::vector<std::string> words = {"run", "--random-weights", "--device", "reference", "--tokens", "1"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = command(words);
    CHECK(outcome.status == 2);
    CHECK(outcome.errors == "counting: error: " + expected + "\ncounting run --help tells how it is used\n");
  }
}

TEST_CASE("usage begins with the program's name, and choices are words") {
  CHECK(contains(command({"--help"}).output, "Usage: counting [OPTIONS] SUBCOMMAND"));
  for (const std::string name : {"run", "chat", "logits", "bench", "verify", "devices", "info"}) {
    CHECK(contains(command({name, "--help"}).output, "Usage: counting " + name + " [OPTIONS]"));
  }
  const std::string help = command({"logits", "--help"}).output;
  CHECK(contains(help, "{prefill,decode}=prefill"));
  CHECK_FALSE(contains(help, "->"));
  CHECK(command({"logits", "--random-weights", "--device", "reference", "--tokens", "1", "-o", "x", "--mode", "1"})
            .status == 2);
}

TEST_CASE("the version tells the generator's and the spec's hash") {
  const Outcome outcome = command({"--version"});
  CHECK(outcome.status == 0);
  CHECK(outcome.output == "counting, built by monomorph 0.1.0 from the spec of hash 0123456789abcdef\n");
  CHECK(outcome.errors.empty());
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
  const Outcome outcome = command({"info", "--device", "reference"}, counting_program(), "/dev/full");
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
