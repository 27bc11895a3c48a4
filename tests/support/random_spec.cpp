#include "tests/support/random_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <vector>

#include "generator/blocks/embedding.hpp"
#include "generator/blocks/lm_head.hpp"
#include "generator/blocks/position.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/values.hpp"
#include "tests/support/random_names.hpp"

namespace monomorph::test {

using namespace generator;

namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string run() {
    heads_ = pick({1, 2, 3, 4, 6});
    const std::int64_t head_dim = 2 * between(1, 6);
    hidden_ = heads_ * head_dim;
    layers_ = between(1, 4);
    causal_ = chance(90);
    section("model");
    key("name", "\"random\"");
    key("vocab_size", between(5, 11));
    key("hidden_size", hidden_);
    key("num_hidden_layers", layers_);
    key("max_position_embeddings", 12);
    embedding();
    section("norm");
    norm_keys(true);
    position(head_dim);
    attention(head_dim);
    section("mlp");
    mlp_keys();
    layers();
    head();
    section("checkpoint");
    key("dtype", quoted(pick<std::string>({"f32", "f16", "bf16"})));
    section("engine");
    key("max_sequence_length", 12);
    key("kv_cache", "\"f32\"");
    if (causal_) key("prefill_chunk", 5);
    if (chance(50)) key("max_batch", 2);
    if (chance(40)) key("fusion", "false");
    return text_;
  }

