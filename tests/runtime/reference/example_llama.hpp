// A model of the Llama family with QK-norm written by hand, as the generator writes one: two layers, GQA 3:1, a
// head_dim that is not hidden / heads, partly rotated heads, biases on q, k and v, a tied head.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/program.hpp"
#include "runtime/reference/ops.hpp"

namespace example_llama {

struct vocab {
  static constexpr std::int64_t size = 37;
};
struct hidden {
  static constexpr std::int64_t size = 29;
};
struct heads {
  static constexpr std::int64_t size = 6;
};
struct kv_heads {
  static constexpr std::int64_t size = 2;
};
struct head {
  static constexpr std::int64_t size = 10;
};
struct q {
  static constexpr std::int64_t size = heads::size * head::size;
};
struct kv {
  static constexpr std::int64_t size = kv_heads::size * head::size;
};
struct qkv {
  static constexpr std::int64_t size = q::size + 2 * kv::size;
};
struct intermediate {
  static constexpr std::int64_t size = 43;
};
inline constexpr std::int64_t num_hidden_layers = 2;
inline constexpr std::int64_t rotary_dim = 8;
inline constexpr double rms_norm_eps = 1e-5;
inline constexpr double attention_scale = 0.31622776601683794;
inline constexpr float rotary_frequencies[] = {1.0f, 0.1f, 0.01f, 0.001f};

/// Tensor ids.
enum Once : std::int32_t { embed_tokens, norm, once_count };
enum PerLayer : std::int32_t {
  input_layernorm,
  qkv_proj,
  qkv_bias,
  q_norm,
  k_norm,
  o_proj,
  post_attention_layernorm,
  gate_proj,
  up_proj,
  down_proj,
  layer_count
};
constexpr std::int32_t id(std::int64_t layer, PerLayer part) {
  return once_count + static_cast<std::int32_t>(layer) * layer_count + part;
}

class Reference final : public monomorph::Reference {
 public:
  explicit Reference(const monomorph::HostWeights& weights) : weights_(weights) {}

  std::vector<double> forward(std::span<const std::int32_t> token_ids, std::int64_t first_position,
                              std::vector<std::vector<double>>* layer_outputs) override {
    using namespace monomorph::reference;
    auto hidden_states = embed<vocab::size, hidden::size>(weights_, embed_tokens, token_ids);
    for (std::int64_t index = 0; index < num_hidden_layers; ++index) {
      layer(index, first_position, hidden_states);
      if (layer_outputs != nullptr) layer_outputs->push_back(hidden_states.values);
    }
    const auto normed = rms_norm<hidden::size>(weights_, norm, rms_norm_eps, hidden_states);
    return linear<vocab::size>(weights_, embed_tokens, absent, normed).values;
  }

 private:
  void layer(std::int64_t index, std::int64_t first_position,
             monomorph::reference::Activations<hidden::size>& hidden_states) {
    using namespace monomorph::reference;
    {
      const auto x = rms_norm<hidden::size>(weights_, id(index, input_layernorm), rms_norm_eps, hidden_states);
      const auto joint = linear<qkv::size>(weights_, id(index, qkv_proj), id(index, qkv_bias), x);
      auto queries = slice<0, q::size>(joint);
      auto keys = slice<q::size, kv::size>(joint);
      const auto values = slice<q::size + kv::size, kv::size>(joint);
      head_norm<heads::size, head::size>(weights_, id(index, q_norm), rms_norm_eps, queries);
      head_norm<kv_heads::size, head::size>(weights_, id(index, k_norm), rms_norm_eps, keys);
      rope<heads::size, head::size, rotary_dim>(rotary_frequencies, first_position, queries);
      rope<kv_heads::size, head::size, rotary_dim>(rotary_frequencies, first_position, keys);
      const auto attended = attention<heads::size, kv_heads::size, head::size>(queries, keys, values, attention_scale,
                                                                               first_position, caches_[index]);
      add(hidden_states, linear<hidden::size>(weights_, id(index, o_proj), absent, attended));
    }
    {
      const auto x = rms_norm<hidden::size>(weights_, id(index, post_attention_layernorm), rms_norm_eps, hidden_states);
      const auto gate = linear<intermediate::size>(weights_, id(index, gate_proj), absent, x);
      const auto up = linear<intermediate::size>(weights_, id(index, up_proj), absent, x);
      const auto activated = combine(gate, up, [](double gate, double up) { return gate * sigmoid(gate) * up; });
      add(hidden_states, linear<hidden::size>(weights_, id(index, down_proj), absent, activated));
    }
  }

  const monomorph::HostWeights& weights_;
  std::array<monomorph::reference::KeyValues, num_hidden_layers> caches_;
};

}  // namespace example_llama
