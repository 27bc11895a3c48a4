// A model in miniature, in the style of emitted code: what the tests of host checks are written against. Its sizes are
// chosen so that many mistakes fit: q and hidden are equal, and so are keys and values, gate and up, and the norms.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/program.hpp"
#include "runtime/tensor.hpp"

namespace tiny {

using namespace monomorph;

inline constexpr char spec_hash[] = "00112233aabbccdd";

struct one {
  static constexpr std::int64_t size = 1;
};
struct tokens {
  static constexpr std::int64_t size = 128;
};
struct positions {
  static constexpr std::int64_t size = 256;
};
struct hidden {
  static constexpr std::int64_t size = 288;
};
struct heads {
  static constexpr std::int64_t size = 6;
};
struct kv_heads {
  static constexpr std::int64_t size = 6;
};
struct head {
  static constexpr std::int64_t size = 48;
};
struct q {
  static constexpr std::int64_t size = 288;
};
struct qkv {
  static constexpr std::int64_t size = 864;
};
struct intermediate {
  static constexpr std::int64_t size = 768;
};
struct vocab {
  static constexpr std::int64_t size = 2048;
};

struct embed_tokens;
struct input_layernorm;
struct qkv_proj;
struct o_proj;
struct post_attention_layernorm;
struct gate_proj;
struct up_proj;
struct down_proj;
struct final_norm;
struct lm_head;
struct keys;
struct values;

inline constexpr std::int64_t num_hidden_layers = 2;

struct LayerWeights {
  Weight<tiny::input_layernorm, f32, hidden> input_layernorm;
  Weight<tiny::qkv_proj, f16, qkv, hidden> qkv_proj;
  Weight<tiny::o_proj, f16, hidden, q> o_proj;
  Weight<tiny::post_attention_layernorm, f32, hidden> post_attention_layernorm;
  Weight<tiny::gate_proj, f16, intermediate, hidden> gate_proj;
  Weight<tiny::up_proj, f16, intermediate, hidden> up_proj;
  Weight<tiny::down_proj, f16, hidden, intermediate> down_proj;
};

struct Weights {
  Weight<tiny::embed_tokens, f16, vocab, hidden> embed_tokens;
  std::array<LayerWeights, num_hidden_layers> layers;
  Weight<tiny::final_norm, f32, hidden> final_norm;
  Weight<tiny::lm_head, f16, vocab, hidden> lm_head;
};

struct LayerCache {
  Cache<tiny::keys, f16, kv_heads, positions, head> keys;
  Cache<tiny::values, f16, kv_heads, positions, head> values;
};

struct Buffers {
  Tensor<f32, tokens, hidden> hidden_states;
  Tensor<f32, tokens, q> queries;
  Tensor<f32, tokens, q> attended;
  Tensor<f32, tokens, intermediate> activated;
  Tensor<f32, one, hidden> hidden_state;
};

inline constexpr std::int64_t layer_parameters =
    decltype(LayerWeights::input_layernorm)::parameters + decltype(LayerWeights::qkv_proj)::parameters +
    decltype(LayerWeights::o_proj)::parameters + decltype(LayerWeights::post_attention_layernorm)::parameters +
    decltype(LayerWeights::gate_proj)::parameters + decltype(LayerWeights::up_proj)::parameters +
    decltype(LayerWeights::down_proj)::parameters;
inline constexpr std::int64_t total_parameters =
    decltype(Weights::embed_tokens)::parameters + num_hidden_layers * layer_parameters +
    decltype(Weights::final_norm)::parameters + decltype(Weights::lm_head)::parameters;
inline constexpr std::int64_t cache_bytes =
    num_hidden_layers * (decltype(LayerCache::keys)::bytes + decltype(LayerCache::values)::bytes);

/// Shared with the device.
struct SequenceState {
  std::uint32_t position;
  std::uint32_t done;
  float inverse_temperature;
  std::uint32_t eos_tokens[8];
  std::uint32_t eos_count;
};

}  // namespace tiny
