#include <doctest/doctest.h>

#include "tests/generator/import/imported.hpp"

using namespace monomorph::tests;
using namespace monomorph::generator;
using json = nlohmann::ordered_json;

namespace {

struct Refusal {
  const char* what;
  json config;
  const char* rule;
  const char* word;  ///< stands in the message
};

json mistral(const json& changes) { return config_of("MistralForCausalLM", "mistral", changes); }
json qwen2(const json& changes) { return config_of("Qwen2ForCausalLM", "qwen2", changes); }
json gpt2(const json& changes) {
  json config = {{"architectures", {"GPT2LMHeadModel"}}, {"n_embd", 48}, {"n_head", 4}};
  config.update(changes);
  return config;
}

}  // namespace

TEST_CASE("what cannot run is refused by name") {
  const std::vector<Refusal> refusals = {
      {"another architecture", config_of("GemmaForCausalLM", "gemma"), "import.architecture", "GemmaForCausalLM"},
      {"a base model without a head", config_of("LlamaModel", "llama"), "import.architecture", "LlamaModel"},
      {"no architecture at all", json::object(), "import.architecture", "model_type"},
      {"architecture and type that disagree", config_of("LlamaForCausalLM", "mistral"), "import.architecture",
       "mistral"},
      {"several architectures", llama_config({{"architectures", {"a", "b"}}}), "import.wrong_type", "architectures"},
      {"an activation", llama_config({{"hidden_act", "gelu"}}), "import.unsupported_value", "hidden_act"},
      {"scaled rotary, older spelling", llama_config({{"rope_scaling", {{"type", "linear"}, {"factor", 2}}}}),
       "import.rope_scaling", "linear"},
      {"scaled rotary, newer spelling", llama_config({{"rope_parameters", {{"rope_type", "yarn"}, {"factor", 4}}}}),
       "import.rope_scaling", "yarn"},
      {"a scaling factor without a type", llama_config({{"rope_scaling", {{"factor", 2}}}}), "import.unknown_key",
       "rope_scaling.factor"},
      {"rotary bases that disagree", llama_config({{"rope_theta", 1e4}, {"rope_parameters", {{"rope_theta", 1e6}}}}),
       "import.rope_theta", "rope_parameters.rope_theta"},
      {"rotary settings by layer type",
       llama_config({{"rope_parameters", {{"full_attention", {{"rope_theta", 1e4}}}}}}), "import.unknown_key",
       "rope_parameters.full_attention"},
      {"partly rotated heads", llama_config({{"partial_rotary_factor", 0.5}}), "import.unsupported_value",
       "partial_rotary_factor"},
      {"a window in force", mistral({{"sliding_window", 64}}), "import.sliding_window", "64"},
      {"a window in force by default", mistral({{"max_position_embeddings", 8192}}), "import.sliding_window", "4096"},
      {"a window on some layers",
       qwen2({{"use_sliding_window", true}, {"sliding_window", 64}, {"max_window_layers", 1}}), "import.sliding_window",
       "64"},
      {"a window from the first layer on",
       qwen2({{"use_sliding_window", true}, {"sliding_window", 64}, {"max_window_layers", 0}}), "import.sliding_window",
       "64"},
      {"a window by layer types",
       qwen2({{"use_sliding_window", true},
              {"sliding_window", 64},
              {"layer_types", {"full_attention", "sliding_attention"}}}),
       "import.sliding_window", "64"},
      {"layer types against the switch", qwen2({{"layer_types", {"full_attention", "sliding_attention"}}}),
       "import.sliding_window", "use_sliding_window"},
      {"layer types of another kind", qwen2({{"layer_types", {"full_attention", "linear_attention"}}}),
       "import.layer_types", "linear_attention"},
      {"too few layer types", qwen2({{"layer_types", {"full_attention"}}}), "import.layer_types",
       "num_hidden_layers = 2"},
      {"a window of a Llama", llama_config({{"sliding_window", 64}}), "import.unknown_key", "sliding_window"},
      {"heads that do not divide", llama_config({{"num_attention_heads", 7}}), "import.head_dim", "head_dim"},
      {"GPT-2 heads that do not divide", gpt2({{"n_head", 5}}), "import.head_dim", "n_embd = 48"},
      {"GPT-2 with another activation", gpt2({{"activation_function", "relu"}}), "import.unsupported_value", "relu"},
      {"GPT-2 scaled by layer", gpt2({{"scale_attn_by_inverse_layer_idx", true}}), "import.unsupported_value",
       "scale_attn_by_inverse_layer_idx"},
      {"GPT-2 names that disagree", gpt2({{"hidden_size", 96}}), "import.disagreement", "n_embd"},
      {"quantized weights", llama_config({{"quantization_config", {{"bits", 4}}}}), "import.unsupported_value",
       "quantization_config"},
      {"a size that is no number", llama_config({{"hidden_size", "48"}}), "import.wrong_type", "hidden_size"},
      {"a size of zero", llama_config({{"num_hidden_layers", 0}}), "import.wrong_type", "num_hidden_layers"},
      {"a size beyond all bounds", llama_config({{"vocab_size", 1ull << 40}}), "import.wrong_type", "vocab_size"},
      {"a null where there is no default", llama_config({{"vocab_size", nullptr}}), "import.wrong_type", "vocab_size"},
      {"a switch that is no boolean", llama_config({{"tie_word_embeddings", 1}}), "import.wrong_type",
       "tie_word_embeddings"},
      {"a type that does not run", llama_config({{"torch_dtype", "float64"}}), "import.dtype", "float64"},
  };
  for (const Refusal& refusal : refusals) {
    CAPTURE(refusal.what);
    const Imported imported = import_text(refusal.config.dump(2));
    CHECK_FALSE(imported.text);
    CHECK_MESSAGE(imported.complains(refusal.rule, refusal.word), render(imported.diagnostics));
  }
}

TEST_CASE("windows that are not in force are accepted") {
  const std::vector<json> configs = {
      mistral({{"sliding_window", nullptr}}),
      mistral({{"sliding_window", 128}}),
      mistral({}),  // 4096 by default, for 128 positions
      qwen2({{"sliding_window", 64}}),
      qwen2({{"sliding_window", 64}, {"use_sliding_window", false}}),
      qwen2({{"sliding_window", 64}, {"use_sliding_window", true}, {"max_window_layers", 2}}),
      qwen2({{"sliding_window", 128}, {"use_sliding_window", true}, {"max_window_layers", 0}}),
      qwen2({{"layer_types", {"full_attention", "full_attention"}}, {"sliding_window", nullptr}}),
  };
  for (const json& config : configs) {
    CAPTURE(config.dump());
    const Imported imported = import_text(config.dump());
    CHECK_MESSAGE(imported.text.has_value(), render(imported.diagnostics));
  }
}

TEST_CASE("a directory without config.json, and no directory, are environment errors with a remedy") {
  const TemporaryDirectory directory;
  Diagnostics diagnostics;
  CHECK_THROWS_WITH_AS(import_huggingface(directory.path().string(), {}, diagnostics), doctest::Contains("config.json"),
                       EnvironmentError);
  CHECK_THROWS_WITH_AS(import_huggingface((directory.path() / "no").string(), {}, diagnostics),
                       doctest::Contains("no such directory"), EnvironmentError);
  CHECK_FALSE(is_huggingface_directory(directory.path().string()));
}
