"""Llama 4's text model: experts that read what their scores multiply, layers in chunks, and layers without positions whose
scores grow."""

from case import LONG, ROWS, Case, long_rows, sizes


def llama4(**keys):
    """The keys of the text_config of meta-llama/Llama-4-Scout-17B-16E."""
    return {
        "architectures": ["Llama4ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "attn_scale": 0.1,
        "attn_temperature_tuning": True, "bos_token_id": 1, "eos_token_id": [2, 3], "for_llm_compressor": False,
        "hidden_act": "silu", "initializer_range": 0.02, "interleave_moe_layer_step": 1, "max_position_embeddings": 4096,
        "model_type": "llama4_text", "num_experts_per_tok": 1, "output_router_logits": False, "pad_token_id": 4,
        "rms_norm_eps": 1e-05, "rope_scaling": None, "rope_theta": 500000.0, "router_aux_loss_coef": 0.001,
        "router_jitter_noise": 0.0, "tie_word_embeddings": False, "transformers_version": "4.51.0.dev0", "use_cache": True,
        "use_qk_norm": True,
    } | keys  # fmt: skip


# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("llama4-chunks", 3301, "one of seven experts beside one, one MLP in the first and the last of five layers; chunks of 17; two "
         "layers without positions, whose scores grow every 24 positions; heads of 20, grouped 4:2",
         llama4(**sizes(48, 23, 5, 4, 2, 101, 20), intermediate_size_mlp=61, num_local_experts=7, moe_layers=[1, 2, 3],
                no_rope_layers=[1, 0, 1, 0, 1], attention_chunk_size=17, floor_scale=24, attn_scale=0.4), dtypes=("bf16",),
         rows=tuple(sorted({*ROWS, 15, 17, 18, 23, 24, 33, 34, 35, 47, 48}))),
    Case("llama4-long", 3302, "2,080 tokens in chunks of 1,000, three of five experts, one MLP in every other layer, llama3's angles; "
         "no norms of queries and keys, no scores that grow; biases, gelu, tied",
         llama4(**sizes(40, 29, 4, 2, 1, 97, 24), intermediate_size_mlp=53, num_local_experts=5, num_experts_per_tok=3,
                interleave_moe_layer_step=2, no_rope_layer_interval=3, attention_chunk_size=1000,
                attn_temperature_tuning=False, floor_scale=700, use_qk_norm=False, attention_bias=True, hidden_act="gelu",
                rope_scaling={"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                              "original_max_position_embeddings": 512},
                tie_word_embeddings=True), "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
]
