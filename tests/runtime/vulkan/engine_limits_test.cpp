// Engines under the limits of other devices, and what engines tell of themselves.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/runtime/vulkan/toy_engine.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/safetensors_writer.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/vulkan_devices.hpp"

using namespace monomorph;
using namespace monomorph::test;

TEST_CASE("weights in many slices, arenas in many pieces and small grids give identical logits") {
  const Program& program = toy_program();
  const auto tokens = some_tokens(30);
  const auto expected = all_logits(*load(program), tokens);

  LoadOptions options;
  SUBCASE("descriptors of at most 16384 bytes") { options.limits.max_storage_buffer_range = 16384; }
  SUBCASE("allocations of at most 16600 bytes") { options.limits.max_allocation_size = 16600; }
  SUBCASE("grids of at most 3 workgroups") { options.limits.max_workgroup_count_x = 3; }
  SUBCASE("all of them") {
    options.limits.max_storage_buffer_range = 16896;
    options.limits.max_allocation_size = 16600;
    options.limits.max_workgroup_count_x = 2;
  }
  SUBCASE("small workgroups") { options.limits.max_workgroup_invocations = 64; }
  SUBCASE("memory the host cannot map") { options.limits.staging = true; }
  SUBCASE("the tiles and the memory of a discrete GPU") { options.limits.type = DeviceType::discrete; }
  SUBCASE("small tiles") {
    options.limits.max_tile_rows = 1;
    options.limits.max_tile_tokens = 3;
  }
  SUBCASE("staging and small slices") {
    options.limits.staging = true;
    options.limits.max_storage_buffer_range = 16384;
  }
  CHECK(all_logits(*load(program, options), tokens) == expected);

  const auto engine = load(program, options);
  CHECK(engine->generate(some_tokens(17), 20, {}, nullptr).tokens == expected_tokens(some_tokens(17), 20));
}

TEST_CASE("too little memory names the way that needs none of the device") {
  LoadOptions options;
  for (const std::int64_t bytes : {40000, 20000}) {
    options.limits.heap_bytes = bytes;
    try {
      load(toy_program(), options);
      FAIL("it was loaded");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::device);
      CHECK(std::string(error.what()).find("--device reference") != std::string::npos);
    }
  }
}

TEST_CASE("limits that leave no way are an error that says so") {
  const Program& program = toy_program();
  LoadOptions options;
  std::string expected;
  SUBCASE("a descriptor cannot cover the logits") {
    options.limits.max_storage_buffer_range = 2048;
    expected = "binds at most 2048 bytes";
  }
  SUBCASE("an allocation cannot hold the logits") {
    options.limits.max_allocation_size = 3000;
    expected = "at most 3000 bytes";
  }
  SUBCASE("memory is too small for the whole") {
    options.limits.heap_bytes = 40000;
    expected = "max_sequence_length ";
  }
  SUBCASE("memory is too small for the weights") {
    options.limits.heap_bytes = 20000;
    expected = "no max_sequence_length would fit";
  }
  try {
    load(program, options);
    FAIL("it was loaded");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::device);
    CAPTURE(error.what());
    CHECK(std::string(error.what()).find(expected) != std::string::npos);
  }
}

