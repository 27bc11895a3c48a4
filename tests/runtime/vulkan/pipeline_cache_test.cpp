#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "runtime/vulkan/pipeline_cache.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::vulkan;

namespace {

PhysicalDevice some_device() {
  PhysicalDevice device;
  device.vendor = 0x1234;
  device.device = 0x77;
  device.driver_version = 5;
  for (std::size_t i = 0; i < VK_UUID_SIZE; ++i) device.uuid[i] = static_cast<std::uint8_t>(i + 1);
  return device;
}

/// What a driver would give: its header, then something.
std::vector<std::byte> driver_data(const PhysicalDevice& device) {
  VkPipelineCacheHeaderVersionOne header{};
  header.headerSize = sizeof header;
  header.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
  header.vendorID = device.vendor;
  header.deviceID = device.device;
  std::memcpy(header.pipelineCacheUUID, device.uuid, VK_UUID_SIZE);
  std::vector<std::byte> data(sizeof header + 100, std::byte{42});
  std::memcpy(data.data(), &header, sizeof header);
  return data;
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("what is written for a device is read for it, and for no other") {
  const tests::TemporaryDirectory directory;
  const auto path = directory.path() / "deep" / "down" / "cache";
  const PhysicalDevice device = some_device();
  const auto data = driver_data(device);
  CHECK(read_pipeline_cache(path, device).empty());
  write_pipeline_cache(path, data);
  CHECK(read_pipeline_cache(path, device) == data);

  PhysicalDevice other = device;
  other.vendor = 1;
  CHECK(read_pipeline_cache(path, other).empty());
  other = device;
  other.device = 1;
  CHECK(read_pipeline_cache(path, other).empty());
  other = device;
  other.uuid[3] ^= 1;
  CHECK(read_pipeline_cache(path, other).empty());
}

TEST_CASE("a cache file that is truncated, longer, or changed anywhere is as good as none") {
  const tests::TemporaryDirectory directory;
  const PhysicalDevice device = some_device();
  const auto path = directory.path() / "cache";
  write_pipeline_cache(path, driver_data(device));
  const std::string whole = contents(path);
  REQUIRE(!whole.empty());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string truncated = directory.write("truncated", whole.substr(0, length));
    CHECK(read_pipeline_cache(truncated, device).empty());
  }
  CHECK(read_pipeline_cache(directory.write("longer", whole + "x"), device).empty());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] ^= 0x10;
    CHECK(read_pipeline_cache(directory.write("changed", changed), device).empty());
  }
  CHECK(read_pipeline_cache(directory.write("foreign", std::string(100000, 'z')), device).empty());
}

TEST_CASE("a cache that cannot be written is no error") {
  const tests::TemporaryDirectory directory;
  const std::string file = directory.write("file", "");
  write_pipeline_cache(std::filesystem::path(file) / "cache", driver_data(some_device()));
  CHECK(contents(file).empty());
}

TEST_CASE("the cache lies where the environment says, by device, driver and program") {
  const tests::TemporaryDirectory directory;
  const tests::Environment cache("XDG_CACHE_HOME", directory.path());
  const tests::Environment on("MONOMORPH_NO_CACHE", "0");
  const Program& program = test::toy_program();
  const PhysicalDevice device = some_device();
  const auto path = pipeline_cache_path(device, program);
  REQUIRE(path);
  CHECK(path->parent_path() == directory.path() / "monomorph");

  PhysicalDevice newer = device;
  newer.driver_version = 6;
  CHECK(pipeline_cache_path(newer, program) != path);
  Program changed = program;
  changed.spec_hash = "another";
  CHECK(pipeline_cache_path(device, changed) != path);
  changed = program;
  changed.kernels = program.kernels.subspan(1);
  CHECK(pipeline_cache_path(device, changed) != path);

  const tests::Environment off("MONOMORPH_NO_CACHE", "1");
  CHECK_FALSE(pipeline_cache_path(device, program));
}
