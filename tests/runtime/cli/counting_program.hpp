// A program whose reference counts: after token t, the likeliest token is t + 1 (after the last, 0). Enough of a
// program for every command that needs no device.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "runtime/cpu/backend.hpp"
#include "runtime/program/program.hpp"
#include "runtime/vulkan/backend.hpp"

namespace monomorph::tests {

inline constexpr std::int64_t counting_vocab_size = 430;

/// Called before each forward pass.
inline std::function<void(std::span<const std::int32_t> tokens)> on_forward;

class CountingReference final : public Reference {
 public:
  /// A hidden state is the token, eight times.
  std::vector<double> layers(std::int64_t, std::span<const std::int32_t> tokens, std::int64_t, std::int64_t,
                             std::vector<std::vector<double>>*, std::span<const std::int32_t> = {}) override {
    if (on_forward) on_forward(tokens);
    std::vector<double> hidden;
    for (const std::int32_t token : tokens) hidden.insert(hidden.end(), 8, token);
    return hidden;
  }
  std::vector<double> head(std::span<const double> hidden, std::span<const std::int64_t> rows) override {
    std::vector<double> logits(rows.size() * counting_vocab_size);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto next = static_cast<std::size_t>(hidden[static_cast<std::size_t>(8 * rows[i])]) + 1;
      logits[i * counting_vocab_size + next % counting_vocab_size] = 9;
    }
    return logits;
  }
};

inline Program counting_program() {
  static constexpr std::array weights{WeightPattern{"embedding.tokens", Dtype::f16, counting_vocab_size, 8, {}}};
  static constexpr std::array pieces{StoredPiece{0, counting_vocab_size}};
  static constexpr std::array stored{StoredPattern{"embedding::tokens", Dtype::f16, counting_vocab_size, 8, pieces}};
  static constexpr std::array groups{WeightGroup{weights, stored, {}}};
  static constexpr std::array states{
      StateTable{"keys", StateKind::growing, 2, 1, 1, 40, 32, 1280, {Arena::states, 0, 1280}}};
  static constexpr std::array<std::uint32_t, 1> eos_tokens{100};
  static constexpr std::array<std::byte, 4> spirv{};
  static constexpr std::array kernels{Kernel{"embed", KernelKind::gather, spirv, {}, {0, 16, 0, 0, 0}, 1},
                                      Kernel{"layer", KernelKind::matvec, spirv, {}, {32, 0, 0, 64, 0}, 1},
                                      Kernel{"attention", KernelKind::attention, spirv, {}, {0, 0, 32, 0, 64}, 1}};
  Program program{};
  program.name = "counting";
  program.cpp_name = "model_counting";
  program.version = "0.1.0";
  program.spec_hash = "0123456789abcdef";
  program.vocab_size = counting_vocab_size;
  program.output_size = counting_vocab_size;
  program.hidden_size = 8;
  program.num_hidden_layers = 2;
  program.max_sequence_length = 40;
  program.prefill_chunk = 16;
  program.decode_steps = 8;
  program.total_parameters = counting_vocab_size * 8;
  program.flops_per_token = 1000;
  program.max_batch = 1;
  program.head_rows = 1;
  static const std::array<const Backend*, 2> backends{&vulkan::backend(), &cpu::backend()};
  program.backends = backends;
  program.kernels = kernels;
  program.weights = groups;
  program.states = states;
  program.eos_tokens = eos_tokens;
  const auto layers = [](Recorder& record) {
    record.dispatch(0, {}, counting_vocab_size);
    for (std::int64_t layer = 0; layer < 2; ++layer) {
      record.dispatch(1, {}, 10);
      record.dispatch(1, {}, 10);
      record.dispatch(1, {}, 10);
      record.dispatch(2, {}, 1);
      record.end_of_layer(layer, {});
    }
  };
  const auto rest = [](Recorder& record) { record.dispatch(1, {}, 5); };
  program.phases = {{"decode", Stage::layers, Lowering::vector, 1, layers},
                    {"prefill", Stage::layers, Lowering::tiles, 16, layers},
                    {"head", Stage::head, Lowering::vector, 1, rest},
                    {"sample", Stage::sample, Lowering::vector, 1, rest}};
  program.make_reference = [](const HostWeights&) -> std::unique_ptr<Reference> {
    return std::make_unique<CountingReference>();
  };
  return program;
}

}  // namespace monomorph::tests
