// Random schedules of slots on the reference and on a device.
#include "tests/runtime/vulkan/schedules.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

#include "runtime/reference/reference_engine.hpp"
#include "tests/runtime/vulkan/toy_engine.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

struct Toy {
  tests::TemporaryDirectory directory;
  std::string path = directory.write("toy.safetensors", spoiling_checkpoint());
  HostWeights weights = HostWeights::open(toy_program(), path);
};

std::uint64_t count_of(std::uint64_t otherwise) {
  const char* text = std::getenv("MONOMORPH_RANDOM_SCHEDULES");
  return text == nullptr ? otherwise : static_cast<std::uint64_t>(std::atoll(text));
}

}  // namespace

// As many as MONOMORPH_RANDOM_SCHEDULES says.
TEST_CASE("slots of the reference give what their tokens alone give, in random schedules") {
  const Toy toy;
  Program program;
  SUBCASE("of a text alone") { program = toy_program(); }
  SUBCASE("that answers to sources") { program = toy_answers(); }
  SUBCASE("of what all its tokens have made") { program = toy_recurrences(); }
  program.make_reference = toy_slots;
  const auto make = [&] { return std::make_unique<ReferenceEngine>(program, HostWeights::open(program, toy.path)); };
  CHECK(run_schedules(make, toy.weights, count_of(700), 1) == "");
}

TEST_CASE("slots of a device give what their tokens alone give, in random schedules") {
  need_device();
  const Toy toy;
  LoadOptions options;
  options.weights_path = toy.path;
  std::uint64_t count = count_of(250);
  const Program* program = &toy_program();
  SUBCASE("as they come") {}
  SUBCASE("whatever the company") { options.invariant = true; }
  SUBCASE("memory the host cannot map, in many slices") {
    options.limits.staging = true;
    options.limits.max_storage_buffer_range = 16384;
    count = 60;
  }
  SUBCASE("of answers to sources") { program = &toy_answers(); }
  SUBCASE("of what all tokens have made") { program = &toy_recurrences(); }
  SUBCASE("of what all tokens have made, in memory the host cannot map") {
    program = &toy_recurrences();
    options.limits.staging = true;
    count = 60;
  }
  SUBCASE("of answers to sources, in memory the host cannot map") {
    program = &toy_answers();
    options.limits.staging = true;
    count = 60;
  }
  CHECK(run_schedules([&] { return load_engine(*program, options); }, toy.weights, count, 2) == "");
}
