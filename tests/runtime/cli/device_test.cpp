// The commands that need a Vulkan device, on the model small enough to check by hand, whose reference can be spoilt.
#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "runtime/formats/npy.hpp"
#include "runtime/load.hpp"
#include "tests/runtime/cli/command.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"

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
  explicit ToyAdaptor(const HostWeights& weights) : toy_(weights) {}

  std::vector<double> forward(std::span<const std::int32_t> tokens, std::int64_t first_position,
                              std::vector<std::vector<double>>* hidden_states) override {
    if (first_position == 0) toy_.reset();
    std::vector<double> logits;
    for (const std::int32_t token : tokens) {
      for (const double logit : toy_.append(token)) {
        logits.push_back(spoilt.layer == test::toy_layers ? logit * spoilt.factor : logit);
      }
      if (hidden_states == nullptr) continue;
      hidden_states->resize(test::toy_layers);
      for (std::size_t layer = 0; layer < hidden_states->size(); ++layer) {
        for (const double value : toy_.layers()[layer]) {
          (*hidden_states)[layer].push_back(layer >= spoilt.layer ? value * spoilt.factor : value);
        }
      }
    }
    return logits;
  }

 private:
  test::ToyReference toy_;
};

Program program() {
  const auto devices = list_devices();
  if (std::none_of(devices.begin(), devices.end(), [](const DeviceInfo& device) { return device.chosen; })) {
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
    CHECK(contains(outcome.errors, "layer " + std::to_string(layer) + " is the first above the tolerance"));
  }
  spoilt = {test::toy_layers, 1.001};
  const Outcome outcome = command({"verify", "--random-weights"}, toy);
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.errors, "the layers agree"));
  CHECK(command({"verify", "--random-weights", "--tolerance", "0.01"}, toy).status == 0);
  spoilt = {};
}

TEST_CASE("a device and the reference draw the same tokens") {
  const Program toy = program();
  const Outcome device = command({"run", "--random-weights", "--tokens", "5,900,3", "-n", "12"}, toy);
  const Outcome reference =
      command({"run", "--random-weights", "--device", "cpu", "--tokens", "5,900,3", "-n", "12"}, toy);
  CHECK(device.status == 0);
  CHECK(device.output == reference.output);
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
  const NpyArray expected = logits("cpu", "prefill");
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
  CHECK(calls("prefill") ==
        std::map<std::string, int>{{"embed", 1}, {"project_prefill", 2}, {"remember_prefill", 2}, {"head", 1}});
  CHECK(calls("decode") ==
        std::map<std::string, int>{
            {"embed", 7}, {"project_decode", 14}, {"remember_decode", 14}, {"head", 7}, {"sample", 7}});
}

TEST_CASE("info says whether the engine fits the device") {
  const Outcome outcome = command({"info"}, program());
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.output, "it fits"));
  CHECK(contains(outcome.output, "limits of"));
  CHECK(nlohmann::json::parse(command({"info", "--json"}, program()).output).contains("device"));
}
