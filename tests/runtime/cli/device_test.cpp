// The commands that need a Vulkan device, on the model small enough to check by hand, whose reference can be spoilt.
#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/formats/npy.hpp"
#include "runtime/load/load.hpp"
#include "tests/runtime/cli/command.hpp"
#include "tests/runtime/cli/terminal.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/vulkan_devices.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

/// What is multiplied into the reference: layers from `layer` on, or the logits where it is past the last layer.
struct Spoilt {
  std::size_t layer = 0;
  double factor = 1;
};
Spoilt spoilt;

class ToyAdaptor final : public Reference {
 public:
  explicit ToyAdaptor(const HostWeights& weights) : toys_(test::toy_max_batch, test::ToyReference(weights)) {}

  std::vector<double> layers(std::int64_t slot, std::span<const std::int32_t> tokens, std::int64_t first_position,
                             std::int64_t, std::vector<std::vector<double>>* outputs,
                             std::span<const std::int32_t> = {}) override {
    test::ToyReference& toy = toys_[static_cast<std::size_t>(slot)];
    if (first_position == 0) toy.reset();
    std::vector<double> hidden;
    for (const std::int32_t token : tokens) {
      const std::vector<double> row = toy.hidden(token);
      hidden.insert(hidden.end(), row.begin(), row.end());
      if (outputs == nullptr) continue;
      outputs->resize(test::toy_layers);
      for (std::size_t layer = 0; layer < outputs->size(); ++layer) {
        for (const double value : toy.layers()[layer]) {
          (*outputs)[layer].push_back(layer >= spoilt.layer ? value * spoilt.factor : value);
        }
      }
    }
    return hidden;
  }

  std::vector<double> head(std::span<const double> hidden, std::span<const std::int64_t> rows) override {
    std::vector<double> logits;
    for (const std::int64_t row : rows) {
      const auto one = hidden.subspan(static_cast<std::size_t>(row * test::toy_hidden_size), test::toy_hidden_size);
      for (const double logit : toys_[0].logits(one)) {
        logits.push_back(spoilt.layer == test::toy_layers ? logit * spoilt.factor : logit);
      }
    }
    return logits;
  }

 private:
  std::vector<test::ToyReference> toys_;
};

Program program() {
  if (!has_vulkan_device()) {
    std::fputs("no Vulkan device: skipped\n", stderr);
    std::exit(77);
  }
  Program toy = test::toy_program();
  toy.make_reference = [](const HostWeights& weights) -> std::unique_ptr<Reference> {
    return std::make_unique<ToyAdaptor>(weights);
  };
  return toy;
}

}  // namespace

TEST_CASE("threads are the processor's: beside a Vulkan device they are refused") {
  const Outcome outcome = command({"run", "--random-weights", "--threads", "2", "--tokens", "1"}, program());
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.errors, "threads are of the device cpu"));
}

TEST_CASE("verify accepts a device that computes what the reference does") {
  const Outcome outcome = command({"verify", "--random-weights"}, program());
  INFO(outcome.output, outcome.errors);
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.output, "21 tokens of prefill and 6 of decode"));
  CHECK(contains(outcome.output, "logits"));
}

TEST_CASE("verify rejects a device that differs from the reference, and names the first layer") {
  const Program toy = program();
  for (std::size_t layer = 0; layer < test::toy_layers; ++layer) {
    spoilt = {layer, 1.001};
    const Outcome outcome = command({"verify", "--random-weights"}, toy);
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.errors, "layer " + std::to_string(layer) + " is the first above its tolerance"));
  }
  spoilt = {test::toy_layers, 1.001};
  const Outcome outcome = command({"verify", "--random-weights"}, toy);
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.errors, "the layers agree"));
  CHECK(command({"verify", "--random-weights", "--tolerance", "0.01"}, toy).status == 0);
  spoilt = {};
}

TEST_CASE("verify tolerates the rounding of an f16 cache, and no error of half a hundredth beside it") {
  Program toy = program();
  std::vector<StateTable> states(toy.states.begin(), toy.states.end());
  states.back().dtype = Dtype::f16;  // of two types the rougher counts
  toy.states = states;
  spoilt = {0, 1.001};
  const Outcome sound = command({"verify", "--random-weights"}, toy);
  INFO(sound.output, sound.errors);
  CHECK(sound.status == 0);
  CHECK(contains(sound.output, "  2.3e-03\n"));
  for (std::size_t layer = 0; layer <= test::toy_layers; ++layer) {
    spoilt = {layer, 1.005};
    const Outcome outcome = command({"verify", "--random-weights"}, toy);
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.errors, layer < test::toy_layers ? "layer " + std::to_string(layer) : "the layers agree"));
    CHECK(contains(outcome.errors, "--set engine.kv_cache=f32"));
  }
  spoilt = {};
}

