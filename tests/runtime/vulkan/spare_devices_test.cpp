#include "runtime/vulkan/spare_devices.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <ctime>
#include <string_view>

#include "tests/runtime/vulkan/toy_engine.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/vulkan_devices.hpp"

using namespace monomorph;
using namespace monomorph::test;
using namespace monomorph::vulkan;

namespace {

/// Seconds that the process has computed, which other processes do not make more.
double processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double loading_time() {
  const double begin = processor_time();
  load(toy_program());
  return processor_time() - begin;
}

void compile_on_spare_devices() {
  const auto device = Device::open(tests::best_vulkan_device(), {});
  const DeviceFacts facts = facts_of(device->physical());
  const std::vector<Tile> tiles = choose_tiles(toy_program(), facts);
  SpareDevices spares(*device, 2);
  for (std::size_t k = 0; k < tiles.size(); ++k) spares.compile(toy_program().kernels[k], facts, tiles[k], k % 2);
}

}  // namespace

TEST_CASE("spare devices help a driver that compiles at dispatch, where it keeps what it compiled") {
  need_device();
  const tests::Environment mesa("MESA_SHADER_CACHE_DISABLE", ""), own("MONOMORPH_NO_CACHE", "");
  const auto device = Device::open(tests::best_vulkan_device(), {});
  const bool compiles_at_dispatch = device->physical().compiles_at_dispatch;
  CHECK(SpareDevices::help(*device) == compiles_at_dispatch);
  for (const char* const variable : {"MESA_SHADER_CACHE_DISABLE", "MONOMORPH_NO_CACHE"}) {
    const tests::Environment off(variable, "1");
    CHECK_FALSE(SpareDevices::help(*device));
  }
}

TEST_CASE("what spare devices have compiled an engine does not compile again") {
  need_device();
  if (!Device::open(tests::best_vulkan_device(), {})->physical().compiles_at_dispatch) return;
  // GPU-assisted validation writes a number of its own into each shader, so that none is found again.
  const char* const validation = std::getenv("MONOMORPH_VALIDATION");
  if (validation != nullptr && std::string_view(validation) == "gpu") return;
  const tests::TemporaryDirectory empty, filled;
  const tests::Environment alone("MONOMORPH_NO_CACHE", "1"), kept("MESA_SHADER_CACHE_DISABLE", "false");
  double cold = 0;
  {
    const tests::Environment directory("MESA_SHADER_CACHE_DIR", empty.path().string());
    cold = loading_time();
  }
  const tests::Environment directory("MESA_SHADER_CACHE_DIR", filled.path().string());
  compile_on_spare_devices();
  CHECK(loading_time() < cold / 2);
}

TEST_CASE("an engine whose kernels spare devices compile answers as any other") {
  const tests::TemporaryDirectory place;
  const tests::Environment on("MONOMORPH_NO_CACHE", ""), kept("MESA_SHADER_CACHE_DISABLE", "false");
  const tests::Environment own("XDG_CACHE_HOME", place.path().string());
  const tests::Environment mesa("MESA_SHADER_CACHE_DIR", place.path().string());
  const auto tokens = some_tokens(20);
  const auto expected = expected_tokens(tokens, 6);
  for (int start = 0; start < 2; ++start) {  // with empty caches, and with full ones
    CHECK(load(toy_program())->generate(tokens, 6, {}, nullptr).tokens == expected);
  }
}
