#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "generator/contract/contract.hpp"
#include "tests/generator/import/imported.hpp"

using namespace monomorph::tests;
using namespace monomorph::generator;
using monomorph::generator::testing::attention;
using monomorph::generator::testing::mlp;
using monomorph::generator::testing::moe;
using json = nlohmann::ordered_json;

TEST_CASE("a Llama's sizes reach the spec under the same names") {
  const Imported imported = import_text(llama_config().dump());
  REQUIRE(imported.spec);
  const Spec& spec = *imported.spec;
  CHECK(spec.model.vocab_size.value == 300);
  CHECK(spec.model.hidden_size.value == 48);
  CHECK(spec.model.num_hidden_layers.value == 2);
  CHECK(spec.model.max_position_embeddings.value == 128);
  const LayerKind& kind = spec.kinds.at(0);
  CHECK(kind.norm.type.value == "rms_norm");
  CHECK(kind.norm.eps.value == 1e-5);
  CHECK(attention(kind).num_attention_heads.value == 6);
  CHECK(attention(kind).num_key_value_heads.value == 2);
  CHECK(attention(kind).head_dim.value == 8);
  CHECK_FALSE(attention(kind).bias.value.has("q"));
  CHECK(kind.position->type.value == "rope");
  CHECK(mlp(kind).type.value == "gated");
  CHECK(mlp(kind).intermediate_size.value == 100);
  CHECK(mlp(kind).activation.value == "silu");
  CHECK(spec.checkpoint->dtype.value == "f16");
}

TEST_CASE("keys that are absent take the architecture's own defaults") {
  json config = llama_config();
  for (const char* key : {"rms_norm_eps", "num_key_value_heads", "intermediate_size", "max_position_embeddings"}) {
    config.erase(key);
  }
  SUBCASE("Llama 1: as many key and value heads as query heads") {
    const Imported imported = import_text(config.dump());
    REQUIRE(imported.spec);
    const LayerKind& kind = imported.spec->kinds.at(0);
    CHECK(attention(kind).num_key_value_heads.value == 6);
    CHECK(mlp(kind).intermediate_size.value == 11008);
    CHECK(kind.norm.eps.value == 1e-6);
    CHECK(kind.position->rope_theta.value == 10000);
    CHECK(imported.spec->model.max_position_embeddings.value == 2048);
    CHECK_FALSE(imported.spec->lm_head->tie_word_embeddings.value);
  }
  SUBCASE("Mistral: eight key and value heads") {
    config["architectures"] = {"MistralForCausalLM"};
    config["model_type"] = "mistral";
    config["sliding_window"] = nullptr;
    const Imported imported = import_text(config.dump());
    REQUIRE(imported.spec);
    CHECK(attention(imported.spec->kinds.at(0)).num_key_value_heads.value == 8);
    CHECK(mlp(imported.spec->kinds.at(0)).intermediate_size.value == 14336);
    CHECK(imported.spec->model.max_position_embeddings.value == 131072);
  }
  SUBCASE("Qwen 3: heads of 128") {
    config["architectures"] = {"Qwen3ForCausalLM"};
    config["model_type"] = "qwen3";
    const Imported imported = import_text(config.dump());
    REQUIRE(imported.spec);
    CHECK(attention(imported.spec->kinds.at(0)).num_key_value_heads.value == 32);
    CHECK(attention(imported.spec->kinds.at(0)).head_dim.value == 128);
    CHECK(imported.spec->model.max_position_embeddings.value == 32768);
  }
}

TEST_CASE("what did not come from config.json is marked in the spec") {
  json config = llama_config();
  config.erase("rms_norm_eps");
  const Imported imported = import_text(config.dump());
  REQUIRE(imported.text);
  CHECK(imported.text->find("eps = 1e-6  # transformers' default") != std::string::npos);
  const Imported published = import_text(small_configs().at("openelm").dump());
  REQUIRE(published.text);
  CHECK(published.text->find("rope_theta = 10000.0  # the published code's default") != std::string::npos);
}

TEST_CASE("a null num_key_value_heads means as many as query heads, in every architecture") {
  const Imported imported = import_text(
      config_of("MistralForCausalLM", "mistral", {{"num_key_value_heads", nullptr}, {"sliding_window", nullptr}})
          .dump());
  REQUIRE(imported.spec);
  CHECK(attention(imported.spec->kinds.at(0)).num_key_value_heads.value == 6);
}

TEST_CASE("head_dim may differ from hidden_size over the heads") {
  const Imported imported = import_text(llama_config({{"head_dim", 24}}).dump());
  REQUIRE(imported.spec);
  CHECK(attention(imported.spec->kinds.at(0)).head_dim.value == 24);
}

