// What is asked of devices whether or not Vulkan has one.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

TEST_CASE("a device that is not there gives status 4") {
  const Outcome outcome = command({"run", "--random-weights", "--device", "no such device", "--tokens", "1"});
  CHECK(outcome.status == 4);
  CHECK(outcome.output.empty());
}

TEST_CASE("devices are listed, the processor last, and as JSON a list") {
  const Outcome text = command({"devices"});
  const Outcome json = command({"devices", "--json"});
  const auto list = nlohmann::json::parse(json.output);
  REQUIRE(list.is_array());
  for (const auto& device : list) {
    CHECK(contains(text.output, device["name"].get<std::string>()));
    CHECK(device["limits"]["max_storage_buffer_range"] > 0);
  }
  REQUIRE(!list.empty());
  CHECK(list.back()["name"] == "cpu");
  CHECK(list.back()["unusable"] == "counting has no kernels for it");
  CHECK(text.status == 0);
  CHECK(json.status == 0);
}

TEST_CASE("the device cpu wants kernels of its own, and a number of threads that there may be") {
  const Outcome without = command({"run", "--random-weights", "--device", "cpu", "--tokens", "1"});
  CHECK(without.status == 4);
  CHECK(contains(without.errors, "device 'cpu' cannot be used: "));
  for (const char* threads : {"-1", "1025"}) {
    const Outcome outcome =
        command({"run", "--random-weights", "--device", "cpu", "--threads", threads, "--tokens", "1"});
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.errors, "there may be 1 to 1024"));
  }
}