TEST_CASE("a profile counts every dispatch with its rows and tokens") {
  LoadOptions options;
  options.profile = true;
  std::unique_ptr<Engine> engine;
  try {
    engine = load(toy_program(), options);
  } catch (const Error& error) {
    MESSAGE(error.what());  // a device without timestamps
    REQUIRE(std::string(error.what()).find("timestamps") != std::string::npos);
    return;
  }
  auto& profiled = dynamic_cast<ProfiledEngine&>(*engine);
  engine->generate(some_tokens(17), 4, {}, nullptr);  // 12 and 5 tokens, then 3 steps
  const auto find = [&](const std::string& name) {
    for (const KernelProfile& kernel : profiled.profile()) {
      if (kernel.name == name) return kernel;
    }
    FAIL("no kernel " << name);
    return KernelProfile{};
  };
  CHECK(find("embed").calls == 5);
  // Which of the two takes a prompt's rows is the device's choice.
  const auto of_prompts = [&](std::int64_t KernelProfile::* figure) {
    std::int64_t sum = 0;
    for (const KernelProfile& kernel : profiled.profile()) {
      if (kernel.name == "project_prefill" || kernel.name == "project_few") sum += kernel.*figure;
    }
    return sum;
  };
  CHECK(of_prompts(&KernelProfile::calls) == 4);
  CHECK(of_prompts(&KernelProfile::bytes) == 4 * toy_hidden_size * 32);
  CHECK(of_prompts(&KernelProfile::flops) == toy_layers * 17 * toy_hidden_size * 2 * toy_hidden_size);
  // The states of 12 and of 17 keys is read, and token i sees i + 1 keys: 153 pairs.
  CHECK(find("remember_prefill").bytes == toy_layers * toy_hidden_size * 6 * (12 + 17));
  CHECK(find("remember_prefill").flops == toy_layers * toy_hidden_size * 10 * 153);
  CHECK(find("project_decode").calls == 6);
  CHECK(find("project_decode").flops == toy_layers * 3 * toy_hidden_size * 2 * toy_hidden_size);
  CHECK(find("head").calls == 4);
  CHECK(find("head").flops == 4 * toy_vocab_size * 2 * toy_hidden_size);  // of the last row alone
  CHECK(find("sample").calls == 4);
  double seconds = 0;
  for (const KernelProfile& kernel : profiled.profile()) seconds += kernel.seconds;
  CHECK(seconds > 0);
  CHECK(seconds < 60);
  profiled.reset_profile();
  CHECK(profiled.profile().empty());
}

TEST_CASE("probes see the hidden states after every layer, in prefill and in decode") {
  LoadOptions options;
  options.probe_layers = true;
  const Program& program = toy_program();
  const auto engine = load(program, options);
  auto& probed = dynamic_cast<ProbedEngine&>(*engine);
  const HostWeights weights = HostWeights::random(program, seed);
  ToyReference reference(weights);
  const auto tokens = some_tokens(27);
  const auto check = [&](std::span<const std::int32_t> part) {
    const Run run{1, part, Logits::none};
    const auto layers = probed.probe({&run, 1});
    REQUIRE(layers.size() == toy_layers);
    for (std::size_t t = 0; t < part.size(); ++t) {
      reference.append(part[t]);
      for (std::size_t layer = 0; layer < toy_layers; ++layer) {
        const auto row = std::span(layers[layer]).subspan(t * toy_hidden_size, toy_hidden_size);
        CHECK(difference(row, reference.layers()[layer]) < 1e-5);
      }
    }
  };
  check(std::span(tokens).first(12));
  check(std::span(tokens).subspan(12, 1));
  check(std::span(tokens).subspan(13, 12));
  check(std::span(tokens).subspan(25, 1));
  CHECK(engine->position(1) == 26);
}

TEST_CASE("loading reports its progress up to the last byte") {
  LoadOptions options;
  std::vector<std::int64_t> done;
  std::int64_t total = 0;
  options.progress = [&](std::int64_t bytes, std::int64_t of) {
    done.push_back(bytes);
    total = of;
  };
  load(toy_program(), options);
  REQUIRE(!done.empty());
  CHECK(done.front() == 0);
  CHECK(done.back() == total);
  CHECK(std::is_sorted(done.begin(), done.end()));
}

TEST_CASE("a device is named by its index or by part of its name") {
  need_device();
  for (const DeviceInfo& device : vulkan::backend().list_devices()) {
    if (!device.unusable.empty()) continue;
    LoadOptions options;
    options.device = std::to_string(device.index);
    CHECK(load(toy_program(), options) != nullptr);
    options.device = device.name.substr(1, 4);
    CHECK(load(toy_program(), options) != nullptr);
  }
  LoadOptions options;
  options.device = "a device nobody has";
  CHECK_THROWS_AS(load(toy_program(), options), Error);
}
