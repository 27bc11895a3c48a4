// A config.json beside the weights: what an engine's commands make of it.
#include <doctest/doctest.h>

#include "tests/runtime/cli/command.hpp"
#include "tests/support/safetensors_writer.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

/// A program that reads a checkpoint.
Program program_with_weights() {
  static constexpr std::array parts{WeightPart{"embed", {counting_vocab_size, 0, counting_vocab_size}}};
  static constexpr std::array weights{WeightPattern{"embedding.tokens", Dtype::f16, counting_vocab_size, 8, parts}};
  static constexpr std::array<const char*, 1> prefixes{""};
  static std::array<WeightGroup, 1> groups;
  Program program = counting_program();
  groups[0] = {weights, program.weights[0].stored, {}};
  program.weights = groups;
  program.checkpoint_prefixes = prefixes;
  return program;
}

/// A program of one family, whose norm has an epsilon and whose second layer has a window.
Program program_with_facts() {
  Program program = program_with_weights();
  program.config_facts = R"json([{"architectures": ["TinyForCausalLM"], "model_type": "tiny",
    "keys": {"eps": [1e-6, "norm.eps"], "window": [null], "kinds": [[]], "part": [1.0]},
    "facts": [
      ["norm.eps", "eps", [1e-5]],
      ["attention.sliding_window", ["?", ["==", ["[]", "kinds", "i"], "'local"], "window", null], [null], [0]],
      ["attention.sliding_window", ["?", ["==", ["[]", "kinds", "i"], "'local"], "window", null], [16], [1]]],
    "only": {"slices": [1]},
    "refused": [[["!=", "part", 1], "a part of ", "part", " does not run"]]}])json";
  return program;
}

/// The weights that the program reads, and a config.json beside them.
struct Weights {
  explicit Weights(const std::string& config) {
    directory.write("model.safetensors", safetensors({{"embed", "F16", {counting_vocab_size, 8}, ""}}));
    directory.write("config.json", config);
  }
  Outcome run(std::vector<std::string> more = {}, const Program& program = program_with_facts()) const {
    std::vector<std::string> words = {"run", "--tokens", "1", "-n", "1", "--device", "reference"};
    words.insert(words.end(), {"--weights", directory.path().string()});
    words.insert(words.end(), more.begin(), more.end());
    return command(words, program);
  }
  TemporaryDirectory directory;
};

const std::string right = R"("kinds": ["global", "local"], "window": 16})";

}  // namespace

TEST_CASE("a config.json that nests without end, or is larger than any, is no reason to fail otherwise") {
  const std::string text = R"({"architectures": ["TinyForCausalLM"], "eps": 1e-5, )" + right;
  for (const int depth : {99'999, 120}) {
    const auto many = [&](char c) { return std::string(static_cast<std::size_t>(depth), c); };
    CHECK(Weights(text.substr(0, text.size() - 1) + R"(, "eps": )" + many('[') + many(']') + "}").run().status == 1);
    CHECK(Weights(text.substr(0, text.size() - 1) + R"(, "x": )" + many('[') + many(']') + "}").run().status == 0);
  }
  const Outcome outcome = Weights(text + std::string(256 << 10, ' ')).run();
  CHECK(outcome.status == 1);
  CHECK(outcome.errors.find("config.json: this is larger than 256 KiB") != std::string::npos);
}

TEST_CASE("weights whose config.json agrees run, whatever their keys are called") {
  for (const char* eps : {R"("eps": 1e-5)", R"("norm": {"eps": 0.00001})", R"("eps": null, "norm": {"eps": 1e-5})"}) {
    const Weights weights(std::string(R"({"architectures": ["TinyForCausalLM"], )") + eps + ", " + right);
    const Outcome outcome = weights.run();
    INFO(eps, ": ", outcome.errors);
    CHECK(outcome.status == 0);
    CHECK_FALSE(contains(outcome.errors, "config.json"));
    // The file of weights has the same folder.
    CHECK(command({"run", "--tokens", "1", "-n", "1", "--device", "reference", "--weights",
                   (weights.directory.path() / "model.safetensors").string()},
                  program_with_facts())
              .status == 0);
  }
}

TEST_CASE("a config.json of another model is status 1 with every key and both values, before weights are read") {
  const Weights weights(R"({"model_type": "tiny", "norm": {"eps": 0.5}, "slices": 2, "part": 0.25,
                            "kinds": ["local", "local"], "window": 17})");
  const Outcome outcome = weights.run();
  CHECK(outcome.status == 1);
  CHECK(outcome.output.empty());
  for (const char* text : {"config.json", "'norm.eps' is 0.5, and norm.eps of counting is 1e-05",
                           "'slices' is 2, and only 1 runs", "a part of 0.25 does not run",
                           "attention.sliding_window is 17, and attention.sliding_window of counting is 16 in layer 1",
                           "attention.sliding_window of counting is null in layer 0", "--ignore-config"}) {
    CAPTURE(text);
    CHECK_MESSAGE(contains(outcome.errors, text), outcome.errors);
  }
  const Outcome absent = Weights(R"({"model_type": "tiny", )" + right).run();
  CHECK(absent.status == 1);
  CHECK(contains(absent.errors, "'eps' is 1e-06 by default, and norm.eps"));
}

