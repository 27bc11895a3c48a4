#include "tests/support/random_spec.hpp"

#include <algorithm>
#include <vector>

#include "generator/blocks/embedding.hpp"
#include "generator/blocks/lm_head.hpp"
#include "generator/blocks/position.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/encoder_section.hpp"
#include "generator/spec/fields.hpp"
#include "generator/spec/values.hpp"
#include "tests/support/random_blocks.hpp"
#include "tests/support/random_names.hpp"

namespace monomorph::test {

using namespace generator;

namespace {

class Writer : RandomBlocks {
 public:
  explicit Writer(std::uint64_t seed) : RandomBlocks(seed), third_(seed % 3 == 0) {}

  std::string run() {
    heads_ = pick({1, 2, 3, 4, 6});
    const std::int64_t head_dim = 2 * between(1, 6);
    hidden_ = heads_ * head_dim;
    layers_ = between(1, 4);
    causal_ = chance(90);
    answers_ = causal_ && third_;
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
    // What an encoder's layers are laid over stands in no chain.
    const bool chained = !answers_ && chance(20), alone = !answers_ && !chained && chance(25);
    way_ = chained ? Way::chained : alone ? Way::apart : Way::any;
    place_ = chained ? Place::first : alone ? Place::alone : Place::any;
    attention(head_dim);
    section("mlp");
    place_ = chained ? Place::last : place_;
    mlp_keys();
    place_ = chained ? Place::middle : place_;
    layers();
    place_ = Place::any;
    if (answers_) {
      cross_attention();
      encoder(head_dim);
    }
    head();
    section("checkpoint");
    key("dtype", quoted(pick<std::string>({"f32", "f16", "bf16"})));
    section("engine");
    key("max_sequence_length", 12);
    key("kv_cache", "\"f32\"");
    if (causal_) key("prefill_chunk", 5);
    if (chance(50)) key("max_batch", 2);
    if (chance(40)) key("fusion", "false");
    if (answers_) perhaps(70, "max_source_length", {"1", "4", "9"});
    return text_;
  }

 private:
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
    section(of_encoder_ ? "encoder.position" : "position");
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
    const std::size_t begin = text_.size();
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
    attention_keys(pairs, causal_ ? Sees::text : Sees::pass);
    const std::string written = text_.substr(begin);
    for (const char* word : {"chunk_size", "window = {"}) {
      has_window_ = has_window_ || written.find(word) != std::string::npos;
    }
  }

