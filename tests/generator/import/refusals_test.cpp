#include <doctest/doctest.h>

#include <map>
#include <set>

#include "generator/import/family.hpp"
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
json phi3(const json& changes) { return config_of("Phi3ForCausalLM", "phi3", changes); }
json gpt2(const json& changes) {
  json config = {{"architectures", {"GPT2LMHeadModel"}}, {"n_embd", 48}, {"n_head", 4}};
  config.update(changes);
  return config;
}

json changed(const char* family, const json& changes) {
  json config = small_configs().at(family);
  config.update(changes);
  return config;
}

}  // namespace

TEST_CASE("what cannot run is refused by name") {
  const std::vector<Refusal> refusals = {
      {"another architecture", config_of("XLNetLMHeadModel", "xlnet"), "import.architecture", "XLNetLMHeadModel"},
      {"a base model without a head", config_of("LlamaModel", "llama"), "import.architecture", "LlamaModel"},
      {"no architecture at all", json::object(), "import.architecture", "model_type"},
      {"architecture and type that disagree", config_of("LlamaForCausalLM", "mistral"), "import.architecture",
       "mistral"},
      {"several architectures", llama_config({{"architectures", {"a", "b"}}}), "import.wrong_type", "architectures"},
      {"an activation with learned numbers", llama_config({{"hidden_act", "prelu"}}), "import.unsupported_value",
       "prelu"},
      {"a scaling that nobody knows", llama_config({{"rope_scaling", {{"type", "mrope"}, {"factor", 2}}}}),
       "import.rope_scaling", "'mrope'"},
      {"a scaling by length without a factor", llama_config({{"rope_scaling", {{"type", "dynamic"}}}}),
       "import.rope_scaling", "'dynamic' needs a 'factor'"},
      {"LongRoPE without factors of its angles",
       qwen2({{"rope_parameters", {{"rope_type", "longrope"}, {"factor", 4}}}}), "import.rope_scaling",
       "needs 'short_factor'"},
      {"LongRoPE whose factors are no list",
       qwen2({{"rope_parameters", {{"rope_type", "longrope"}, {"short_factor", 2}, {"long_factor", {1.5, -1}}}}}),
       "import.wrong_type", "a list of positive numbers"},
      {"a linear scaling without a factor", llama_config({{"rope_scaling", {{"type", "linear"}}}}),
       "import.rope_scaling", "'linear' needs a 'factor'"},
      {"a linear scaling by null", llama_config({{"rope_scaling", {{"type", "linear"}, {"factor", nullptr}}}}),
       "import.rope_scaling", "'linear' needs a 'factor'"},
      {"a yarn without a factor", llama_config({{"rope_parameters", {{"rope_type", "yarn"}}}}), "import.rope_scaling",
       "'yarn' needs a 'factor'"},
      {"a llama3 scaling without its factors",
       llama_config({{"rope_scaling", {{"rope_type", "llama3"}, {"factor", 8}, {"low_freq_factor", 1}}}}),
       "import.rope_scaling", "'high_freq_factor'"},
      {"a llama3 scaling without its other factor",
       llama_config({{"rope_scaling", {{"rope_type", "llama3"}, {"factor", 8}, {"high_freq_factor", 4}}}}),
       "import.rope_scaling", "'low_freq_factor'"},
      {"a setting of another scaling",
       llama_config({{"rope_scaling", {{"type", "linear"}, {"factor", 2}, {"beta_fast", 32}}}}), "import.unknown_key",
       "rope_scaling.beta_fast"},
      {"a length that nothing asks for", llama_config({{"original_max_position_embeddings", 64}}), "import.unknown_key",
       "original_max_position_embeddings"},
      {"two scalings",
       llama_config({{"rope_scaling", {{"type", "linear"}, {"factor", 2}}},
                     {"rope_parameters", {{"rope_type", "yarn"}, {"factor", 2}}}}),
       "import.disagreement", "'rope_parameters.rope_type' is \"yarn\""},
      {"a linear scaling of a Phi-3", phi3({{"rope_scaling", {{"type", "linear"}, {"factor", 2}}}}),
       "import.rope_scaling", "'linear'"},
      {"a scaling factor without a type", llama_config({{"rope_scaling", {{"factor", 2}}}}), "import.unknown_key",
       "rope_scaling.factor"},
      {"rotary bases that disagree", llama_config({{"rope_theta", 1e4}, {"rope_parameters", {{"rope_theta", 1e6}}}}),
       "import.disagreement", "rope_parameters.rope_theta"},
      {"rotary settings by layer type",
       llama_config({{"rope_parameters", {{"full_attention", {{"rope_theta", 1e4}}}}}}), "import.unknown_key",
       "rope_parameters.full_attention"},
      {"partly rotated heads", llama_config({{"partial_rotary_factor", 0.5}}), "import.unsupported_value",
       "partial_rotary_factor"},
      {"an odd part of a GLM's heads",
       config_of("GlmForCausalLM", "glm", {{"head_dim", 24}, {"partial_rotary_factor", 0.375}}),
       "import.unsupported_value", "partial_rotary_factor"},
      {"a Cohere that leaves its rotary base to the library's version",
       {{"architectures", {"CohereForCausalLM"}}, {"hidden_size", 48}, {"num_attention_heads", 4}},
       "import.missing_key",
       "rope_theta"},
      {"a DiffLlama whose heads cannot go in pairs",
       config_of("DiffLlamaForCausalLM", "diffllama", {{"num_attention_heads", 3}, {"num_key_value_heads", nullptr}}),
       "import.unsupported_value", "'num_key_value_heads' is 3"},
      {"a DiffLlama with dropout in attention",
       config_of("DiffLlamaForCausalLM", "diffllama", {{"attention_dropout", 0.1}}), "import.unsupported_value",
       "'attention_dropout' is 0.1"},
      {"a CWM that leaves its scaling to the library", config_of("CwmForCausalLM", "cwm"), "import.missing_key",
       "rope_type"},
      {"an EXAONE 4 that leaves its layers to a pattern",
       config_of("Exaone4ForCausalLM", "exaone4", {{"sliding_window_pattern", 4}}), "import.missing_key",
       "layer_types"},
      {"an EXAONE 4 with windows of no length",
       config_of("Exaone4ForCausalLM", "exaone4",
                 {{"layer_types", {"sliding_attention", "full_attention"}}, {"sliding_window", nullptr}}),
       "import.sliding_window", "'sliding_window' is null"},
      {"a Helium whose heads are not as wide as the model",
       config_of("HeliumForCausalLM", "helium", {{"head_dim", 16}}), "import.head_dim", "hidden_size = 48"},
      {"a Hunyuan that is scaled by length",
       config_of("HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense",
                 {{"head_dim", 8}, {"rope_scaling", {{"type", "dynamic"}, {"factor", 2}}}}),
       "import.rope_scaling", "without an 'alpha'"},
      {"a Hunyuan that is scaled in another way",
       config_of("HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense",
                 {{"head_dim", 8}, {"rope_scaling", {{"type", "yarn"}, {"factor", 2}}}}),
       "import.rope_scaling", "'yarn'"},
      {"a Hunyuan with two sizes of heads",
       config_of("HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", {{"head_dim", 8}, {"attention_head_dim", 16}}),
       "import.head_dim", "'attention_head_dim' is 16"},
      {"an OLMo 3 with an original length of no scaling",
       config_of("Olmo3ForCausalLM", "olmo3",
                 {{"original_max_position_embeddings", 64},
                  {"rope_scaling", {{"rope_type", "yarn"}, {"factor", 2}, {"original_max_position_embeddings", 64}}}}),
       "import.unsupported_value", "original_max_position_embeddings"},
      {"layer types against the switch", qwen2({{"layer_types", {"full_attention", "sliding_attention"}}}),
       "import.sliding_window", "use_sliding_window"},
      {"layer types of another kind", qwen2({{"layer_types", {"full_attention", "linear_attention"}}}),
       "import.layer_types", "linear_attention"},
      {"too few layer types", qwen2({{"layer_types", {"full_attention"}}}), "import.layer_types",
       "num_hidden_layers = 2"},
      {"LongRoPE, older spelling", phi3({{"rope_scaling", {{"type", "longrope"}, {"long_factor", {1.5}}}}}),
       "import.rope_scaling", "'longrope'"},
      {"LongRoPE, newer spelling", phi3({{"rope_parameters", {{"rope_type", "longrope"}}}}), "import.rope_scaling",
       "'longrope'"},
      {"a window of a Llama", llama_config({{"sliding_window", 64}}), "import.unknown_key", "sliding_window"},
      {"heads that do not divide", llama_config({{"num_attention_heads", 7}}), "import.head_dim", "head_dim"},
      {"GPT-2 heads that do not divide", gpt2({{"n_head", 5}}), "import.head_dim", "n_embd = 48"},
      {"GPT-2 with another activation", gpt2({{"activation_function", "prelu"}}), "import.unsupported_value", "prelu"},
      {"GPT-2 names that disagree", gpt2({{"hidden_size", 96}}), "import.disagreement", "n_embd"},
      {"a LLaDA of another block", changed("llada", {{"block_type", "sequential"}}), "import.unsupported_value",
       "'sequential'"},
      {"a LLaDA whose positions do not turn", changed("llada", {{"rope", false}}), "import.unsupported_value",
       "'rope' is false"},
      {"a LLaDA whose RMSNorms have a bias", changed("llada", {{"include_bias", true}}), "import.unsupported_value",
       "bias_for_layer_norm = false"},
      {"a LLaDA of another norm", changed("llada", {{"layer_norm_type", "gemma_rms"}}), "import.unsupported_value",
       "'gemma_rms'"},
      {"a LLaDA with LayerNorms of queries",
       changed("llada", {{"attention_layer_norm", true}, {"layer_norm_type", "default"}}), "import.unsupported_value",
       "'attention_layer_norm'"},
      {"a LLaDA with two counts of key heads", changed("llada", {{"n_kv_heads", 2}, {"multi_query_attention", true}}),
       "import.unsupported_value", "asks for 1"},
      {"a LLaDA with fewer rows than tokens", changed("llada", {{"embedding_size", 100}}), "import.unsupported_value",
       "less than vocab_size"},
      {"an OpenELM that leaves its heads to multipliers", changed("openelm", {{"qkv_multipliers", {0.5, 1.0}}}),
       "import.missing_key", "'num_query_heads'"},
      {"a Llama 4 whose layers turn and see all",
       changed("llama4", {{"layer_types", {"full_attention", "full_attention"}}}), "import.layer_types",
       "of layer 0, which turns"},
      {"a Llama 4 whose layers do not turn and see a chunk",
       changed("llama4", {{"no_rope_layers", {1, 0}}, {"layer_types", {"chunked_attention", "chunked_attention"}}}),
       "import.layer_types", "of layer 1, which has no positions"},
      {"a Llama 4 with too few layers that turn or not", changed("llama4", {{"no_rope_layers", {1}}}),
       "import.layer_types", "has 1 entries for num_hidden_layers = 2"},
      {"a Llama 4 with too few layer types", changed("llama4", {{"layer_types", {"chunked_attention"}}}),
       "import.layer_types", "has 1 entries for num_hidden_layers = 2"},
      {"an OpenELM with too few widths", changed("openelm", {{"ffn_multipliers", {0.5, 4.0}}}), "import.layer_types",
       "'ffn_multipliers' has 2"},
      {"an OpenELM with too few counts of key heads", changed("openelm", {{"num_kv_heads", {4}}}), "import.layer_types",
       "'num_kv_heads' has 1"},
      {"an OpenELM that is untied by one of two keys", changed("openelm", {{"share_input_output_layers", false}}),
       "import.unsupported_value", "tie_word_embeddings = false"},
      {"a DBRX whose base of angles older versions of the library alone read",
       changed("dbrx", {{"attn_config", {{"rope_theta", 500000}}}}), "import.disagreement",
       "'attn_config.rope_theta' is 500000"},
      {"a DBRX whose experts weigh as another norm says",
       changed("dbrx", {{"ffn_config", {{"moe_normalize_expert_weights", 2}}}}), "import.unsupported_value",
       "'ffn_config.moe_normalize_expert_weights' is 2"},
      {"a DBRX with another activation", changed("dbrx", {{"ffn_config", {{"ffn_act_fn", {{"name", "prelu"}}}}}}),
       "import.unsupported_value", "'prelu'"},
      {"a DBRX whose head is its embedding", changed("dbrx", {{"tie_word_embeddings", true}}),
       "import.unsupported_value", "'tie_word_embeddings'"},
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

// Written down here once more, not read from the table that it tests: a value that the table lets through is seen.
TEST_CASE("a key with one value that runs is refused with any other, in each architecture that has it") {
  struct Only {
    const char* key;
    std::vector<const char*> architectures;
    std::vector<json> runs, refused;
  };
  const std::vector<const char*> rotary = {"llama", "mistral", "phi3", "qwen2", "qwen3"};
  const std::vector<const char*> all = {"llama", "mistral",  "phi3",  "qwen2",  "qwen3", "gpt2",
                                        "bloom", "gpt_neox", "gemma", "gemma2", "gemma3"};
  const json some = {{"0", {1, 2}}};
  const std::vector<Only> keys = {
      {"rope_interleaved", rotary, {false}, {true, nullptr, 1}},
      {"use_mrope", rotary, {false}, {true}},
      {"attention_bias",
       {"mistral", "mixtral", "phi3", "ministral", "exaone4", "exaone_moe", "cwm", "qwen2_moe", "minimax_m2"},
       {false},
       {true}},
      {"mlp_bias",
       {"mistral",
        "phi3",
        "qwen2",
        "qwen3",
        "apertus",
        "ministral",
        "exaone4",
        "olmo",
        "olmo2",
        "olmo3",
        "hunyuan_v1_dense",
        "olmoe",
        "qwen2_moe",
        "qwen3_moe",
        "granitemoe",
        "granitemoeshared",
        "granitemoe_swa",
        "glm4_moe",
        "dots1",
        "solar_open",
        "minimax_m2",
        "flex_olmo",
        "mellum",
        "exaone_moe",
        "phimoe",
        "afmoe"},
       {false},
       {true}},
      {"encoder.model_type", {"t5gemma"}, {"t5_gemma_module"}, {"gemma2"}},
      {"decoder.model_type", {"t5gemma"}, {"t5_gemma_module"}, {"gemma2"}},
      {"clip_qkv", {"olmoe"}, {nullptr}, {8.0}},
      {"scoring_func", {"deepseek_v3", "glm4_moe_lite", "axk1", "kimi_linear"}, {"sigmoid"}, {"softmax"}},
      {"scoring_func", {"deepseek_v2"}, {"softmax"}, {"sigmoid"}},
      {"topk_method", {"deepseek_v3", "glm4_moe_lite", "axk1", "kimi_linear"}, {"noaux_tc"}, {"greedy"}},
      {"norm_topk_prob", {"deepseek_v2"}, {false, nullptr}, {true}},
      {"moe_layer_freq", {"deepseek_v2", "deepseek_v3", "kimi_linear"}, {1}, {2}},
      {"moe_router_activation_func", {"kimi_linear"}, {"sigmoid"}, {"softmax"}},
      {"mla_use_nope", {"kimi_linear"}, {true}, {false}},
      {"postnorm", {"minimax"}, {true}, {false}},
      {"shared_intermediate_size", {"minimax"}, {0, nullptr}, {64}},
      {"embeddings_scale_by_sqrt_dim", {"recurrent_gemma"}, {true}, {false}},
      {"num_nextn_predict_layers", {"kimi_linear"}, {0, nullptr}, {1}},
      {"first_k_dense_replace", {"glm4_moe_lite", "hy_v3"}, {1}, {0, 2}},
      {"route_norm", {"hy_v3", "afmoe"}, {true}, {false}},
      {"n_group", {"afmoe"}, {1}, {2}},
      {"topk_group", {"afmoe"}, {1}, {2}},
      {"num_expert_groups", {"afmoe"}, {1}, {2}},
      {"num_limited_groups", {"afmoe"}, {1}, {2}},
      {"score_func", {"afmoe"}, {"sigmoid"}, {"softmax"}},
      {"qk_norm", {"hy_v3"}, {true}, {false}},
      {"moe_router_enable_expert_bias", {"hy_v3"}, {true}, {false}},
      {"moe_router_use_sigmoid", {"hy_v3"}, {true}, {false}},
      {"swiglu_limit", {"gpt_oss"}, {7.0, 7}, {6.0, nullptr}},
      {"swiglu_alpha", {"gpt_oss"}, {1.702}, {1.0}},
      {"use_qk_norm", {"cohere2"}, {false, nullptr}, {true}},
      {"use_qk_norm", {"hunyuan_v1_dense", "hunyuan_v1_moe", "minimax_m2"}, {true}, {false}},
      {"use_qk_norm", {"solar_open"}, {false}, {true}},
      {"qk_norm_type", {"minimax_m2"}, {"per_layer"}, {"per_head"}},
      {"scoring_func", {"glm4_moe", "dots1", "solar_open", "minimax_m2"}, {"sigmoid"}, {"softmax"}},
      {"topk_method", {"glm4_moe", "dots1", "solar_open"}, {"noaux_tc"}, {"greedy"}},
      {"use_routing_bias", {"minimax_m2"}, {true}, {false}},
      {"shared_intermediate_size", {"minimax_m2"}, {0}, {64}},
      {"moe_layer_freq", {"dots1"}, {1}, {2}},
      {"first_k_dense_replace", {"solar_open"}, {0}, {1}},
      {"rope_parameters.full_attention.partial_rotary_factor", {"mellum"}, {1.0, 1}, {0.5}},
      {"rope_parameters.sliding_attention.partial_rotary_factor", {"mellum"}, {1.0, 1}, {0.5}},
      {"position_embedding_type", {"cohere2"}, {"rope_gptj"}, {"rope", "alibi"}},
      {"rotary_pct", {"cohere2"}, {1.0}, {0.5}},
      {"use_gated_activation", {"cohere2"}, {true}, {false}},
      {"use_parallel_block", {"cohere2"}, {true}, {false}},
      {"order_of_interleaved_layers", {"cohere2"}, {"local_attn_first"}, {"global_attn_first"}},
      {"use_rotary_pos_emb", {"hunyuan_v1_dense", "hunyuan_v1_moe"}, {true}, {false}},
      {"use_cla", {"hunyuan_v1_dense", "hunyuan_v1_moe"}, {false}, {true}},
      {"position_embedding_xdrope", {"hunyuan_v1_dense", "hunyuan_v1_moe"}, {false}, {true}},
      {"norm_type", {"hunyuan_v1_dense", "hunyuan_v1_moe"}, {"rms"}, {"layer"}},
      {"add_classification_head", {"hunyuan_v1_dense", "hunyuan_v1_moe"}, {false}, {true}},
      {"moe_layer_num_skipped", {"hunyuan_v1_moe"}, {0}, {1}},
      {"use_mixed_mlp_moe", {"hunyuan_v1_moe"}, {true}, {false}},
      {"use_mla", {"hunyuan_v1_moe"}, {false}, {true}},
      {"norm_topk_prob", {"hunyuan_v1_moe"}, {true}, {false}},
      {"routed_scaling_factor", {"hunyuan_v1_moe"}, {1.0}, {2.5}},
      {"group_limited_greedy", {"hunyuan_v1_moe"}, {false}, {true}},
      {"num_experts_per_tok", {"phimoe"}, {2}, {1, 3}},
      {"compression_ratio", {"ernie4_5", "ernie4_5_moe"}, {1.0}, {2.0}},
      {"hidden_act", {"apertus"}, {"xielu"}, {"silu", "prelu"}},
      {"qk_norm", {"apertus"}, {true}, {false}},
      {"post_norm", {"apertus"}, {false}, {true}},
      {"rope_parameters.full_attention.rope_type",
       {"modernbert", "modernbert_classifier", "modernbert_decoder"},
       {"default"},
       {"linear"}},
      {"rope_scaling",
       {"modernbert", "modernbert_classifier", "modernbert_decoder"},
       {nullptr},
       {{{"type", "linear"}, {"factor", 2.0}}}},
      {"position_embedding_type",
       {"albert", "bert", "bert_classifier", "bert_masked", "camembert", "camembert_classifier", "camembert_masked",
        "electra", "mpnet", "roberta", "roberta_classifier", "roberta_masked", "xlm_roberta", "xlm_roberta_classifier",
        "xlm_roberta_masked"},
       {"absolute"},
       {"relative_key", "relative_key_query"}},
      {"num_hidden_groups", {"albert"}, {1}, {2}},
      {"time_step_limit",
       {"mamba2", "bamba", "granitemoehybrid", "falcon_h1"},
       {json::array({0.0, "Infinity"}), json::array({0, "Infinity"}), json::array({0.0, {{"__float__", "Infinity"}}}),
        nullptr},
       {json::array({0.0, 0.1}), json::array({0.001, "Infinity"}), 0.1}},
      {"partial_rotary_factor", {"bamba"}, {0.5}, {0.25, 1.0}},
      {"layer_types", {"zamba2"}, {nullptr}, {json::array({"mamba", "hybrid", "hybrid"})}},
      {"sliding_window", {"nemotron_h"}, {nullptr}, {64}},
      {"mamba_proj_bias", {"nemotron_h"}, {false}, {true}},
      {"moe_latent_size", {"nemotron_h"}, {nullptr}, {16}},
      {"rescale_prenorm_residual", {"mamba", "mamba2", "falcon_mamba"}, {false}, {true}},
      {"relative_attention_num_buckets", {"mpnet"}, {32}, {16, 64}},
      {"activation_function", {"nomic_bert"}, {"swiglu"}, {"geglu", "gelu"}},
      {"prenorm", {"nomic_bert"}, {false}, {true}},
      {"parallel_block", {"nomic_bert"}, {false}, {true}},
      {"rotary_emb_fraction", {"nomic_bert"}, {1.0, 1}, {0.5, 0.0}},
      {"rotary_emb_interleaved", {"nomic_bert"}, {false}, {true}},
      {"rotary_emb_scale_base", {"nomic_bert"}, {nullptr}, {512}},
      {"rotary_scaling_factor", {"nomic_bert"}, {nullptr}, {2}},
      {"qkv_proj_bias", {"nomic_bert"}, {false}, {true}},
      {"mlp_fc1_bias", {"nomic_bert"}, {false}, {true}},
      {"mlp_fc2_bias", {"nomic_bert"}, {false}, {true}},
      {"use_rms_norm", {"nomic_bert"}, {false}, {true}},
      {"causal", {"nomic_bert"}, {false}, {true}},
      {"scale_attn_weights", {"nomic_bert"}, {true}, {false}},
      {"scale_attn_by_inverse_layer_idx", {"nomic_bert"}, {false}, {true}},
      {"sentence_transformers.default_prompt_name", {"bert", "modernbert"}, {nullptr}, {"query"}},
      {"sentence_transformers.include_prompt", {"bert", "modernbert"}, {true}, {false}},
      {"sentence_transformers.do_lower_case", {"bert", "modernbert"}, {false}, {true}},
      {"expansion_ratio", {"mpt"}, {4}, {2}},
      {"no_bias", {"mpt"}, {true}, {false}},
      {"logit_scale", {"mpt"}, {nullptr}, {0.5, "inv_sqrt_d_model"}},
      {"attn_config.alibi", {"mpt"}, {true}, {false}},
      {"attn_config.alibi_bias_max", {"mpt"}, {8}, {16}},
      {"attn_config.attn_type", {"mpt"}, {"multihead_attention"}, {"multiquery_attention"}},
      {"attn_config.qk_ln", {"mpt"}, {false}, {true}},
      {"attn_config.prefix_lm", {"mpt"}, {false}, {true}},
      {"attn_config.attn_uses_sequence_id", {"mpt"}, {false}, {true}},
      {"is_encoder_decoder", all, {false}, {true}},
      {"add_cross_attention", all, {false}, {true}},
      {"cross_attention_hidden_size", all, {nullptr}, {64}},
      {"tie_encoder_decoder", all, {false}, {true}},
      {"pruned_heads", all, {json::object(), nullptr}, {some}},
      {"per_layer_config", all, {json::object(), nullptr}, {some}},
      {"quantization_config", all, {nullptr}, {{{"bits", 4}}, json::object()}},
      {"compression_config", all, {nullptr}, {some}},
      {"auto_map", all, {json::object(), nullptr}, {{{"AutoModelForCausalLM", "modeling.Mine"}}}},
      {"use_bidirectional_attention", {"gemma", "gemma2", "gemma3"}, {nullptr, false}, {true}},
      {"hidden_activation", {"gemma"}, {nullptr, "gelu_pytorch_tanh"}, {"gelu", "relu"}},
      {"attn_logit_softcapping", {"gemma3"}, {nullptr}, {50.0}},
      {"rope_parameters.sliding_attention.rope_type", {"gemma3", "olmo3", "mellum"}, {"default"}, {"linear"}},
      {"n_special", {"gpt2"}, {0}, {1}},
      {"apply_residual_connection_post_layernorm", {"falcon"}, {false}, {true}},
      {"alibi", {"llada"}, {false}, {true}},
      {"block_group_size", {"llada"}, {1}, {2}},
      {"attention_layer_norm_with_affine", {"llada"}, {true}, {false}},
      {"ffn_with_glu", {"openelm"}, {true}, {false}},
  };
  const std::map<std::string, json> configs = small_configs();
  std::set<std::string> listed;
  for (const Only& only : keys) {
    listed.insert(only.key);
    for (const char* architecture : only.architectures) {
      for (const bool runs : {true, false}) {
        for (const json& value : runs ? only.runs : only.refused) {
          INFO(architecture, ": ", only.key, " = ", value.dump());
          json config = configs.at(architecture);
          at_path(config, only.key) = value;
          const Imported imported = import_text(config.dump());
          CHECK(imported.text.has_value() == runs);
          if (!runs) CHECK(imported.complains("import.unsupported_value", only.key));
        }
      }
    }
  }
  for (const auto& [name, family] : families()) {
    for (const auto& [key, only] : family.only) {
      INFO(name, ": ", key);
      // Of a file that is included for an object, what it says of the key at the top.
      CHECK((listed.contains(key) || listed.contains(key.substr(key.rfind('.') + 1))));
    }
  }
}

// Keys by which other models differ in what they compute: none may slip into the list of those that change nothing.
TEST_CASE("keys that decide what other models compute are unknown here") {
  for (const char* key : {"alibi",
                          "attn_logit_softcapping",
                          "attention_multiplier",
                          "clip_qkv",
                          "embedding_multiplier",
                          "final_logit_softcapping",
                          "layernorm_epsilon",
                          "logit_scale",
                          "logits_scaling",
                          "mup_scale",
                          "no_rope_layers",
                          "num_experts",
                          "num_local_experts",
                          "parallel_residual",
                          "q_lora_rank",
                          "qk_layernorm",
                          "qkv_bias",
                          "query_pre_attn_scalar",
                          "residual_multiplier",
                          "rope_local_base_freq",
                          "rotary_pct",
                          "scale_depth",
                          "scale_emb",
                          "sliding_window_pattern",
                          "use_parallel_residual",
                          "use_qk_norm"}) {
    CAPTURE(key);
    for (const json& config : {llama_config({{key, 2}}), qwen2({{key, 2}}), gpt2({{key, 2}})}) {
      CHECK(import_text(config.dump()).complains("import.unknown_key", key));
    }
  }
}

TEST_CASE("a window is in force from one position short of the context on, in the layers that have it") {
  const auto windows = [](const json& config) {
    const Imported imported = import_text(config.dump());
    REQUIRE_MESSAGE(imported.spec, render(imported.diagnostics));
    std::vector<std::int64_t> result;
    for (const std::size_t kind : imported.spec->layer_kinds) {
      result.push_back(testing::attention(imported.spec->kinds[kind]).sliding_window.value);
    }
    return result;
  };
  using Windows = std::vector<std::int64_t>;
  constexpr std::int64_t none = -1;
  CHECK(windows(mistral({{"sliding_window", 128}})) == Windows{none, none});
  CHECK(windows(mistral({{"sliding_window", 127}})) == Windows{127, 127});
  CHECK(windows(mistral({{"max_position_embeddings", 4096}})) == Windows{none, none});  // 4096 by default
  CHECK(windows(mistral({{"max_position_embeddings", 4097}})) == Windows{4096, 4096});
  CHECK(windows(phi3({{"sliding_window", 64}})) == Windows{64, 64});
  const auto from_layer = [&](int layer) {
    return windows(qwen2({{"use_sliding_window", true}, {"sliding_window", 64}, {"max_window_layers", layer}}));
  };
  CHECK(from_layer(2) == Windows{none, none});
  CHECK(from_layer(1) == Windows{none, 64});
  CHECK(from_layer(0) == Windows{64, 64});
  CHECK(windows(qwen2({{"use_sliding_window", true},
                       {"sliding_window", 64},
                       {"layer_types", {"sliding_attention", "full_attention"}}})) == Windows{64, none});
}

TEST_CASE("what follows from a value of the wrong type is not told beside it") {
  const Imported imported = import_text(llama_config({{"hidden_size", "48"}, {"num_attention_heads", 7}}).dump());
  CHECK(imported.complains("import.wrong_type", "hidden_size"));
  CHECK(imported.of("import.head_dim").empty());
}

TEST_CASE("where a scaling has an older and a newer name of its type, they agree") {
  const auto scaled = [](const json& older, const json& newer) {
    return import_text(llama_config({{"rope_scaling", {{"type", older}, {"rope_type", newer}, {"factor", 2}}}}).dump());
  };
  CHECK(scaled("linear", "linear").text);
  CHECK(scaled("linear", nullptr).text);
  CHECK(scaled("linear", "default").complains("import.disagreement", "'rope_scaling.type' is \"linear\""));
  CHECK(scaled("default", "linear").complains("import.disagreement", "'rope_scaling.rope_type', another name"));
}

TEST_CASE("sizes are positive and below 2^31") {
  for (const char* key : {"vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
                          "num_key_value_heads", "max_position_embeddings", "head_dim"}) {
    CAPTURE(key);
    CHECK_FALSE(import_text(llama_config({{key, 1}}).dump()).complains("import.wrong_type", key));
    CHECK_FALSE(import_text(llama_config({{key, 2147483647}}).dump()).complains("import.wrong_type", key));
    for (const json& wrong : {json(0), json(-1), json(2147483648), json(1.5), json("1"), json(true)}) {
      CAPTURE(wrong.dump());
      CHECK(import_text(llama_config({{key, wrong}}).dump()).complains("import.wrong_type", key));
    }
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