TEST_CASE("biases are those of the architecture") {
  const auto bias_of = [](const json& config) {
    const Imported imported = import_text(config.dump());
    REQUIRE(imported.spec);
    const LayerKind& kind = imported.spec->kinds.at(0);
    std::string having;
    for (const char* name : {"q", "k", "v", "o"}) {
      if (attention(kind).bias.value.has(name)) having += name;
    }
    having += '/';
    for (const char* name : {"gate", "up", "down"}) {
      if (mlp(kind).bias.value.has(name)) having += name[0];
    }
    return having;
  };
  CHECK(bias_of(llama_config()) == "/");
  CHECK(bias_of(llama_config({{"attention_bias", true}})) == "qkvo/");
  CHECK(bias_of(llama_config({{"mlp_bias", true}})) == "/gud");
  const auto seed_oss = [](const json& changes) { return config_of("SeedOssForCausalLM", "seed_oss", changes); };
  CHECK(bias_of(seed_oss({})) == "qkv/");
  CHECK(bias_of(seed_oss({{"attention_out_bias", true}})) == "qkvo/");
  CHECK(bias_of(seed_oss({{"attention_bias", false}, {"attention_out_bias", true}})) == "o/");
  CHECK(bias_of(seed_oss({{"attention_bias", false}, {"mlp_bias", true}})) == "/gud");
  CHECK(bias_of(config_of("Ernie4_5ForCausalLM", "ernie4_5", {{"use_bias", true}})) == "qkvo/gud");
  CHECK(bias_of(config_of("Ernie4_5ForCausalLM", "ernie4_5", {{"use_bias", nullptr}})) == "/");
  CHECK(bias_of(config_of("HeliumForCausalLM", "helium", {{"head_dim", 8}, {"attention_bias", true}})) == "qkv/");
  CHECK(bias_of(config_of("Qwen2ForCausalLM", "qwen2")) == "qkv/");
  CHECK(bias_of(config_of("Qwen3ForCausalLM", "qwen3")) == "/");
  CHECK(bias_of(config_of("Qwen3ForCausalLM", "qwen3", {{"attention_bias", true}})) == "qkvo/");
}

TEST_CASE("Qwen 3 alone normalises queries and keys") {
  const Imported qwen3 = import_text(config_of("Qwen3ForCausalLM", "qwen3").dump());
  const Imported qwen2 = import_text(config_of("Qwen2ForCausalLM", "qwen2").dump());
  REQUIRE(qwen3.spec);
  REQUIRE(qwen2.spec);
  CHECK(attention(qwen3.spec->kinds.at(0)).qk_norm.value == "head");
  CHECK(attention(qwen2.spec->kinds.at(0)).qk_norm.value == "none");
}

TEST_CASE("both spellings of rotary settings give the same spec") {
  const Imported older = import_text(llama_config({{"rope_theta", 5e5}, {"rope_scaling", nullptr}}).dump());
  const Imported newer =
      import_text(llama_config({{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 5e5}}}}).dump());
  REQUIRE(older.spec);
  REQUIRE(newer.spec);
  CHECK(older.spec->kinds.at(0).position->rope_theta.value == 5e5);
  CHECK(newer.spec->kinds.at(0).position->rope_theta.value == 5e5);
}

