#include <doctest/doctest.h>

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

TEST_CASE("a tokenizer with ids beyond the vocabulary is refused, one with fewer is used") {
  Program program = counting_program();
  program.vocab_size = 400;
  const Outcome outcome = run({"--prompt", "x", "--tokenizer", cases + "gpt2"}, program);
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.errors, "the vocabulary of counting ends at 399"));
}

TEST_CASE("a tokenizer of another kind is refused with a prompt, and with --tokens ids are printed") {
  const TemporaryDirectory directory;
  directory.write("tokenizer.model", "x");
  const std::string weights = directory.path().string();
  const Outcome text = command({"run", "--weights", weights, "--device", "cpu", "--prompt", "x"});
  CHECK(text.status == 1);
  CHECK(contains(text.errors, "--tokens"));
  const Outcome named = run({"--tokens", "1", "--tokenizer", weights});
  CHECK(named.status == 1);
  CHECK(contains(run({"--tokens", "1"}).errors, "printing ids"));
  // Weights that cannot be opened are the one complaint.
  const Outcome ids = command({"run", "--weights", weights, "--device", "cpu", "--tokens", "1"});
  CHECK(ids.status == 2);
  CHECK_FALSE(contains(ids.errors, "printing ids"));
}
