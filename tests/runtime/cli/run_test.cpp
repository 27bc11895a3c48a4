#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/cli/describe.hpp"
#include "runtime/tokenizer/tokenizer.hpp"
#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

const std::string cases = MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/";

Outcome run(std::vector<std::string> arguments, const Program& program = counting_program()) {
  arguments.insert(arguments.begin(), {"run", "--random-weights", "--device", "reference"});
  return command(arguments, program);
}

}  // namespace

TEST_CASE("without a tokenizer, ids are printed as they are drawn, and figures on standard error") {
  const Outcome outcome = run({"--tokens", "3,5", "-n", "4"});
  CHECK(outcome.status == 0);
  CHECK(outcome.output == "6,7,8,9\n");
  CHECK(contains(outcome.errors, "printing ids"));
  CHECK(contains(outcome.errors, "prompt: 2 tokens"));
  CHECK(contains(outcome.errors, "drawn: 4 tokens"));
}

TEST_CASE("one token is no rate, and a slow rate is not none") {
  const Outcome one = run({"--tokens", "3,5", "-n", "1"});
  CHECK(contains(one.errors, "drawn: 1 token\n"));
  CHECK(contains(run({"--tokens", "3", "-n", "0"}).errors, "drawn: 0 tokens\n"));
  CHECK(contains(run({"--tokens", "3", "-n", "2"}).errors, "prompt: 1 token in "));
  CHECK(cli::token_rate(1, 30) == "0.033 tokens/s");
  CHECK(cli::token_rate(1, 40000) == "2.5e-05 tokens/s");
  CHECK(cli::token_rate(7, 2) == "3.5 tokens/s");
  CHECK(cli::token_rate(3000, 2) == "1500.0 tokens/s");
  CHECK(cli::token_rate(1, 0) == "no time");
}

TEST_CASE("the reference compiles nothing, and says nothing of it") {
  CHECK_FALSE(contains(run({"--tokens", "3", "-n", "2"}).errors, "compiled"));
}

TEST_CASE("a stop token ends the text") {
  const Outcome outcome = run({"--tokens", "97", "-n", "30"});
  CHECK(outcome.output == "98,99,100\n");
  CHECK(contains(outcome.errors, "ended by a stop token"));
}

TEST_CASE("a full sequence ends the text, and the remedy is said") {
  const Outcome outcome = run({"--tokens", "200", "-n", "300"});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.errors, "max_sequence_length is 40"));
}

TEST_CASE("no tokens are drawn when none are asked for") {
  const Outcome outcome = run({"--tokens", "1", "-n", "0"});
  CHECK(outcome.status == 0);
  CHECK(outcome.output == "\n");
}

TEST_CASE("with a tokenizer, a prompt of text is continued with text") {
  const Tokenizer tokenizer = Tokenizer::load(cases + "gpt2");
  const std::int32_t last = tokenizer.encode("that nation").back();
  std::vector<std::int32_t> drawn;
  for (std::int32_t i = 1; i <= 20; ++i) drawn.push_back(last + i);
  const Outcome outcome = run({"--prompt", "that nation", "-n", "20", "--tokenizer", cases + "gpt2"});
  CHECK(outcome.status == 0);
  CHECK(outcome.output == tokenizer.decode(drawn) + "\n");
}

TEST_CASE("characters that tokens cut in two are printed whole") {
  // Ids 150 to 155 are single bytes above ASCII: none of them is a character.
  const Tokenizer tokenizer = Tokenizer::load(cases + "gpt2");
  const Outcome outcome = run({"--tokens", "150", "-n", "5", "--tokenizer", cases + "gpt2"});
  CHECK(outcome.output == tokenizer.decode(std::vector<std::int32_t>{151, 152, 153, 154, 155}) + "\n");
}

