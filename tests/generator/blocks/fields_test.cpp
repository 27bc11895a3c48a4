// Every field of what a layer is made of has an effect: changed, it moves the graph, the plan or a view of a tensor's
// rows. A field that nothing reads cannot stay.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "generator/graph/graph.hpp"
#include "generator/plan/plan.hpp"
#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

/// A field, and two models that differ in it alone.
struct Change {
  std::string field;
  std::vector<Override> before, after;
};

Override named(const std::string& part) { return {"checkpoint.tensors.\"" + part + "\"", part}; }

const std::vector<Override> linear = {{"position.scaling", "linear"}, {"position.factor", "2.0"}};
const std::vector<Override> llama3 = {{"position.scaling", "llama3"},
                                      {"position.factor", "2.0"},
                                      {"position.low_freq_factor", "1.0"},
                                      {"position.high_freq_factor", "4.0"},
                                      {"position.original_max_position_embeddings", "16"}};
const std::vector<Override> yarn = {
    {"position.scaling", "yarn"}, {"position.factor", "2.0"}, {"position.original_max_position_embeddings", "1024"}};
const std::vector<Override> longrope = {
    {"position.scaling", "longrope"},
    {"position.original_max_position_embeddings", "16"},
    {"position.short_factor", "[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]"},
    {"position.long_factor", "[2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]"}};
const std::string other_factors = "[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.5]";
const std::vector<Override> beside = {{"layers.steps", "[\"attention + mlp\"]"}};
const std::vector<Override> kinds = {{"layers.pattern", "[\"a\", \"b\"]"},
                                     {"layers.a.position.type", "none"},
                                     {"layers.b.position.rope_theta", "500.0"}};

const std::vector<Override> buckets = {{"position.type", "relative_buckets"},
                                       {"position.max_distance", "20"},
                                       named("layers.{i}.attention.relative_bias")};
const std::vector<Override> distances = {
    {"position.type", "relative"}, {"position.max_distance", "4"}, named("layers.{i}.attention.relative_keys")};

