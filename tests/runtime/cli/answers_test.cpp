// `run` of a model that answers to sources, and beams: what the options and the generation_config.json say.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/runtime/cli/command.hpp"
#include "tests/support/safetensors_writer.hpp"

using namespace monomorph;
using namespace monomorph::tests;
using Object = nlohmann::ordered_json;

namespace {

std::int64_t sources_read = 0;

/// After token t the likeliest is t + n, n being the number of the source's tokens; then t + n + 1.
class AnsweringReference final : public Reference {
 public:
  std::vector<double> layers(std::int64_t slot, std::span<const std::int32_t> tokens, std::int64_t, std::int64_t,
                             std::vector<std::vector<double>>*, std::span<const std::int32_t> = {}) override {
    std::vector<double> hidden;
    for (const std::int32_t token : tokens) hidden.insert(hidden.end(), 8, token + lengths_[slot]);
    return hidden;
  }
  void encode(std::int64_t slot, std::span<const std::int32_t> tokens, std::vector<std::vector<double>>*) override {
    ++sources_read;
    lengths_[slot] = static_cast<std::int32_t>(tokens.size());
  }
  void copy(std::int64_t from, std::int64_t to) override { lengths_[to] = lengths_[from]; }
  std::vector<double> head(std::span<const double> hidden, std::span<const std::int64_t> rows) override {
    std::vector<double> logits(rows.size() * counting_vocab_size);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto next = static_cast<std::size_t>(hidden[static_cast<std::size_t>(8 * rows[i])]);
      logits[i * counting_vocab_size + next % counting_vocab_size] = 9;
      logits[i * counting_vocab_size + (next + 1) % counting_vocab_size] = 8;
    }
    return logits;
  }

 private:
  std::map<std::int64_t, std::int32_t> lengths_;
};

Program answering_program() {
  Program program = counting_program();
  program.name = "answering";
  program.max_batch = 4;
  program.max_source_length = 6;
  program.decoder_start_token = 10;
  program.make_reference = [](const HostWeights&) -> std::unique_ptr<Reference> {
    return std::make_unique<AnsweringReference>();
  };
  return program;
}

Outcome run(std::vector<std::string> arguments, const Program& program = answering_program()) {
  arguments.insert(arguments.begin(), {"run", "--random-weights", "--device", "reference"});
  return command(arguments, program);
}

std::vector<Object> lines_of(const std::string& text) {
  std::vector<Object> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(Object::parse(line));
  return lines;
}

}  // namespace

TEST_CASE("an answer begins after the model's token, or after the tokens that are named") {
  CHECK(run({"--source-tokens", "7,7", "-n", "3"}).output == "12,14,16\n");
  CHECK(run({"--source-tokens", "7,7,7", "-n", "3", "--tokens", "20"}).output == "23,26,29\n");
}

TEST_CASE("what no source can be, and a start that nobody knows, are refused by name") {
  CHECK(contains(run({"-n", "3"}).errors, "answering answers to a source; give one with --source or --source-tokens"));
  CHECK(contains(run({"--source-tokens", "1,2,3,4,5,6,7"}).errors, "max_source_length"));
  CHECK(contains(run({"--source-tokens", "430"}).errors, "430"));
  Program unknown = answering_program();
  unknown.decoder_start_token = -1;
  CHECK(contains(run({"--source-tokens", "1"}, unknown).errors, "--set tokenizer.decoder_start_token_id=ID"));
  CHECK(run({"--source-tokens", "1", "--tokens", "3", "-n", "1"}, unknown).output == "4\n");
}

TEST_CASE("beams answer with the best sequence, and read a source once") {
  sources_read = 0;
  const Outcome outcome = run({"--source-tokens", "7,7", "-n", "3", "--beams", "4"});
  CHECK(outcome.status == 0);
  CHECK(outcome.output == "12,14,16\n");
  CHECK(contains(outcome.errors, "the best of 4 beams: 3 tokens in "));
  CHECK(sources_read == 1);
  // What stands already is not drawn again: 12, then 14, then 16 would be; 13 follows 10 less likely.
  CHECK(run({"--tokens", "10,12", "--source-tokens", "7,7", "-n", "1", "--beams", "2", "--no-repeat-ngram-size", "1"})
            .output == "14\n");
  CHECK(
      run({"--tokens", "10,14,12", "--source-tokens", "7,7", "-n", "1", "--beams", "2", "--no-repeat-ngram-size", "1"})
          .output == "15\n");
  // Without a source, too.
  Program alone = answering_program();
  alone.max_source_length = 0;
  CHECK(run({"--tokens", "3,5", "-n", "4", "--beams", "2"}, alone).output == "5,5,5,5\n");
}

