// A program whose reference counts: after token t, the likeliest token is t + 1 (after the last, 0). Enough of a
// program for every command that needs no device.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "runtime/program.hpp"

namespace monomorph::tests {

inline constexpr std::int64_t counting_vocab_size = 430;

/// Called before each forward pass.
inline std::function<void(std::span<const std::int32_t> tokens)> on_forward;

class CountingReference final : public Reference {
 public:
  std::vector<double> forward(std::span<const std::int32_t> tokens, std::int64_t,
                              std::vector<std::vector<double>>*) override {
    if (on_forward) on_forward(tokens);
    std::vector<double> logits(tokens.size() * counting_vocab_size);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      logits[i * counting_vocab_size + static_cast<std::size_t>((tokens[i] + 1) % counting_vocab_size)] = 9;
    }
    return logits;
  }
};

inline Program counting_program() {
  static constexpr std::array patterns{
      TensorPattern{"embedding.tokens", Dtype::f16, Dtype::f16, counting_vocab_size, 8, 1, {}}};
  static constexpr std::array groups{TensorGroup{patterns, {}}};
  static constexpr std::array<std::uint32_t, 1> eos_tokens{100};
  static constexpr std::array<std::byte, 4> spirv{};
  static constexpr std::array kernels{Kernel{"embed", KernelKind::embed, spirv, {}, {0, 16, 0, 0, 0}, 1},
                                      Kernel{"layer", KernelKind::matvec, spirv, {}, {32, 0, 0, 64, 0}, 1}};
  Program program{};
  program.name = "counting";
  program.version = "0.1.0";
  program.spec_hash = "0123456789abcdef";
  program.vocab_size = counting_vocab_size;
  program.hidden_size = 8;
  program.num_hidden_layers = 2;
  program.max_sequence_length = 40;
  program.prefill_chunk = 16;
  program.decode_steps = 8;
  program.total_parameters = counting_vocab_size * 8;
  program.flops_per_token = 1000;
  program.cache_bytes_per_token = 64;
  program.kernels = kernels;
  program.tensors = groups;
  program.eos_tokens = eos_tokens;
  program.decode = program.prefill = [](Recorder& record) {
    record.dispatch(0, {}, counting_vocab_size, 1);
    for (std::int64_t layer = 0; layer < 2; ++layer) {
      record.dispatch(1, {}, 10, 1);
      record.dispatch(1, {}, 10, 1);
      record.dispatch(1, {}, 10, 1);
      record.end_of_layer(layer, {});
    }
  };
  program.head = program.sample = [](Recorder& record) { record.dispatch(1, {}, 5, 1); };
  program.make_reference = [](const HostWeights&) -> std::unique_ptr<Reference> {
    return std::make_unique<CountingReference>();
  };
  return program;
}

}  // namespace monomorph::tests
