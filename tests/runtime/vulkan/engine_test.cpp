// One sequence: prompts, decoding, generation.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "tests/runtime/vulkan/toy_engine.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/safetensors_writer.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

/// Whether the engine's sequence is the first `count` tokens of these lists in a row.
bool holds(const Engine& engine, std::vector<std::int32_t> tokens, const std::vector<std::int32_t>& more,
           std::size_t count) {
  tokens.insert(tokens.end(), more.begin(), more.end());
  tokens.resize(count);
  return std::ranges::equal(engine.sequence(), tokens) && engine.position() == static_cast<std::int64_t>(count);
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
  CHECK(holds(*engine, prompt, {}, 24));
  // The sequence goes on from there.
  engine->watch_prompts(nullptr);
  CHECK(engine->generate(std::span(prompt).subspan(24), 3, {}, nullptr).tokens == expected_tokens(prompt, 3));
}

TEST_CASE("what a submission drew is handed out, all of it, before its watcher may end the generation") {
  const Program& program = toy_program();
  const auto engine = load(program);
  const auto prompt = some_tokens(10);
  engine->generate(prompt, 30, {}, nullptr);  // from now on it knows how many passes fit a submission
  engine->reset();
  std::vector<std::int32_t> shown;
  int submissions = 0;
  engine->watch_draws([&] {
    if (++submissions == 2) throw std::string("enough");
  });
  const auto show = [&](std::int32_t token) {
    shown.push_back(token);
    return true;
  };
  CHECK_THROWS_AS(engine->generate(prompt, 30, {}, show), std::string);
  CHECK(shown.size() > 2);
  CHECK(shown == expected_tokens(prompt, shown.size()));
  CHECK(holds(*engine, prompt, shown, 10 + shown.size() - 1));
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
  CHECK(total <= static_cast<std::int64_t>(toy_program().kernels.size()));
  CHECK(static_cast<std::int64_t>(done.size()) == total + 1);
  begin = Clock::now();
  engine->generate(some_tokens(12), 2, {}, nullptr);
  CHECK(seconds(begin) < compiling);
}

TEST_CASE("kernels of phases that no pass takes are not compiled") {
  const auto compiled = [](bool invariant) {
    std::int64_t kernels = 0;
    LoadOptions options;
    options.invariant = invariant;
    options.compiling = [&](std::int64_t, std::int64_t of) { kernels = of; };
    load(toy_program(), options);
    return kernels;
  };
  // An invariant engine multiplies in one phase what others multiply in three.
  CHECK(compiled(true) < compiled(false));
  CHECK(compiled(true) > 0);
}

TEST_CASE("who is told of compiling may end the loading, and nothing that was begun is left") {
  for (const std::int64_t at : {0, 1, 3}) {
    LoadOptions options;
    options.compiling = [&](std::int64_t done, std::int64_t) {
      if (done == at) throw std::string("enough");
    };
    CHECK_THROWS_AS(load(toy_program(), options), std::string);
  }
}

TEST_CASE("a kernel that is no SPIR-V is told by its name, from whatever thread it is made in") {
  Program program = toy_program();
  std::vector<Kernel> kernels(program.kernels.begin(), program.kernels.end());
  kernels[2].spirv = kernels[2].spirv.first(8);
  program.kernels = kernels;
  try {
    load(program);
    FAIL("it was loaded");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::internal);
    CHECK(std::string(error.what()) == "kernel " + std::string(kernels[2].name) + ": 8 bytes are no SPIR-V");
  }
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
    CHECK(holds(*engine, prompt, expected, 12));
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

TEST_CASE("logits that are no numbers are refused by every call") {
  need_device();
  // The head's row of token 5 is no number, so that its logit is none whatever the input.
  std::vector<float> table(static_cast<std::size_t>(toy_vocab_size * toy_hidden_size), 0.5f);
  table[5 * toy_hidden_size + 2] = std::numeric_limits<float>::quiet_NaN();
  std::vector<tests::TensorText> tensors = {
      {"embed.weight", "F32", {toy_vocab_size, toy_hidden_size}, tests::bytes_of(table)}};
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
                           std::function([&] { engine->generate(prompt, 9, {0.7f, 0, 1, 3}, nullptr); }),
                           std::function([&] { engine->generate(prompt, 9, penalizing(), nullptr); })}) {
    try {
      call();
      FAIL("it was accepted");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::rejected);
      CHECK(std::string(error.what()).find("--scan-nan") != std::string::npos);
    }
  }
}
