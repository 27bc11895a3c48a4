// The two models written by hand as programs with random weights: what a CPU engine needs of a Program.
#pragma once

#include <array>
#include <memory>

#include "tests/runtime/reference/example_gpt2.hpp"
#include "tests/runtime/reference/example_llama.hpp"

namespace monomorph::test {

/// A weight that random weights fill: the checkpoint's side is empty.
constexpr WeightPattern matrix(const char* name, std::int64_t rows, std::int64_t columns, Dtype dtype = Dtype::f32) {
  return {name, dtype, rows, columns, {}};
}
constexpr WeightPattern vector(const char* name, std::int64_t elements) {
  return {name, Dtype::f32, 1, elements, {}, true};
}

inline Program llama_program() {
  using namespace example_llama;
  static const std::array once{matrix("embed_tokens", vocab::size, hidden::size, Dtype::f16),
                               vector("norm", hidden::size)};
  static const std::array layer{
      vector("input_layernorm", hidden::size),
      matrix("q_proj", q::size, hidden::size, Dtype::bf16),
      matrix("k_proj", kv::size, hidden::size, Dtype::bf16),
      matrix("v_proj", kv::size, hidden::size, Dtype::bf16),
      vector("q_bias", q::size),
      vector("k_bias", kv::size),
      vector("v_bias", kv::size),
      vector("q_norm", head_dim::size),
      vector("k_norm", head_dim::size),
      matrix("o_proj", hidden::size, q::size),
      vector("post_attention_layernorm", hidden::size),
      matrix("gate_proj", intermediate::size, hidden::size),
      matrix("up_proj", intermediate::size, hidden::size),
      matrix("down_proj", hidden::size, intermediate::size),
  };
  static constexpr std::int32_t layers[] = {0, 1};
  static const std::array groups{WeightGroup{once, {}, {}}, WeightGroup{layer, {}, layers}};
  static constexpr std::uint32_t eos_tokens[] = {36};
  Program program{};
  program.name = "example_llama";
  program.vocab_size = vocab::size;
  program.output_size = vocab::size;
  program.hidden_size = hidden::size;
  program.num_hidden_layers = num_hidden_layers;
  program.max_sequence_length = 20;
  program.prefill_chunk = 4;
  program.max_batch = 2;
  program.head_rows = 2;
  program.decode_steps = 8;
  program.weights = groups;
  program.eos_tokens = eos_tokens;
  program.make_reference = [](const HostWeights& weights) -> std::unique_ptr<monomorph::Reference> {
    return std::make_unique<example_llama::Reference>(weights);
  };
  return program;
}

inline Program gpt2_program() {
  using namespace example_gpt2;
  static const std::array once{matrix("embed_tokens", vocab::size, hidden::size),
                               matrix("embed_positions", positions::size, hidden::size), vector("norm", hidden::size),
                               vector("norm_bias", hidden::size), matrix("lm_head", vocab::size, hidden::size)};
  static const std::array layer{
      vector("input_layernorm", hidden::size),
      vector("input_layernorm_bias", hidden::size),
      matrix("q_proj", hidden::size, hidden::size),
      matrix("k_proj", hidden::size, hidden::size),
      matrix("v_proj", hidden::size, hidden::size),
      vector("q_bias", hidden::size),
      vector("k_bias", hidden::size),
      vector("v_bias", hidden::size),
      matrix("o_proj", hidden::size, hidden::size),
      vector("o_bias", hidden::size),
      vector("post_attention_layernorm", hidden::size),
      vector("post_attention_layernorm_bias", hidden::size),
      matrix("up_proj", intermediate::size, hidden::size),
      vector("up_bias", intermediate::size),
      matrix("down_proj", hidden::size, intermediate::size),
      vector("down_bias", hidden::size),
  };
  static constexpr std::int32_t layers[] = {0};
  static const std::array groups{WeightGroup{once, {}, {}}, WeightGroup{layer, {}, layers}};
  Program program{};
  program.name = "example_gpt2";
  program.vocab_size = vocab::size;
  program.output_size = vocab::size;
  program.hidden_size = hidden::size;
  program.num_hidden_layers = num_hidden_layers;
  program.max_sequence_length = positions::size;
  program.prefill_chunk = 5;
  program.max_batch = 2;
  program.head_rows = 2;
  program.decode_steps = 8;
  program.weights = groups;
  program.make_reference = [](const HostWeights& weights) -> std::unique_ptr<monomorph::Reference> {
    return std::make_unique<example_gpt2::Reference>(weights);
  };
  return program;
}

}  // namespace monomorph::test
