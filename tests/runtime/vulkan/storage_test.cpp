// What stands in the device's memory after loading, read where host and device share it.
#include "runtime/vulkan/storage.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/error.hpp"
#include "runtime/vulkan/schedule.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"
#include "tests/support/vulkan_devices.hpp"

using namespace monomorph;
using namespace monomorph::vulkan;

namespace {

std::unique_ptr<Device> open_shared(std::int64_t max_storage_buffer_range) {
  std::unique_ptr<Device> device;
  try {
    LimitOverrides limits;
    limits.max_storage_buffer_range = max_storage_buffer_range;
    device = Device::open(tests::best_vulkan_device(), limits);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: skipped\n", error.what());
    std::exit(77);
  }
  if (!choose_memory_types(*device).direct) {
    std::fputs("the device's memory is not the host's: skipped\n", stderr);
    std::exit(77);
  }
  return device;
}

std::span<const std::byte> bytes_of(const Storage& storage, const Place& place) {
  return {storage.buffer(place.buffer).data() + place.offset, static_cast<std::size_t>(place.bytes)};
}

}  // namespace

// Uploads are made in parts of 8 MiB.
TEST_CASE("a weight of many parts reaches the device whole, and what nothing fills is zero") {
  static constexpr WeightPattern patterns[] = {{"large", Dtype::f32, 5000, 1001, {}}, {"small", Dtype::bf16, 3, 5, {}}};
  static constexpr StoredPiece large[] = {{0, 5000}}, small[] = {{1, 3}};
  static constexpr StoredPattern stored[] = {{"large", Dtype::f32, 5000, 1001, large},
                                             {"small", Dtype::bf16, 3, 5, small}};
  static constexpr WeightGroup groups[] = {{patterns, stored, {}}};
  Program program = test::toy_program();
  program.weights = groups;
  const HostWeights weights = HostWeights::random(program, 9);
  for (const std::int64_t slice : {std::int64_t{1} << 27, std::int64_t{9} << 20}) {
    CAPTURE(slice);
    const std::unique_ptr<Device> device = open_shared(slice);
    const Storage storage(*device, program, weights, nullptr);

    for (const Slice& slice_of : storage.weights().slices) {
      std::vector<std::byte> expected(static_cast<std::size_t>(slice_of.bytes));
      weights.stored_rows(slice_of.stored, slice_of.first_row, slice_of.rows, expected);
      const auto found = bytes_of(storage, {slice_of.shard, slice_of.offset, slice_of.bytes});
      CHECK(std::memcmp(found.data(), expected.data(), expected.size()) == 0);
    }
    const auto logits = bytes_of(storage, place_of(storage.weights(), storage.arenas(), program.output));
    for (const std::byte byte : logits) REQUIRE(byte == std::byte{0});
  }
}
