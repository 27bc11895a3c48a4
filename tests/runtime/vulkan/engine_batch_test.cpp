// Requests over the slots of a device's engine: each ends as it does alone.
#include <doctest/doctest.h>

#include <algorithm>

#include "runtime/engine/batch.hpp"
#include "tests/runtime/engine/batch_requests.hpp"
#include "tests/runtime/vulkan/toy_engine.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::test;

TEST_CASE("on a device requests of unequal length over a few slots draw what each draws alone") {
  const auto requests = unequal_requests(toy_program(), 40);
  const auto stopping = load(toy_program(most_drawn(*load(toy_program()), requests)));
  check_as_alone(*stopping, *stopping, requests);
}

TEST_CASE("so do requests that answer to sources of unequal length") {
  const auto requests = unequal_requests(toy_answers(), 30);
  const auto stopping = load(toy_answers(most_drawn(*load(toy_answers()), requests)));
  check_as_alone(*stopping, *stopping, requests);
}

TEST_CASE("on a device a request whose logits are no numbers ends alone, and its slot is of use to the next") {
  need_device();
  const tests::TemporaryDirectory directory;
  LoadOptions options;
  options.weights_path = directory.write("model.safetensors", overflowing_checkpoint());
  const auto engine = load_engine(toy_program(), options);
  // Of some tokens the likeliest is 7, and after that nothing is a number; others do not draw it in all of a request.
  std::vector<std::int32_t> before_seven, never_seven;
  for (std::int32_t token = 10; token < 40; ++token) {
    engine->reset();
    const Run run{0, {&token, 1}, Logits::none, true};
    const std::span<const std::int32_t> drawn = engine->step({&run, 1}, 9).front().tokens;
    if (drawn.front() == 7) before_seven.push_back(token);
    if (std::ranges::find(drawn, 7) == drawn.end()) never_seven.push_back(token);
  }
  REQUIRE(before_seven.size() >= 4);
  REQUIRE(never_seven.size() >= 4);
  Batch batch(*engine);
  int wrong = 0, fine = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    batch.add({.prompt = {before_seven[i]}, .count = 9, .finished = [&](const BatchResult& result) {
                 CHECK(result.error);
                 CHECK(result.generation.tokens == std::vector<std::int32_t>{7});
                 ++wrong;
               }});
    batch.add({.prompt = {never_seven[i]}, .count = 9, .finished = [&](const BatchResult& result) {
                 CHECK_FALSE(result.error);
                 CHECK(result.generation.tokens.size() == 9);
                 ++fine;
               }});
  }
  batch.run();
  CHECK(wrong == 4);
  CHECK(fine == 4);
}
