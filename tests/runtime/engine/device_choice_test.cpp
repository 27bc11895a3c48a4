#include <doctest/doctest.h>

#include "runtime/engine/device_choice.hpp"
#include "runtime/error.hpp"
#include "tests/support/refusal.hpp"

using namespace monomorph;

namespace {

DeviceInfo device(std::int64_t index, const std::string& name, DeviceType type, std::int64_t gigabytes,
                  const std::string& unusable = "") {
  DeviceInfo info;
  info.index = index;
  info.backend = type == DeviceType::processor ? "cpu" : "vulkan";
  info.name = name;
  info.type = type;
  if (gigabytes > 0) info.heaps = {{gigabytes << 30, gigabytes << 30, true}};
  info.unusable = unusable;
  return info;
}

std::string refusal(const std::vector<DeviceInfo>& devices, const std::string& request) {
  return tests::refused_with([&] { choose_device(devices, request); }, ErrorKind::device);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE(
    "the best device is a GPU, then the processor, then a driver that runs on it; of one kind that with most memory") {
  std::vector<DeviceInfo> devices{device(0, "llvmpipe", DeviceType::cpu, 64)};
  CHECK(choose_device(devices, "") == 0);
  devices.push_back(device(1, "cpu", DeviceType::processor, 16));
  CHECK(choose_device(devices, "") == 1);
  devices.push_back(device(2, "a virtual one", DeviceType::virtual_gpu, 2));
  CHECK(choose_device(devices, "") == 2);
  devices.push_back(device(3, "Intel UHD", DeviceType::integrated, 16));
  CHECK(choose_device(devices, "") == 3);
  devices.push_back(device(4, "small", DeviceType::discrete, 4));
  CHECK(choose_device(devices, "") == 4);
  devices.push_back(device(5, "large", DeviceType::discrete, 24));
  CHECK(choose_device(devices, "") == 5);
}

TEST_CASE("a device that cannot be used is passed over, and a backend's name is the best of its devices") {
  std::vector<DeviceInfo> devices{device(0, "llvmpipe", DeviceType::cpu, 64),
                                  device(1, "cpu", DeviceType::processor, 16, "it is too old")};
  CHECK(choose_device(devices, "") == 0);
  devices[1].unusable.clear();
  CHECK(choose_device(devices, "vulkan") == 0);
  CHECK(choose_device(devices, "Vulkan") == 0);
  CHECK(choose_device(devices, "cpu") == 1);
  CHECK(contains(refusal({devices[1]}, "vulkan"), "there is no Vulkan device"));
}

TEST_CASE("a device's memory is its largest local heap: what it shares of the host's does not count") {
  DeviceInfo small = device(0, "small", DeviceType::discrete, 4);
  small.heaps.push_back({std::int64_t{64} << 30, std::int64_t{64} << 30, false});
  small.heaps.push_back({std::int64_t{256} << 20, std::int64_t{256} << 20, true});  // the window to the host
  CHECK(small.memory() == std::int64_t{4} << 30);
  CHECK(choose_device({small, device(1, "large", DeviceType::discrete, 8)}, "") == 1);
  DeviceInfo none = small;
  none.heaps = {{std::int64_t{64} << 30, std::int64_t{64} << 30, false}};
  CHECK(none.memory() == 0);
}

TEST_CASE("a discrete device without memory is no device") {
  const std::vector<DeviceInfo> devices{device(0, "AMD GFX1100 (null)", DeviceType::discrete, 0, "it has no memory"),
                                        device(1, "llvmpipe", DeviceType::cpu, 2)};
  CHECK(choose_device(devices, "") == 1);
  CHECK(contains(refusal(devices, "0"), "device '0' cannot be used: it has no memory"));
  CHECK(contains(refusal(devices, "GFX"), "it has no memory"));
  CHECK(contains(refusal({devices[0]}, ""), "mesa-vulkan-drivers"));
}

TEST_CASE("a device is asked for by index or by part of its name in any case") {
  const std::vector<DeviceInfo> devices{device(0, "NVIDIA GeForce RTX 4090", DeviceType::discrete, 24),
                                        device(1, "llvmpipe (LLVM 15)", DeviceType::cpu, 64)};
  CHECK(choose_device(devices, "1") == 1);
  CHECK(choose_device(devices, "LLVM") == 1);
  CHECK(choose_device(devices, "geforce") == 0);
  CHECK(contains(refusal(devices, "2"), "there is no device 2"));
  CHECK(contains(refusal(devices, "2"), "1: llvmpipe"));
  CHECK(contains(refusal(devices, "radeon"), "'radeon'"));
}

TEST_CASE("a name that is said whole is that device's, though it is part of another's") {
  const std::vector<DeviceInfo> devices{
      device(0, "Radeon Pro", DeviceType::discrete, 64), device(1, "Radeon", DeviceType::integrated, 64),
      device(2, "cpu", DeviceType::processor, 64), device(3, "a driver for the cpu", DeviceType::cpu, 64)};
  CHECK(choose_device(devices, "Radeon") == 1);
  CHECK(choose_device(devices, "radeon") == 0);
  CHECK(choose_device(devices, "cpu") == 2);
  CHECK(choose_device(devices, "CPU") == 2);
}

TEST_CASE("digits alone are an index, though a name contains them") {
  const std::vector<DeviceInfo> devices{device(0, "llvmpipe (LLVM 15.0.6, 256 bits)", DeviceType::cpu, 64)};
  CHECK(choose_device(devices, "0") == 0);
  CHECK(choose_device(devices, "LLVM 15") == 0);
  for (const char* const index : {"1", "15", "256", "18446744073709551616"}) {
    const std::string text = refusal(devices, index);
    CHECK(contains(text, std::string("there is no device ") + index + "; there are:\n  0: llvmpipe"));
  }
}

TEST_CASE("no device at all is an error with its remedy") {
  const std::string text = refusal({}, "");
  CHECK(contains(text, "no Vulkan device"));
  CHECK(contains(text, "mesa-vulkan-drivers"));
  CHECK(contains(text, "--device cpu"));
}
