#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "runtime/load.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

constexpr std::uint64_t seed = 20240607;

void need_device() {
  try {
    for (const DeviceInfo& device : list_devices()) {
      if (device.chosen) return;
    }
    std::fputs("no Vulkan device: skipped\n", stderr);
  } catch (const Error& error) {  // validation is asked for and not installed
    std::fprintf(stderr, "%s: skipped\n", error.what());
  }
  std::exit(77);
}

std::unique_ptr<Engine> load(const Program& program, LoadOptions options = {}) {
  need_device();
  options.random_weights = true;
  options.random_seed = seed;
  return load_engine(program, options);
}

std::vector<std::int32_t> some_tokens(std::size_t count) {
  std::mt19937 generator(7);
  std::vector<std::int32_t> tokens;
  for (std::size_t i = 0; i < count; ++i) tokens.push_back(static_cast<std::int32_t>(generator() % toy_vocab_size));
  return tokens;
}

/// Relative L2 of the difference.
template <class Expected>
double difference(std::span<const float> got, const Expected& expected) {
  REQUIRE(got.size() == expected.size());
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += (got[i] - expected[i]) * (got[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return std::sqrt(error / norm);
}

std::vector<std::int32_t> expected_tokens(std::span<const std::int32_t> prompt, std::size_t count) {
  const Program& program = toy_program();
  const HostWeights weights = HostWeights::random(program, seed);
  ToyReference reference(weights);
  std::vector<double> logits;
  for (const std::int32_t token : prompt) logits = reference.append(token);
  std::vector<std::int32_t> tokens{likeliest(logits)};
  while (tokens.size() < count) tokens.push_back(likeliest(reference.append(tokens.back())));
  return tokens;
}

std::vector<float> all_logits(Engine& engine, std::span<const std::int32_t> tokens) {
  std::vector<float> all;
  engine.prefill_all(tokens, [&](std::span<const float> row) { all.insert(all.end(), row.begin(), row.end()); });
  const auto next = engine.decode(3);
  all.insert(all.end(), next.begin(), next.end());
  return all;
}

}  // namespace

TEST_CASE("prompts of every length give the reference's logits") {
  const Program& program = toy_program();
  const auto engine = load(program);
  const HostWeights weights = HostWeights::random(program, seed);
  for (const std::size_t length : {1, 2, 3, 11, 12, 13, 24, 25, 41, 64}) {
    CAPTURE(length);
    const auto tokens = some_tokens(length);
    engine->reset();
    const auto logits = engine->prefill(tokens);
    ToyReference reference(weights);
    std::vector<double> expected;
    for (const std::int32_t token : tokens) expected = reference.append(token);
    CHECK(difference(logits, expected) < 1e-5);
    CHECK(engine->position() == static_cast<std::int64_t>(length));
  }
}

TEST_CASE("decode goes on where prefill ended, and prefill where decode did") {
  const Program& program = toy_program();
  const auto engine = load(program);
  const HostWeights weights = HostWeights::random(program, seed);
  ToyReference reference(weights);
  const auto tokens = some_tokens(30);
  std::size_t at = 0;
  const auto take = [&](std::size_t count) {
    const auto part = std::span(tokens).subspan(at, count);
    at += count;
    return part;
  };
  std::vector<double> expected;
  for (const std::size_t length : {5, 1, 1, 14, 1, 8}) {
    const auto part = take(length);
    for (const std::int32_t token : part) expected = reference.append(token);
    const auto logits = length == 1 ? engine->decode(part[0]) : engine->prefill(part);
    CHECK(difference(logits, expected) < 1e-5);
  }
}

TEST_CASE("prefill_all gives the logits of every token in order") {
  const Program& program = toy_program();
  const auto engine = load(program);
  const HostWeights weights = HostWeights::random(program, seed);
  ToyReference reference(weights);
  const auto tokens = some_tokens(29);
  std::size_t row = 0;
  engine->prefill_all(tokens, [&](std::span<const float> logits) {
    CHECK(difference(logits, reference.append(tokens[row])) < 1e-5);
    ++row;
  });
  CHECK(row == tokens.size());
}

TEST_CASE("generate draws what the reference draws, in any count") {
  const auto engine = load(toy_program());
  const auto prompt = some_tokens(17);
  const auto expected = expected_tokens(prompt, 40);
  for (const std::size_t count : {1, 2, 9, 40}) {
    CAPTURE(count);
    engine->reset();
    std::vector<std::int32_t> seen;
    const auto result = engine->generate(prompt, static_cast<std::int64_t>(count), {}, [&](std::int32_t token) {
      seen.push_back(token);
      return true;
    });
    CHECK(result.tokens == std::vector(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count)));
    CHECK(seen == result.tokens);
    CHECK_FALSE(result.stopped);
    CHECK_FALSE(result.full);
    CHECK(engine->position() == static_cast<std::int64_t>(prompt.size() + count) - 1);
  }
}

TEST_CASE("a generation ends at a stop token, which is its last") {
  const auto prompt = some_tokens(17);
  const auto expected = expected_tokens(prompt, 40);
  const std::int32_t stop = expected[5];
  const auto first = std::find(expected.begin(), expected.end(), stop);
  const auto engine = load(toy_program(stop));
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second knows how long a step takes, and submits several
    engine->reset();
    const auto result = engine->generate(prompt, 40, {}, nullptr);
    CHECK(result.stopped);
    CHECK_FALSE(result.full);
    CHECK(result.tokens == std::vector(expected.begin(), first + 1));
  }
}

