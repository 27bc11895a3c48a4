// What import makes of a config.json, for the tests of import.
#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "generator/import/import.hpp"
#include "generator/spec/spec.hpp"
#include "tests/generator/spec/sections.hpp"
#include "tests/support/temporary_directory.hpp"

namespace monomorph::tests {

struct Imported {
  std::optional<std::string> text;
  std::optional<generator::Spec> spec;  ///< what read_spec makes of the text
  generator::Diagnostics diagnostics;   ///< of both

  /// The diagnostics of a rule, in order.
  std::vector<generator::Diagnostic> of(const std::string& rule) const {
    std::vector<generator::Diagnostic> result;
    for (const generator::Diagnostic& diagnostic : diagnostics.all()) {
      if (diagnostic.rule == rule) result.push_back(diagnostic);
    }
    return result;
  }
  bool complains(const std::string& rule, const std::string& word) const {
    for (const generator::Diagnostic& diagnostic : of(rule)) {
      if (diagnostic.message.find(word) != std::string::npos) return true;
    }
    return false;
  }
};

inline Imported import_directory(const std::string& directory, const std::vector<std::string>& ignore = {}) {
  Imported result;
  if (const auto imported = generator::import_huggingface(directory, ignore, result.diagnostics)) {
    result.text = imported->text;
    const auto source = std::make_shared<const generator::Source>(generator::Source{"imported.toml", *result.text});
    result.spec = generator::read_spec(source, {}, result.diagnostics);
  }
  return result;
}

inline Imported import_text(const std::string& config, const std::vector<std::string>& ignore = {}) {
  const TemporaryDirectory directory;
  directory.write("config.json", config);
  return import_directory(directory.path().string(), ignore);
}

/// The value at a path of keys with dots between them; made, with the objects that it is in, where it is absent.
inline nlohmann::ordered_json& at_path(nlohmann::ordered_json& config, std::string path) {
  std::replace(path.begin(), path.end(), '.', '/');
  return config[nlohmann::ordered_json::json_pointer("/" + path)];
}

/// A small Llama's config.json; `changes` are merged into it, and a null there is a null in it.
inline nlohmann::ordered_json llama_config(const nlohmann::ordered_json& changes = nlohmann::ordered_json::object()) {
  nlohmann::ordered_json config = {{"architectures", {"LlamaForCausalLM"}},
                                   {"model_type", "llama"},
                                   {"vocab_size", 300},
                                   {"hidden_size", 48},
                                   {"intermediate_size", 100},
                                   {"num_hidden_layers", 2},
                                   {"num_attention_heads", 6},
                                   {"num_key_value_heads", 2},
                                   {"max_position_embeddings", 128},
                                   {"rms_norm_eps", 1e-5},
                                   {"torch_dtype", "float16"}};
  for (const auto& [key, value] : changes.items()) config[key] = value;
  return config;
}

inline nlohmann::ordered_json config_of(const std::string& architecture, const std::string& type,
                                        const nlohmann::ordered_json& changes = nlohmann::ordered_json::object()) {
  nlohmann::ordered_json config = llama_config(changes);
  config["architectures"] = {architecture};
  config["model_type"] = type;
  return config;
}

inline nlohmann::ordered_json without(const std::string& key, nlohmann::ordered_json config) {
  config.erase(key);
  return config;
}

/// A small config.json that runs, of every family, by the family's name.
inline std::map<std::string, nlohmann::ordered_json> small_configs() {
  return {
      {"apertus", config_of("ApertusForCausalLM", "apertus",
                            {{"hidden_act", "xielu"}, {"rope_scaling", {{"rope_type", "default"}}}})},
      {"biogpt",
       {{"architectures", {"BioGptForCausalLM"}},
        {"model_type", "biogpt"},
        {"hidden_size", 48},
        {"num_attention_heads", 4}}},
      {"bloom", {{"architectures", {"BloomForCausalLM"}}, {"model_type", "bloom"}, {"n_embed", 48}, {"n_head", 4}}},
      {"arcee", config_of("ArceeForCausalLM", "arcee", {{"hidden_act", "relu2"}})},
      {"cohere",
       {{"architectures", {"CohereForCausalLM"}},
        {"model_type", "cohere"},
        {"hidden_size", 48},
        {"num_attention_heads", 4},
        {"rope_theta", 8000000.0}}},
      {"cohere2",
       {{"architectures", {"Cohere2ForCausalLM"}},
        {"model_type", "cohere2"},
        {"hidden_size", 48},
        {"num_attention_heads", 4}}},
      {"ctrl", {{"architectures", {"CTRLLMHeadModel"}}, {"model_type", "ctrl"}, {"n_embd", 48}, {"n_head", 4}}},
      {"cwm", config_of("CwmForCausalLM", "cwm", {{"rope_scaling", {{"rope_type", "default"}}}})},
      {"ernie4_5", config_of("Ernie4_5ForCausalLM", "ernie4_5")},
      {"exaone4", config_of("Exaone4ForCausalLM", "exaone4",
                            {{"layer_types", {"full_attention", "full_attention"}}, {"sliding_window", nullptr}})},
      {"falcon",
       {{"architectures", {"FalconForCausalLM"}},
        {"model_type", "falcon"},
        {"hidden_size", 48},
        {"num_attention_heads", 4}}},
      {"gemma",
       {{"architectures", {"GemmaForCausalLM"}}, {"model_type", "gemma"}, {"hidden_size", 48}, {"head_dim", 12}}},
      {"gemma2",
       {{"architectures", {"Gemma2ForCausalLM"}},
        {"model_type", "gemma2"},
        {"hidden_size", 48},
        {"num_attention_heads", 4},
        {"sliding_window", 4096}}},
      {"gemma3",
       {{"architectures", {"Gemma3ForCausalLM"}},
        {"model_type", "gemma3_text"},
        {"hidden_size", 48},
        {"num_attention_heads", 4},
        {"sliding_window", 4096}}},
      {"glm", config_of("GlmForCausalLM", "glm")},
      {"glm4", config_of("Glm4ForCausalLM", "glm4")},
      {"gpt2", {{"architectures", {"GPT2LMHeadModel"}}, {"model_type", "gpt2"}, {"n_embd", 48}, {"n_head", 4}}},
      {"gpt_bigcode",
       {{"architectures", {"GPTBigCodeForCausalLM"}},
        {"model_type", "gpt_bigcode"},
        {"n_embd", 48},
        {"n_head", 4},
        {"multi_query", true}}},
      {"gpt_neo",
       {{"architectures", {"GPTNeoForCausalLM"}},
        {"model_type", "gpt_neo"},
        {"hidden_size", 48},
        {"num_heads", 4},
        {"num_layers", 2},
        {"attention_layers", {"global", "local"}}}},
      {"gpt_neox",
       {{"architectures", {"GPTNeoXForCausalLM"}},
        {"model_type", "gpt_neox"},
        {"hidden_size", 48},
        {"num_attention_heads", 4},
        {"rotary_pct", 0.5}}},
      {"gptj",
       {{"architectures", {"GPTJForCausalLM"}},
        {"model_type", "gptj"},
        {"n_embd", 48},
        {"n_head", 4},
        {"rotary_dim", 8}}},
      {"granite", config_of("GraniteForCausalLM", "granite")},
      {"helium", config_of("HeliumForCausalLM", "helium", {{"head_dim", 8}})},
      {"hunyuan_v1_dense", config_of("HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", {{"head_dim", 8}})},
      {"hyperclovax", config_of("HyperCLOVAXForCausalLM", "hyperclovax")},
      {"jais2", without("rms_norm_eps", config_of("Jais2ForCausalLM", "jais2"))},
      {"llama", llama_config()},
      {"ministral", config_of("MinistralForCausalLM", "ministral", {{"head_dim", 8}})},
      {"mistral", config_of("MistralForCausalLM", "mistral", {{"sliding_window", nullptr}})},
      {"mpt", {{"architectures", {"MptForCausalLM"}}, {"model_type", "mpt"}, {"d_model", 48}, {"n_heads", 4}}},
      {"bert_generation",
       {{"architectures", {"BertGenerationDecoder"}},
        {"model_type", "bert-generation"},
        {"hidden_size", 48},
        {"num_attention_heads", 4},
        {"is_decoder", true}}},
      {"codegen",
       {{"architectures", {"CodeGenForCausalLM"}}, {"model_type", "codegen"}, {"n_embd", 48}, {"n_head", 4}}},
      {"gpt_neox_japanese",
       {{"architectures", {"GPTNeoXJapaneseForCausalLM"}},
        {"model_type", "gpt_neox_japanese"},
        {"hidden_size", 48},
        {"num_attention_heads", 4}}},
      {"diffllama", config_of("DiffLlamaForCausalLM", "diffllama")},
      {"granite_swa", config_of("GraniteSWAForCausalLM", "granite_swa", {{"sliding_window", 128}})},
      {"cohere_compass",
       without("rms_norm_eps", config_of("CohereCompassForCausalLM", "cohere_compass_text",
                                         {{"rope_parameters", {{"full_attention", {{"rope_theta", 10000.0}}}}}}))},
      {"ministral3",
       config_of("Ministral3ForCausalLM", "ministral3",
                 {{"rope_parameters", {{"llama_4_scaling_beta", 0.1}, {"original_max_position_embeddings", 64}}}})},
      {"modernbert_decoder",
       {{"architectures", {"ModernBertDecoderForCausalLM"}},
        {"model_type", "modernbert-decoder"},
        {"hidden_size", 48},
        {"num_attention_heads", 4}}},
      {"nanochat", config_of("NanoChatForCausalLM", "nanochat")},
      {"nemotron",
       {{"architectures", {"NemotronForCausalLM"}},
        {"model_type", "nemotron"},
        {"hidden_size", 48},
        {"num_attention_heads", 4},
        {"num_key_value_heads", 2}}},
      {"olmo", without("rms_norm_eps", config_of("OlmoForCausalLM", "olmo"))},
      {"olmo2", config_of("Olmo2ForCausalLM", "olmo2")},
      {"olmo3", config_of("Olmo3ForCausalLM", "olmo3")},
      {"openai_gpt",
       {{"architectures", {"OpenAIGPTLMHeadModel"}}, {"model_type", "openai-gpt"}, {"n_embd", 48}, {"n_head", 4}}},
      {"opt",
       {{"architectures", {"OPTForCausalLM"}}, {"model_type", "opt"}, {"hidden_size", 48}, {"num_attention_heads", 4}}},
      {"persimmon",
       {{"architectures", {"PersimmonForCausalLM"}},
        {"model_type", "persimmon"},
        {"hidden_size", 48},
        {"num_attention_heads", 4},
        {"rope_theta", 25000.0}}},
      {"phi",
       {{"architectures", {"PhiForCausalLM"}}, {"model_type", "phi"}, {"hidden_size", 48}, {"num_attention_heads", 4}}},
      {"phi3", config_of("Phi3ForCausalLM", "phi3")},
      {"qwen2", config_of("Qwen2ForCausalLM", "qwen2")},
      {"qwen3", config_of("Qwen3ForCausalLM", "qwen3")},
      {"smollm3", config_of("SmolLM3ForCausalLM", "smollm3")},
      {"starcoder2",
       {{"architectures", {"Starcoder2ForCausalLM"}},
        {"model_type", "starcoder2"},
        {"hidden_size", 48},
        {"num_attention_heads", 4},
        {"sliding_window", 4096}}},
      {"seed_oss", config_of("SeedOssForCausalLM", "seed_oss")},
      {"stablelm",
       {{"architectures", {"StableLmForCausalLM"}},
        {"model_type", "stablelm"},
        {"hidden_size", 48},
        {"num_attention_heads", 4},
        {"num_key_value_heads", 2},
        {"partial_rotary_factor", 0.5}}},
      {"vaultgemma",
       {{"architectures", {"VaultGemmaForCausalLM"}},
        {"model_type", "vaultgemma"},
        {"hidden_size", 48},
        {"num_attention_heads", 4},
        {"sliding_window", 4096}}},
      {"xglm",
       {{"architectures", {"XGLMForCausalLM"}}, {"model_type", "xglm"}, {"d_model", 48}, {"attention_heads", 4}}}};
}

}  // namespace monomorph::tests