std::vector<Override> both(std::vector<Override> first, const std::vector<Override>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const std::vector<Override> narrow = {{"embedding.size", "40"},
                                      {"checkpoint.tensors.\"embedding.projection\"", "a"},
                                      {"checkpoint.tensors.\"lm_head.projection\"", "b"}};
const std::vector<Override> texts = {{"attention.causal", "false"}, {"pooling.type", "mean"}};
const std::vector<Override> vectors = both(texts, {{"pooling.dense", "true"}, named("pooling.dense")});
const std::vector<Override> two = both(vectors, {{"pooling.second_dense", "true"}, named("pooling.second_dense")});
const std::vector<Override> labels = {{"pooling.num_labels", "3"}, named("pooling.labels")};
const std::vector<Override> dense = {{"lm_head.dense", "true"}, {"checkpoint.tensors.\"lm_head.dense\"", "a"}};
const std::vector<Override> learned = {{"position.type", "learned"},
                                       {"model.max_position_embeddings", "64"},
                                       {"checkpoint.tensors.\"embedding.positions\"", "d"}};
const std::vector<Override> sines = {{"position.type", "sinusoidal"}};
std::vector<Override> answering_names() {
  std::vector<Override> result;
  for (const std::string block : {"layers.{i}.cross", "layers.{i}.cross2", "encoder.layers.{i}.attention"}) {
    for (const char* part : {".input_norm", ".q", ".k", ".v", ".o"}) result.push_back(named(block + part));
  }
  for (const char* part : {"input_norm", "gate", "up", "down"}) {
    result.push_back(named(std::string("encoder.layers.{i}.mlp.") + part));
  }
  return result;
}
const std::vector<Override> answering =
    both(answering_names(), {{"layers.steps", "[\"attention\", \"cross\", \"cross2\", \"mlp\"]"},
                             {"cross.block", "attention"},
                             {"cross.source", "encoder"},
                             {"cross.num_attention_heads", "4"},
                             {"cross2.block", "attention"},
                             {"cross2.num_attention_heads", "4"},
                             {"encoder.layers.steps", "[\"attention\", \"mlp\"]"},
                             {"encoder.attention.causal", "false"},
                             named("encoder.final_norm")});
const std::vector<Override> own_table =
    both(answering, {{"encoder.own_embedding", "true"}, named("encoder.embedding.tokens")});
const std::vector<Override> alibi = {{"position.type", "alibi"}};

const std::vector<Override> mixed = {named("layers.{i}.attention.lambda1"), named("layers.{i}.attention.lambda2")};
const std::vector<Override> mixing = {kinds[0],
                                      kinds[1],
                                      kinds[2],
                                      {"layers.b.attention.values_from", "a"},
                                      {"layers.b.attention.value_mix", "value - earlier"}};

const std::vector<Override> differential = {
    {"attention.differential", "0.8 - 0.6 * exp(-0.3 * layer)"},
    named("layers.{i}.attention.second_q"),
    named("layers.{i}.attention.second_k"),
    named("layers.{i}.attention.lambda_q1"),
    named("layers.{i}.attention.lambda_k1"),
    named("layers.{i}.attention.lambda_q2"),
    named("layers.{i}.attention.lambda_k2"),
};

const std::vector<Override> moe = {{"layers.steps", "[\"attention\", \"mlp\", \"moe\"]"},
                                   {"moe.num_experts", "6"},
                                   {"moe.num_experts_per_tok", "2"},
                                   {"moe.type", "plain"},
                                   {"moe.intermediate_size", "40"},
                                   {"moe.activation", "silu"},
                                   {"moe.input_norm", "false"},
                                   named("layers.{i}.moe.router"),
                                   named("layers.{i}.moe.up"),
                                   named("layers.{i}.moe.down")};
const std::vector<Override> gated = {{"moe.type", "gated"}, named("layers.{i}.moe.gate")};
const std::vector<Override> normed_shares = both(moe, {{"moe.norm_topk_prob", "true"}});
const std::vector<Override> groups = both(moe, {{"moe.num_groups", "3"}, {"moe.num_groups_per_tok", "2"}});
const std::vector<Override> selection_bias = {{"moe.selection_bias", "true"}, named("layers.{i}.moe.selection_bias")};

const std::vector<Override> latent = {{"layers.steps", "[\"attention\", \"latent_attention\", \"mlp\"]"},
                                      {"latent_attention.num_attention_heads", "3"},
                                      {"latent_attention.kv_lora_rank", "12"},
                                      {"latent_attention.qk_nope_head_dim", "10"},
                                      {"latent_attention.qk_rope_head_dim", "24"},
                                      {"latent_attention.v_head_dim", "9"},
                                      {"latent_attention.input_norm", "false"},
                                      named("layers.{i}.latent_attention.q_nope"),
                                      named("layers.{i}.latent_attention.q_rope"),
                                      named("layers.{i}.latent_attention.kv_down"),
                                      named("layers.{i}.latent_attention.k_rope"),
                                      named("layers.{i}.latent_attention.kv_norm"),
                                      named("layers.{i}.latent_attention.k_up"),
                                      named("layers.{i}.latent_attention.v_up"),
                                      named("layers.{i}.latent_attention.o")};
const std::vector<Override> convolved = {{"layers.steps", "[\"attention\", \"short_conv\", \"mlp\"]"},
                                         {"short_conv.conv_kernel", "4"},
                                         {"short_conv.input_norm", "false"},
                                         named("layers.{i}.short_conv.b"),
                                         named("layers.{i}.short_conv.c"),
                                         named("layers.{i}.short_conv.x"),
                                         named("layers.{i}.short_conv.conv"),
                                         named("layers.{i}.short_conv.o")};
const std::vector<Override> remembering = {{"layers.steps", "[\"attention\", \"mamba\", \"mlp\"]"},
                                           {"mamba.intermediate_size", "12"},
                                           {"mamba.state_size", "5"},
                                           {"mamba.conv_kernel", "4"},
                                           {"mamba.time_step_rank", "3"},
                                           {"mamba.input_norm", "false"},
                                           {"mamba.parameter_norm", "true"},
                                           named("layers.{i}.mamba.x"),
                                           named("layers.{i}.mamba.gate"),
                                           named("layers.{i}.mamba.conv"),
                                           named("layers.{i}.mamba.dt_down"),
                                           named("layers.{i}.mamba.b"),
                                           named("layers.{i}.mamba.c"),
                                           named("layers.{i}.mamba.dt_norm"),
                                           named("layers.{i}.mamba.b_norm"),
                                           named("layers.{i}.mamba.c_norm"),
                                           named("layers.{i}.mamba.dt_up"),
                                           named("layers.{i}.mamba.a_log"),
                                           named("layers.{i}.mamba.d"),
                                           named("layers.{i}.mamba.o")};
const std::vector<Override> scanned = {{"layers.steps", "[\"attention\", \"mamba2\", \"mlp\"]"},
                                       {"mamba2.num_heads", "4"},
                                       {"mamba2.head_dim", "6"},
                                       {"mamba2.num_groups", "2"},
                                       {"mamba2.state_size", "5"},
                                       {"mamba2.conv_kernel", "4"},
                                       {"mamba2.input_norm", "false"},
                                       named("layers.{i}.mamba2.gate"),
                                       named("layers.{i}.mamba2.x"),
                                       named("layers.{i}.mamba2.b"),
                                       named("layers.{i}.mamba2.c"),
                                       named("layers.{i}.mamba2.dt"),
                                       named("layers.{i}.mamba2.conv_x"),
                                       named("layers.{i}.mamba2.conv_b"),
                                       named("layers.{i}.mamba2.conv_c"),
                                       named("layers.{i}.mamba2.time_step_bias"),
                                       named("layers.{i}.mamba2.a_log"),
                                       named("layers.{i}.mamba2.d"),
                                       named("layers.{i}.mamba2.inner_norm"),
                                       named("layers.{i}.mamba2.o")};
const std::vector<Override> replacing_parts = {{"layers.steps", "[\"attention\", \"delta_net\", \"mlp\"]"},
                                               {"delta_net.num_key_heads", "2"},
                                               {"delta_net.num_value_heads", "4"},
                                               {"delta_net.key_head_dim", "5"},
                                               {"delta_net.value_head_dim", "6"},
                                               {"delta_net.conv_kernel", "4"},
                                               {"delta_net.decay_rank", "3"},
                                               {"delta_net.input_norm", "false"},
                                               named("layers.{i}.delta_net.q"),
                                               named("layers.{i}.delta_net.k"),
                                               named("layers.{i}.delta_net.v"),
                                               named("layers.{i}.delta_net.beta"),
                                               named("layers.{i}.delta_net.decay_down"),
                                               named("layers.{i}.delta_net.decay"),
                                               named("layers.{i}.delta_net.conv_q"),
                                               named("layers.{i}.delta_net.conv_k"),
                                               named("layers.{i}.delta_net.conv_v"),
                                               named("layers.{i}.delta_net.time_step_bias"),
                                               named("layers.{i}.delta_net.a_log"),
                                               named("layers.{i}.delta_net.head_norm"),
                                               named("layers.{i}.delta_net.o")};
const std::vector<Override> replacing =
    both(replacing_parts,
         {{"delta_net.gate_rank", "7"}, named("layers.{i}.delta_net.gate_down"), named("layers.{i}.delta_net.gate")});
const std::vector<Override> retained_parts = {{"layers.steps", "[\"attention\", \"retention\", \"mlp\"]"},
                                              {"retention.num_heads", "3"},
                                              {"retention.key_head_dim", "6"},
                                              {"retention.value_head_dim", "5"},
                                              {"retention.decay", "key"},
                                              {"retention.decay_rank", "4"},
                                              {"retention.log_decay", "-softplus(x)"},
                                              {"retention.position", "{ rotary_dim = 4 }"},
                                              {"retention.inner_norm", "true"},
                                              {"retention.input_norm", "false"},
                                              named("layers.{i}.retention.q"),
                                              named("layers.{i}.retention.k"),
                                              named("layers.{i}.retention.v"),
                                              named("layers.{i}.retention.decay_down"),
                                              named("layers.{i}.retention.decay"),
                                              named("layers.{i}.retention.head_norm"),
                                              named("layers.{i}.retention.inner_norm"),
                                              named("layers.{i}.retention.o")};
const std::vector<Override> retained = both(retained_parts, {named("layers.{i}.retention.gate")});
/// The names of what shifts tokens there, with what is added to the numbers.
std::vector<Override> named_shift() {
  std::vector<Override> names = {named("layers.{i}.retention.mix")};
  for (const std::string word : {"q", "k", "v", "gate", "decay"}) {
    for (const char* suffix : {"", "_down", "_up"}) names.push_back(named("layers.{i}.retention.mix_" + word + suffix));
  }
  return names;
}
const std::vector<Override> retained_shifted =
    both(both(retained, named_shift()), {{"retention.token_shift", "before"},
                                         {"retention.mix_rank", "4"},
                                         {"retention.bonus", "true"},
                                         named("layers.{i}.retention.bonus")});
const std::vector<Override> recurring = {{"layers.steps", "[\"attention\", \"rg_lru\", \"mlp\"]"},
                                         {"rg_lru.num_heads", "3"},
                                         {"rg_lru.head_dim", "5"},
                                         {"rg_lru.conv_kernel", "4"},
                                         {"rg_lru.input_norm", "false"},
                                         named("layers.{i}.rg_lru.x"),
                                         named("layers.{i}.rg_lru.gate"),
                                         named("layers.{i}.rg_lru.conv"),
                                         named("layers.{i}.rg_lru.input_gate"),
                                         named("layers.{i}.rg_lru.recurrence_gate"),
                                         named("layers.{i}.rg_lru.lambda"),
                                         named("layers.{i}.rg_lru.o")};

const std::vector<Override> weighing = {{"layers.steps", "[\"attention\", \"rwkv\", \"mlp\"]"},
                                        {"rwkv.inner_size", "12"},
                                        {"rwkv.input_norm", "false"},
                                        named("layers.{i}.rwkv.mix_k"),
                                        named("layers.{i}.rwkv.mix_v"),
                                        named("layers.{i}.rwkv.mix_gate"),
                                        named("layers.{i}.rwkv.k"),
                                        named("layers.{i}.rwkv.v"),
                                        named("layers.{i}.rwkv.gate"),
                                        named("layers.{i}.rwkv.decay"),
                                        named("layers.{i}.rwkv.bonus"),
                                        named("layers.{i}.rwkv.o")};
/// Layers of the kind b mix their values with those of a.
std::vector<Override> erasing_parts() {
  std::vector<Override> result = both(kinds, {{"layers.steps", "[\"attention\", \"rwkv7\", \"mlp\"]"},
                                              {"rwkv7.num_heads", "3"},
                                              {"rwkv7.head_dim", "5"},
                                              {"rwkv7.decay_rank", "4"},
                                              {"rwkv7.rate_rank", "3"},
                                              {"rwkv7.gate_rank", "6"},
                                              {"rwkv7.input_norm", "false"},
                                              {"layers.b.rwkv7.values_from", "a"},
                                              {"layers.b.rwkv7.value_rank", "2"}});
  for (const char* part :
       {"mix_q", "mix_decay",  "mix_k",   "mix_v",     "mix_rate",  "mix_gate",  "q",    "k",
        "v",     "decay_down", "decay",   "rate_down", "rate",      "gate_down", "gate", "value_down",
        "value", "removal",    "renewal", "bonus",     "head_norm", "o"}) {
    result.push_back(named(std::string("layers.{i}.rwkv7.") + part));
  }
  return result;
}
const std::vector<Override> erasing = erasing_parts();
const std::vector<Override> shifted = {{"layers.steps", "[\"attention\", \"channel_mix\", \"mlp\"]"},
                                       {"channel_mix.intermediate_size", "12"},
                                       {"channel_mix.input_norm", "false"},
                                       named("layers.{i}.channel_mix.mix_up"),
                                       named("layers.{i}.channel_mix.mix_gate"),
                                       named("layers.{i}.channel_mix.up"),
                                       named("layers.{i}.channel_mix.gate"),
                                       named("layers.{i}.channel_mix.down")};

const std::vector<Override> projecting = {{"layers.steps", "[\"attention\", \"projection\", \"mlp\"]"},
                                          {"projection.input_norm", "false"},
                                          named("layers.{i}.projection.o")};

const std::vector<Override> short_queries = {{"latent_attention.q_lora_rank", "14"},
                                             named("layers.{i}.latent_attention.q_down"),
                                             named("layers.{i}.latent_attention.q_norm")};

/// What gives the tiny model an attention with every part that one may have but those of `differential`, and an MLP.
const std::vector<Override> whole_attention = {
    kinds[0],
    {"layers.a.position", "{ type = \"relative_buckets\", max_distance = 20 }"},
    {"layers.b.position", "{ type = \"relative\", max_distance = 4 }"},
    {"layers.b.attention.values_from", "a"},
    mixed[0],
    mixed[1],
    {"attention.qk_norm", "head"},
    {"attention.gate", "head"},
    {"attention.sinks", "true"},
    named("layers.{i}.attention.gate"),
    named("layers.{i}.attention.sinks"),
    named("layers.{i}.attention.relative_bias"),
    named("layers.{i}.attention.relative_keys"),
    {"attention.adapter_rank", "3"},
    named("layers.{i}.attention.q_adapter_down"),
    named("layers.{i}.attention.q_adapter_up"),
    named("layers.{i}.attention.k_adapter_down"),
    named("layers.{i}.attention.k_adapter_up"),
    named("layers.{i}.attention.v_adapter_down"),
    named("layers.{i}.attention.v_adapter_up"),
    {"attention.head_norm", "true"},
    named("layers.{i}.attention.head_norm"),
    {"attention.head_scale", "true"},
    named("layers.{i}.attention.head_scale"),
    {"attention.inner_norm", "true"},
    named("layers.{i}.attention.inner_norm"),
};
const std::vector<Override> whole_mlp = {{"mlp.adapter_rank", "3"},
                                         named("layers.{i}.mlp.adapter_down"),
                                         named("layers.{i}.mlp.gate_adapter_up"),
                                         named("layers.{i}.mlp.up_adapter_up"),
                                         {"mlp.inner_norm", "true"},
                                         named("layers.{i}.mlp.inner_norm"),
                                         {"mlp.activation", "lambda1 * x + lambda2 * min(x, lambda3) + lambda4"},
                                         named("layers.{i}.mlp.lambda1"),
                                         named("layers.{i}.mlp.lambda2"),
                                         named("layers.{i}.mlp.lambda3"),
                                         named("layers.{i}.mlp.lambda4"),
                                         {"mlp.output_gate", "true"},
                                         named("layers.{i}.mlp.output_gate")};

/// Layers of both sorts of rates.
std::vector<Override> with_both_rates(const std::string& type, const std::vector<Override>& parts) {
  return both(parts, {kinds[0],
                      {"layers.a." + type + ".decay_rates", "log"},
                      {"layers.b." + type + ".decay_rates", "negative"},
                      named("layers.{i}." + type + ".a")});
}

/// The same layers, each with the other sort.
std::vector<Override> other_rates(const std::string& type) {
  return {{"layers.a." + type + ".decay_rates", "negative"}, {"layers.b." + type + ".decay_rates", "log"}};
}

/// The same of each type of sub-block.
const std::map<std::string, std::vector<Override>> with_every_part = {
    {"attention", both(whole_attention, differential)},
    {"latent_attention", both(latent, short_queries)},
    {"mlp", whole_mlp},
    {"moe", both(both(moe, gated), selection_bias)},
    {"short_conv", convolved},
    {"mamba", with_both_rates("mamba", remembering)},
    {"mamba2", with_both_rates("mamba2", scanned)},
    {"delta_net", with_both_rates("delta_net", replacing)},
    {"retention", retained_shifted},
    {"rg_lru", recurring},
    {"rwkv", weighing},
    {"rwkv7", erasing},
    {"channel_mix", shifted},
    {"projection", projecting},
};

/// The layers' one chain, whose second sub-block is of this type.
std::vector<Override> chain_to(const std::string& type) {
  if (type == "attention") return {{"layers.steps", "[\"mlp > attention\"]"}};
  if (type == "mlp") return {{"layers.steps", "[\"attention > mlp\"]"}};
  return {{"layers.steps", "[\"attention > " + type + "\", \"mlp\"]"}};
}

const std::vector<Override> growing = {{"attention.scale_growth", "0.1"}, {"attention.scale_interval", "16"}};

const std::vector<Change> changes = {
    {"embedding.size", {}, narrow},
    {"embedding.scale", {}, {{"embedding.scale", "2"}}},
    {"embedding.norm", {}, {{"embedding.norm", "true"}, {"checkpoint.tensors.\"embedding.norm\"", "a.b"}}},
    {"embedding.projection", both(narrow, learned), {{"embedding.projection", "last"}}},
    {"embedding.bias", narrow, {{"embedding.bias", "true"}}},
    {"embedding.token_types", {}, {{"embedding.token_types", "2"}, named("embedding.token_types")}},
    {"norm.type", {}, {{"norm.type", "layer_norm"}}},
    {"norm.eps", {}, {{"norm.eps", "1e-5"}}},
    {"norm.weight", {}, {{"norm.weight", "false"}}},
    {"norm.weight_offset", {}, {{"norm.weight_offset", "1.0"}}},
    {"norm.bias", {{"norm.type", "layer_norm"}}, {{"norm.bias", "false"}}},
    {"position.type", {}, {{"position.type", "alibi"}}},
    {"position.rope_theta", {}, {{"position.rope_theta", "500.0"}}},
    {"position.rope_theta", sines, {{"position.rope_theta", "500.0"}}},
    {"position.rotary_dim", {}, {{"position.rotary_dim", "8"}}},
    {"position.layout", {}, {{"position.layout", "interleaved"}}},
    {"position.layout", sines, {{"position.layout", "interleaved"}}},
    {"position.ends_at_theta", sines, {{"position.ends_at_theta", "true"}}},
    {"position.offset", sines, {{"position.offset", "2"}}},
    {"position.offset", learned, {{"position.offset", "2"}}},
    {"position.alibi_bias_max", alibi, {{"position.alibi_bias_max", "4.0"}}},
    {"position.direction", longrope, {{"position.direction", "reversed"}}},
    {"position.scaling", {}, linear},
    {"position.factor", linear, {{"position.factor", "3.0"}}},
    {"position.original_max_position_embeddings", llama3, {{"position.original_max_position_embeddings", "32"}}},
    {"position.low_freq_factor", llama3, {{"position.low_freq_factor", "2.0"}}},
    {"position.high_freq_factor", llama3, {{"position.high_freq_factor", "8.0"}}},
    {"position.beta_fast", yarn, {{"position.beta_fast", "4.0"}}},
    {"position.beta_slow", yarn, {{"position.beta_slow", "0.1"}}},
    {"position.truncate", yarn, {{"position.truncate", "false"}}},
    {"position.attention_factor", yarn, {{"position.attention_factor", "1.5"}}},
    {"position.short_factor", longrope, {{"position.short_factor", other_factors}}},
    {"position.long_factor", longrope, {{"position.long_factor", other_factors}}},
    {"position.num_buckets", buckets, {{"position.num_buckets", "16"}}},
    {"position.max_distance", buckets, {{"position.max_distance", "40"}}},
    {"position.max_distance_ahead", distances, {{"position.max_distance_ahead", "2"}}},
    {"attention.num_attention_heads", {}, {{"attention.num_attention_heads", "8"}}},
    {"attention.num_key_value_heads", {}, {{"attention.num_key_value_heads", "4"}}},
    {"attention.head_dim", {}, {{"attention.head_dim", "8"}}},
    {"attention.scale", {}, {{"attention.scale", "0.5"}}},
    {"attention.scale", {{"attention.scale", "1 / (layer + 1)"}}, {{"attention.scale", "1 / (layer + 2)"}}},
    {"attention.bias", {}, {{"attention.bias", "[\"o\"]"}}},
    {"attention.clip", {{"attention.clip", "8"}}, {{"attention.clip", "6.5"}}},
    {"attention.qk_norm", {}, {{"attention.qk_norm", "head"}}},
    {"attention.q_norm", {}, {{"attention.q_norm", "{ per_head = true }"}}},
    {"attention.k_norm", {{"attention.k_norm", "true"}}, {{"attention.k_norm", "{ over = \"projection\" }"}}},
    {"attention.causal", {}, {{"attention.causal", "false"}}},
    {"attention.position", {}, {{"attention.position", "{ rotary_dim = 8 }"}}},
    {"attention.sinks", {}, {{"attention.sinks", "true"}, named("layers.{i}.attention.sinks")}},
    {"attention.scale_growth", growing, {{"attention.scale_growth", "0.5"}}},
    {"attention.scale_interval", growing, {{"attention.scale_interval", "8"}}},
    {"attention.scale_offset", growing, {{"attention.scale_offset", "1"}}},
    {"attention.softcap", {}, {{"attention.softcap", "5"}}},
    {"attention.score", {}, {{"attention.score", "2 * score"}}},
    {"attention.sliding_window", {}, {{"attention.sliding_window", "4"}}},
    {"attention.chunk_size", {}, {{"attention.chunk_size", "4"}}},
    {"attention.mask", {}, {{"attention.mask", "query - key < 3"}}},
    {"attention.window", {{"attention.mask", "query - key < 3"}}, {{"attention.window", "{ recent = 4 }"}}},
    {"attention.gate",
     {{"attention.gate", "head"}, named("layers.{i}.attention.gate")},
     {{"attention.gate", "element"}}},
    {"attention.differential", {}, differential},
    {"attention.differential", differential, {{"attention.differential", "0.5"}}},
    {"attention.head_norm", {}, {{"attention.head_norm", "true"}, named("layers.{i}.attention.head_norm")}},
    {"attention.head_scale", {}, {{"attention.head_scale", "true"}, named("layers.{i}.attention.head_scale")}},
    {"attention.inner_norm", {}, {{"attention.inner_norm", "true"}, named("layers.{i}.attention.inner_norm")}},
    {"attention.values_from", kinds, {{"layers.b.attention.values_from", "a"}, mixed[0], mixed[1]}},
    {"attention.keys_and_values_from", kinds, {{"layers.b.attention.keys_and_values_from", "a"}}},
    {"attention.value_mix", mixing, {{"layers.b.attention.value_mix", "value + 0.5 * earlier"}}},
    {"mlp.type", {}, {{"mlp.type", "plain"}}},
    {"mlp.intermediate_size", {}, {{"mlp.intermediate_size", "128"}}},
    {"mlp.activation", {}, {{"mlp.activation", "relu"}}},
    {"mlp.gate_scale", {}, {{"mlp.gate_scale", "0.5"}}},
    {"mlp.combine", kinds, {{"layers.b.mlp.combine", "relu(gate) * up"}}},
    {"mlp.inner_norm", {}, {{"mlp.inner_norm", "true"}, named("layers.{i}.mlp.inner_norm")}},
    {"mlp.bias", {}, {{"mlp.bias", "[\"up\"]"}}},
    {"mlp.output_gate", {}, {{"mlp.output_gate", "true"}, named("layers.{i}.mlp.output_gate")}},
    {"latent_attention.num_attention_heads", latent, {{"latent_attention.num_attention_heads", "4"}}},
    {"latent_attention.q_lora_rank", latent, short_queries},
    {"latent_attention.kv_lora_rank", latent, {{"latent_attention.kv_lora_rank", "13"}}},
    {"latent_attention.qk_nope_head_dim", latent, {{"latent_attention.qk_nope_head_dim", "11"}}},
    {"latent_attention.qk_rope_head_dim",
     both(latent, {{"position.rotary_dim", "16"}}),
     {{"latent_attention.qk_rope_head_dim", "18"}}},
    {"latent_attention.v_head_dim", latent, {{"latent_attention.v_head_dim", "8"}}},
    {"latent_attention.scale", latent, {{"latent_attention.scale", "0.5"}}},
    {"latent_attention.bias", latent, {{"latent_attention.bias", "[\"o\"]"}}},
    {"latent_attention.latent_norm", latent, {{"latent_attention.latent_norm", "{ eps = 1e-3 }"}}},
    {"latent_attention.position", latent, {{"latent_attention.position", "false"}}},
    {"moe.num_experts", moe, {{"moe.num_experts", "7"}}},
    {"moe.num_experts_per_tok", moe, {{"moe.num_experts_per_tok", "3"}}},
    {"moe.router_bias", moe, {{"moe.router_bias", "true"}}},
    {"moe.scoring_func", moe, {{"moe.scoring_func", "sigmoid"}}},
    {"moe.router_jitter_noise",
     both(moe, {{"moe.scoring_func", "sparsemixer"}}),
     {{"moe.router_jitter_noise", "0.02"}}},
    {"moe.score_after_topk", moe, {{"moe.score_after_topk", "true"}}},
    {"moe.selection_bias", moe, selection_bias},
    {"moe.num_groups", moe, {{"moe.num_groups", "3"}, {"moe.num_groups_per_tok", "2"}}},
    {"moe.num_groups_per_tok", groups, {{"moe.num_groups_per_tok", "1"}}},
    {"moe.group_score", groups, {{"moe.group_score", "top2_sum"}}},
    {"moe.norm_topk_prob", moe, {{"moe.norm_topk_prob", "true"}}},
    {"moe.norm_topk_eps", normed_shares, {{"moe.norm_topk_eps", "1e-20"}}},
    {"moe.norm_topk_min", normed_shares, {{"moe.norm_topk_min", "1e-12"}}},
    {"moe.routed_scaling_factor", moe, {{"moe.routed_scaling_factor", "2.5"}}},
    {"moe.weigh", moe, {{"moe.weigh", "input"}}},
    {"moe.type", moe, gated},
    {"moe.intermediate_size", moe, {{"moe.intermediate_size", "48"}}},
    {"moe.gate_scale", both(moe, gated), {{"moe.gate_scale", "0.5"}}},
    {"moe.activation", moe, {{"moe.activation", "relu"}}},
    {"moe.combine", both(both(moe, gated), kinds), {{"layers.b.moe.combine", "relu(gate) * up"}}},
    {"moe.bias", moe, {{"moe.bias", "[\"down\"]"}}},
    {"short_conv.conv_kernel", convolved, {{"short_conv.conv_kernel", "5"}}},
    {"short_conv.bias", convolved, {{"short_conv.bias", "[\"conv\"]"}}},
    {"mamba.intermediate_size", remembering, {{"mamba.intermediate_size", "13"}}},
    {"mamba.state_size", remembering, {{"mamba.state_size", "6"}}},
    {"mamba.conv_kernel", remembering, {{"mamba.conv_kernel", "3"}}},
    {"mamba.time_step_rank", remembering, {{"mamba.time_step_rank", "4"}}},
    {"mamba.activation", remembering, {{"mamba.activation", "gelu"}}},
    {"mamba.gate_activation", remembering, {{"mamba.gate_activation", "relu"}}},
    {"mamba.decay_rates", with_both_rates("mamba", remembering), other_rates("mamba")},
    {"mamba.parameter_norm", remembering, {{"mamba.parameter_norm", "{ weight_offset = 1.0 }"}}},
    {"mamba.bias", remembering, {{"mamba.bias", "[\"o\"]"}}},
    {"mamba2.num_heads", scanned, {{"mamba2.num_heads", "6"}}},
    {"mamba2.head_dim", scanned, {{"mamba2.head_dim", "7"}}},
    {"mamba2.num_groups", scanned, {{"mamba2.num_groups", "4"}}},
    {"mamba2.state_size", scanned, {{"mamba2.state_size", "6"}}},
    {"mamba2.conv_kernel", scanned, {{"mamba2.conv_kernel", "3"}}},
    {"mamba2.activation", scanned, {{"mamba2.activation", "gelu"}}},
    {"mamba2.gate_activation", scanned, {{"mamba2.gate_activation", "relu"}}},
    {"mamba2.decay_rates", with_both_rates("mamba2", scanned), other_rates("mamba2")},
    {"mamba2.gate_scale", scanned, {{"mamba2.gate_scale", "0.5"}}},
    {"mamba2.x_scale", scanned, {{"mamba2.x_scale", "0.5"}}},
    {"mamba2.b_scale", scanned, {{"mamba2.b_scale", "0.5"}}},
    {"mamba2.c_scale", scanned, {{"mamba2.c_scale", "0.5"}}},
    {"mamba2.dt_scale", scanned, {{"mamba2.dt_scale", "0.5"}}},
    {"mamba2.time_step_min", scanned, {{"mamba2.time_step_min", "0.001"}}},
    {"mamba2.time_step_max", scanned, {{"mamba2.time_step_max", "0.1"}}},
    {"mamba2.inner_norm", scanned, {{"mamba2.inner_norm", "{ weight_offset = 1.0 }"}}},
    {"mamba2.num_norm_groups", scanned, {{"mamba2.num_norm_groups", "1"}}},
    {"mamba2.norm_before_gate", scanned, {{"mamba2.norm_before_gate", "true"}}},
    {"mamba2.bias", scanned, {{"mamba2.bias", "[\"o\"]"}}},
    {"retention.num_heads", retained, {{"retention.num_heads", "4"}}},
    {"retention.key_head_dim", retained, {{"retention.key_head_dim", "8"}}},
    {"retention.value_head_dim", retained, {{"retention.value_head_dim", "7"}}},
    {"retention.qk_activation", retained, {{"retention.qk_activation", "silu"}}},
    {"retention.v_activation", retained, {{"retention.v_activation", "silu"}}},
    {"retention.scale", retained, {{"retention.scale", "0.5"}}},
    {"retention.position", retained, {{"retention.position", "false"}}},
    {"retention.decay", retained, {{"retention.decay", "head"}}},
    {"retention.decay_rank", retained, {{"retention.decay_rank", "3"}}},
    {"retention.log_decay", retained, {{"retention.log_decay", "-softplus(x) / 16"}}},
    {"retention.log_decay", retained, {{"retention.log_decay", "-softplus(x) * layer"}}},
    {"retention.gate",
     both(retained_parts, {{"retention.gate", "none"}}),
     {{"retention.gate", "element"}, named("layers.{i}.retention.gate")}},
    {"retention.gate_activation", retained, {{"retention.gate_activation", "sigmoid(x)"}}},
    {"retention.head_norm", retained, {{"retention.head_norm", "{ weight_offset = 1.0 }"}}},
    {"retention.inner_norm", retained, {{"retention.inner_norm", "{ weight_offset = 1.0 }"}}},
    {"rg_lru.num_heads", recurring, {{"rg_lru.num_heads", "4"}}},
    {"rg_lru.head_dim", recurring, {{"rg_lru.head_dim", "6"}}},
    {"rg_lru.conv_kernel", recurring, {{"rg_lru.conv_kernel", "3"}}},
    {"rg_lru.decay_scale", recurring, {{"rg_lru.decay_scale", "4.0"}}},
    {"rg_lru.gate_activation", recurring, {{"rg_lru.gate_activation", "silu"}}},
    {"rg_lru.bias", recurring, {{"rg_lru.bias", "[\"o\"]"}}},
    {"rwkv.inner_size", weighing, {{"rwkv.inner_size", "13"}}},
    {"rwkv.log_decay", weighing, {{"rwkv.log_decay", "-softplus(x)"}}},
    {"rwkv.gate_activation", weighing, {{"rwkv.gate_activation", "silu"}}},
    {"rwkv.bias", weighing, {{"rwkv.bias", "[\"o\"]"}}},
    {"rwkv7.num_heads", erasing, {{"rwkv7.num_heads", "4"}}},
    {"rwkv7.head_dim", erasing, {{"rwkv7.head_dim", "6"}}},
    {"rwkv7.log_decay", erasing, {{"rwkv7.log_decay", "-softplus(x)"}}},
    {"rwkv7.decay_rank", erasing, {{"rwkv7.decay_rank", "5"}}},
    {"rwkv7.rate_rank", erasing, {{"rwkv7.rate_rank", "5"}}},
    {"rwkv7.gate_rank", erasing, {{"rwkv7.gate_rank", "5"}}},
    {"rwkv7.value_rank", erasing, {{"layers.b.rwkv7.value_rank", "5"}}},
    {"rwkv7.values_from",
     erasing,
     {{"layers.b.rwkv7.values_from", std::nullopt},
      {"layers.b.rwkv7.value_rank", std::nullopt},
      {"checkpoint.tensors.\"layers.{i}.rwkv7.value_down\"", std::nullopt},
      {"checkpoint.tensors.\"layers.{i}.rwkv7.value\"", std::nullopt}}},
    {"rwkv7.head_norm", erasing, {{"rwkv7.head_norm", "{ weight_offset = 1.0 }"}}},
    {"channel_mix.intermediate_size", shifted, {{"channel_mix.intermediate_size", "13"}}},
    {"channel_mix.activation", shifted, {{"channel_mix.activation", "silu"}}},
    {"channel_mix.gate_activation", shifted, {{"channel_mix.gate_activation", "silu"}}},
    {"channel_mix.bias", shifted, {{"channel_mix.bias", "[\"up\"]"}}},
    {"retention.bias", retained, {{"retention.bias", "[\"o\"]"}}},
    {"retention.token_shift", retained_shifted, {{"retention.token_shift", "token"}}},
    {"retention.mix_rank", retained_shifted, {{"retention.mix_rank", "5"}}},
    {"retention.decay_activation", retained, {{"retention.decay_activation", "tanh"}}},
    {"retention.bonus", retained, {{"retention.bonus", "true"}, named("layers.{i}.retention.bonus")}},
    {"retention.per_head", retained, {{"retention.per_head", "true"}}},
    {"channel_mix.gate",
     shifted,
     {{"channel_mix.gate", "none"},
      {"checkpoint.tensors.\"layers.{i}.channel_mix.gate\"", std::nullopt},
      {"checkpoint.tensors.\"layers.{i}.channel_mix.mix_gate\"", std::nullopt}}},
    {"channel_mix.token_shift", shifted, {{"channel_mix.token_shift", "before"}}},
    {"delta_net.num_key_heads", replacing, {{"delta_net.num_key_heads", "4"}}},
    {"delta_net.num_value_heads", replacing, {{"delta_net.num_value_heads", "2"}}},
    {"delta_net.key_head_dim", replacing, {{"delta_net.key_head_dim", "7"}}},
    {"delta_net.value_head_dim", replacing, {{"delta_net.value_head_dim", "7"}}},
    {"delta_net.conv_kernel", replacing, {{"delta_net.conv_kernel", "3"}}},
    {"delta_net.activation", replacing, {{"delta_net.activation", "gelu"}}},
    {"delta_net.qk_norm_eps", replacing, {{"delta_net.qk_norm_eps", "1e-5"}}},
    {"delta_net.beta", replacing, {{"delta_net.beta", "2 * sigmoid(x)"}}},
    {"delta_net.decay", replacing, {{"delta_net.decay", "key"}}},
    {"delta_net.decay_rates", with_both_rates("delta_net", replacing), other_rates("delta_net")},
    {"delta_net.decay_rank", replacing, {{"delta_net.decay_rank", "4"}}},
    {"delta_net.gate",
     both(replacing_parts, {{"delta_net.gate", "none"}}),
     {{"delta_net.gate", "element"}, named("layers.{i}.delta_net.gate")}},
    {"delta_net.gate_rank", replacing, {{"delta_net.gate_rank", "4"}}},
    {"delta_net.gate_activation", replacing, {{"delta_net.gate_activation", "sigmoid(x)"}}},
    {"delta_net.head_norm", replacing, {{"delta_net.head_norm", "{ weight_offset = 1.0 }"}}},
    {"delta_net.bias", replacing, {{"delta_net.bias", "[\"o\"]"}}},
    {"layers.pattern", kinds, {{"layers.pattern", "[\"a\", \"a\", \"b\"]"}}},
    {"layers.repeat", {}, {{"layers.repeat", "2"}}},
    {"layers.steps", {}, {{"layers.steps", "[\"mlp\", \"attention\"]"}}},
    {"layers.shared_input_norm", beside, {{"layers.shared_input_norm", "true"}}},
    {"layers.shared_output_norm",
     both(beside, {{"attention.output_norm", "true"}, named("layers.{i}.attention.output_norm")}),
     {{"layers.shared_output_norm", "true"}}},
    {"layers.residual_scale", {}, {{"layers.residual_scale", "0.5"}}},
    {"layers.weight_sets",
     {{"layers.weight_sets", "1"}, {"checkpoint.tensors.\"layers.{i}.attention.q\"", "set.{s}.q"}},
     {{"layers.weight_sets", "2"}}},
    {"attention.with_embedding", {}, {{"attention.with_embedding", "true"}}},
    {"mlp.with_embedding", {}, {{"mlp.with_embedding", "true"}}},
    {"projection.with_embedding", projecting, {{"projection.with_embedding", "true"}}},
    {"projection.bias", projecting, {{"projection.bias", "true"}}},
    {"attention.adapter_rank", whole_attention, {{"attention.adapter_rank", "4"}}},
    {"mlp.adapter_rank", whole_mlp, {{"mlp.adapter_rank", "4"}}},
    {"pooling.type", {{"attention.causal", "false"}}, {{"pooling.type", "mean"}}},
    {"pooling.type", texts, {{"pooling.type", "last"}}},
    {"pooling.input_norm", texts, {{"pooling.input_norm", "false"}}},
    {"pooling.dense", texts, {{"pooling.dense", "true"}, named("pooling.dense")}},
    {"pooling.size", vectors, {{"pooling.size", "40"}}},
    {"pooling.activation", vectors, {{"pooling.activation", "tanh"}}},
    {"pooling.norm", vectors, {{"pooling.norm", "true"}, named("pooling.norm")}},
    {"pooling.second_dense", vectors, {{"pooling.second_dense", "true"}, named("pooling.second_dense")}},
    {"pooling.second_size", two, {{"pooling.second_size", "40"}}},
    {"pooling.second_activation", two, {{"pooling.second_activation", "tanh"}}},
    {"pooling.num_labels", texts, labels},
    {"pooling.bias", both(vectors, labels), {{"pooling.bias", "[\"labels\"]"}}},
    {"pooling.normalize", texts, {{"pooling.normalize", "true"}}},
    {"attention.source", answering, {{"cross2.source", "encoder"}}},
    {"encoder.num_hidden_layers", answering, {{"encoder.num_hidden_layers", "5"}}},
    {"encoder.hidden_size", own_table, {{"encoder.hidden_size", "144"}}},
    {"encoder.max_position_embeddings",
     both(both(answering, learned), {named("encoder.embedding.positions")}),
     {{"encoder.max_position_embeddings", "40"}}},
    {"encoder.final_norm",
     answering,
     {{"encoder.final_norm", "false"}, {"checkpoint.tensors.\"encoder.final_norm\"", std::nullopt}}},
    {"encoder.own_embedding", answering, {{"encoder.own_embedding", "true"}, named("encoder.embedding.tokens")}},
    {"lm_head.input_norm", {}, {{"lm_head.input_norm", "false"}}},
    {"lm_head.dense", {}, dense},
    {"lm_head.activation", dense, {{"lm_head.activation", "gelu"}}},
    {"lm_head.norm", dense, {{"lm_head.norm", "true"}, {"checkpoint.tensors.\"lm_head.norm\"", "b"}}},
    {"lm_head.bias", {}, {{"lm_head.bias", "true"}}},
    {"lm_head.tie_word_embeddings", {}, {{"lm_head.tie_word_embeddings", "true"}}},
    {"lm_head.scale", {}, {{"lm_head.scale", "0.5"}}},
    {"lm_head.softcap", {}, {{"lm_head.softcap", "5"}}},
    {"lm_head.logits", {}, {{"lm_head.logits", "2 * x"}}},
};

/// The graph, the plan, and where the weights' rows and the tables' numbers come from.
std::string made_of(const std::vector<Override>& overrides) {
  Judged judged = judge(tiny, overrides);
  REQUIRE_MESSAGE(judged.contract, render(judged.diagnostics));
  const Contract& contract = *judged.contract;
  const Graph graph = build_graph(contract);
  std::string text = dump_graph(graph, contract) + dump_plan(make_plan(contract, graph), graph, contract);
  for (const WeightContract& weight : contract.weights) {
    for (const CheckpointPart& source : weight.sources) {
      text +=
          source.name + " " + std::to_string(source.view.source_row) + " " + std::to_string(source.view.rows) + "\n";
    }
  }
  for (const AnglesContract& table : contract.angles) {
    const RotaryContract& rotary = table.rotary;
    for (const float frequency : rotary.frequencies) text += std::to_string(frequency * 1e6f) + " ";
    for (const float frequency : rotary.of_longer) text += std::to_string(frequency * 1e6f) + " ";
    text += std::to_string(rotary.factor) + " " + std::to_string(rotary.original_length) + " " +
            std::to_string(rotary.stretch) + " " + std::to_string(rotary.first_position) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("every field of what a layer is made of moves the graph, the plan or a view") {
  std::vector<Change> all = changes;
  for (const auto& [type, with] : with_every_part) {
    for (const std::string place : {".input_norm", ".output_norm", ".residual_norm"}) {
      std::vector<Override> without = with;
      without.push_back({type + place, "false"});
      all.push_back({type + place, without, {{type + place, "true"}, named("layers.{i}." + type + place)}});
    }
    all.push_back({type + ".with_stream", both(with, chain_to(type)), {{type + ".with_stream", "true"}}});
    all.push_back({type + ".output_scale", with, {{type + ".output_scale", "0.5"}}});
    all.push_back({type + ".stream_scale", with, {{type + ".stream_scale", "0.5"}}});
    all.push_back({type + ".residual_from", with, {{type + ".residual_from", "input_norm"}}});
    all.back().before.insert(all.back().before.end(),
                             {{type + ".input_norm", "true"}, named("layers.{i}." + type + ".input_norm")});
  }
  std::set<std::string> changed;
  for (const Change& change : all) {
    CAPTURE(change.field);
    changed.insert(change.field);
    const bool moves = made_of(change.before) != made_of(both(change.before, change.after));
    CHECK(moves);
  }
  for (const SectionDescription& section : sections()) {
    const bool of_a_layer = section.in_kinds || section.name == "layers" || section.name == "embedding" ||
                            section.name == "lm_head" || section.name == "pooling" || section.name == "encoder";
    if (!of_a_layer) continue;
    for (const auto& [field, slot] : section.fields) {
      INFO(section.name, ".", field->key, " is changed by no case here");
      CHECK(changed.contains(section.name + "." + field->key));
    }
  }
}

TEST_CASE("a sub-block's words are those of the parts that it declares") {
  for (const BlockType& type : block_types()) {
    CAPTURE(type.name);
    REQUIRE(with_every_part.contains(type.name));
    std::set<std::string> declared;
    const std::string prefix = "layers.{i}." + type.name + ".";
    const Judged judged = judge(tiny, with_every_part.at(type.name));
    REQUIRE_MESSAGE(judged.contract, render(judged.diagnostics));
    for (const WeightContract& weight : judged.contract->weights) {
      const bool own = weight.in_checkpoint() && weight.part.starts_with(prefix) &&
                       !weight.part.ends_with(".input_norm") && !weight.part.ends_with(".bias");
      if (own) declared.insert(weight.part.substr(prefix.size()));
    }
    CHECK(declared == std::set<std::string>(type.parts.begin(), type.parts.end()));
  }
}

TEST_CASE("the embedding's, the head's and pooling's words are those of the parts that they declare") {
  std::set<std::string> declared;
  const auto declare = [&](const std::vector<Override>& with, const std::vector<Override>& more) {
    const Judged judged = judge(tiny, both(with, more));
    REQUIRE_MESSAGE(judged.contract, render(judged.diagnostics));
    for (const WeightContract& weight : judged.contract->weights) {
      if (weight.scope.kind == Scope::model && !weight.part.ends_with(".bias")) declared.insert(weight.part);
    }
  };
  declare(narrow, learned);
  declare(dense, {{"lm_head.norm", "true"},
                  {"checkpoint.tensors.\"lm_head.norm\"", "b"},
                  {"embedding.norm", "true"},
                  {"checkpoint.tensors.\"embedding.norm\"", "c"}});
  declare(two, both(labels, {{"pooling.norm", "true"},
                             named("pooling.norm"),
                             {"embedding.token_types", "2"},
                             named("embedding.token_types")}));
  std::set<std::string> parts(embedding_parts().begin(), embedding_parts().end());
  parts.insert(head_parts().begin(), head_parts().end());
  parts.insert(pooling_parts().begin(), pooling_parts().end());
  CHECK(declared == parts);
}
