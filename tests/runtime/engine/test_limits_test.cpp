#include <doctest/doctest.h>

#include "runtime/engine/test_limits.hpp"
#include "runtime/error.hpp"
#include "tests/support/refusal.hpp"

using namespace monomorph;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("limits are only ever lowered") {
  DeviceInfo info;
  info.type = DeviceType::discrete;
  info.heaps = {{std::int64_t{8} << 30, std::int64_t{8} << 30, true}};
  info.limits.max_storage_buffer_range = 1000;
  info.limits.max_allocation_size = 5000;
  LimitOverrides overrides;
  overrides.max_storage_buffer_range = 2000;
  overrides.max_allocation_size = 3000;
  overrides.heap_bytes = 1 << 20;
  overrides.type = DeviceType::integrated;
  lower_limits(info, overrides);
  CHECK(info.limits.max_storage_buffer_range == 1000);
  CHECK(info.limits.max_allocation_size == 3000);
  CHECK(info.heaps[0].bytes == 1 << 20);
  CHECK(info.heaps[0].available == 1 << 20);
  CHECK(info.type == DeviceType::integrated);
}

TEST_CASE("limits for tests are read from the environment's words, and nonsense is refused") {
  LimitOverrides before;
  before.max_shared_memory = 99;
  before.staging = true;
  const LimitOverrides read =
      read_test_limits("type=discrete,max_tile_rows=8,max_tile_tokens=4,max_workgroup_count_x=2,staging=0", before);
  CHECK(read.type == DeviceType::discrete);
  CHECK(read.max_tile_rows == 8);
  CHECK(read.max_tile_tokens == 4);
  CHECK(read.max_workgroup_count_x == 2);
  CHECK(read.max_shared_memory == 99);
  CHECK_FALSE(read.staging);
  CHECK(read_test_limits("type=cpu").type == DeviceType::cpu);
  CHECK(read_test_limits("type=virtual").type == DeviceType::virtual_gpu);
  CHECK_FALSE(read_test_limits("").type);
  for (const char* wrong : {"type=gpu", "type=", "type", "max_tile_rows=0", "max_tile_rows=-1", "max_tile_rows=8x",
                            "max_tile_rows=", "staging=2", "rows=8", "=1", "type=cpu;staging=1",
                            "heap_bytes=99999999999999999999", ",", "type=cpu,,staging=1"}) {
    CAPTURE(wrong);
    try {
      read_test_limits(wrong);
      FAIL("it was read");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::environment);
      CHECK(contains(error.what(), "MONOMORPH_TEST_LIMITS"));
    }
  }
}