 private:
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(last - first + 1));
  }
  bool chance(int percent) { return between(0, 99) < percent; }
  template <class T = std::int64_t>
  T pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(from.size()) - 1))];
  }
  static std::string quoted(const std::string& text) { return "\"" + text + "\""; }

  void section(const std::string& name) { text_ += "\n[" + name + "]\n"; }
  void key(const std::string& name, const std::string& value) { text_ += name + " = " + value + "\n"; }
  void key(const std::string& name, std::int64_t value) { key(name, std::to_string(value)); }
  /// A key whose value is one of these, in some specs.
  void perhaps(int percent, const std::string& name, const std::vector<std::string>& values) {
    if (chance(percent)) key(name, pick<std::string>(values));
  }
  void expression(int percent, const std::string& name, const std::vector<std::string>& texts) {
    if (chance(percent)) key(name, quoted(pick<std::string>(texts)));
  }

  /// A norm's own keys, on lines or, for a norm at one place, in a table.
  std::string norm_table(bool of_heads = false) {
    std::string keys = fmt::format("eps = {}", pick<std::string>({"1e-5", "0.1"}));
    if (chance(40)) {
      keys += fmt::format(", type = {}",
                          pick<std::string>({"\"rms_norm\"", "\"layer_norm\", bias = false", "\"layer_norm\"",
                                             of_heads ? "\"rms_norm\"" : "\"scale_norm\""}));
    }
    if (of_heads && chance(40))
      keys += ", over = \"projection\"";
    else if (of_heads && chance(40))
      keys += ", per_head = true";
    if (of_heads && chance(30)) keys += ", after_rotation = true";
    return "{ " + keys + " }";
  }
  void norm_at(int percent, const std::string& place) { perhaps(percent, place, {"true", "false", norm_table()}); }
  void norm_keys(bool any) {
    const std::string type = pick<std::string>({"rms_norm", "layer_norm", any ? "scale_norm" : "rms_norm"});
    key("type", quoted(type));
    key("eps", pick<std::string>({"1e-5", "0.1"}));
    const bool weightless = type != "scale_norm" && chance(15);
    if (weightless) key("weight", "false");
    if (!weightless && type != "scale_norm") perhaps(20, "weight_offset", {"1.0", "-0.5"});
    if (type == "layer_norm") perhaps(30, "bias", {"false"});
  }

  void embedding() {
    section("embedding");
    if (chance(20)) {
      key("size", between(3, 9));
      perhaps(40, "projection", {"\"last\"", "\"first\""});
      perhaps(40, "bias", {"true"});
    }
    perhaps(20, "token_types", {"1", "3"});
    expression(30, "scale", {"sqrt(hidden_size)", "0.5", "1 / vocab_size"});
    norm_at(30, "norm");
  }

  void position(std::int64_t head_dim) {
    section("position");
    type_ = pick<std::string>(
        {"rope", "rope", "rope", "alibi", "relative_buckets", "relative", "learned", "sinusoidal", "none"});
    key("type", quoted(type_));
    const bool added = type_ == "learned" || type_ == "sinusoidal";
    if (added) perhaps(50, "offset", {"1", "2"});
    if (type_ == "rope" || type_ == "sinusoidal") {
      perhaps(40, "rope_theta", {"25.0", "500.0"});
      perhaps(50, "layout", {"\"interleaved\"", "\"half\""});
    }
    if (type_ == "sinusoidal" && hidden_ >= 4) perhaps(40, "ends_at_theta", {"true"});
    if (type_ == "alibi") perhaps(50, "alibi_bias_max", {"4.0", "16.0"});
    if (type_ == "relative_buckets") {
      key("max_distance", between(5, 9));
      key("num_buckets", 2 * between(2, 4));
    }
    if (type_ == "relative") {
      key("max_distance", between(1, 5));
      perhaps(50, "max_distance_ahead", {"1", "2"});
    }
    if (type_ == "rope") {
      perhaps(30, "direction", {"\"reversed\""});
      rotary(head_dim);
    }
  }

  void rotary(std::int64_t head_dim) {
    const std::int64_t dim = chance(40) ? 2 * between(1, head_dim / 2) : head_dim;
    key("rotary_dim", dim);
    const std::string scaling = pick<std::string>({"none", "linear", "llama3", "yarn", "dynamic", "longrope"});
    if (scaling == "none" || (scaling == "dynamic" && dim == 2)) return;
    key("scaling", quoted(scaling));
    if (scaling != "longrope") key("factor", "2.0");
    // A sequence that crosses LongRoPE's length is computed anew, which graphs know nothing of: all are beyond it, or
    // none.
    if (scaling == "longrope")
      key("original_max_position_embeddings", pick({2, 12}));
    else if (scaling != "linear")
      key("original_max_position_embeddings", between(4, 8));
    if (scaling == "llama3") text_ += "low_freq_factor = 1.0\nhigh_freq_factor = 4.0\n";
    if (scaling == "yarn") {
      perhaps(30, "beta_fast", {"8.0"});
      perhaps(30, "beta_slow", {"0.5"});
      perhaps(30, "truncate", {"false"});
    }
    if (scaling == "yarn" || scaling == "longrope") perhaps(40, "attention_factor", {"1.25"});
    if (scaling == "longrope") {
      for (const char* name : {"short_factor", "long_factor"}) {
        std::string factors;
        for (std::int64_t j = 0; j < dim / 2; ++j) factors += fmt::format("{}{}.5", j == 0 ? "" : ", ", between(1, 4));
        key(name, "[" + factors + "]");
      }
    }
  }

  void attention(std::int64_t head_dim) {
    section("attention");
    key("num_attention_heads", heads_);
    const bool pairs = go_in_pairs();
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= heads_; ++d) {
      if (heads_ % d == 0 && (!pairs || d % 2 == 0)) divisors.push_back(d);
    }
    if (chance(60)) key("num_key_value_heads", pick(divisors));
    if (chance(60)) key("head_dim", head_dim);
    if (!causal_) key("causal", "false");
    shares_output_norm_ = chance(25);
    if (shares_output_norm_) key("output_norm", pick<std::string>({"true", norm_table()}));
    attention_keys(pairs);
  }

  /// Whether the heads are those of differential attention.
  bool go_in_pairs() { return heads_ % 2 == 0 && chance(30); }

  /// What attentions of a kind, and second ones, may say as well.
  void attention_keys(bool pairs) {
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
    } else if (chance(15)) {
      key("scale_growth", pick<std::string>({"0.1", "1.5"}));
      key("scale_interval", between(1, 5));
      perhaps(40, "scale_offset", {"1", "3"});
    } else {
      expression(15, "score", {"0.5 * score + 0.1 * head", "score - 0.1 * (query - key)", "30 * tanh(score / 30)"});
    }
    if (chance(25) && causal_) {
      key(chance(30) ? "chunk_size" : "sliding_window", between(1, 7));
    } else if (chance(30)) {
      key("mask", quoted(pick<std::string>(
                      {"query - key < 4 || key < 2", "(query - key) % 2 == 0", "key == query || key % 3 == 1"})));
      if (causal_) perhaps(30, "window", {"{ recent = 4, first = 2 }", "{ recent = 3, first = 0 }"});
    }
    sub_block_norms();
  }

  void sub_block_norms() {
    norm_at(20, "input_norm");
    if (!shares_output_norm_) norm_at(25, "output_norm");
    norm_at(10, "residual_norm");
    perhaps(10, "residual_from", {"\"input_norm\""});
  }

  void unit_keys(std::vector<std::string> activations, const std::vector<std::string>& biases) {
    const bool gated = chance(50);
    key("type", gated ? "\"gated\"" : "\"plain\"");
    key("intermediate_size", between(3, 17));
    if (gated && chance(30)) {
      key("combine", quoted(pick<std::string>({"silu(gate) * (up + 1)", "gate * sigmoid(1.5 * up)"})));
    } else {
      activations.insert(activations.end(), {"silu", "gelu", "relu2", "mish", "x / (1 + abs(x))"});
      key("activation", quoted(pick(activations)));
    }
    perhaps(30, "bias", biases);
  }

  void mlp_keys() {
    unit_keys({"max(x, 0) + lambda1 * min(x, 0)"}, any_bias_);
    norm_at(20, "inner_norm");
    perhaps(20, "output_gate", {"true"});
    sub_block_norms();
  }

  void moe_keys() {
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

  void latent_keys() {
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

  void layers() {
    const bool kinds = layers_ > 1 && chance(60);
    std::string second;
    if (chance(40)) {
      const bool turns = type_ != "alibi" && type_ != "relative_buckets" && type_ != "relative";
      second = pick<std::string>({"narrow", "again", "moe", causal_ && turns ? "latent_attention" : "moe"});
      section(second);
      if (second == "moe") {
        moe_keys();
      } else if (second == "latent_attention") {
        latent_keys();
      } else if (second == "narrow") {
        key("block", "\"mlp\"");
        mlp_keys();
      } else {
        key("block", "\"attention\"");
        key("num_attention_heads", heads_);
        key("head_dim", hidden_ / heads_);
        if (!causal_) key("causal", "false");
        if (type_ != "learned" && type_ != "sinusoidal") perhaps(40, "position", {"false", "true"});
        attention_keys(go_in_pairs());
      }
    }
    section("layers");
    if (chance(15)) key("repeat", 2);
    expression(30, "residual_scale", {"0.5", "1.4 / sqrt(num_hidden_layers)"});
    std::string steps;
    if (!second.empty()) {
      steps = pick<std::string>(
          {"[\"attention\", \"" + second + "\", \"mlp\"]", "[\"attention + " + second + "\", \"mlp\"]"});
    } else if (chance(30)) {
      steps = pick<std::string>({"[\"attention + mlp\"]", "[\"mlp\", \"attention\"]", "[\"attention\"]"});
      perhaps(40, "shared_input_norm", {"true"});
    }
    if (!steps.empty()) key("steps", steps);
    if (shares_output_norm_ && steps.find('+') != std::string::npos) key("shared_output_norm", "true");
    if (!kinds) return;
    key("pattern", pick<std::string>({"[\"a\", \"b\"]", "[\"a\", \"b\", \"b\"]"}));
    section("layers.a");
    section("layers.b");
    if (type_ == "rope") perhaps(40, "position.rope_theta", {"50.0"});
    perhaps(30, "attention.bias", {"[\"q\", \"o\"]"});
    if (chance(25)) {
      key("attention.keys_and_values_from", "\"a\"");
    } else if (chance(30)) {
      key("attention.values_from", "\"a\"");
      expression(50, "attention.value_mix", {"0.5 * (value + earlier)", "lambda1 * value - earlier"});
    }
  }

  void head() {
    section("lm_head");
    perhaps(50, "tie_word_embeddings", {"true", "false"});
    norm_at(25, "input_norm");
    const bool dense = chance(20);
    if (dense) {
      key("dense", "true");
      expression(60, "activation", {"gelu", "tanh(x)"});
      norm_at(50, "norm");
    }
    perhaps(25, "bias", {"true", "[\"matrix\"]"});
    if (chance(25)) {
      key("logits", quoted("x + 0.1 * x * abs(x)"));
    } else {
      expression(25, "scale", {"0.0625", "1 / sqrt(hidden_size)"});
      expression(25, "softcap", {"5"});
    }
  }

  std::mt19937_64 random_;
  const std::vector<std::string> any_bias_ = {"true", "[\"up\"]", "[\"down\"]"};
  std::string text_, type_;
  std::int64_t heads_ = 1, hidden_ = 0, layers_ = 1;
  bool causal_ = true, shares_output_norm_ = false;
};

void note(const std::string& section, const BoundFields& fields, std::set<std::string>& said) {
  for (const auto& [field, slot] : fields) {
    std::visit(
        [&](auto* value) {
          if constexpr (requires { value->given; }) {
            if (value->given) said.insert(section + "." + field->key);
          }
        },
        slot);
  }
}

}  // namespace

std::string random_spec_text(std::uint64_t seed) { return Writer(seed).run(); }

std::optional<Contract> contract_of_random(const std::string& text, std::set<std::string>& said, std::string& refusal) {
  Diagnostics diagnostics;
  std::optional<Spec> spec = read_spec_leniently(std::make_shared<Source>("random.toml", text), {}, diagnostics);
  std::optional<Contract> contract;
  if (spec) {
    name_tensors(*spec, text.size());
    contract = check_contract(*spec, diagnostics);
  }
  if (!contract) {
    for (const Diagnostic& each : diagnostics.all()) {
      if (refusal.empty() && each.severity == Severity::error) refusal = each.rule + ": " + each.message;
    }
    return std::nullopt;
  }
  note("embedding", bind(*spec->embedding), said);
  note("norm", bind(spec->norm), said);
  note("lm_head", bind(*spec->lm_head), said);
  note("position", bind(*spec->position), said);
  for (LayerKind& kind : spec->kinds) {
    note("position", bind(*kind.position), said);
    for (Step& step : kind.steps) {
      for (Block& block : step.blocks) note(block.type->name, bind_block(block), said);
    }
  }
  return contract;
}

}  // namespace monomorph::test