TEST_CASE("a generation ends where the sequence is full, with the token after the last position") {
  const auto engine = load(toy_program());
  const auto prompt = some_tokens(50);
  const auto result = engine->generate(prompt, 100, {}, nullptr);
  CHECK(result.full);
  CHECK_FALSE(result.stopped);
  CHECK(result.tokens == expected_tokens(prompt, 15));
  CHECK(engine->position() == toy_max_sequence_length);
  CHECK_THROWS_AS(engine->decode(1), Error);
}

TEST_CASE("a reader who wants no more ends the generation, and the sequence goes on from there") {
  const auto engine = load(toy_program());
  const auto prompt = some_tokens(9);
  const auto expected = expected_tokens(prompt, 8);
  for (int repeat = 0; repeat < 2; ++repeat) {
    engine->reset();
    std::size_t seen = 0;
    const auto result = engine->generate(prompt, 30, {}, [&](std::int32_t) { return ++seen < 4; });
    CHECK(result.tokens == std::vector(expected.begin(), expected.begin() + 4));
    CHECK(engine->position() == 12);
    const auto more = engine->generate({&result.tokens.back(), 1}, 4, {}, nullptr);
    CHECK(more.tokens == std::vector(expected.begin() + 4, expected.end()));
  }
}

TEST_CASE("a count of zero appends the prompt and draws nothing") {
  const auto engine = load(toy_program());
  const auto result = engine->generate(some_tokens(14), 0, {}, nullptr);
  CHECK(result.tokens.empty());
  CHECK(engine->position() == 14);
}

TEST_CASE("tokens and lengths are refused before anything runs") {
  const auto engine = load(toy_program());
  engine->prefill(some_tokens(10));
  const std::int32_t outside[] = {1, static_cast<std::int32_t>(toy_vocab_size)};
  for (const auto& call :
       {std::function([&] { engine->prefill(outside); }), std::function([&] { engine->decode(-1); }),
        std::function([&] { engine->prefill({}); }), std::function([&] { engine->prefill(some_tokens(55)); }),
        std::function([&] { engine->generate(outside, 1, {}, nullptr); })}) {
    try {
      call();
      FAIL("it was not refused");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::rejected);
    }
    CHECK(engine->position() == 10);
  }
}

TEST_CASE("weights in many slices, arenas in many pieces and small grids give identical logits") {
  const Program& program = toy_program();
  const auto tokens = some_tokens(30);
  const auto expected = all_logits(*load(program), tokens);

  LoadOptions options;
  SUBCASE("descriptors of at most 4096 bytes") { options.limits.max_storage_buffer_range = 4096; }
  SUBCASE("allocations of at most 6000 bytes") { options.limits.max_allocation_size = 6000; }
  SUBCASE("grids of at most 3 workgroups") { options.limits.max_workgroup_count_x = 3; }
  SUBCASE("all of them") {
    options.limits.max_storage_buffer_range = 4352;
    options.limits.max_allocation_size = 5000;
    options.limits.max_workgroup_count_x = 2;
  }
  SUBCASE("small workgroups") { options.limits.max_workgroup_invocations = 64; }
  SUBCASE("memory the host cannot map") { options.limits.staging = true; }
  SUBCASE("staging and small slices") {
    options.limits.staging = true;
    options.limits.max_storage_buffer_range = 4096;
  }
  CHECK(all_logits(*load(program, options), tokens) == expected);

  const auto engine = load(program, options);
  CHECK(engine->generate(some_tokens(17), 20, {}, nullptr).tokens == expected_tokens(some_tokens(17), 20));
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
  CHECK(find("project_prefill").calls == 4);
  CHECK(find("project_prefill").bytes == 4 * toy_hidden_size * 32);
  CHECK(find("project_prefill").flops == toy_layers * 17 * toy_hidden_size * 2 * toy_hidden_size);
  // The cache of 12 and of 17 keys is read, and token i sees i + 1 keys: 153 pairs.
  CHECK(find("remember_prefill").bytes == toy_layers * toy_hidden_size * 6 * (12 + 17));
  CHECK(find("remember_prefill").flops == toy_layers * toy_hidden_size * 10 * 153);
  CHECK(find("project_decode").calls == 6);
  CHECK(find("project_decode").flops == toy_layers * 3 * toy_hidden_size * 2 * toy_hidden_size);
  CHECK(find("head").calls == 4);
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
  const auto layers = probed.probe_prefill(tokens);
  REQUIRE(layers.size() == toy_layers);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    reference.append(tokens[t]);
    for (std::size_t layer = 0; layer < toy_layers; ++layer) {
      const auto row = std::span(layers[layer]).subspan(t * toy_hidden_size, toy_hidden_size);
      CHECK(difference(row, reference.layers()[layer]) < 1e-5);
    }
  }
  const auto next = probed.probe_decode(77);
  reference.append(77);
  REQUIRE(next.size() == toy_layers);
  for (std::size_t layer = 0; layer < toy_layers; ++layer) {
    CHECK(difference(next[layer], reference.layers()[layer]) < 1e-5);
  }
  CHECK(engine->position() == 28);
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
  for (const DeviceInfo& device : list_devices()) {
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
