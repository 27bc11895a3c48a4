// Slots of the reference that are copied, saved and restored: a copy has what was computed, what is restored is
// computed again.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include "runtime/engine/slot_file.hpp"
#include "runtime/reference/reference_engine.hpp"
#include "tests/runtime/reference/example_programs.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

const std::vector<std::int32_t> prompt{3, 29, 0, 17, 17, 5, 22, 9, 30, 1};

/// Passes of every reference of this sort: slot, tokens, first position, length.
std::vector<std::tuple<std::int64_t, std::vector<std::int32_t>, std::int64_t, std::int64_t>> passes;

/// What follows a sequence depends on every token of it and on the length that each was run with.
class Remembering final : public Reference {
 public:
  std::vector<double> layers(std::int64_t slot, std::span<const std::int32_t> tokens, std::int64_t first,
                             std::int64_t length, std::vector<std::vector<double>>*,
                             std::span<const std::int32_t> = {}) override {
    passes.push_back({slot, {tokens.begin(), tokens.end()}, first, length});
    auto& sums = slots_.at(static_cast<std::size_t>(slot));
    sums.resize(static_cast<std::size_t>(first));
    std::vector<double> hidden;
    for (const std::int32_t token : tokens) {
      const double before = sums.empty() ? 1 : sums.back();
      sums.push_back(std::fmod(before * 31 + token + 0.25 * static_cast<double>(length), 9973));
      hidden.push_back(sums.back());
    }
    return hidden;
  }
  std::vector<double> head(std::span<const double> hidden, std::span<const std::int64_t> rows) override {
    std::vector<double> logits(static_cast<std::size_t>(llama_program().vocab_size));
    logits[static_cast<std::size_t>(hidden[static_cast<std::size_t>(rows.front())]) % logits.size()] =
        hidden[static_cast<std::size_t>(rows.front())];
    return logits;
  }
  void copy(std::int64_t from, std::int64_t to) override {
    slots_[static_cast<std::size_t>(to)] = slots_[static_cast<std::size_t>(from)];
  }

 private:
  std::vector<std::vector<double>> slots_ = std::vector<std::vector<double>>(8);
};

Program remembering_program() {
  Program program = llama_program();
  program.max_batch = 8;
  program.max_sequence_length = 600;
  program.make_reference = [](const HostWeights&) -> std::unique_ptr<Reference> {
    return std::make_unique<Remembering>();
  };
  return program;
}

std::vector<float> logits_after(Engine& engine, std::int64_t slot) {
  const auto logits = engine.prefill(std::vector<std::int32_t>{8, 2, 4}, slot);
  std::vector<float> all(logits.begin(), logits.end());
  const auto next = engine.decode(9, slot);
  all.insert(all.end(), next.begin(), next.end());
  return all;
}

std::string refusal(Engine& engine, std::int64_t slot, std::span<const std::byte> bytes) {
  const std::vector<std::int32_t> before(engine.sequence(slot).begin(), engine.sequence(slot).end());
  std::string message;
  try {
    engine.restore(slot, bytes);
    return "it was taken";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::rejected);
    message = error.what();
  }
  CHECK(std::ranges::equal(engine.sequence(slot), before));
  return message;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a copy in the reference goes on as a slot that has computed the same tokens") {
  for (const Program& program : {llama_program(), gpt2_program()}) {
    ReferenceEngine engine(program, HostWeights::random(program, 5)), alone(program, HostWeights::random(program, 5));
    alone.prefill(std::span(prompt).first(6));
    const auto expected = logits_after(alone, 0);
    engine.prefill(prompt, 0);
    engine.prefill(std::span(prompt).last(3), 1);
    CHECK(engine.copy(0, 1, 6) == 6);
    CHECK(std::ranges::equal(engine.sequence(1), std::span(prompt).first(6)));
    CHECK(logits_after(engine, 1) == expected);
    CHECK(engine.rewind(0, 6) == 6);
    CHECK(logits_after(engine, 0) == expected);
    CHECK(engine.copy(1, 1, 6) == 6);
    CHECK(logits_after(engine, 1) == expected);
  }
}

TEST_CASE("500 tokens that eight slots begin with are computed once") {
  const Program program = remembering_program();
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  std::vector<std::int32_t> tokens;
  for (std::int32_t i = 0; i < 500; ++i) tokens.push_back(i * 7 % 37);
  passes.clear();
  engine.prefill(tokens);
  std::size_t computed = 0;
  for (std::int64_t slot = 1; slot < 8; ++slot) CHECK(engine.copy(0, slot, 500) == 500);
  for (const auto& pass : passes) computed += std::get<1>(pass).size();
  CHECK(computed == 500);
  const auto expected = logits_after(engine, 0);
  for (std::int64_t slot = 1; slot < 8; ++slot) CHECK(logits_after(engine, slot) == expected);
}