TEST_CASE("scaled rotary settings are read in both spellings, and of every family whose scaling runs") {
  const json linear = {{"factor", 2.5}};
  const json llama3 = {
      {"factor", 8}, {"low_freq_factor", 1}, {"high_freq_factor", 4.5}, {"original_max_position_embeddings", 32}};
  const json yarn = {{"factor", 4},       {"original_max_position_embeddings", 64},
                     {"beta_fast", 16},   {"beta_slow", 2},
                     {"truncate", false}, {"attention_factor", 1.25},
                     {"mscale", 0.7},     {"mscale_all_dim", 1}};
  for (const auto& [name, small] : small_configs()) {
    static const std::set<std::string> others = {"albert",
                                                 "mamba",
                                                 "mamba2",
                                                 "bamba",
                                                 "nemotron_h",
                                                 "kimi_linear",
                                                 "recurrent_gemma",
                                                 "rwkv",
                                                 "falcon_mamba",
                                                 "jamba",
                                                 "umt5",
                                                 "t5gemma",
                                                 "t5",
                                                 "pegasus",
                                                 "mt5",
                                                 "mbart",
                                                 "marian",
                                                 "blenderbot",
                                                 "bart",
                                                 "bert",
                                                 "bert_classifier",
                                                 "bert_masked",
                                                 "bert_generation",
                                                 "biogpt",
                                                 "camembert",
                                                 "camembert_classifier",
                                                 "camembert_masked",
                                                 "codegen",
                                                 "cohere_compass",
                                                 "ministral3",
                                                 "modernbert",
                                                 "modernbert_classifier",
                                                 "modernbert_decoder",
                                                 "bloom",
                                                 "ctrl",
                                                 "distilbert",
                                                 "electra",
                                                 "gemma3",
                                                 "gemma3_vectors",
                                                 "gpt2",
                                                 "gpt_bigcode",
                                                 "gpt_neo",
                                                 "gptj",
                                                 "hunyuan_v1_dense",
                                                 "hunyuan_v1_moe",
                                                 "llada",
                                                 "mellum",
                                                 "mpnet",
                                                 "mpt",
                                                 "olmo3",
                                                 "openai_gpt",
                                                 "openelm",
                                                 "opt",
                                                 "phi3",
                                                 "phimoe",
                                                 "roberta",
                                                 "roberta_classifier",
                                                 "roberta_masked",
                                                 "xglm",
                                                 "xlm_roberta",
                                                 "xlm_roberta_classifier",
                                                 "xlm_roberta_masked"};
    if (others.contains(name)) continue;
    for (const auto& [table, type] : {std::pair{"rope_scaling", "type"},
                                      {"rope_scaling", "rope_type"},
                                      {"rope_parameters", "type"},
                                      {"rope_parameters", "rope_type"}}) {
      CAPTURE(name);
      CAPTURE(table);
      const auto position = [&](const char* scaling, json settings) {
        json config = without("rope_scaling", small);
        settings[type] = scaling;
        config[table] = settings;
        const Imported imported = import_text(config.dump());
        INFO(render(imported.diagnostics));
        REQUIRE(imported.spec);
        CHECK(imported.spec->kinds.at(0).position->scaling.value == scaling);
        return *imported.spec->kinds.at(0).position;
      };
      CHECK(position("linear", linear).factor.value == 2.5);
      CHECK_FALSE(position("linear", linear).original_max_position_embeddings.given);
      const json of_less = {{"factor", 2.5}, {"original_max_position_embeddings", 32}};
      CHECK(position("linear", of_less).original_max_position_embeddings.value == 32);
      const PositionSection as_llama3 = position("llama3", llama3);
      CHECK(as_llama3.factor.value == 8);
      CHECK(as_llama3.low_freq_factor.value == 1);
      CHECK(as_llama3.high_freq_factor.value == 4.5);
      CHECK(as_llama3.original_max_position_embeddings.value == 32);
      const PositionSection as_yarn = position("yarn", yarn);
      CHECK(as_yarn.factor.value == 4);
      CHECK(as_yarn.original_max_position_embeddings.value == 64);
      CHECK(as_yarn.beta_fast.value == 16);
      CHECK(as_yarn.beta_slow.value == 2);
      CHECK_FALSE(as_yarn.truncate.value);
      CHECK(as_yarn.attention_factor.value == 1.25);
    }
  }
}

TEST_CASE("of Gemma 3, global layers alone are scaled") {
  const auto imported = [](const json& changes) {
    json config = small_configs().at("gemma3");
    config.update(changes);
    return import_text(config.dump());
  };
  for (const char* table : {"rope_scaling", "rope_parameters"}) {
    json scaling = {{"rope_type", "linear"}, {"factor", 8.0}};
    if (table == std::string("rope_parameters")) scaling = {{"full_attention", scaling}};
    const Imported scaled = imported({{table, scaling}});
    INFO(render(scaled.diagnostics));
    REQUIRE(scaled.spec);
    REQUIRE(scaled.spec->kinds.size() == 2);
    const PositionSection &local = *scaled.spec->kinds[0].position, &global = *scaled.spec->kinds[1].position;
    CHECK(global.scaling.value == "linear");
    CHECK(global.factor.value == 8);
    CHECK(global.rope_theta.value == 1e6);
    CHECK(local.scaling.value != "linear");
    CHECK(local.rope_theta.value == 1e4);
  }
  const json yarn = {{"rope_type", "yarn"}, {"factor", 4}, {"original_max_position_embeddings", 64}, {"beta_fast", 16}};
  for (const json& scaling : {json{{"rope_scaling", yarn}}, json{{"rope_parameters", {{"full_attention", yarn}}}}}) {
    const Imported scaled = imported(scaling);
    INFO(render(scaled.diagnostics));
    REQUIRE(scaled.spec);
    const PositionSection &local = *scaled.spec->kinds[0].position, &global = *scaled.spec->kinds[1].position;
    CHECK(global.scaling.value == "yarn");
    CHECK(global.beta_fast.value == 16);
    CHECK(global.original_max_position_embeddings.value == 64);
    CHECK(local.scaling.value == "none");
  }
  // Layers that all have a window make the scaling, and what belongs to it, concern none.
  const Imported local = imported({{"rope_scaling", yarn}, {"num_hidden_layers", 5}});
  INFO(render(local.diagnostics));
  REQUIRE(local.spec);
  REQUIRE(local.spec->kinds.size() == 1);
  CHECK(local.spec->kinds[0].position->scaling.value == "none");
  CHECK(imported({{"rope_scaling", {{"rope_type", "llama3"}, {"factor", 8}}}})
            .complains("import.rope_scaling", "low_freq_factor"));
  CHECK(imported({{"rope_scaling", {{"rope_type", "mrope"}}}}).complains("import.rope_scaling", "'mrope'"));
  CHECK(imported({{"rope_scaling", {{"rope_type", "linear"}}}}).complains("import.rope_scaling", "'factor'"));
  // Versions of transformers differ on this spelling.
  CHECK(imported({{"rope_scaling", {{"type", "linear"}}}}).complains("import.unknown_key", "rope_scaling.type"));
}