TEST_CASE("special tokens are drawn and not shown") {
  const Tokenizer tokenizer = Tokenizer::load(cases + "gpt2");
  Program program = counting_program();
  const std::array<std::uint32_t, 1> end{static_cast<std::uint32_t>(*tokenizer.token_id("<|endoftext|>"))};
  program.eos_tokens = end;
  const Outcome outcome =
      run({"--tokens", std::to_string(end[0] - 2), "--tokenizer", cases + "gpt2", "-n", "9"}, program);
  CHECK(outcome.output == tokenizer.decode(std::vector<std::int32_t>{static_cast<std::int32_t>(end[0]) - 1}) + "\n");
  CHECK(contains(outcome.errors, "ended by a stop token"));
}

TEST_CASE("a stop token has no text, also where the tokenizer holds it for a word") {
  const Tokenizer tokenizer = Tokenizer::load(cases + "gpt2");
  const Outcome outcome = run({"--tokens", "97", "--tokenizer", cases + "gpt2", "-n", "9"});
  CHECK(outcome.output == tokenizer.decode(std::vector<std::int32_t>{98, 99}) + "\n");
}

TEST_CASE("the tokenizer that a GGUF file carries is found") {
  const Outcome outcome =
      command({"run", "--weights", cases + "gguf_llama/tokenizer.gguf", "--device", "reference", "--prompt", "x"});
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.errors, "tokenizer.gguf: the tokenizer has ids up to"));  // more than the program has
}

TEST_CASE("the tokenizer beside the weights is found") {
  const Tokenizer tokenizer = Tokenizer::load(cases + "gpt2");
  const TemporaryDirectory directory;
  std::filesystem::copy(cases + "gpt2/tokenizer.json", directory.path() / "tokenizer.json");
  // The weights are no checkpoint: what fails is read after the tokenizer was found and used.
  directory.write("model.safetensors", "short");
  const Outcome outcome = command(
      {"run", "--weights", (directory.path() / "model.safetensors").string(), "--device", "reference", "--prompt", ""});
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.errors, "the prompt has no tokens"));
}

TEST_CASE("weights that are not there are said to be missing, with a prompt of text too") {
  const TemporaryDirectory directory;
  const std::string empty = directory.path().string();
  std::filesystem::create_directory(directory.path() / "tokenizer");
  std::filesystem::copy(cases + "gpt2/tokenizer.json", directory.path() / "tokenizer");
  const std::string tokenizer_alone = (directory.path() / "tokenizer").string();
  for (const std::string& weights : {std::string("/nowhere"), empty + "/model.safetensors", empty, tokenizer_alone}) {
    for (const std::vector<std::string>& what : {std::vector<std::string>{"--prompt", "x"},
                                                 {"--prompt-file", cases + "gpt2/tokenizer.json"},
                                                 {"--tokens", "1"}}) {
      std::vector<std::string> arguments = {"run", "--weights", weights, "--device", "reference"};
      arguments.insert(arguments.end(), what.begin(), what.end());
      const Outcome outcome = command(arguments);
      INFO(outcome.errors);
      CHECK(outcome.status == 2);
      CHECK(contains(outcome.errors, "counting: error: " + weights + ": the weights are missing: "));
    }
  }
}

TEST_CASE("a prompt from a file is the text as it stands, longer than a command line may be") {
  Program program = counting_program();
  program.max_sequence_length = 200000;
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 60000; ++i) text += "one\n";
  directory.write("prompt.txt", text);
  const std::string path = (directory.path() / "prompt.txt").string();
  const Tokenizer tokenizer = Tokenizer::load(cases + "gpt2");
  std::size_t seen = 0;
  on_forward = [&](auto tokens) { seen += tokens.size(); };
  const Outcome outcome = run({"--prompt-file", path, "--tokenizer", cases + "gpt2", "-n", "1"}, program);
  on_forward = nullptr;
  CHECK(outcome.status == 0);
  CHECK(seen == tokenizer.encode(text).size());
  CHECK(outcome.output == run({"--prompt", "one\n", "--tokenizer", cases + "gpt2", "-n", "1"}).output);
}

