// A model of GPT-2's family written by hand, as the generator writes one: LayerNorm with bias, learned positions,
// biases everywhere, a plain GELU MLP, an untied head.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/program.hpp"
#include "runtime/reference/ops.hpp"

namespace example_gpt2 {

struct vocab {
  static constexpr std::int64_t size = 31;
};
struct positions {
  static constexpr std::int64_t size = 16;
};
struct hidden {
  static constexpr std::int64_t size = 24;
};
struct heads {
  static constexpr std::int64_t size = 3;
};
struct head {
  static constexpr std::int64_t size = 8;
};
struct intermediate {
  static constexpr std::int64_t size = 50;
};
inline constexpr std::int64_t num_hidden_layers = 1;
inline constexpr double layer_norm_eps = 1e-5;
inline constexpr double attention_scale = 0.35355339059327379;

/// Tensor ids.
enum Once : std::int32_t { embed_tokens, embed_positions, norm, norm_bias, lm_head, once_count };
enum PerLayer : std::int32_t {
  input_layernorm,
  input_layernorm_bias,
  qkv_proj,
  qkv_bias,
  o_proj,
  o_bias,
  post_attention_layernorm,
  post_attention_layernorm_bias,
  up_proj,
  up_bias,
  down_proj,
  down_bias,
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
    add_positions<positions::size>(weights_, embed_positions, first_position, hidden_states);
    for (std::int64_t index = 0; index < num_hidden_layers; ++index) {
      layer(index, first_position, hidden_states);
      if (layer_outputs != nullptr) layer_outputs->push_back(hidden_states.values);
    }
    const auto normed = layer_norm<hidden::size>(weights_, norm, norm_bias, layer_norm_eps, hidden_states);
    return linear<vocab::size>(weights_, lm_head, absent, normed).values;
  }

 private:
  void layer(std::int64_t index, std::int64_t first_position,
             monomorph::reference::Activations<hidden::size>& hidden_states) {
    using namespace monomorph::reference;
    {
      const auto x = layer_norm<hidden::size>(weights_, id(index, input_layernorm), id(index, input_layernorm_bias),
                                              layer_norm_eps, hidden_states);
      const auto joint = linear<3 * hidden::size>(weights_, id(index, qkv_proj), id(index, qkv_bias), x);
      const auto queries = slice<0, hidden::size>(joint);
      const auto keys = slice<hidden::size, hidden::size>(joint);
      const auto values = slice<2 * hidden::size, hidden::size>(joint);
      const auto attended = attention<heads::size, heads::size, head::size>(queries, keys, values, attention_scale,
                                                                            first_position, caches_[index]);
      add(hidden_states, linear<hidden::size>(weights_, id(index, o_proj), id(index, o_bias), attended));
    }
    {
      const auto x = layer_norm<hidden::size>(weights_, id(index, post_attention_layernorm),
                                              id(index, post_attention_layernorm_bias), layer_norm_eps, hidden_states);
      const auto up = linear<intermediate::size>(weights_, id(index, up_proj), id(index, up_bias), x);
      const auto activated =
          activate(up, [](double x) { return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); });
      add(hidden_states, linear<hidden::size>(weights_, id(index, down_proj), id(index, down_bias), activated));
    }
  }

  const monomorph::HostWeights& weights_;
  std::array<monomorph::reference::KeyValues, num_hidden_layers> caches_;
};

}  // namespace example_gpt2
