// Slots that are copied, saved and restored on a device; what a saved slot is refused for.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "runtime/engine/slot_file.hpp"
#include "tests/runtime/vulkan/toy_engine.hpp"
#include "tests/support/files.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

/// Logits of a few tokens appended to a slot, by prefill and by decode.
std::vector<float> logits_after(Engine& engine, std::int64_t slot) {
  std::vector<float> all;
  const auto tokens = some_tokens(40);
  engine.prefill_all(
      std::span(tokens).last(5), [&](std::span<const float> row) { all.insert(all.end(), row.begin(), row.end()); },
      slot);
  const auto next = engine.decode(3, slot);
  all.insert(all.end(), next.begin(), next.end());
  return all;
}

std::vector<std::int32_t> sequence_of(const Engine& engine, std::int64_t slot) {
  const auto sequence = engine.sequence(slot);
  return {sequence.begin(), sequence.end()};
}

/// The message that restoring these bytes fails with, whereupon the slot is as it was; or that it did not fail.
std::string refusal(Engine& engine, std::int64_t slot, std::span<const std::byte> bytes) {
  const auto before = sequence_of(engine, slot);
  std::string message;
  try {
    engine.restore(slot, bytes);
    return "it was taken";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::rejected);
    message = error.what();
  }
  CHECK(sequence_of(engine, slot) == before);
  return message;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a copy goes on as a slot that has computed the same tokens, and neither changes the other") {
  LoadOptions options;
  SUBCASE("memory that the device shares") {}
  SUBCASE("memory the host cannot map") { options.limits.staging = true; }
  SUBCASE("a buffer for each layer") { options.limits.separate_buffers = true; }
  const auto engine = load(toy_program(), options);
  const auto tokens = some_tokens(30);
  engine->prefill(std::span(tokens).first(15), 1);
  const auto expected = logits_after(*engine, 1);
  engine->prefill(tokens, 0);
  engine->prefill(std::span(tokens).last(20), 2);

  CHECK(engine->copy(0, 2, 15) == 15);
  CHECK(std::ranges::equal(engine->sequence(2), std::span(tokens).first(15)));
  CHECK(std::ranges::equal(engine->sequence(0), tokens));
  CHECK(logits_after(*engine, 2) == expected);
  CHECK(engine->rewind(0, 15) == 15);
  CHECK(logits_after(*engine, 0) == expected);
  CHECK(engine->rewind(1, 15) == 15);
  CHECK(logits_after(*engine, 1) == expected);

  // More than there is, onto itself, nothing, and slots that are not there.
  CHECK(engine->copy(0, 1, 99) == engine->position(0));
  CHECK(engine->copy(1, 1, 15) == 15);
  CHECK(logits_after(*engine, 1) == expected);
  CHECK(engine->copy(0, 1, 0) == 0);
  CHECK(engine->position(1) == 0);
  CHECK(engine->copy(0, 1, -3) == 0);
  CHECK_THROWS_AS(engine->copy(0, toy_max_batch, 1), Error);
  CHECK_THROWS_AS(engine->copy(-1, 0, 1), Error);
}

TEST_CASE("a copy draws as its own slot was told to, and has drawn nothing") {
  const auto engine = load(toy_program());
  const auto prompt = some_tokens(9);
  engine->generate(prompt, 12, penalizing(), nullptr, 0);
  const auto tokens = sequence_of(*engine, 0);
  const auto drawn_by = [&](std::int64_t slot) {
    const auto last = std::span(tokens).last(1);
    engine->set_sampling(slot, penalizing(), toy_max_sequence_length);
    const Run run{slot, last, Logits::none, true};
    const auto drawn = engine->step({&run, 1}, 6).front().tokens;
    return std::vector<std::int32_t>(drawn.begin(), drawn.end());
  };
  engine->copy(0, 1, engine->position(0) - 1);
  engine->prefill(std::span(tokens).first(tokens.size() - 1), 2);
  CHECK(drawn_by(1) == drawn_by(2));
}