TEST_CASE("a device and the reference draw the same tokens") {
  const Program toy = program();
  const Outcome device = command({"run", "--random-weights", "--tokens", "5,900,3", "-n", "12"}, toy);
  const Outcome reference =
      command({"run", "--random-weights", "--device", "reference", "--tokens", "5,900,3", "-n", "12"}, toy);
  CHECK(device.status == 0);
  CHECK(device.output == reference.output);
}

TEST_CASE("a prompt's cache serves the device that made it, and not the reference") {
  const Program toy = program();
  const TemporaryDirectory directory;
  const std::string cache = (directory.path() / "cache").string();
  const std::vector<std::string> words = {"run", "--random-weights", "--tokens", "5,900,3,17", "-n", "12"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return command(all, toy);
  };
  const std::string expected = with({}).output;
  for (const std::string kept : {"0", "3"}) {
    const Outcome outcome = with({"--prompt-cache", cache});
    CHECK(outcome.output == expected);
    CHECK(contains(outcome.errors, "prompt cache: " + kept + " of the prompt's tokens were there"));
  }
  const Outcome other = with({"--prompt-cache", cache, "--device", "reference"});
  CHECK(other.status == 1);
  CHECK(contains(other.errors, "the kind of engine is vulkan, here it is reference"));
}

TEST_CASE("many prompts at once draw on a device what each draws alone") {
  const Program toy = program();
  std::string lines;
  std::vector<std::string> expected;
  for (const auto& [tokens, count] : {std::pair("5,900,3", "12"), std::pair("7", "1"), std::pair("8,1", "20"),
                                      std::pair("1,2,3,4,5,6,7,8,9,10,11,12,13,14", "9"), std::pair("12,7", "5")}) {
    lines += std::string("{\"tokens\": [") + tokens + "], \"count\": " + count + "}\n";
    expected.push_back(command({"run", "--random-weights", "--tokens", tokens, "-n", count}, toy).output);
  }
  const TemporaryDirectory directory;
  const Outcome outcome =
      command({"run", "--random-weights", "--prompts", directory.write("prompts.jsonl", lines)}, toy);
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.errors, "compiled 8 kernels in "));
  std::istringstream output(outcome.output);
  for (const std::string& tokens : expected) {
    std::string line;
    REQUIRE(std::getline(output, line));
    CHECK(contains(line, "\"tokens\":[" + tokens.substr(0, tokens.size() - 1) + "]"));
  }
}

TEST_CASE("bench measures several sequences at once on a device") {
  const Outcome outcome =
      command({"bench", "--random-weights", "-p", "12", "-n", "7", "-r", "1", "--batch", "1,3", "--json"}, program());
  CHECK(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.output);
  CHECK(json["batches"][1]["prefill"]["tokens"] == 36);
  CHECK(json["batches"][1]["decode"]["tokens"] == 21);
  CHECK(json["batches"][1]["decode"]["tokens_per_second"]["median"] > 0);
}

TEST_CASE("a device's logits are the reference's, by prefill and by decode") {
  const Program toy = program();
  const TemporaryDirectory directory;
  const auto logits = [&](const std::string& device, const std::string& mode) {
    const std::string path = (directory.path() / "x.npy").string();
    std::vector<std::string> arguments = {
        "logits", "--random-weights", "--tokens", "1,2,3,4,5,6,7,8,9,10,11,12,13,14", "-o", path, "--mode", mode};
    if (!device.empty()) arguments.insert(arguments.end(), {"--device", device});
    REQUIRE(command(arguments, toy).status == 0);
    return read_npy(path);
  };
  const NpyArray expected = logits("reference", "prefill");
  REQUIRE(expected.values.size() == 14 * test::toy_vocab_size);
  for (const char* const mode : {"prefill", "decode"}) {
    const NpyArray got = logits("", mode);
    REQUIRE(got.shape == expected.shape);
    for (std::size_t i = 0; i < got.values.size(); ++i) {
      REQUIRE(got.values[i] == doctest::Approx(expected.values[i]).epsilon(1e-4).scale(1));
    }
  }
}

