// What is asked of Vulkan whether or not there is a device.
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

TEST_CASE("devices are listed, or their absence is status 4 with a remedy; as JSON always a list") {
  const Outcome text = command({"devices"});
  const Outcome json = command({"devices", "--json"});
  const auto list = nlohmann::json::parse(json.output);
  REQUIRE(list.is_array());
  bool usable = false;
  for (const auto& device : list) {
    usable = usable || device["unusable"] == "";
    CHECK(contains(text.output, device["name"].get<std::string>()));
    CHECK(device["limits"]["max_storage_buffer_range"] > 0);
  }
  CHECK(text.status == (usable ? 0 : 4));
  CHECK(json.status == text.status);
  if (!usable) CHECK(contains(text.errors, "--device reference"));
}
