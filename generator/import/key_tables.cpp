#include "generator/import/key_tables.hpp"

namespace monomorph::generator {
namespace {

constexpr const char* training = "used in training only";
constexpr const char* provenance = "says where the file comes from";
constexpr const char* other_heads = "concerns heads for other tasks than language modelling";
constexpr const char* sampling = "a default for drawing tokens, which is chosen when the engine runs";
constexpr const char* outputs = "says what the Python library returns";
constexpr const char* kernels = "says which kernels the Python library runs";

constexpr IgnoredKey ignored[] = {
    {"_name_or_path", family_any, provenance},
    {"name_or_path", family_any, provenance},
    {"_model_name_or_path", family_any, provenance},
    {"_commit_hash", family_any, provenance},
    {"transformers_version", family_any, provenance},
    {"transformers.js_config", family_any, "for another engine"},
    {"unsloth_version", family_any, provenance},
    {"unsloth_fixed", family_any, provenance},
    {"is_llama_config", family_llama, provenance},
    {"tokenizer_class", family_any, "the tokenizer is read from tokenizer.json"},

    {"initializer_range", family_any, training},
    {"attention_dropout", family_rotary, training},
    {"hidden_dropout", family_rotary, training},
    {"embd_pdrop", family_gpt2, training},
    {"resid_pdrop", family_gpt2, training},
    {"attn_pdrop", family_gpt2, training},
    {"gradient_checkpointing", family_any, training},
    {"use_bfloat16", family_any, "an old switch of TPU training"},
    {"tf_legacy_loss", family_any, training},

    {"pad_token_id", family_any, "sequences are never padded"},
    {"sep_token_id", family_any, "the tokenizer's matter"},
    {"unk_token_id", family_any, "the tokenizer's matter"},
    {"decoder_start_token_id", family_any, "for encoder-decoders only"},
    {"use_cache", family_any, "an engine always keeps its keys and values"},
    {"is_decoder", family_any, "these architectures are decoders whatever it says"},
    {"chunk_size_feed_forward", family_any, "saves memory in Python, changes no result"},
    {"max_sequence_length", family_llama, "read by no version of transformers: max_position_embeddings is"},
    {"n_ctx", family_gpt2, "an older name of n_positions, read by no version since 4"},
    {"reorder_and_upcast_attn", family_gpt2, "an order of operations against overflow in f16; scores are f32 here"},

    {"id2label", family_any, other_heads},
    {"label2id", family_any, other_heads},
    {"num_labels", family_any, other_heads},
    {"_num_labels", family_any, other_heads},
    {"problem_type", family_any, other_heads},
    {"finetuning_task", family_any, other_heads},
    {"task_specific_params", family_any, other_heads},
    {"classifier_dropout", family_any, other_heads},
    {"summary_type", family_gpt2, other_heads},
    {"summary_use_proj", family_gpt2, other_heads},
    {"summary_activation", family_gpt2, other_heads},
    {"summary_proj_to_labels", family_gpt2, other_heads},
    {"summary_first_dropout", family_gpt2, other_heads},
    {"summary_last_dropout", family_gpt2, other_heads},
    {"predict_special_tokens", family_gpt2, other_heads},

    {"output_attentions", family_any, outputs},
    {"output_hidden_states", family_any, outputs},
    {"output_past", family_any, outputs},
    {"output_scores", family_any, outputs},
    {"return_dict", family_any, outputs},
    {"return_dict_in_generate", family_any, outputs},
    {"tie_last_hidden_states", family_any, outputs},
    {"torchscript", family_any, kernels},
    {"attn_implementation", family_any, kernels},
    {"_attn_implementation", family_any, kernels},
    {"_attn_implementation_internal", family_any, kernels},
    {"_attn_implementation_autoset", family_any, kernels},
    {"_flash_attn_2_enabled", family_any, kernels},

    {"max_length", family_any, sampling},
    {"min_length", family_any, sampling},
    {"max_new_tokens", family_any, sampling},
    {"do_sample", family_any, sampling},
    {"early_stopping", family_any, sampling},
    {"num_beams", family_any, sampling},
    {"num_beam_groups", family_any, sampling},
    {"num_return_sequences", family_any, sampling},
    {"diversity_penalty", family_any, sampling},
    {"temperature", family_any, sampling},
    {"top_k", family_any, sampling},
    {"top_p", family_any, sampling},
    {"min_p", family_any, sampling},
    {"typical_p", family_any, sampling},
    {"repetition_penalty", family_any, sampling},
    {"length_penalty", family_any, sampling},
    {"no_repeat_ngram_size", family_any, sampling},
    {"encoder_no_repeat_ngram_size", family_any, sampling},
    {"bad_words_ids", family_any, sampling},
    {"forced_bos_token_id", family_any, sampling},
    {"forced_eos_token_id", family_any, sampling},
    {"remove_invalid_values", family_any, sampling},
    {"exponential_decay_length_penalty", family_any, sampling},
    {"suppress_tokens", family_any, sampling},
    {"begin_suppress_tokens", family_any, sampling},
    {"prefix", family_any, "a text that pipelines put before a prompt"},
};

constexpr OnlyValue only[] = {
    {"pretraining_tp", family_rotary, "1", "projections summed in slices"},
    {"rope_interleaved", family_rotary, "false", "rotary pairs of neighbours (halves run)"},
    {"use_mrope", family_rotary, "false", "rotary positions of three axes"},
    {"attention_bias", family_mistral, "false", "biases that this architecture does not have"},
    {"mlp_bias", family_mistral | family_qwen2 | family_qwen3, "false", "biases that this architecture does not have"},
    {"is_encoder_decoder", family_any, "false", "an encoder"},
    {"add_cross_attention", family_any, "false", "cross-attention"},
    {"cross_attention_hidden_size", family_any, "null", "cross-attention"},
    {"tie_encoder_decoder", family_any, "false", "an encoder"},
    {"pruned_heads", family_any, "{} null", "layers whose heads differ"},
    {"per_layer_config", family_any, "{} null", "layers that differ from each other"},
    {"quantization_config", family_any, "null", "quantized weights (f32, f16 and bf16 run)"},
    {"compression_config", family_any, "null", "compressed weights (f32, f16 and bf16 run)"},
    {"auto_map", family_any, "{} null", "code of the model's own in place of the architecture's"},
    {"scale_attn_by_inverse_layer_idx", family_gpt2, "false", "a scale that differs from layer to layer"},
    {"n_special", family_gpt2, "0", "embeddings beside the vocabulary's"},
};

}  // namespace

std::span<const IgnoredKey> ignored_keys() { return ignored; }
std::span<const OnlyValue> only_values() { return only; }

}  // namespace monomorph::generator