TEST_CASE("of Phi-3, 'su' and 'yarn' are older names of LongRoPE, as in transformers") {
  const auto position = [](const char* key, const char* type) {
    const json settings = {{"short_factor", {1, 1.5}}, {"long_factor", {2, 3}}, {key, type}};
    const Imported imported = import_text(
        config_of("Phi3ForCausalLM", "phi3", {{"num_attention_heads", 12}, {"rope_scaling", settings}}).dump());
    INFO(render(imported.diagnostics));
    REQUIRE(imported.spec);
    return *imported.spec->kinds.at(0).position;
  };
  for (const char* type : {"longrope", "su", "yarn"}) {
    CHECK(position("type", type).scaling.value == "longrope");
    CHECK(position("rope_type", type).long_factor.value == std::vector<double>{2, 3});
  }
}

TEST_CASE("what makes an MLP's activation may be any by name, of GPT-2's line and of Gemma 2 and 3 too") {
  for (const auto& [family, key] : {std::pair{"llama", "hidden_act"},
                                    {"gpt2", "activation_function"},
                                    {"gpt_bigcode", "activation_function"},
                                    {"gpt_neo", "activation_function"},
                                    {"gptj", "activation_function"},
                                    {"opt", "activation_function"},
                                    {"xglm", "activation_function"},
                                    {"gemma2", "hidden_activation"},
                                    {"gemma3", "hidden_activation"}}) {
    for (const char* name : {"mish", "relu2", "quick_gelu", "sigmoid", "tanh", "leaky_relu"}) {
      CAPTURE(family);
      json config = small_configs().at(family);
      config[key] = name;
      const Imported imported = import_text(config.dump());
      INFO(render(imported.diagnostics));
      REQUIRE(imported.spec);
      CHECK(mlp(imported.spec->kinds.at(0)).activation.value == name);
    }
    for (const char* other : {"prelu", "x * x"}) {
      json config = small_configs().at(family);
      config[key] = other;
      CHECK(import_text(config.dump()).complains("import.unsupported_value", other));
    }
  }
}

TEST_CASE("of OLMo 3, layers without a window alone are scaled") {
  const auto imported = [](const json& changes) {
    json config = small_configs().at("olmo3");
    config["layer_types"] = {"sliding_attention", "full_attention"};
    config.update(changes);
    return import_text(config.dump());
  };
  const json yarn = {{"rope_type", "yarn"}, {"factor", 8.0}, {"original_max_position_embeddings", 64}};
  for (const char* table : {"rope_scaling", "rope_parameters"}) {
    const json scaling = table == std::string("rope_parameters") ? json{{"full_attention", yarn}} : yarn;
    const Imported scaled = imported({{table, scaling}});
    INFO(render(scaled.diagnostics));
    REQUIRE(scaled.spec);
    REQUIRE(scaled.spec->kinds.size() == 2);
    const PositionSection &local = *scaled.spec->kinds[0].position, &global = *scaled.spec->kinds[1].position;
    CHECK(global.scaling.value == "yarn");
    CHECK(global.factor.value == 8);
    CHECK(global.rope_theta.value == 5e5);
    CHECK(local.scaling.value == "none");
    CHECK(local.rope_theta.value == 5e5);
  }
  const Imported two_bases = imported(
      {{"rope_parameters", {{"full_attention", {{"rope_theta", 3e4}}}, {"sliding_attention", {{"rope_theta", 2e4}}}}}});
  REQUIRE(two_bases.spec);
  CHECK(two_bases.spec->kinds[0].position->rope_theta.value == 2e4);
  CHECK(two_bases.spec->kinds[1].position->rope_theta.value == 3e4);
  // Here the library reads rope_type alone.
  CHECK(imported({{"rope_scaling", {{"type", "yarn"}, {"factor", 8}}}})
            .complains("import.unknown_key", "rope_scaling.type"));
  // A base at the top is that of layers without a window, in one version of the library.
  CHECK(imported({{"rope_theta", 1e4}}).complains("import.unsupported_value", "'rope_theta' is 10000"));
  CHECK(imported({{"rope_theta", 1e4}, {"layer_types", {"full_attention", "full_attention"}}}).spec);
}

namespace {

/// A small config.json of the family with changes; the spec that it gives, and what the contract says of it.
std::pair<std::string, Diagnostics> judged(const std::string& name, const json& changes) {
  json config = small_configs().at(name);
  config.update(changes);
  const Imported imported = import_text(config.dump());
  INFO(name, render(imported.diagnostics));
  REQUIRE(imported.spec);
  Diagnostics diagnostics;
  check_contract(*imported.spec, diagnostics);
  return {*imported.text, diagnostics};
}

}  // namespace