TEST_CASE("a prompt from standard input is read to its end") {
  const TemporaryDirectory directory;
  directory.write("prompt.txt", "that nation");
  const int before = ::dup(STDIN_FILENO);
  const int file = ::open((directory.path() / "prompt.txt").c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  const Outcome outcome = run({"--prompt-file", "-", "--tokenizer", cases + "gpt2", "-n", "20"});
  ::dup2(before, STDIN_FILENO);
  ::close(file);
  ::close(before);
  CHECK(outcome.status == 0);
  CHECK(outcome.output == run({"--prompt", "that nation", "--tokenizer", cases + "gpt2", "-n", "20"}).output);
}

TEST_CASE("a prompt's file that cannot be read, or is no text, is refused by name") {
  const TemporaryDirectory directory;
  const auto refused = [&](const std::string& path) {
    const Outcome outcome = run({"--prompt-file", path, "--tokenizer", cases + "gpt2"});
    CHECK(outcome.output.empty());
    return std::to_string(outcome.status) + " " + outcome.errors;
  };
  CHECK(refused("/nowhere/prompt.txt") ==
        "2 counting: error: /nowhere/prompt.txt: cannot open: No such file or directory\n");
  CHECK(contains(refused(""), ": cannot open: "));
  CHECK(contains(refused(directory.path().string()), directory.path().string() + ": cannot read: Is a directory"));
  directory.write("latin1.txt", "caf\xe9 au lait");
  const std::string latin1 = (directory.path() / "latin1.txt").string();
  CHECK(contains(refused(latin1), "1 counting: error: " + latin1 + ": the text is not UTF-8 at byte 3"));
  directory.write("cut.txt", "caf\xc3");
  const std::string cut = (directory.path() / "cut.txt").string();
  CHECK(contains(refused(cut), cut + ": the text is not UTF-8 at byte 3"));
  directory.write("empty.txt", "");
  CHECK(contains(refused((directory.path() / "empty.txt").string()), "the prompt has no tokens"));
  CHECK(contains(refused("/dev/zero"), "/dev/zero: a text of more than 67108864 bytes is not read"));
}

TEST_CASE("a tokenizer with ids beyond the vocabulary is refused, one with fewer is used") {
  Program program = counting_program();
  program.vocab_size = 400;
  const Outcome outcome = run({"--prompt", "x", "--tokenizer", cases + "gpt2"}, program);
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.errors, "the vocabulary of counting ends at 399"));
}

TEST_CASE("a tokenizer whose last id is the vocabulary's is used, one with one id more is refused") {
  Program program = counting_program();
  const std::int64_t size = Tokenizer::load(cases + "gpt2").vocab_size();
  program.vocab_size = size;
  program.weights = {};
  CHECK(run({"--prompt", "x", "-n", "0", "--tokenizer", cases + "gpt2"}, program).status == 0);
  program.vocab_size = size - 1;
  CHECK(run({"--prompt", "x", "-n", "0", "--tokenizer", cases + "gpt2"}, program).status == 1);
}

TEST_CASE("a tokenizer that is not read is refused with a prompt, and with --tokens ids are printed") {
  const TemporaryDirectory directory;
  directory.write("tokenizer.model", "x");
  const std::string weights = directory.path().string();
  directory.write("model.safetensors", "short");
  const Outcome text = command({"run", "--weights", weights, "--device", "reference", "--prompt", "x"});
  CHECK(text.status == 1);
  CHECK(contains(text.errors, "tokenizer.model: this is no SentencePiece model"));
  std::filesystem::remove(directory.path() / "model.safetensors");
  const Outcome named = run({"--tokens", "1", "--tokenizer", weights});
  CHECK(named.status == 1);
  CHECK(contains(run({"--tokens", "1"}).errors, "printing ids"));
  // Weights that cannot be opened are the one complaint.
  const Outcome ids = command({"run", "--weights", weights, "--device", "reference", "--tokens", "1"});
  CHECK(ids.status == 2);
  CHECK_FALSE(contains(ids.errors, "printing ids"));
}

