// A model of the Llama family with QK-norm written by hand, as the generator writes one: two layers, GQA 3:1, a
// head_dim that is not hidden / heads, partly rotated heads, biases on q, k and v, a tied head.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/program/program.hpp"
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
struct head_dim {
  static constexpr std::int64_t size = 10;
};
struct q {
  static constexpr std::int64_t size = heads::size * head_dim::size;
};
struct kv {
  static constexpr std::int64_t size = kv_heads::size * head_dim::size;
};
struct intermediate {
  static constexpr std::int64_t size = 43;
};
inline constexpr std::int64_t num_hidden_layers = 2;
inline constexpr std::int64_t rotary_dim = 8;
inline constexpr double rms_norm_eps = 1e-5;
inline constexpr double attention_scale = 0.31622776601683794;
inline constexpr float rotary_frequencies[] = {1.0f, 0.1f, 0.01f, 0.001f};

/// Ids of weights.
enum Once : std::int32_t { embed_tokens, norm, once_count };
enum PerLayer : std::int32_t {
  input_layernorm,
  q_proj,
  k_proj,
  v_proj,
  q_bias,
  k_bias,
  v_bias,
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

  std::vector<double> layers(std::int64_t slot, std::span<const std::int32_t> token_ids, std::int64_t first_position,
                             std::int64_t, std::vector<std::vector<double>>* outputs,
                             std::span<const std::int32_t> = {}) override {
    using namespace monomorph::reference;
    auto hidden_states = gather<hidden::size>(weights_, embed_tokens, token_ids);
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
    return linear<vocab::size>(weights_, embed_tokens, absent,
                               rms_norm<hidden::size>(weights_, norm, last, rms_norm_eps))
        .values;
  }

  void copy(std::int64_t from, std::int64_t to) override {
    slots_[static_cast<std::size_t>(to)] = slots_[static_cast<std::size_t>(from)];
  }

 private:
  monomorph::reference::Activations<hidden::size> layer(std::int64_t index, std::int64_t first_position,
                                                        const monomorph::reference::Activations<hidden::size>& h,
                                                        std::vector<double>& keys, std::vector<double>& values) {
    using namespace monomorph::reference;
    const auto weight = [&](PerLayer part) { return id(index, part); };
    const auto sum = [](double residual, double x) { return residual + x; };
    const auto x = rms_norm<hidden::size>(weights_, weight(input_layernorm), h, rms_norm_eps);
    const auto q_normed = rms_norm<head_dim::size>(
        weights_, weight(q_norm), linear<q::size>(weights_, weight(q_proj), weight(q_bias), x), rms_norm_eps);
    const auto k_normed = rms_norm<head_dim::size>(
        weights_, weight(k_norm), linear<kv::size>(weights_, weight(k_proj), weight(k_bias), x), rms_norm_eps);
    append(keys,
           rotary_half<kv_heads::size, head_dim::size, rotary_dim>({rotary_frequencies}, k_normed, first_position),
           first_position);
    append(values, linear<kv::size>(weights_, weight(v_proj), weight(v_bias), x), first_position);
    const auto queries =
        rotary_half<heads::size, head_dim::size, rotary_dim>({rotary_frequencies}, q_normed, first_position);
    const auto attended =
        attention<heads::size, kv_heads::size, head_dim::size>(queries, keys, values, attention_scale, first_position);
    const auto between = map(sum, h, linear<hidden::size>(weights_, weight(o_proj), absent, attended));

    const auto y = rms_norm<hidden::size>(weights_, weight(post_attention_layernorm), between, rms_norm_eps);
    const auto activated = map([](double gate, double up) { return gate * sigmoid(gate) * up; },
                               linear<intermediate::size>(weights_, weight(gate_proj), absent, y),
                               linear<intermediate::size>(weights_, weight(up_proj), absent, y));
    return map(sum, between, linear<hidden::size>(weights_, weight(down_proj), absent, activated));
  }

  const monomorph::HostWeights& weights_;
  std::array<std::array<std::array<std::vector<double>, 2>, num_hidden_layers>, 4> slots_;
};

}  // namespace example_llama
