// An engine whose logits are a hash of the sequence, those of make_beam_goldens.py. Its states are the tokens that it
// was given, so that a copy that was not made, or was made too late, changes what it answers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/engine/engine.hpp"

namespace monomorph::test {

constexpr std::int64_t table_vocab_size = 24;
constexpr std::int64_t table_slots = 5;
constexpr std::uint32_t table_stop_tokens[] = {3, 17};

inline Program table_program() {
  Program program{};
  program.name = "table";
  program.vocab_size = program.output_size = table_vocab_size;
  program.max_sequence_length = 40;
  program.max_source_length = 0;
  program.prefill_chunk = 8;
  program.max_batch = table_slots;
  program.decode_steps = 4;
  program.eos_tokens = table_stop_tokens;
  return program;
}

class TableEngine final : public Engine {
 public:
  using Engine::Engine;
  std::int64_t most_ahead() const override { return 4; }
  std::vector<float> read_hidden_states(std::int64_t) override { return {}; }

  std::int64_t passes = 0, rows = 0, copies = 0, sources = 0;

 protected:
  std::span<const Drawn> run_step(std::span<const Run> runs, std::int64_t, const OnLogits& on_logits) override {
    ++passes;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const Run& run = runs[r];
      std::vector<std::int32_t>& state = states_[static_cast<std::size_t>(run.slot)];
      state.resize(static_cast<std::size_t>(position(run.slot)));
      state.insert(state.end(), run.tokens.begin(), run.tokens.end());
      has_written(run.slot, run.tokens);
      ++rows;
      if (on_logits && run.logits != Logits::none) on_logits(r, std::ssize(run.tokens) - 1, logits_after(state));
    }
    return {};
  }
  void run_encode(std::span<const Source> read) override { sources += std::ssize(read); }
  StatesOwner states_owner() const override { return {"table"}; }
  void copy_states(const HeldStates& from, std::int64_t to) override {
    ++copies;
    states_[static_cast<std::size_t>(to)] = states_[static_cast<std::size_t>(from.slot)];
  }
  std::vector<std::byte> save_states(const HeldStates&) override { return {}; }
  void restore_states(const HeldStates&, std::span<const std::int32_t>, std::span<const std::int32_t>,
                      std::span<const std::byte>) override {}

 private:
  static float logit(std::uint32_t token, const std::vector<std::int32_t>& sequence) {
    const std::size_t length = sequence.size();
    const auto last = static_cast<std::uint32_t>(sequence[length - 1]);
    const auto before = length > 1 ? static_cast<std::uint32_t>(sequence[length - 2]) : 0;
    std::uint32_t x =
        token * 2654435761u + last * (40503u * 65537u) + before * 97003u + static_cast<std::uint32_t>(length) * 31337u;
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    x ^= x >> 12;
    x *= 0x297a2d39u;
    x ^= x >> 15;
    const bool stops = token == table_stop_tokens[0] || token == table_stop_tokens[1];
    return static_cast<float>(x & 0xfffffu) / 131072 + (stops ? 0.5f : 0);
  }
  static std::vector<float> logits_after(const std::vector<std::int32_t>& sequence) {
    std::vector<float> logits;
    for (std::uint32_t token = 0; token < table_vocab_size; ++token) logits.push_back(logit(token, sequence));
    return logits;
  }

  std::vector<std::vector<std::int32_t>> states_ = std::vector<std::vector<std::int32_t>>(table_slots);
};

}  // namespace monomorph::test