TEST_CASE("a prefix that several slots begin with is computed once") {
  LoadOptions options;
  options.profile = true;
  std::unique_ptr<Engine> engine;
  try {
    engine = load(toy_program(), options);
  } catch (const Error& error) {
    MESSAGE(error.what());  // a device without timestamps
    REQUIRE(contains(error.what(), "timestamps"));
    return;
  }
  engine->prefill(some_tokens(48));
  auto& profiled = dynamic_cast<ProfiledEngine&>(*engine);
  profiled.reset_profile();
  for (std::int64_t slot = 1; slot < toy_max_batch; ++slot) CHECK(engine->copy(0, slot, 48) == 48);
  CHECK(profiled.profile().empty());
  engine->decode(5, 0);
  engine->decode(5, 2);
  const auto profile = profiled.profile();
  const auto decoded =
      std::ranges::find_if(profile, [](const KernelProfile& kernel) { return kernel.name == "remember_decode"; });
  REQUIRE(decoded != profile.end());
  CHECK(decoded->calls == 2 * toy_layers);
  CHECK(std::ranges::none_of(profile, [](const KernelProfile& kernel) { return kernel.name == "remember_prefill"; }));
}

TEST_CASE("of a ring a copy has what its source has, and is told where that is not enough") {
  StateTable state = toy_program().states.front();
  state.kind = StateKind::ring;
  state.recent = 9;
  state.entries = state.recent + toy_prefill_chunk - 1;
  Program program = toy_program();
  program.states = {&state, 1};
  const auto engine = load(program);
  const auto tokens = some_tokens(40);
  engine->prefill(tokens, 0);
  CHECK(engine->copy(0, 1, 40 - toy_prefill_chunk) == 40 - toy_prefill_chunk);
  CHECK(engine->rewind(1, 40 - toy_prefill_chunk - 1) == 0);  // what the copy cannot have
  engine->decode(1, 1);
  CHECK(engine->copy(0, 1, 40 - toy_prefill_chunk - 1) == 0);
  CHECK(engine->position(1) == 0);
  CHECK(engine->position(0) == 40);

  engine->rewind(0, 40 - toy_prefill_chunk);
  const auto bytes = engine->save(0);
  engine->restore(2, bytes);
  CHECK(engine->rewind(2, 40 - toy_prefill_chunk) == 40 - toy_prefill_chunk);
  CHECK(engine->rewind(2, 40 - toy_prefill_chunk - 1) == 0);
}

TEST_CASE("going back to what is common leaves the last token to be appended") {
  const auto engine = load(toy_program());
  const auto tokens = some_tokens(20);
  const auto common = [&](std::span<const std::int32_t> other) {
    engine->reset();
    engine->prefill(tokens);
    const std::int64_t kept = engine->rewind_to_common(0, other);
    CHECK(engine->position() == kept);
    return kept;
  };
  auto other = some_tokens(30);
  CHECK(common(other) == 20);
  CHECK(common(tokens) == 19);
  CHECK(common(std::span(tokens).first(7)) == 6);
  other[11] = 999 - other[11];
  CHECK(common(other) == 11);
  other[0] = 999 - other[0];
  CHECK(common(other) == 0);
  CHECK(common({}) == 0);
  CHECK_THROWS_AS(engine->rewind_to_common(toy_max_batch, tokens), Error);
}

