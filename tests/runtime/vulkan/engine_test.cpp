#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "runtime/load.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/safetensors_writer.hpp"
#include "tests/support/temporary_directory.hpp"

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

TEST_CASE("a generation ends where the sequence is full, with the token after the last position, for any count") {
  const auto engine = load(toy_program());
  const auto prompt = some_tokens(50);
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t count : {std::int64_t{100}, std::int64_t{1} << 32, largest - 48, largest}) {
    CAPTURE(count);
    engine->reset();
    const auto result = engine->generate(prompt, count, {}, nullptr);
    CHECK(result.full);
    CHECK_FALSE(result.stopped);
    CHECK(result.tokens == expected_tokens(prompt, 15));
    CHECK(engine->position() == toy_max_sequence_length);
    CHECK_THROWS_AS(engine->decode(1), Error);
  }
}

TEST_CASE("a watcher is told of every chunk of a prompt, and ends the call there by what it throws") {
  const auto engine = load(toy_program());
  const auto prompt = some_tokens(30);
  std::vector<std::int64_t> told;
  engine->watch_prompts([&](std::int64_t done, std::int64_t total) {
    CHECK(total == 30);
    told.push_back(done);
  });
  const std::vector<std::int64_t> chunks = {12, 24, 30};
  for (const auto& call : {std::function([&] { engine->prefill(prompt); }),
                           std::function([&] { engine->prefill_all(prompt, [](auto) {}); }),
                           std::function([&] { engine->generate(prompt, 3, {}, nullptr); })}) {
    engine->reset();
    told.clear();
    call();
    CHECK(told == chunks);
  }
  engine->reset();
  engine->watch_prompts([&](std::int64_t done, std::int64_t) {
    if (done == 24) throw std::runtime_error("enough");
  });
  CHECK_THROWS_AS(engine->generate(prompt, 3, {}, nullptr), std::runtime_error);
  CHECK(engine->position() == 24);
  // The sequence goes on from there.
  engine->watch_prompts(nullptr);
  CHECK(engine->generate(std::span(prompt).subspan(24), 3, {}, nullptr).tokens == expected_tokens(prompt, 3));
}

TEST_CASE("kernels are compiled when an engine is loaded, and not in its first pass") {
  // Mesa keeps compiled code of its own, which would hide when it is compiled.
  const tests::Environment uncached("MESA_SHADER_CACHE_DISABLE", "true");
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  };
  LoadOptions options;
  std::vector<std::int64_t> done;
  std::int64_t total = 0;
  Clock::time_point begin;
  double compiling = 0;
  options.compiling = [&](std::int64_t kernels, std::int64_t of) {
    if (done.empty()) begin = Clock::now();
    done.push_back(kernels);
    total = of;
    compiling = seconds(begin);
  };
  const auto engine = load(toy_program(), options);
  CHECK(done.front() == 0);
  CHECK(done.back() == total);
  CHECK(std::is_sorted(done.begin(), done.end()));
  CHECK(done.size() >= 2 * toy_program().kernels.size());
  begin = Clock::now();
  engine->generate(some_tokens(12), 2, {}, nullptr);
  CHECK(seconds(begin) < compiling);
}

