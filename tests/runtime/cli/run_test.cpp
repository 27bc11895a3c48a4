#include <doctest/doctest.h>

#include "runtime/cli/describe.hpp"
#include "runtime/tokenizer/tokenizer.hpp"
#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

const std::string cases = MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/";

Outcome run(std::vector<std::string> arguments, const Program& program = counting_program()) {
  arguments.insert(arguments.begin(), {"run", "--random-weights", "--device", "cpu"});
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

TEST_CASE("the tokenizer that a GGUF file carries is found") {
  const Outcome outcome =
      command({"run", "--weights", cases + "gguf_llama/tokenizer.gguf", "--device", "cpu", "--prompt", "x"});
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
      {"run", "--weights", (directory.path() / "model.safetensors").string(), "--device", "cpu", "--prompt", ""});
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
      std::vector<std::string> arguments = {"run", "--weights", weights, "--device", "cpu"};
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
  const Outcome text = command({"run", "--weights", weights, "--device", "cpu", "--prompt", "x"});
  CHECK(text.status == 1);
  CHECK(contains(text.errors, "tokenizer.model: this is no SentencePiece model"));
  std::filesystem::remove(directory.path() / "model.safetensors");
  const Outcome named = run({"--tokens", "1", "--tokenizer", weights});
  CHECK(named.status == 1);
  CHECK(contains(run({"--tokens", "1"}).errors, "printing ids"));
  // Weights that cannot be opened are the one complaint.
  const Outcome ids = command({"run", "--weights", weights, "--device", "cpu", "--tokens", "1"});
  CHECK(ids.status == 2);
  CHECK_FALSE(contains(ids.errors, "printing ids"));
}