TEST_CASE("a slot that was saved goes on in another engine, in any slot, as it did") {
  LoadOptions options;
  SUBCASE("memory that the device shares") {}
  SUBCASE("memory the host cannot map") { options.limits.staging = true; }
  const tests::TemporaryDirectory directory;
  const std::string path = (directory.path() / "slot").string();
  const auto tokens = some_tokens(25);
  std::vector<float> expected;
  std::vector<std::int32_t> drawn;
  {
    const auto engine = load(toy_program(), options);
    engine->prefill(tokens, 2);
    engine->rewind(2, 22);
    engine->save_file(2, path);
    expected = logits_after(*engine, 2);
    drawn = engine->generate(std::span(tokens).first(1), 9, {}, nullptr, 2).tokens;
  }
  const auto engine = load(toy_program());
  engine->prefill(std::span(tokens).last(9), 1);
  engine->restore_file(1, path);
  CHECK(std::ranges::equal(engine->sequence(1), std::span(tokens).first(22)));
  CHECK(logits_after(*engine, 1) == expected);
  CHECK(engine->generate(std::span(tokens).first(1), 9, {}, nullptr, 1).tokens == drawn);
  // A slot that has nothing is one as well.
  engine->restore(1, engine->save(0));
  CHECK(engine->position(1) == 0);
  CHECK_THROWS_AS(engine->save(toy_max_batch), Error);
  CHECK_THROWS_AS(engine->restore(toy_max_batch, engine->save(0)), Error);
}

TEST_CASE("the file has the rows that hold something, and no others") {
  const auto engine = load(toy_program());
  const auto bytes = [&](std::size_t tokens) {
    engine->reset();
    engine->prefill(some_tokens(tokens));
    return engine->save(0).size();
  };
  const std::int64_t each = static_cast<std::int64_t>(bytes(31)) - static_cast<std::int64_t>(bytes(30));
  CHECK(each == state_bytes_per_token(toy_program().states) + static_cast<std::int64_t>(sizeof(std::int32_t)));
}

TEST_CASE("a saved slot with any byte changed, or cut anywhere, is refused and the slot is as it was") {
  const auto engine = load(toy_program());
  engine->prefill(some_tokens(20), 1);
  const auto bytes = engine->save(1);
  engine->prefill(some_tokens(7), 0);
  REQUIRE(bytes.size() > 1000);
  std::mt19937 generator(5);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto changed = bytes;
    changed[i] ^= static_cast<std::byte>(1 + generator() % 255);
    CAPTURE(i);
    REQUIRE_FALSE(contains(refusal(*engine, 0, changed), "it was taken"));
  }
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CAPTURE(length);
    REQUIRE_FALSE(contains(refusal(*engine, 0, std::span(bytes).first(length)), "it was taken"));
  }
  auto longer = bytes;
  longer.push_back({});
  CHECK(contains(refusal(*engine, 0, longer), "cut or has grown"));
  CHECK(contains(refusal(*engine, 0, std::span(bytes).first(100)), "cut or has grown: it has 100 bytes"));
  CHECK(contains(refusal(*engine, 0, std::span(bytes).first(20)), "cut: it has 20 bytes"));
  CHECK(contains(refusal(*engine, 0, {}), "0 bytes are no saved slot"));
  auto changed = bytes;
  changed.back() ^= std::byte{1};
  CHECK(contains(refusal(*engine, 0, changed), "changed"));
  changed = bytes;
  changed[8] = std::byte{slot_file_version + 1};
  CHECK(contains(refusal(*engine, 0, changed), fmt::format("version {} of the format, and this engine reads {}; take",
                                                           slot_file_version + 1, slot_file_version)));

  const auto after = logits_after(*engine, 0);
  engine->reset(2);
  engine->prefill(some_tokens(7), 2);
  CHECK(logits_after(*engine, 2) == after);
  engine->restore(2, bytes);
  CHECK(std::ranges::equal(engine->sequence(2), some_tokens(20)));
}