  void layers() {
    const bool kinds = layers_ > 1 && chance(60);
    std::string second;
    if (chance(65)) {
      const bool turns = type_ != "alibi" && type_ != "relative_buckets" && type_ != "relative";
      second = pick<std::string>({"narrow", "again", "moe", "short_conv", "mamba", "mamba2", "delta_net", "retention",
                                  "rg_lru", "rwkv", "rwkv7", "channel_mix", "projection",
                                  causal_ && turns ? "latent_attention" : "moe"});
      section(second);
      if (second == "moe") {
        moe_keys();
      } else if (second == "latent_attention") {
        latent_keys();
      } else if (second == "short_conv") {
        short_conv_keys();
      } else if (second == "mamba") {
        mamba_keys();
      } else if (second == "mamba2") {
        mamba2_keys();
      } else if (second == "delta_net") {
        delta_net_keys();
      } else if (second == "retention") {
        retention_keys();
      } else if (second == "rg_lru") {
        rg_lru_keys();
      } else if (second == "rwkv") {
        rwkv_keys();
      } else if (second == "rwkv7") {
        rwkv7_keys();
      } else if (second == "projection") {
        projection_keys();
      } else if (second == "channel_mix") {
        channel_mix_keys();
      } else if (second == "narrow") {
        key("block", "\"mlp\"");
        mlp_keys();
      } else {
        key("block", "\"attention\"");
        key("num_attention_heads", heads_);
        key("head_dim", hidden_ / heads_);
        if (!causal_) key("causal", "false");
        if (type_ != "learned" && type_ != "sinusoidal") perhaps(40, "position", {"false", "true"});
        attention_keys(go_in_pairs(), causal_ ? Sees::text : Sees::pass);
      }
    }
    section("layers");
    if (chance(15)) key("repeat", 2);
    expression(30, "residual_scale", {"0.5", "1.4 / sqrt(num_hidden_layers)"});
    perhaps(10, "weight_sets", {"1", "2"});
    std::vector<std::string> steps;
    using Steps = std::vector<std::string>;
    if (way_ == Way::chained) {
      steps = {second.empty() ? "attention > mlp" : "attention > " + second + " > mlp"};
    } else if (way_ == Way::apart) {
      steps = {"mlp", "attention"};
      if (!second.empty()) steps.push_back(second);
    } else if (!second.empty()) {
      steps = pick<Steps>({{"attention", second, "mlp"}, {"attention + " + second, "mlp"}});
    } else if (chance(30)) {
      steps = pick<Steps>({{"attention + mlp"}, {"mlp", "attention"}, {"attention"}});
      perhaps(40, "shared_input_norm", {"true"});
    }
    const bool of_one_kind = kinds && answers_ && chance(40);  // has cross-attention
    if (answers_ && steps.empty()) steps = {"attention", "mlp"};
    const std::vector<std::string> with_cross = answers_ ? crossed(steps) : steps;
    const std::vector<std::string>& shared = of_one_kind ? steps : with_cross;
    if (!steps.empty()) key("steps", listed(shared));
    if (shares_output_norm_ && listed(shared).find('+') != std::string::npos) key("shared_output_norm", "true");
    if (!kinds) return;
    key("pattern", pick<std::string>({"[\"a\", \"b\"]", "[\"a\", \"b\", \"b\"]"}));
    section("layers.a");
    section("layers.b");
    if (of_one_kind) key("steps", listed(with_cross));
    if (type_ == "rope") perhaps(40, "position.rope_theta", {"50.0"});
    perhaps(30, "attention.bias", {"[\"q\", \"o\"]"});
    if (second == "rwkv7" && !of_one_kind && chance(60)) {
      key("rwkv7.values_from", "\"a\"");
      key("rwkv7.value_rank", between(1, 5));
    }
    if (chance(25)) {
      key("attention.keys_and_values_from", "\"a\"");
    } else if (chance(30)) {
      key("attention.values_from", "\"a\"");
      expression(50, "attention.value_mix", {"0.5 * (value + earlier)", "lambda1 * value - earlier"});
    }
  }

  static std::string listed(const std::vector<std::string>& steps) {
    std::string text;
    for (const std::string& step : steps) text += (text.empty() ? "" : ", ") + quoted(step);
    return "[" + text + "]";
  }

  /// With cross-attention, as a step or beside attention.
  std::vector<std::string> crossed(std::vector<std::string> steps) {
    if (chance(70)) {
      steps.insert(steps.begin() + between(0, std::ssize(steps)), "cross");
    } else {
      *std::ranges::find_if(steps, [](const std::string& step) { return step.starts_with("attention"); }) += " + cross";
    }
    return steps;
  }

  void cross_attention() {
    section("cross");
    key("block", "\"attention\"");
    key("source", "\"encoder\"");
    const std::int64_t shared = between(1, 3), heads = shared * between(1, 2);
    key("num_attention_heads", heads);
    key("head_dim", between(2, 9));
    if (chance(50)) key("num_key_value_heads", shared);
    perhaps(20, "position", {"false"});
    perhaps(20, "causal", {"false"});
    attention_keys(false, Sees::source);
  }

