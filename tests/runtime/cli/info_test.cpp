#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "runtime/cli/describe.hpp"
#include "tests/runtime/cli/command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

TEST_CASE("info says what the engine is, without a device") {
  const Outcome outcome = command({"info", "--device", "reference"});
  CHECK(outcome.status == 0);
  for (const std::string part :
       {"counting", "model_counting: namespace, CMake target, #include \"model_counting/engine.hpp\"", "0.1.0",
        "0123456789abcdef", "3440", "f32, 64 bytes a token",
        "  keys                 f32, 32 bytes a head and position, 2560 a slot (2 layers, 1 head, 40 entries)\n",
        "3, 12 bytes of SPIR-V", "11 (4 a layer; embedding and layers 9, head 1, sampling 1)",
        "6880 bytes, embedding::tokens", "total"}) {
    INFO(part, " in: ", outcome.output);
    CHECK(contains(outcome.output, part));
  }
}

TEST_CASE("info for programs has the same numbers") {
  const Outcome outcome = command({"info", "--device", "reference", "--json"});
  const auto json = nlohmann::json::parse(outcome.output);
  CHECK(json["parameters"] == 3440);
  CHECK(json["cpp_name"] == "model_counting");
  CHECK(json["dispatches"]["per_token"] == 11);
  CHECK(json["dispatches"]["per_layer"] == 4);
  CHECK(json["spirv_bytes"] == 12);
  CHECK(json["memory"]["weights"] == 6880);
  CHECK(json["kernels"].size() == 3);
  CHECK(json["kv_cache"] == "f32");
  REQUIRE(json["states"].size() == 1);
  CHECK(json["states"][0]["name"] == "keys");
  CHECK(json["states"][0]["dtype"] == "f32");
  CHECK(json["states"][0]["row_bytes"] == 32);
  CHECK(json["states"][0]["slot_bytes"] == 2560);
  CHECK_FALSE(json.contains("device"));
}

TEST_CASE("bytes are read in powers of 1000") {
  CHECK(cli::readable_bytes(0) == "0 bytes");
  CHECK(cli::readable_bytes(999) == "999 bytes");
  CHECK(cli::readable_bytes(12'340'000) == "12.3 MB");
  CHECK(cli::readable_bytes(5e15) == "5e+03 TB");
}