TEST_CASE("a profile lists each phase's kernels with the calls of that phase alone") {
  const Outcome outcome =
      command({"bench", "--random-weights", "-p", "12", "-n", "7", "-r", "1", "--profile", "--json"}, program());
  CHECK(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.output);
  const auto calls = [&](const char* phase) {
    std::map<std::string, int> calls;
    for (const auto& kernel : json[phase]["kernels"]) calls[kernel["kernel"]] = kernel["calls"];
    return calls;
  };
  // Twelve rows are few for a CPU driver, many for a GPU.
  const auto prefill = calls("prefill");
  const char* const project = prefill.contains("project_few") ? "project_few" : "project_prefill";
  CHECK(prefill == std::map<std::string, int>{{"embed", 1}, {project, 2}, {"remember_prefill", 2}, {"head", 1}});
  CHECK(calls("decode") ==
        std::map<std::string, int>{
            {"embed", 7}, {"project_decode", 14}, {"remember_decode", 14}, {"head", 7}, {"sample", 7}});
}

TEST_CASE("run and bench tell compiling kernels apart from running them") {
  const Outcome run = command({"run", "--random-weights", "--tokens", "5", "-n", "3"}, program());
  CHECK(contains(run.errors, "compiled 8 kernels in "));
  CHECK(run.errors.find("compiled") < run.errors.find("prompt: 1 token in "));
  const Outcome bench = command({"bench", "--random-weights", "-p", "2", "-n", "2", "-r", "1", "--json"}, program());
  CHECK(contains(bench.errors, "compiled 8 kernels in "));
  CHECK(nlohmann::json::parse(bench.output).contains("decode"));
}

TEST_CASE("a terminal is told how many kernels are compiled, in a line that is wiped") {
  const std::optional<std::string> shown =
      on_terminal([] { CHECK(status_of({"run", "--random-weights", "--tokens", "5", "-n", "3"}, program()) == 0); });
  if (!shown) return;
  CHECK(contains(*shown, "\rcompiling kernels 0/"));
  CHECK(shown->rfind("\r\x1b[K") > shown->rfind("compiling kernels"));
}

TEST_CASE("the largest count there is draws what the sequence holds, on a device too") {
  const Outcome outcome =
      command({"run", "--random-weights", "--tokens", "5,6,7", "-n", "9223372036854775807"}, program());
  CHECK(outcome.status == 0);
  CHECK(std::count(outcome.output.begin(), outcome.output.end(), ',') == test::toy_max_sequence_length - 3);
  CHECK(contains(outcome.errors, "the sequence is full"));
}

TEST_CASE("info tells the pipeline cache's place and size") {
  const Program toy = program();
  const TemporaryDirectory directory;
  const Environment home("XDG_CACHE_HOME", directory.path().string());
  const Environment on("MONOMORPH_NO_CACHE", "0");
  const auto line = [&] {
    const std::string text = command({"info"}, toy).output;
    const std::size_t at = std::min(text.find("pipeline cache"), text.size());
    return text.substr(at, text.find('\n', at) - at);
  };
  CHECK(contains(line(), "not written yet, " + directory.path().string() + "/monomorph/"));
  CHECK(command({"run", "--random-weights", "--tokens", "5", "-n", "3"}, toy).status == 0);
  const std::filesystem::path file = std::filesystem::directory_iterator(directory.path() / "monomorph")->path();
  const std::uintmax_t bytes = std::filesystem::file_size(file);
  CHECK(contains(line(), std::to_string(bytes) + " bytes, " + file.string()));
  const auto json = nlohmann::json::parse(command({"info", "--json"}, toy).output);
  CHECK(json["pipeline_cache"]["path"] == file.string());
  CHECK(json["pipeline_cache"]["bytes"] == bytes);
  const Environment off("MONOMORPH_NO_CACHE", "1");
  CHECK(line().ends_with(" off"));
  CHECK(nlohmann::json::parse(command({"info", "--json"}, toy).output)["pipeline_cache"].is_null());
}

TEST_CASE("info says whether the engine fits the device") {
  const Outcome outcome = command({"info"}, program());
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.output, "it fits"));
  CHECK(contains(outcome.output, "limits of"));
  CHECK(nlohmann::json::parse(command({"info", "--json"}, program()).output).contains("device"));
}