TEST_CASE("an encoder without a head has the family's names, whichever prefix its tensors may have") {
  for (const char* name : {"bert", "distilbert", "gemma3_vectors", "modernbert", "nomic_bert", "qwen3_vectors"}) {
    CAPTURE(name);
    const Imported imported = import_text(small_configs().at(name).dump());
    REQUIRE(imported.spec);
    CHECK(imported.spec->checkpoint->names.value == name);
  }
}

TEST_CASE("sentence-transformers loads a language model's class without its head") {
  const auto family_of = [](json config, const char* architecture, const json& modules) {
    config["architectures"] = {architecture};
    config["sentence_transformers"] = modules;
    const Imported imported = import_text(config.dump());
    INFO(render(imported.diagnostics));
    REQUIRE(imported.spec);
    return imported.spec->checkpoint->names.value;
  };
  const json last = {{"pooling", "last"}}, mean = {{"pooling", "mean"}};
  CHECK(family_of(small_configs().at("qwen3_vectors"), "Qwen3ForCausalLM", last) == "qwen3_vectors");
  CHECK(family_of(small_configs().at("bert"), "BertForMaskedLM", mean) == "bert");
  // What a reranker's config.json says under that key are no modules.
  const json of_reranker = {{"version", "5.0.0"}};
  CHECK(family_of(small_configs().at("bert_classifier"), "BertForSequenceClassification", of_reranker) ==
        "bert_classifier");
}

TEST_CASE("of ModernBERT a window is half of local_attention on both sides, and the token itself") {
  const auto window = [](const json& changes) {
    json config = small_configs().at("modernbert");
    config.update(changes);
    const Imported imported = import_text(config.dump());
    REQUIRE(imported.spec);
    return attention(imported.spec->kinds.at(1)).sliding_window.value;
  };
  CHECK(window({{"local_attention", 128}}) == 65);
  CHECK(window({{"local_attention", 33}}) == 17);
  CHECK(window({{"local_attention", 33}, {"sliding_window", 5}}) == 6);
}

TEST_CASE("an ALBERT's layers are those of a group, which runs num_hidden_layers times") {
  json config = small_configs().at("albert");
  config.update({{"num_hidden_layers", 5}, {"inner_group_num", 2}});
  const Imported imported = import_text(config.dump());
  REQUIRE(imported.spec);
  CHECK(imported.spec->model.num_hidden_layers.value == 2);
  CHECK(imported.spec->repeat.value == 5);
}

TEST_CASE("a spec has no section that no layer of it uses, though the family has such layers") {
  const json dense = {{"first_k_dense_replace", 2}}, full = {{"layer_types", {"full_attention", "full_attention"}}};
  const auto lacks = [](const std::string& name, const json& changes, const std::vector<std::string>& words) {
    const auto [text, diagnostics] = judged(name, changes);
    INFO(name, text, render(diagnostics));
    CHECK_FALSE(diagnostics.has_errors());
    for (const std::string& word : words) CHECK(text.find(word) == std::string::npos);
    return text;
  };
  for (const char* name : {"glm4_moe", "dots1"}) {
    const std::string text = lacks(name, dense, {"[moe]", "[shared]", "shared_input_norm"});
    CHECK(text.find("[mlp]") != std::string::npos);
    CHECK(text.find("[position]") != std::string::npos);
  }
  for (const char* name : {"exaone_moe", "flint", "kolibri1", "cohere2_moe"}) lacks(name, full, {"[position]"});
  json both = full;
  both["mlp_layer_types"] = {"dense", "dense"};
  lacks("exaone_moe", both, {"[position]", "[moe]", "[shared]", "shared_input_norm"});
  const auto [whole, none] = judged("exaone_moe", {{"layer_types", {"full_attention", "sliding_attention"}}});
  for (const char* word : {"[position]", "[moe]", "[shared]"}) CHECK(whole.find(word) != std::string::npos);
}

TEST_CASE("more experts for a token than there are is one error, with those that there may be") {
  const auto [text, diagnostics] = judged("mixtral", {{"num_experts_per_tok", 200}});
  std::vector<Diagnostic> errors;
  for (const Diagnostic& each : diagnostics.all()) {
    if (each.severity == Severity::error) errors.push_back(each);
  }
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].rule == "moe.num_experts_per_tok_range");
  CHECK(errors[0].message == "moe.num_experts_per_tok is 200; 1 to 6 is valid");
}

