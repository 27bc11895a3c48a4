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
  CHECK(list.back()["backend"] == "cpu");
  CHECK(list.back()["unusable"] == "");
  CHECK(text.status == 0);
  CHECK(json.status == 0);
}

TEST_CASE("a device that an engine was built without is refused by name, and not listed") {
  Program program = counting_program();
  const auto both = program.backends;
  program.backends = both.first(1);
  const Outcome no_cpu = command({"run", "--random-weights", "--device", "cpu", "--tokens", "1"}, program);
  CHECK(no_cpu.status == 4);
  CHECK(contains(no_cpu.errors, "counting was built without the device cpu, for vulkan alone"));
  for (const auto& device : nlohmann::json::parse(command({"devices", "--json"}, program).output)) {
    CHECK(device["backend"] == "vulkan");
  }
  program.backends = both.last(1);
  CHECK(contains(command({"run", "--random-weights", "--device", "vulkan", "--tokens", "1"}, program).errors,
                 "counting was built without the device vulkan, for cpu alone"));
  const auto list = nlohmann::json::parse(command({"devices", "--json"}, program).output);
  REQUIRE(list.size() == 1);
  CHECK(list[0]["name"] == "cpu");
  CHECK(list[0]["chosen"] == true);
  const Outcome plan = command({"info", "--device", "reference"}, program);  // of the only backend, without a device
  CHECK(contains(plan.output, "\nfile "));
  CHECK_FALSE(contains(plan.output, "slices"));
}

TEST_CASE("the device cpu takes a number of threads that there may be") {
  for (const char* threads : {"-1", "1025"}) {
    const Outcome outcome =
        command({"run", "--random-weights", "--device", "cpu", "--threads", threads, "--tokens", "1"});
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.errors, "there may be 1 to 1024"));
  }
}