TEST_CASE("what beams cannot be is refused before anything runs") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--beams", "5"}, "1 answering: error: 5 beams need as many slots, and answering has 4"},
      {{"--beams", "0"}, "1 answering: error: 0 beams find nothing"},
      {{"--beams", "2", "--temperature", "1"}, "1 answering: error: beams are the likeliest sequences"},
      {{"--length-penalty", "2"}, "2 answering: error: --length-penalty is about beams; say how many with --beams"},
      {{"--early-stopping", "yes"}, "2 answering: error: --early-stopping is about beams"},
      {{"--beams", "2", "--stop", "x"}, "2 answering: error: --stop is about tokens drawn one after the other"},
      {{"--beams", "2", "--log-probabilities", "p"}, "2 answering: error: --log-probabilities is about"},
      {{"--beams", "2", "--prompt-cache", "p"}, "2 answering: error: --prompt-cache is about"},
      {{"--min-new-tokens", "-1"}, "1 answering: error: min_new_tokens -1"},
  };
  for (const auto& [arguments, expected] : cases) {
    std::vector<std::string> all = {"--source-tokens", "7,7", "-n", "3"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run(all);
    CAPTURE(outcome.errors);
    CHECK(contains(std::to_string(outcome.status) + " " + outcome.errors, expected));
    CHECK(outcome.output.empty());
  }
  CHECK(run({"--source-tokens", "7", "--early-stopping", "maybe", "--beams", "2"}).status == 2);
}

TEST_CASE("lines of a file are answered by beams one after the other, errors among them") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("lines.jsonl", R"({"source_tokens": [7, 7]}
{"source_tokens": [7, 7, 7], "count": 2, "id": "b"}
{"tokens": [3]}
{"source_tokens": [7, 7, 7], "tokens": [20, 21], "count": 1}
{"source_tokens": [7], "temperature": 1}
{"source_tokens": [7], "stop": "x"}
)");
  const Outcome outcome = run({"--prompts", file, "-n", "3", "--beams", "2", "--length-penalty", "0"});
  const std::vector<Object> answers = lines_of(outcome.output);
  REQUIRE(answers.size() == 6);
  CHECK(answers[0]["tokens"] == Object({12, 14, 16}));
  CHECK(answers[0]["finish"] == "length");
  CHECK(answers[0]["score"] < 0);
  CHECK(answers[1]["tokens"] == Object({13, 16}));
  CHECK(answers[1]["id"] == "b");
  CHECK(contains(answers[2]["error"], "source"));
  CHECK(answers[3]["tokens"] == Object({24}));
  CHECK(contains(answers[4]["error"], "draws at random"));
  CHECK(contains(answers[5]["error"], "\"stop\""));
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.errors, "3 of 6 lines were not answered"));
}

TEST_CASE("an answer is drawn as the generation_config.json beside the weights says, but for what options say") {
  const TemporaryDirectory directory;
  directory.write("model.safetensors", safetensors({{"embed", "F16", {counting_vocab_size, 8}, ""}}));
  Program program = answering_program();
  static constexpr std::array parts{WeightPart{"embed", {counting_vocab_size, 0, counting_vocab_size}}};
  static constexpr std::array weights{WeightPattern{"embedding.tokens", Dtype::f16, counting_vocab_size, 8, parts}};
  static constexpr std::array<const char*, 1> prefixes{""};
  const std::array groups{WeightGroup{weights, program.weights[0].stored, {}}};
  program.weights = groups;
  program.checkpoint_prefixes = prefixes;
  const auto answer = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {
        "run", "--weights", directory.path().string(), "--device", "reference", "--source-tokens", "7,7"};
    all.insert(all.end(), more.begin(), more.end());
    return command(all, program);
  };
  directory.write("generation_config.json", R"({"num_beams": 3, "max_length": 4, "forced_bos_token_id": 50})");
  const Outcome outcome = answer({});
  CAPTURE(outcome.errors);
  CHECK(outcome.output == "50,52,54\n");
  CHECK(contains(outcome.errors, "says, the likeliest of 3 beams, first token 50; options go before it\n"));
  CHECK(contains(outcome.errors, "the best of 3 beams"));
  CHECK(answer({"-n", "1"}).output == "50\n");
  CHECK(contains(answer({"--beams", "1"}).errors, "drawn: 3 tokens"));
  CHECK(contains(answer({"--temperature", "0.01"}).errors, "drawn: 3 tokens"));
  CHECK(answer({"--ignore-config", "-n", "2"}).output == "12,14\n");
  directory.write("generation_config.json", R"({"max_new_tokens": 2, "forced_eos_token_id": 430})");
  CHECK(contains(answer({}).errors, "forced_eos_token_id: token 430 is not in the vocabulary"));
}