TEST_CASE("a stop token after the last position is a stop: the sequence is not said to be full") {
  const auto prompt = some_tokens(static_cast<std::size_t>(toy_max_sequence_length));
  const auto expected = expected_tokens(prompt, 1);
  const auto engine = load(toy_program(expected[0]));
  const auto result = engine->generate(prompt, 100, {}, nullptr);
  CHECK(result.tokens == expected);
  CHECK(result.stopped);
  CHECK_FALSE(result.full);
  CHECK(engine->position() == toy_max_sequence_length);
  // Another stop token: now it is full.
  CHECK(load(toy_program(expected[0] + 1))->generate(prompt, 100, {}, nullptr).full);
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

TEST_CASE("slots are sequences of their own, however they take turns") {
  const auto engine = load(toy_program());
  std::vector<std::vector<std::int32_t>> prompts, expected;
  for (std::size_t slot = 0; slot < toy_max_batch; ++slot) {
    prompts.push_back(some_tokens(5 + 9 * slot));
    std::reverse(prompts.back().begin(), prompts.back().end());
    expected.push_back(expected_tokens(prompts.back(), 20));
  }
  const auto drawn = [&](std::int64_t slot, std::int64_t count, std::span<const std::int32_t> tokens) {
    return engine->generate(tokens, count, {}, nullptr, slot).tokens;
  };
  std::vector<std::vector<std::int32_t>> result(toy_max_batch);
  for (std::int64_t turn = 0; turn < 5; ++turn) {
    for (const std::int64_t slot : {2, 0, 1}) {
      auto& tokens = result[static_cast<std::size_t>(slot)];
      const auto& prompt = prompts[static_cast<std::size_t>(slot)];
      const auto more = drawn(slot, 4, turn == 0 ? std::span(prompt) : std::span(tokens).last(1));
      tokens.insert(tokens.end(), more.begin(), more.end());
      CHECK(engine->position(slot) == static_cast<std::int64_t>(prompt.size() + tokens.size()) - 1);
    }
  }
  for (std::size_t slot = 0; slot < toy_max_batch; ++slot) CHECK(result[slot] == expected[slot]);
}

TEST_CASE("a step runs several slots, shows the logits that are wanted and draws where it is said to") {
  const auto engine = load(toy_program());
  const HostWeights weights = HostWeights::random(toy_program(), seed);
  const auto tokens = some_tokens(12);
  for (std::int64_t slot = 0; slot < toy_max_batch; ++slot) engine->set_sampling(slot, {}, toy_max_sequence_length);
  std::vector<std::pair<std::size_t, std::int64_t>> seen;
  const Run runs[] = {{2, std::span(tokens).first(7), Logits::all, true, true},
                      {0, std::span(tokens).first(1), Logits::none, true, false},
                      {1, std::span(tokens).first(3), Logits::last, false, true}};
  const auto drawn = engine->step(runs, 5, [&](std::size_t run, std::int64_t token, std::span<const float> logits) {
    seen.push_back({run, token});
    ToyReference reference(weights);
    std::vector<double> expected;
    for (std::int64_t t = 0; t <= token; ++t) expected = reference.append(runs[run].tokens[static_cast<std::size_t>(t)]);
    CHECK(difference(logits, expected) < 1e-5);
  });
  std::vector<std::pair<std::size_t, std::int64_t>> expected_seen;
  for (std::int64_t token = 0; token < 7; ++token) expected_seen.push_back({0, token});
  expected_seen.push_back({2, 2});
  CHECK(seen == expected_seen);
  REQUIRE(drawn.size() == 2);
  CHECK(drawn[0].slot == 2);
  CHECK(std::vector(drawn[0].tokens.begin(), drawn[0].tokens.end()) == expected_tokens(runs[0].tokens, 5));
  CHECK(drawn[1].slot == 0);
  CHECK(std::vector(drawn[1].tokens.begin(), drawn[1].tokens.end()) == expected_tokens(runs[1].tokens, 5));
  CHECK(engine->position(2) == 7 + 4);
  CHECK(engine->position(0) == 1 + 4);
  CHECK(engine->position(1) == 3);
}

TEST_CASE("a slot that is wound back goes on as if what came after had never been") {
  const auto engine = load(toy_program());
  const auto tokens = some_tokens(40);
  const auto expected = all_logits(*engine, std::span(tokens).first(30));
  CHECK(engine->rewind(0, 40) == 31);
  CHECK(engine->rewind(0, 13) == 13);
  CHECK(engine->position() == 13);
  engine->prefill(std::span(tokens).last(9));  // something else, over what was there
  engine->rewind(0, 0);
  CHECK(all_logits(*engine, std::span(tokens).first(30)) == expected);
  CHECK_THROWS_AS(engine->rewind(toy_max_batch, 0), Error);
}

TEST_CASE("runs that no step can have are refused before anything runs") {
  const auto engine = load(toy_program());
  const auto tokens = some_tokens(13);
  const auto twelve = std::span(tokens).first(12);
  const Run fine{0, twelve, Logits::last, false, true};
  const Run twice[] = {fine, fine};
  const Run long_run{0, tokens, Logits::last, false, true}, outside{toy_max_batch, twelve, Logits::last, false, true},
      below{-1, twelve, Logits::last, false, true}, empty{0, {}, Logits::last, false, true};
  for (const std::span<const Run> runs :
       {std::span<const Run>(), std::span<const Run>(twice), std::span<const Run>(&long_run, 1),
        std::span<const Run>(&outside, 1), std::span<const Run>(&below, 1), std::span<const Run>(&empty, 1)}) {
    CHECK_THROWS_AS(engine->step(runs), Error);
  }
  CHECK_THROWS_AS(engine->step({&fine, 1}, 0), Error);
  CHECK_THROWS_AS(engine->set_sampling(0, {}, 0), Error);
  CHECK_THROWS_AS(engine->set_sampling(0, {}, toy_max_sequence_length + 1), Error);
  CHECK_THROWS_AS(engine->set_sampling(toy_max_batch, {}, 1), Error);
  CHECK_THROWS_AS(engine->step({&fine, 1}, toy_decode_steps + 1), Error);
  CHECK(engine->position() == 0);
}

TEST_CASE("logits that are no numbers are refused by every call") {
  need_device();
  // The head's row of token 5 is no number, so that its logit is none whatever the input.
  std::vector<float> table(static_cast<std::size_t>(toy_vocab_size * toy_hidden_size), 0.5f);
  table[5 * toy_hidden_size + 2] = std::numeric_limits<float>::quiet_NaN();
  const auto bytes_of = [](const std::vector<float>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  };
  std::vector<tests::TensorText> tensors = {
      {"embed.weight", "F32", {toy_vocab_size, toy_hidden_size}, bytes_of(table)}};
  for (const std::string layer : {"layers.0.", "layers.1."}) {
    tensors.push_back({layer + "project.weight", "F32", {toy_hidden_size, toy_hidden_size}, ""});
    tensors.push_back({layer + "project.bias", "BF16", {toy_hidden_size}, ""});
  }
  const tests::TemporaryDirectory directory;
  LoadOptions options;
  options.weights_path = directory.write("model.safetensors", tests::safetensors(tensors));
  const auto engine = load_engine(toy_program(), options);
  const std::vector<std::int32_t> prompt{1, 2, 3};
  for (const auto& call : {std::function([&] { engine->prefill(prompt); }), std::function([&] { engine->decode(1); }),
                           std::function([&] { engine->prefill_all(prompt, [](std::span<const float>) {}); }),
                           std::function([&] { engine->generate(prompt, 1, {}, nullptr); }),
                           std::function([&] { engine->generate(prompt, 9, {0.7f, 0, 1, 3}, nullptr); })}) {
    try {
      call();
      FAIL("it was accepted");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::rejected);
      CHECK(std::string(error.what()).find("--scan-nan") != std::string::npos);
    }
  }
}