TEST_CASE("layers of EXAONE 4 and Cohere 2 without a window have no positions, where others have one") {
  const auto positions = [](const std::string& name, const json& changes) {
    json config = small_configs().at(name);
    config.update(changes);
    const Imported imported = import_text(config.dump());
    INFO(render(imported.diagnostics));
    REQUIRE(imported.spec);
    std::vector<bool> result;
    for (const std::size_t kind : imported.spec->layer_kinds) {
      result.push_back(imported.spec->kinds[kind].reads_position());
    }
    return result;
  };
  using Positions = std::vector<bool>;
  const json types = {"full_attention", "sliding_attention"};
  CHECK(positions("exaone4", json::object()) == Positions{true, true});
  CHECK(positions("exaone4", {{"layer_types", types}, {"sliding_window", 4096}}) == Positions{false, true});
  CHECK(positions("cohere2", {{"num_hidden_layers", 2}, {"layer_types", types}}) == Positions{false, true});
  CHECK(positions("cohere2", {{"num_hidden_layers", 4}}) == Positions{true, true, true, false});
  CHECK(positions("cohere2", {{"num_hidden_layers", 4}, {"sliding_window_pattern", 2}}) ==
        Positions{true, false, true, false});
}

TEST_CASE("an alpha stretches a Hunyuan's rotary base") {
  const auto theta = [](const json& scaling) {
    json config = small_configs().at("hunyuan_v1_dense");
    config["rope_scaling"] = scaling;
    const Imported imported = import_text(config.dump());
    INFO(render(imported.diagnostics));
    REQUIRE(imported.spec);
    CHECK(imported.spec->kinds.at(0).position->scaling.value == "none");
    return imported.spec->kinds.at(0).position->rope_theta.value;
  };
  CHECK(theta(nullptr) == 1e4);
  CHECK(theta({{"type", "dynamic"}, {"alpha", 64.0}, {"factor", 3.0}}) == doctest::Approx(1e4 * 256));  // 64 ^ (8 / 6)
}

TEST_CASE("a Hunyuan's moe_topk is one number for all layers, or one for each of them") {
  const auto imported = [](const json& topk) {
    json config = small_configs().at("hunyuan_v1_moe");
    config["moe_topk"] = topk;
    return import_text(config.dump());
  };
  const auto experts = [&](const json& topk) {
    const Imported result = imported(topk);
    INFO(render(result.diagnostics));
    REQUIRE(result.spec);
    std::vector<std::int64_t> found;
    for (const std::size_t kind : result.spec->layer_kinds) {
      found.push_back(moe(result.spec->kinds[kind]).num_experts_per_tok.value);
    }
    return found;
  };
  using Experts = std::vector<std::int64_t>;
  CHECK(experts(3) == Experts{3, 3});
  CHECK(experts(nullptr) == Experts{1, 1});
  CHECK(experts({3, 2}) == Experts{3, 2});
  CHECK(imported({3}).complains("import.missing_key", "moe_topk"));
  CHECK(imported({3, 0}).complains("import.wrong_type", "moe_topk"));
  CHECK(imported(0).complains("import.wrong_type", "moe_topk"));
}

TEST_CASE("Ernie's last layer with experts is one of an index, -1 the last of all, and nothing below") {
  const auto imported = [](int last) {
    json config = small_configs().at("ernie4_5_moe");
    config.update({{"moe_layer_start_index", 0}, {"moe_layer_end_index", last}});
    return import_text(config.dump());
  };
  const auto experts = [&](int last) {
    const Imported result = imported(last);
    INFO(render(result.diagnostics));
    REQUIRE(result.spec);
    std::vector<bool> found;
    for (const std::size_t kind : result.spec->layer_kinds) {
      found.push_back(result.spec->kinds[kind].find("moe") != nullptr);
    }
    return found;
  };
  CHECK(experts(0) == std::vector<bool>{true, false});
  CHECK(experts(-1) == std::vector<bool>{true, true});
  CHECK(imported(-2).complains("import.wrong_type", "moe_layer_end_index"));
}

TEST_CASE("EXAONE, Cohere and Flint have experts or one MLP, and a window or none, in any layer") {
  const auto steps = [](const std::string& name, const json& changes) {
    json config = small_configs().at(name);
    config.update(changes);
    const Imported imported = import_text(config.dump());
    INFO(render(imported.diagnostics));
    REQUIRE(imported.spec);
    std::string found;
    for (const std::size_t index : imported.spec->layer_kinds) {
      const LayerKind& kind = imported.spec->kinds[index];
      found += kind.find("moe") != nullptr ? 'e' : 'm';
      found += attention(kind).sliding_window.given ? 'w' : '-';
      found += kind.reads_position() ? 'p' : '-';
      found += kind.find("shared") != nullptr ? "s " : "  ";
    }
    return found;
  };
  const json window = "sliding_attention", all = "full_attention";
  CHECK(steps("exaone_moe", {{"layer_types", {window, all}}}) == "mwp  e--s ");
  CHECK(steps("exaone_moe", {{"layer_types", {all, window}}, {"mlp_layer_types", {"sparse", "dense"}}}) ==
        "e--s mwp  ");
  CHECK(steps("cohere2_moe", {{"num_hidden_layers", 4}}) == "ewp  ewp  ewp  e--  ");
  CHECK(steps("cohere2_moe", {{"num_hidden_layers", 4}, {"first_k_dense_replace", 2}, {"num_shared_experts", 1}}) ==
        "m-p  m-p  ewps ewps ");
  json flint = {{"num_hidden_layers", 4}, {"layer_types", nullptr}, {"mlp_only_layers", nullptr}};
  CHECK(steps("flint", flint) == "m--  m--  ewps e--s ");
  flint["decoder_sparse_step"] = 2;
  flint["mlp_only_layers"] = json::array();
  CHECK(steps("flint", flint) == "m--  e--s mwp  e--s ");
}