  void encoder(std::int64_t head_dim) {
    of_encoder_ = true;
    section("encoder");
    const bool own_width = chance(50);
    if (own_width) hidden_ = 2 * between(2, 8);
    if (own_width) key("hidden_size", hidden_);
    if (chance(60)) key("num_hidden_layers", layers_ = between(1, 3));
    perhaps(40, "max_position_embeddings", {"10", "14"});
    if (own_width || chance(30)) key("own_embedding", "true");
    norm_at(50, "final_norm");
    if (chance(40)) {
      section("encoder.norm");
      norm_keys(false);
    }
    if (chance(40)) {
      section("encoder.embedding");
      expression(50, "scale", {"sqrt(hidden_size)", "0.5"});
      norm_at(50, "norm");
    }
    const bool same_type = chance(50);
    if (!same_type) position(head_dim);
    const std::string beside = pick<std::string>({"mlp", "mlp", "moe", "feeding", "matrix"});
    const bool laid_over = !has_window_ && chance(50);
    // A chain is of sections that the encoder has for itself: others say what they are added to.
    const bool chained = !laid_over && (beside == "feeding" || beside == "matrix") && chance(60);
    place_ = chained ? Place::first : Place::any;
    if (laid_over) {
      section("encoder.attention");
      key("causal", "false");
      if (own_width) key("head_dim", head_dim);
      expression(30, "scale", {"0.5", "(layer + 1) * 0.25"});
      perhaps(30, "bias", {"true", "[\"k\"]"});
      norm_at(30, "inner_norm");
    } else {
      section("encoder.reading");
      key("block", "\"attention\"");
      key("causal", "false");
      key("num_attention_heads", heads_);
      key("head_dim", head_dim);
      perhaps(20, "position", {"false"});
      attention_keys(go_in_pairs(), Sees::pass);
    }
    place_ = chained ? Place::last : Place::any;
    if (beside == "matrix") {
      section("encoder.matrix");
      key("block", "\"projection\"");
      projection_keys();
    } else if (beside == "moe" && text_.find("[moe]") == std::string::npos) {
      section("encoder.moe");
      moe_keys();
    } else if (beside == "feeding") {
      section("encoder.feeding");
      key("block", "\"mlp\"");
      mlp_keys();
    }
    section("encoder.layers");
    perhaps(20, "repeat", {"2"});
    expression(30, "residual_scale", {"0.5", "1.4 / sqrt(num_hidden_layers)"});
    const std::string reads = laid_over ? "attention" : "reading";
    const bool side_by_side = !chained && chance(30);
    using Steps = std::vector<std::string>;
    key("steps", listed(chained        ? Steps{reads + " > " + beside}
                        : side_by_side ? Steps{reads + " + " + beside}
                                       : Steps{reads, beside}));
    if (side_by_side) perhaps(50, "shared_input_norm", {"true"});
    if (layers_ == 1 || chance(60)) return;
    key("pattern", "[\"near\", \"far\"]");
    section("encoder.layers.near");
    perhaps(50, reads + ".bias", {"[\"q\", \"o\"]"});
    section("encoder.layers.far");
    if (chance(30)) key("steps", listed({reads}));
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

  const bool third_;
  /// How steps are chosen: any, as one chain, or each sub-block by itself.
  enum class Way { any, chained, apart };
  Way way_ = Way::any;
  std::int64_t layers_ = 1;
  bool causal_ = true;
  bool answers_ = false;     ///< to a source
  bool has_window_ = false;  ///< [attention] keeps some keys alone, which one that keeps none cannot say
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
  if (spec->encoder) {
    note("encoder", bind(*spec->encoder->section), said);
    note("encoder.embedding", bind(*spec->encoder->embedding), said);
  }
  note("position", bind(*spec->position), said);
  for (LayerKind& kind : spec->kinds) {
    const std::string stack = section_prefix(kind.stack);
    note(stack + "norm", bind(kind.norm), said);
    note(stack + "position", bind(*kind.position), said);
    for (Step& step : kind.steps) {
      for (Block& block : step.blocks) {
        note((reads_source(block) ? "cross " : stack) + block.type->name, bind_block(block), said);
      }
    }
  }
  return contract;
}

}  // namespace monomorph::test