TEST_CASE("a stop string ends the text before it, though tokens cut it, and the figures say so") {
  const Tokenizer tokenizer = Tokenizer::load(cases + "gpt2");
  const std::vector<std::string> arguments = {"--prompt", "that nation", "-n", "20", "--tokenizer", cases + "gpt2"};
  const std::string whole = run(arguments).output;
  // The end of one token's text and the beginning of the next.
  const std::int32_t last = tokenizer.encode("that nation").back();
  const std::string before = tokenizer.decode(std::vector<std::int32_t>{last + 1, last + 2, last + 3});
  const std::string stop = whole.substr(before.size() - 1, 2);
  const auto ended = [&](const std::vector<std::string>& stops) {
    std::vector<std::string> words = arguments;
    for (const std::string& text : stops) words.insert(words.end(), {"--stop", text});
    return run(words);
  };
  for (const auto& stops : {std::vector{stop}, std::vector{std::string("nowhere in it"), stop}}) {
    const Outcome outcome = ended(stops);
    CHECK(outcome.status == 0);
    CHECK(outcome.output == whole.substr(0, whole.find(stop)) + "\n");
    CHECK(contains(outcome.errors, "ended by a stop string"));
  }
  CHECK(ended({"nowhere in it"}).output == whole);
  CHECK(contains(ended({""}).errors, "a stop string is empty"));
}

TEST_CASE("a stop string without a tokenizer is refused") {
  const Outcome outcome = run({"--tokens", "3", "--stop", "x"});
  CHECK(outcome.status == 1);
  CHECK(outcome.output.empty());
  CHECK(contains(outcome.errors, "--stop ends a text, and there is no tokenizer; name one with --tokenizer"));
}

TEST_CASE("log-probabilities are written, a line a drawn token, with texts that add up to the answer") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "drawn.jsonl").string();
  CHECK(run({"--tokens", "3", "-n", "2", "--log-probabilities", path}).output == "4,5\n");
  // One logit of 9 beside 429 of 0.
  const std::string number = fmt::format("{}", static_cast<float>(-std::log1p(429 * std::exp(-9.0))));
  CHECK(read_file(path) ==
        "{\"id\":4,\"log_probability\":" + number + "}\n{\"id\":5,\"log_probability\":" + number + "}\n");

  // Ids 151 to 155 are bytes, which form no character.
  const Outcome outcome =
      run({"--tokens", "150", "-n", "5", "--tokenizer", cases + "gpt2", "--log-probabilities", path});
  std::istringstream lines(read_file(path));
  std::string text, line;
  for (std::int32_t id = 151; std::getline(lines, line); ++id) {
    const auto json = nlohmann::json::parse(line);
    CHECK(json["id"] == id);
    CHECK(json["log_probability"] < 0);
    text += json["text"];
  }
  CHECK(text + "\n" == outcome.output);
}

TEST_CASE("a file of log-probabilities is whole or absent") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "drawn.jsonl").string();
  CHECK(run({"--tokens", "500", "--log-probabilities", path}).status == 1);
  CHECK(run({"--tokens", "3", "--stop", "x", "--log-probabilities", path}).status == 1);
  CHECK(entries(directory.path()) == 0);
  CHECK(run({"--tokens", "3", "--log-probabilities", directory.path().string()}).status == 2);
}

TEST_CASE("settings of sampling reach the engine, negative ones too, and are refused by name") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused = {
      {{"--min-p", "1"}, "min_p 1 "},
      {{"--repetition-penalty", "0"}, "repetition_penalty 0 "},
      {{"--presence-penalty", "-3"}, "presence_penalty -3 "},
      {{"--frequency-penalty", "2.5"}, "frequency_penalty 2.5 "}};
  for (const auto& [words, message] : refused) {
    std::vector<std::string> arguments = {"--tokens", "3"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Outcome outcome = run(arguments);
    INFO(outcome.errors);
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.errors, message));
  }
  // Alone of all tokens the next one has a logit, of 9: the others are exp(-9 / 5), 0.165 times as likely.
  const std::vector<std::string> arguments = {"--tokens", "8,7",     "-n",  "1",      "--temperature",
                                              "5",        "--min-p", "0.2", "--seed", "1"};
  CHECK(run(arguments).output == "8\n");
  std::vector<std::string> penalized = arguments;
  penalized.insert(penalized.end(), {"--repetition-penalty", "100"});
  CHECK(run(penalized).output != "8\n");
}
