#include "tests/support/random_blocks.hpp"

#include <algorithm>

namespace monomorph::test {

void RandomBlocks::attention_keys(bool pairs, Sees sees) {
  if (pairs) key("differential", pick<std::string>({"\"0.8 - 0.6 * exp(-0.3 * layer)\"", "0.25"}));
  const std::string own_norm = pairs ? "{ after_rotation = true }" : norm_table(true);
  expression(30, "scale", {"0.5", "1 / head_dim", "1 / sqrt(head_dim) / (layer + 1)", "(layer + 1) * 0.25"});
  perhaps(30, "bias", {"true", "[\"q\"]", "[\"v\", \"o\"]"});
  if (chance(25)) {
    key("qk_norm", pairs ? "\"head\"" : pick<std::string>({"\"head\"", "\"projection\""}));
  } else {
    perhaps(20, "q_norm", {"true", own_norm});
    perhaps(20, "k_norm", {"true", own_norm});
  }
  expression(20, "clip", {"1.5", "0.25 * head_dim"});
  perhaps(20, "head_norm", {"{ type = \"rms_norm\", weight = false }", "{ type = \"layer_norm\", eps = 0.1 }"});
  perhaps(20, "head_scale", {"true"});
  norm_at(20, "inner_norm");
  perhaps(20, "sinks", {"true"});
  perhaps(25, "gate", {"\"head\"", "\"element\""});
  if (chance(20)) {
    key("softcap", pick<std::string>({"5", "\"2 * head_dim\""}));
  } else if (sees == Sees::source) {
    expression(30, "score", {"0.5 * score + 0.1 * head", "30 * tanh(score / 30)"});
  } else if (chance(15)) {
    key("scale_growth", pick<std::string>({"0.1", "1.5"}));
    key("scale_interval", between(1, 5));
    perhaps(40, "scale_offset", {"1", "3"});
  } else {
    expression(15, "score", {"0.5 * score + 0.1 * head", "score - 0.1 * (query - key)", "30 * tanh(score / 30)"});
  }
  if (sees == Sees::source) return sub_block_norms();
  perhaps_with_embedding();
  if (chance(15)) key("adapter_rank", between(1, 5));
  const bool causal = sees == Sees::text;
  if (chance(25) && (causal || of_encoder_)) {
    key(causal && chance(30) ? "chunk_size" : "sliding_window", between(1, 7));
  } else if (chance(30)) {
    key("mask", quoted(pick<std::string>(
                    {"query - key < 4 || key < 2", "(query - key) % 2 == 0", "key == query || key % 3 == 1"})));
    if (causal) perhaps(30, "window", {"{ recent = 4, first = 2 }", "{ recent = 3, first = 0 }"});
  }
  sub_block_norms();
}

void RandomBlocks::sub_block_norms() {
  const bool chained = place_ == Place::first || place_ == Place::middle || place_ == Place::last;
  const bool adds = !chained || place_ == Place::last;
  norm_at(20, "input_norm");
  if (!shares_output_norm_) norm_at(25, "output_norm");
  if (adds) norm_at(10, "residual_norm");
  const bool with_embedding = text_.find("with_embedding", text_.rfind("\n[")) != std::string::npos;
  if (!chained && !with_embedding) perhaps(20, "residual_from", {"\"input_norm\""});
  perhaps(15, "output_scale", {"0.5", "2.0"});
  if (adds) perhaps(20, "stream_scale", {"0.5", "1.5"});
  if (chained && place_ != Place::first) perhaps(50, "with_stream", {"true"});
}

void RandomBlocks::perhaps_with_embedding() {
  if (place_ == Place::first || place_ == Place::alone) perhaps(50, "with_embedding", {"true"});
}

void RandomBlocks::projection_keys() {
  perhaps_with_embedding();
  perhaps(40, "bias", {"true", "[\"o\"]"});
  sub_block_norms();
}

void RandomBlocks::unit_keys(std::vector<std::string> activations, const std::vector<std::string>& biases) {
  const bool gated = chance(50);
  key("type", gated ? "\"gated\"" : "\"plain\"");
  key("intermediate_size", between(3, 17));
  if (gated && chance(30)) {
    key("combine", quoted(pick<std::string>({"silu(gate) * (up + 1)", "gate * sigmoid(1.5 * up)"})));
  } else {
    activations.insert(activations.end(), {"silu", "gelu", "relu2", "mish", "x / (1 + abs(x))"});
    key("activation", quoted(pick(activations)));
    if (gated) perhaps(20, "gate_scale", {"0.5"});
  }
  perhaps(30, "bias", biases);
}

void RandomBlocks::mlp_keys() {
  unit_keys({"max(x, 0) + lambda1 * min(x, 0)"}, any_bias_);
  norm_at(20, "inner_norm");
  perhaps_with_embedding();
  if (chance(20)) key("adapter_rank", between(1, 5));
  perhaps(20, "output_gate", {"true"});
  sub_block_norms();
}

void RandomBlocks::moe_keys() {
  const std::int64_t groups = pick({1, 1, 2, 3}), of_a_group = between(groups == 1 ? 2 : 1, 3),
                     kept = between(1, groups);
  key("num_experts", groups * of_a_group);
  key("num_experts_per_tok", between(1, std::min<std::int64_t>(3, kept * of_a_group)));
  if (groups > 1) {
    key("num_groups", groups);
    key("num_groups_per_tok", kept);
    if (of_a_group > 1) perhaps(50, "group_score", {"\"top2_sum\""});
  }
  perhaps(30, "router_bias", {"true"});
  const bool sigmoid = chance(30), mixed = !sigmoid && chance(20), after = !mixed && chance(30);
  if (sigmoid) key("scoring_func", "\"sigmoid\"");
  if (mixed) {
    key("scoring_func", "\"sparsemixer\"");
    perhaps(60, "router_jitter_noise", {"0.05", "0.2"});
  }
  if (after) key("score_after_topk", "true");
  perhaps(30, "selection_bias", {"true"});
  if (chance(60) && (sigmoid || !after)) {
    key("norm_topk_prob", "true");
    perhaps(30, "norm_topk_eps", {"1e-20", "0.25"});
    perhaps(30, "norm_topk_min", {"0.5"});
  }
  perhaps(40, "routed_scaling_factor", {"2.5"});
  const bool weighs_input = chance(30);
  if (weighs_input) key("weigh", "\"input\"");
  unit_keys({}, weighs_input ? std::vector<std::string>{"[\"down\"]"} : any_bias_);
  sub_block_norms();
}

void RandomBlocks::mamba_keys() {
  key("intermediate_size", between(3, 21));
  key("state_size", between(1, 19));
  key("conv_kernel", between(1, 5));
  key("time_step_rank", between(1, 6));
  perhaps(30, "activation", {"\"gelu\"", "\"x * 0.5\""});
  perhaps(30, "gate_activation", {"\"sigmoid\"", "\"x\""});
  perhaps(30, "decay_rates", {"\"negative\""});
  norm_at(40, "parameter_norm");
  perhaps(50, "bias", {"false", "[\"dt_up\", \"b\", \"o\"]", "true"});
  sub_block_norms();
}

void RandomBlocks::mamba2_keys() {
  const int groups = between(1, 2), heads = groups * between(1, 3);
  key("num_heads", heads);
  key("head_dim", between(1, 9));
  if (chance(70)) key("num_groups", groups);
  key("state_size", between(1, 19));
  key("conv_kernel", between(1, 5));
  perhaps(30, "activation", {"\"gelu\"", "\"x * 0.5\""});
  perhaps(30, "gate_activation", {"\"sigmoid\"", "\"x\""});
  perhaps(30, "decay_rates", {"\"negative\""});
  perhaps(20, "gate_scale", {"0.5"});
  perhaps(20, "x_scale", {"0.5"});
  perhaps(20, "b_scale", {"2.0"});
  perhaps(20, "c_scale", {"0.5"});
  perhaps(20, "dt_scale", {"2.0"});
  perhaps(30, "time_step_min", {"0.001", "0.2"});
  perhaps(30, "time_step_max", {"0.5", "2.0"});
  key("inner_norm", pick<std::string>({"false", "{ type = \"rms_norm\" }", "{ type = \"rms_norm\", weight = false }",
                                       "{ type = \"layer_norm\", eps = 0.1 }"}));
  if (chance(40)) key("num_norm_groups", pick(std::vector{1, groups, heads}));
  perhaps(30, "norm_before_gate", {"true", "false"});
  perhaps(50, "bias", {"false", "[\"dt\", \"conv_b\", \"o\"]", "true"});
  sub_block_norms();
}

void RandomBlocks::delta_net_keys() {
  const int groups = between(1, 2), heads = groups * between(1, 2);
  key("num_key_heads", groups);
  if (heads != groups || chance(50)) key("num_value_heads", heads);
  key("key_head_dim", between(2, 19));
  if (chance(70)) key("value_head_dim", between(2, 9));
  key("conv_kernel", between(1, 5));
  perhaps(30, "activation", {"\"gelu\"", "\"x * 0.5\""});
  perhaps(30, "qk_norm_eps", {"0.01"});
  perhaps(30, "beta", {"\"2 * sigmoid(x)\"", "\"min(abs(x), 1)\""});
  perhaps(60, "decay", {"\"key\"", "\"none\"", "\"head\""});
  if (chance(40)) key("decay_rank", between(1, 5));
  perhaps(30, "gate", {"\"none\""});
  if (chance(40)) key("gate_rank", between(1, 5));
  perhaps(30, "gate_activation", {"\"sigmoid\"", "\"x\""});
  perhaps(30, "decay_rates", {"\"negative\""});
  key("head_norm", pick<std::string>({"false", "{ type = \"rms_norm\" }", "{ type = \"rms_norm\", weight = false }",
                                      "{ type = \"layer_norm\", eps = 0.1 }"}));
  perhaps(50, "bias", {"true", "[\"beta\", \"conv_k\", \"o\"]"});
  sub_block_norms();
}

void RandomBlocks::retention_keys() {
  key("num_heads", between(1, 4));
  key("key_head_dim", 2 * between(1, 8));
  if (chance(60)) key("value_head_dim", between(2, 9));
  perhaps(40, "qk_activation", {"\"silu\"", "\"max(x, 0)\""});
  perhaps(30, "v_activation", {"\"silu\"", "\"tanh(x)\""});
  norm_at(30, "inner_norm");
  expression(30, "scale", {"0.5", "1 / key_head_dim"});
  const std::string decay = pick<std::string>({"none", "head", "key"});
  if (decay != "none") key("decay", quoted(decay));
  if (decay != "none" && chance(50)) {
    key("decay_rank", between(1, 5));
    perhaps(50, "decay_activation", {"\"tanh\"", "\"0.5 * x\""});
  }
  if (decay != "none") {
    key("log_decay", quoted(pick<std::string>({"-softplus(x)", "-exp(x) * (1 + head)", "-exp(x) * (1 + layer)"})));
  } else {
    perhaps(70, "log_decay", {"\"log(1 - pow(2, -5 - head))\"", "\"-0.25\""});
  }
  perhaps(30, "gate", {"\"none\""});
  perhaps(30, "gate_activation", {"\"sigmoid\"", "\"x\""});
  const std::string norm =
      pick<std::string>({"false", "{ type = \"rms_norm\" }", "{ type = \"rms_norm\", weight = false }",
                         "{ type = \"layer_norm\", eps = 0.1 }"});
  key("head_norm", norm);
  if (norm != "false") perhaps(30, "per_head", {"true"});
  perhaps(30, "bonus", {"true"});
  if (chance(40)) {
    key("token_shift", pick<std::string>({"\"token\"", "\"before\""}));
    if (chance(50)) key("mix_rank", between(1, 5));
  }
  perhaps(50, "bias", {"true", "[\"q\", \"o\"]"});
  if (type_ == "rope") key("position", pick<std::string>({"false", "{ rotary_dim = 2 }"}));
  if (type_ == "alibi" || type_ == "relative_buckets" || type_ == "relative") key("position", "false");
  sub_block_norms();
}

void RandomBlocks::rg_lru_keys() {
  key("num_heads", between(1, 4));
  key("head_dim", between(1, 12));
  key("conv_kernel", between(1, 5));
  perhaps(30, "decay_scale", {"2.5"});
  perhaps(30, "gate_activation", {"\"silu\"", "\"x\""});
  perhaps(50, "bias", {"false", "[\"input_gate\", \"o\"]"});
  sub_block_norms();
}

void RandomBlocks::rwkv_keys() {
  perhaps(60, "inner_size", {"1", "5", "12"});
  expression(30, "log_decay", {"-exp(x)", "-softplus(x) * 40"});
  perhaps(30, "gate_activation", {"\"silu\"", "\"x\""});
  perhaps(50, "bias", {"true", "[\"k\", \"o\"]"});
  sub_block_norms();
}

void RandomBlocks::rwkv7_keys() {
  key("num_heads", between(1, 4));
  key("head_dim", between(1, 12));
  for (const char* rank : {"decay_rank", "rate_rank", "gate_rank"}) key(rank, between(1, 5));
  expression(30, "log_decay", {"-exp(x)", "-0.2 - softplus(x)"});
  key("head_norm", pick<std::string>({"false", "{ type = \"rms_norm\" }", "{ type = \"layer_norm\", eps = 0.1 }"}));
  sub_block_norms();
}

void RandomBlocks::channel_mix_keys() {
  key("intermediate_size", between(1, 20));
  perhaps(30, "activation", {"\"relu\"", "\"gelu(x)\""});
  perhaps(30, "gate_activation", {"\"silu\"", "\"x\""});
  perhaps(30, "gate", {"\"none\"", "\"element\""});
  perhaps(30, "token_shift", {"\"before\""});
  perhaps(50, "bias", {"true", "[\"up\", \"down\"]"});
  sub_block_norms();
}

void RandomBlocks::short_conv_keys() {
  key("conv_kernel", between(1, 6));
  perhaps(50, "bias", {"true", "[\"conv\"]", "[\"b\", \"o\"]"});
  sub_block_norms();
}

void RandomBlocks::latent_keys() {
  key("num_attention_heads", heads_);
  const bool is_short = chance(60);
  if (is_short) key("q_lora_rank", between(2, 9));
  key("kv_lora_rank", between(2, 9));
  key("qk_nope_head_dim", between(1, 6));
  key("qk_rope_head_dim", hidden_ / heads_);
  key("v_head_dim", between(1, 7));
  expression(30, "scale", {"0.5", "1 / kv_lora_rank"});
  perhaps(40, "bias", {"true", is_short ? "[\"q_down\"]" : "[\"kv_down\"]", "[\"k_rope\", \"o\"]"});
  perhaps(40, "latent_norm", {"false", "{ weight = false }", "{ type = \"layer_norm\", eps = 0.1 }"});
  if (type_ == "rope") perhaps(30, "position", {"false", "{ layout = \"interleaved\" }"});
  sub_block_norms();
}

}  // namespace monomorph::test