TEST_CASE("what a yarn scaling does not say is as transformers has it") {
  const auto position = [](json settings, const json& more = json::object()) {
    settings["rope_type"] = "yarn";
    json config = llama_config({{"rope_scaling", settings}});  // 128 positions
    config.update(more);
    const Imported imported = import_text(config.dump());
    INFO(render(imported.diagnostics));
    REQUIRE(imported.spec);
    return *imported.spec->kinds.at(0).position;
  };
  const PositionSection shortest = position({{"factor", 4}});
  CHECK(shortest.original_max_position_embeddings.value == 128);
  CHECK(shortest.beta_fast.value == 32);
  CHECK(shortest.beta_slow.value == 1);
  CHECK(shortest.truncate.value);
  CHECK(shortest.attention_factor.value == doctest::Approx(1.138629436111989));
  const PositionSection zeros = position({{"factor", 4}, {"beta_fast", 0}, {"beta_slow", nullptr}, {"mscale", 0}});
  CHECK(zeros.beta_fast.value == 32);
  CHECK(zeros.beta_slow.value == 1);
  // A null factor is the ratio of the lengths, and the length beside the settings counts before theirs.
  const json original = {{"factor", nullptr}, {"original_max_position_embeddings", 64}};
  CHECK(position(original).factor.value == 2);
  const PositionSection beside = position(original, {{"original_max_position_embeddings", 16}});
  CHECK(beside.factor.value == 8);
  CHECK(beside.original_max_position_embeddings.value == 16);
  CHECK(position({{"factor", nullptr}}).factor.value == 1);
  // The factor of both mscales is a quotient; of one alone it is as if there were none.
  const auto attention_factor = [&](json settings) {
    settings["factor"] = settings.value("factor", 5.0);
    return position(settings).attention_factor.value;
  };
  const double usual = 0.1 * std::log(5.0) + 1;
  CHECK(attention_factor({{"mscale", 0.9}, {"mscale_all_dim", 0.4}}) == doctest::Approx(1.0756046556549979));
  CHECK(attention_factor({{"mscale", 0.9}}) == doctest::Approx(usual));
  CHECK(attention_factor({{"mscale_all_dim", 0.9}}) == doctest::Approx(usual));
  CHECK(attention_factor({{"mscale", 0.9}, {"mscale_all_dim", 0}}) == doctest::Approx(usual));
  CHECK(attention_factor({{"mscale", 0.9}, {"mscale_all_dim", 0.4}, {"attention_factor", 2}}) == 2);
  CHECK(attention_factor({{"mscale", 0.9}, {"mscale_all_dim", 0.4}, {"factor", 0.5}}) == 1);
}

TEST_CASE("GPT-2's own names are read, and the common names that transformers takes for them") {
  const json own = {{"architectures", {"GPT2LMHeadModel"}},
                    {"model_type", "gpt2"},
                    {"vocab_size", 300},
                    {"n_embd", 48},
                    {"n_layer", 3},
                    {"n_head", 4},
                    {"n_positions", 64}};
  json common = own;
  for (const char* key : {"n_embd", "n_layer", "n_head", "n_positions"}) common.erase(key);
  common.update(
      {{"hidden_size", 48}, {"num_hidden_layers", 3}, {"num_attention_heads", 4}, {"max_position_embeddings", 64}});
  for (const json& config : {own, common}) {
    const Imported imported = import_text(config.dump());
    REQUIRE(imported.spec);
    const Spec& spec = *imported.spec;
    CHECK(spec.model.hidden_size.value == 48);
    CHECK(spec.model.num_hidden_layers.value == 3);
    CHECK(spec.model.max_position_embeddings.value == 64);
    CHECK(attention(spec.kinds.at(0)).num_attention_heads.value == 4);
    CHECK(mlp(spec.kinds.at(0)).intermediate_size.value == 192);
    CHECK(mlp(spec.kinds.at(0)).activation.value == "gelu_new");
    CHECK(spec.kinds.at(0).norm.type.value == "layer_norm");
    CHECK(spec.position->type.value == "learned");
    CHECK(spec.lm_head->tie_word_embeddings.value);
  }
}