TEST_CASE("of && and || that alone is read, and named, which decides") {
  Program program = program_with_weights();
  program.config_facts = R"json([{"architectures": ["TinyForCausalLM"], "model_type": "tiny",
    "keys": {"first": [false], "second": [false], "eps": [1e-5]}, "only": {}, "refused": [],
    "facts": [["either", ["?", ["||", "first", "second"], 1, 0], [0]],
              ["both", ["?", ["&&", "first", "second"], 1, 0], [1]]]}])json";
  const auto errors = [&](const std::string& keys) {
    return Weights(R"({"model_type": "tiny", )" + keys + "}").run({}, program).errors;
  };
  const std::string both_hold = errors(R"("first": true, "second": true)");
  CHECK_MESSAGE(contains(both_hold, "'first' is true: either is 1"), both_hold);
  const std::string second_holds = errors(R"("first": false, "second": true)");
  CHECK_MESSAGE(contains(second_holds, "'first' is false and 'second' is true: either is 1"), second_holds);
  CHECK_MESSAGE(contains(second_holds, "'first' is false: both is 0"), second_holds);
  const std::string first_holds = errors(R"("first": true, "second": false)");
  CHECK_MESSAGE(contains(first_holds, "'first' is true and 'second' is false: both is 0"), first_holds);
}

TEST_CASE("--ignore-config takes the weights and says what goes unseen") {
  const Weights weights(R"({"model_type": "tiny", "eps": 0.5})");
  const Outcome outcome = weights.run({"--ignore-config"});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.errors, "config.json is not compared"));
  CHECK(contains(outcome.errors, "epsilons, activations, head counts"));
  CHECK(weights.run({"--ignore-config"}, program_with_weights()).status == 0);
}

TEST_CASE("a config.json of an architecture that the engine does not know is noted and refuses nothing") {
  const Weights weights(R"({"architectures": ["OtherForCausalLM"], "model_type": "tiny", "eps": 0.5})");
  const Outcome outcome = weights.run();
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.errors, "is not compared"));
  CHECK(contains(outcome.errors, "OtherForCausalLM"));
  const Outcome without = Weights(R"({"model_type": "tiny", "eps": 0.5})").run({}, program_with_weights());
  CHECK(without.status == 0);
  CHECK(contains(without.errors, "is not compared"));
  CHECK(Weights("{}").run().status == 0);
}

TEST_CASE("a config.json that is none is refused by name") {
  for (const char* text : {"", "{", "[1]", "{\"a\": }"}) {
    const Outcome outcome = Weights(text).run();
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.errors, "config.json: this is no JSON object"));
    CHECK(Weights(text).run({"--ignore-config"}).status == 0);
  }
}
