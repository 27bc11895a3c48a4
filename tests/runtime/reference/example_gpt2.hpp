// A model of GPT-2's family written by hand, as the generator writes one: LayerNorm with bias, learned positions,
// biases everywhere, a plain GELU MLP, an untied head.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/program/program.hpp"
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
struct head_dim {
  static constexpr std::int64_t size = 8;
};
struct intermediate {
  static constexpr std::int64_t size = 50;
};
inline constexpr std::int64_t num_hidden_layers = 1;
inline constexpr double layer_norm_eps = 1e-5;
inline constexpr double attention_scale = 0.35355339059327379;

/// Ids of weights.
enum Once : std::int32_t { embed_tokens, embed_positions, norm, norm_bias, lm_head, once_count };
enum PerLayer : std::int32_t {
  input_layernorm,
  input_layernorm_bias,
  q_proj,
  k_proj,
  v_proj,
  q_bias,
  k_bias,
  v_bias,
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

  std::vector<double> layers(std::int64_t slot, std::span<const std::int32_t> token_ids, std::int64_t first_position,
                             std::int64_t, std::vector<std::vector<double>>* outputs,
                             std::span<const std::int32_t> = {}) override {
    using namespace monomorph::reference;
    auto hidden_states =
        map(sum, gather<hidden::size>(weights_, embed_tokens, token_ids),
            gather<hidden::size>(weights_, embed_positions, positions_from(first_position, token_ids.size())));
    for (std::int64_t index = 0; index < num_hidden_layers; ++index) {
      auto& [keys, values] = slots_[static_cast<std::size_t>(slot)][static_cast<std::size_t>(index)];
      hidden_states = layer(index, first_position, hidden_states, keys, values);
      if (outputs != nullptr) outputs->push_back(hidden_states.values);
    }
    return hidden_states.values;
  }

  std::vector<double> head(std::span<const double> hidden_states, std::span<const std::int64_t> rows) override {
    using namespace monomorph::reference;
    const auto last = gather_rows(activations_of<hidden::size>(hidden_states), rows);
    const auto normed = layer_norm<hidden::size>(weights_, norm, norm_bias, last, layer_norm_eps);
    return linear<vocab::size>(weights_, lm_head, absent, normed).values;
  }

  void copy(std::int64_t from, std::int64_t to) override {
    slots_[static_cast<std::size_t>(to)] = slots_[static_cast<std::size_t>(from)];
  }

 private:
  static double sum(double residual, double x) { return residual + x; }

  monomorph::reference::Activations<hidden::size> layer(std::int64_t index, std::int64_t first_position,
                                                        const monomorph::reference::Activations<hidden::size>& h,
                                                        std::vector<double>& keys, std::vector<double>& values) {
    using namespace monomorph::reference;
    const auto weight = [&](PerLayer part) { return id(index, part); };
    const auto x =
        layer_norm<hidden::size>(weights_, weight(input_layernorm), weight(input_layernorm_bias), h, layer_norm_eps);
    const auto queries = linear<hidden::size>(weights_, weight(q_proj), weight(q_bias), x);
    append(keys, linear<hidden::size>(weights_, weight(k_proj), weight(k_bias), x), first_position);
    append(values, linear<hidden::size>(weights_, weight(v_proj), weight(v_bias), x), first_position);
    const auto attended =
        attention<heads::size, heads::size, head_dim::size>(queries, keys, values, attention_scale, first_position);
    const auto between = map(sum, h, linear<hidden::size>(weights_, weight(o_proj), weight(o_bias), attended));

    const auto y = layer_norm<hidden::size>(weights_, weight(post_attention_layernorm),
                                            weight(post_attention_layernorm_bias), between, layer_norm_eps);
    const auto activated =
        map([](double x) { return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); },
            linear<intermediate::size>(weights_, weight(up_proj), weight(up_bias), y));
    return map(sum, between, linear<hidden::size>(weights_, weight(down_proj), weight(down_bias), activated));
  }

  const monomorph::HostWeights& weights_;
  std::array<std::array<std::array<std::vector<double>, 2>, num_hidden_layers>, 2> slots_;
};

}  // namespace example_gpt2