TEST_CASE("GPT-2's options are mapped: n_inner, unscaled attention, an untied head") {
  const Imported imported = import_text(json({{"architectures", {"GPT2LMHeadModel"}},
                                              {"n_inner", 77},
                                              {"scale_attn_weights", false},
                                              {"tie_word_embeddings", false}})
                                            .dump());
  REQUIRE(imported.spec);
  CHECK(mlp(imported.spec->kinds.at(0)).intermediate_size.value == 77);
  CHECK(attention(imported.spec->kinds.at(0)).scale.value == "1");
  // transformers keeps the head outside "transformer.", which a prefix before every name cannot say.
  CHECK(imported.spec->checkpoint->tensors.at("lm_head").name == "lm_head");
  CHECK(imported.spec->checkpoint->tensors.at("layers.{i}.attention.qkv").name == "transformer.h.{i}.attn.c_attn");
  CHECK(imported.spec->checkpoint->tensors.at("layers.{i}.attention.qkv").transposed);
  CHECK(imported.spec->checkpoint->prefix.value == std::vector<std::string>{""});
}

TEST_CASE("a GPT-2 whose scores are divided by the layer's number has a scale that names it") {
  const auto scale = [](bool by_width, bool by_layer) {
    const Imported imported = import_text(json({{"architectures", {"GPT2LMHeadModel"}},
                                                {"scale_attn_weights", by_width},
                                                {"scale_attn_by_inverse_layer_idx", by_layer}})
                                              .dump());
    REQUIRE(imported.spec);
    return attention(imported.spec->kinds.at(0)).scale.value;
  };
  CHECK(scale(true, true) == "1 / sqrt(head_dim) / (layer + 1)");
  CHECK(scale(false, true) == "1 / (layer + 1)");
  CHECK(scale(true, false) == "1 / sqrt(head_dim)");
  CHECK(scale(false, false) == "1");
}

TEST_CASE("two imports of one directory give the same bytes") {
  const TemporaryDirectory directory;
  directory.write("config.json", llama_config({{"transformers_version", "4.40.1"}}).dump(2));
  const Imported first = import_directory(directory.path().string());
  const Imported second = import_directory(directory.path().string());
  REQUIRE(first.text);
  CHECK(*first.text == *second.text);
  CHECK(first.text->find(directory.path().parent_path().string() + "/") == std::string::npos);
}

TEST_CASE("a string of config.json cannot break out of the spec's comments") {
  const Imported imported =
      import_text(llama_config({{"transformers_version", "4\x7F\n[model]\nname = \"x\""}}).dump());
  CHECK(imported.spec);
}

TEST_CASE("a Phi-3 has fused projections, and heads of which a part turns where a key says so") {
  const Imported whole = import_text(config_of("Phi3ForCausalLM", "phi3").dump());
  REQUIRE(whole.spec);
  CHECK(whole.spec->checkpoint->tensors.at("layers.{i}.attention.qkv").fused ==
        std::vector<std::string>{"q", "k", "v"});
  CHECK(whole.spec->checkpoint->tensors.at("layers.{i}.mlp.gate_up").name == "model.layers.{i}.mlp.gate_up_proj");
  CHECK_FALSE(whole.spec->checkpoint->tensors.contains("layers.{i}.attention.q"));
  CHECK(whole.spec->kinds.at(0).position->rotary_dim.value == 8);
  for (const json& partial : {json({{"partial_rotary_factor", 0.8}}),
                              json({{"rope_parameters", {{"partial_rotary_factor", 0.8}, {"rope_theta", 1e4}}}})}) {
    const Imported part = import_text(config_of("Phi3ForCausalLM", "phi3", partial).dump());
    REQUIRE(part.spec);
    CHECK(part.spec->kinds.at(0).position->rotary_dim.value == 6);  // of 8, rounded down as Python's int does
  }
}

TEST_CASE("half of a GLM's heads turns where no key says what part, and a key says whether q, k and v have biases") {
  const auto kind_of = [](const json& changes) {
    const Imported imported = import_text(config_of("GlmForCausalLM", "glm", changes).dump());
    REQUIRE_MESSAGE(imported.spec, render(imported.diagnostics));
    return imported.spec->kinds.at(0);
  };
  const LayerKind usual = kind_of(json::object());
  CHECK(usual.position->layout.value == "interleaved");
  CHECK(usual.position->rotary_dim.value == 64);
  CHECK(kind_of({{"partial_rotary_factor", 1.0}}).position->rotary_dim.value == 128);
  CHECK(kind_of({{"partial_rotary_factor", nullptr}}).position->rotary_dim.value == 128);
  CHECK(attention(usual).bias.value.projections == std::vector<std::string>{"q", "k", "v"});
  const LayerKind plain = kind_of({{"attention_bias", false}});
  CHECK_FALSE(attention(plain).bias.given);
}