TEST_CASE("another engine's slot is refused, and told what differs") {
  const auto engine = load(toy_program());
  engine->prefill(some_tokens(20));
  const auto bytes = engine->save(0);
  const auto refused_by = [&](const Program& program, std::uint64_t random_seed = seed) {
    LoadOptions options;
    options.random_weights = true;
    options.random_seed = random_seed;
    return refusal(*load_engine(program, options), 1, bytes);
  };
  CHECK(refused_by(toy_program()) == "it was taken");
  const std::string weights = refused_by(toy_program(), seed + 1);
  CHECK(contains(weights, "the saved slot is another engine's: the weights' fingerprint is "));
  CHECK_FALSE(contains(weights, "; the"));
  Program program = toy_program();
  program.name = "joy";
  program.spec_hash = "other";
  program.version = "1";
  const std::string other = refused_by(program);
  CHECK(contains(other,
                 "the model is toy, here it is joy; the spec hash is toy, here it is other; the generator's "
                 "version is 0, here it is 1; restore it there"));
  StateTable state = toy_program().states.front();
  state.entries = 60;
  program = toy_program();
  program.states = {&state, 1};
  CHECK(contains(refused_by(program),
                 "the layout of states is sums f32 growing 2x1x64 rows of 32 bytes, here it is sums f32 growing "
                 "2x1x60 rows of 32 bytes"));
  SlotFile slot = read_slot(bytes);
  slot.facts.front().second = "reference";
  CHECK(contains(refusal(*engine, 1, write_slot(slot)), "the kind of engine is reference, here it is vulkan"));
  slot.facts.pop_back();
  CHECK(contains(refusal(*engine, 1, write_slot(slot)), "the weights' fingerprint is not said"));
}

TEST_CASE("a slot that no engine has saved is refused, though its hash is right") {
  const auto engine = load(toy_program());
  engine->prefill(some_tokens(20));
  const SlotFile sound = read_slot(engine->save(0));
  REQUIRE(refusal(*load(toy_program()), 1, write_slot(sound)) == "it was taken");
  const auto refused = [&](auto change) {
    SlotFile slot = sound;
    change(slot);
    return refusal(*engine, 1, write_slot(slot));
  };
  CHECK(contains(refused([](SlotFile& slot) { slot.tokens.resize(toy_max_sequence_length + 1); }),
                 "65 tokens, and max_sequence_length of toy is 64"));
  CHECK(contains(refused([](SlotFile& slot) { slot.tokens[3] = toy_vocab_size; }), "token 1000 (number 4 of 20)"));
  CHECK(contains(refused([](SlotFile& slot) { slot.tokens[3] = -1; }), "token -1"));
  CHECK(contains(refused([](SlotFile& slot) { slot.furthest = 19; }), "contradicts itself"));
  CHECK(contains(refused([](SlotFile& slot) { slot.furthest = toy_max_sequence_length + 1; }), "contradicts itself"));
  CHECK(contains(refused([](SlotFile& slot) { slot.length = -1; }), "contradicts itself"));
  CHECK(contains(refused([](SlotFile& slot) { slot.states.pop_back(); }), "1279 bytes of states, and 20 tokens have"));
  CHECK(contains(refused([](SlotFile& slot) { slot.tokens.pop_back(); }), "1280 bytes of states, and 19 tokens have"));
}

TEST_CASE("a file that cannot be written whole is not there, and an older one is as it was") {
  const auto engine = load(toy_program());
  engine->prefill(some_tokens(20));
  CHECK_THROWS_WITH_AS(engine->save_file(0, "/dev/full"), doctest::Contains("/dev/full: cannot write: No space left"),
                       Error);
  const tests::TemporaryDirectory directory;
  const std::string path = (directory.path() / "slot").string();
  engine->save_file(0, path);
  const std::string before = tests::read_file(path);
  engine->decode(5);
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{512, limit.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto fails = [&](const std::string& file) {
    try {
      engine->save_file(0, file);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string old_file = fails(path), new_file = fails(path + "2");
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  CHECK(contains(old_file, path + ": cannot write: File too large"));
  CHECK(contains(new_file, path + "2: cannot write: File too large"));
  CHECK(tests::entries(directory.path()) == 1);
  CHECK(tests::read_file(path) == before);
  engine->restore_file(1, path);
  CHECK(engine->position(1) == 20);

  const std::string other = directory.write("text", "some text that is no slot");
  CHECK_THROWS_WITH_AS(engine->restore_file(1, other), doctest::Contains("text: 25 bytes are no saved slot"), Error);
  CHECK_THROWS_WITH_AS(engine->restore_file(1, other + "3"), doctest::Contains("text3: cannot open"), Error);
  CHECK(engine->position(1) == 20);
}