TEST_CASE("weights in many slices, arenas in many pieces and small grids give identical logits") {
  const Program& program = toy_program();
  const auto tokens = some_tokens(30);
  const auto expected = all_logits(*load(program), tokens);

  LoadOptions options;
  SUBCASE("descriptors of at most 8192 bytes") { options.limits.max_storage_buffer_range = 8192; }
  SUBCASE("allocations of at most 8300 bytes") { options.limits.max_allocation_size = 8300; }
  SUBCASE("grids of at most 3 workgroups") { options.limits.max_workgroup_count_x = 3; }
  SUBCASE("all of them") {
    options.limits.max_storage_buffer_range = 8448;
    options.limits.max_allocation_size = 8300;
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
    options.limits.max_storage_buffer_range = 8192;
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
      CHECK(std::string(error.what()).find("--device cpu") != std::string::npos);
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
  CHECK(find("project_prefill").calls == 4);
  CHECK(find("project_prefill").bytes == 4 * toy_hidden_size * 32);
  CHECK(find("project_prefill").flops == toy_layers * 17 * toy_hidden_size * 2 * toy_hidden_size);
  // The states of 12 and of 17 keys is read, and token i sees i + 1 keys: 153 pairs.
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
  const auto check = [&](std::span<const std::int32_t> part, bool prefill) {
    const auto layers = probed.probe({1, part, Logits::none, false, prefill});
    REQUIRE(layers.size() == toy_layers);
    for (std::size_t t = 0; t < part.size(); ++t) {
      reference.append(part[t]);
      for (std::size_t layer = 0; layer < toy_layers; ++layer) {
        const auto row = std::span(layers[layer]).subspan(t * toy_hidden_size, toy_hidden_size);
        CHECK(difference(row, reference.layers()[layer]) < 1e-5);
      }
    }
  };
  check(std::span(tokens).first(12), true);
  check(std::span(tokens).subspan(12, 1), true);
  check(std::span(tokens).subspan(13, 12), true);
  check(std::span(tokens).subspan(25, 1), false);
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