TEST_CASE("a copy's angles, and a restored slot's, are of the length that the source had") {
  static constexpr float frequencies[] = {1}, of_longer[] = {0.5f};
  static const RotaryAngles angles[] = {
      {{}, 0, {.frequencies = frequencies, .original_length = 12, .of_longer = of_longer}}};
  Program program = remembering_program();
  program.rotary_angles = angles;
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  engine.prefill(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
  engine.copy(0, 1, 6);
  engine.restore(2, engine.save(0));
  engine.rewind(2, 6);
  for (const std::int64_t slot : {1, 2}) {
    passes.clear();
    engine.decode(15, slot);  // 7 tokens have the angles of short sequences again: all of them
    const std::vector<std::tuple<std::int64_t, std::vector<std::int32_t>, std::int64_t, std::int64_t>> expected = {
        {slot, {1, 2, 3, 4}, 0, 7}, {slot, {5, 6}, 4, 7}, {slot, {15}, 6, 7}};
    CHECK(passes == expected);
  }
}

TEST_CASE("of a text that is one pass nothing serves another text") {
  Program program = llama_program();
  program.one_pass = true;
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  engine.prefill(std::span(prompt).first(4));
  CHECK(engine.rewind_to_common(0, std::span(prompt).first(3)) == 0);
  CHECK(engine.position() == 0);
}

TEST_CASE("a slot that the reference saved is run again with the lengths that its tokens had") {
  const Program program = remembering_program();
  const tests::TemporaryDirectory directory;
  const std::string path = (directory.path() / "slot").string();
  ReferenceEngine engine(program, HostWeights::random(program, 5)), other(program, HostWeights::random(program, 5));
  engine.prefill(prompt, 3);
  engine.decode(4, 3);
  engine.decode(5, 3);
  engine.prefill(std::span(prompt).first(2), 3);
  engine.rewind(3, 13);
  engine.save_file(3, path);
  passes.clear();
  other.prefill(prompt, 1);
  passes.clear();
  other.restore_file(1, path);
  using Tokens = std::vector<std::int32_t>;
  const std::vector<std::tuple<std::int64_t, Tokens, std::int64_t, std::int64_t>> expected = {
      {1, {3, 29, 0, 17}, 0, 10}, {1, {17, 5, 22, 9}, 4, 10}, {1, {30, 1}, 8, 10},
      {1, {4}, 10, 11},           {1, {5}, 11, 12},           {1, {3}, 12, 14}};
  CHECK(passes == expected);
  CHECK(std::ranges::equal(other.sequence(1), engine.sequence(3)));
  CHECK(logits_after(other, 1) == logits_after(engine, 3));
  CHECK(engine.copy(3, 2, 11) == 11);
  CHECK(read_slot(engine.save(2)).states.size() == 11 * sizeof(std::int64_t));
}

TEST_CASE("the reference, too, refuses a saved slot that was changed, cut or another's, and keeps its own") {
  const Program program = llama_program();
  ReferenceEngine engine(program, HostWeights::random(program, 5));
  engine.prefill(prompt, 0);
  const auto bytes = engine.save(0);
  engine.prefill(std::span(prompt).last(4), 1);
  std::mt19937 generator(6);
  for (int i = 0; i < 1000; ++i) {
    auto changed = bytes;
    changed[generator() % bytes.size()] ^= static_cast<std::byte>(1 + generator() % 255);
    REQUIRE(refusal(engine, 1, changed) != "it was taken");
  }
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    REQUIRE(refusal(engine, 1, std::span(bytes).first(length)) != "it was taken");
  }
  SlotFile slot = read_slot(bytes);
  slot.facts.front().second = "vulkan";
  CHECK(contains(refusal(engine, 1, write_slot(slot)), "the kind of engine is vulkan, here it is reference"));
  ReferenceEngine stranger(program, HostWeights::random(program, 6));
  CHECK(contains(refusal(stranger, 1, bytes), "the weights' fingerprint is"));
  slot = read_slot(bytes);
  slot.states.pop_back();
  CHECK(contains(refusal(engine, 1, write_slot(slot)), "lengths is not that of its 10 tokens"));
  slot = read_slot(bytes);
  slot.states[7] = std::byte{0x7f};
  CHECK(contains(refusal(engine, 1, write_slot(slot)), "lengths is not that of its 10 tokens"));
  ReferenceEngine alone(program, HostWeights::random(program, 5));
  alone.prefill(std::span(prompt).last(4));
  CHECK(logits_after(engine, 1) == logits_after(alone, 0));
  CHECK(refusal(alone, 1, bytes) == "it was taken");
}
