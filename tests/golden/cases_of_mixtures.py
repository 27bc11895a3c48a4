"""Mixtures of experts: Mixtral, Qwen 3 MoE, OLMoE."""

from case import LONG, ROWS, Case, long_rows, sizes


def mixtral(**keys):
    """The keys of mistralai/Mixtral-8x7B-v0.1."""
    return {
        "architectures": ["MixtralForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096, "model_type": "mixtral",
        "num_experts_per_tok": 2, "num_local_experts": 8, "output_router_logits": False, "rms_norm_eps": 1e-05,
        "rope_theta": 1000000.0, "router_aux_loss_coef": 0.02, "sliding_window": None, "tie_word_embeddings": False,
        "transformers_version": "4.36.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def qwen3_moe(**keys):
    """The keys of Qwen/Qwen3-30B-A3B."""
    return {
        "architectures": ["Qwen3MoeForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "decoder_sparse_step": 1, "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 4096, "max_window_layers": 4, "mlp_only_layers": [], "model_type": "qwen3_moe",
        "norm_topk_prob": True, "num_experts_per_tok": 3, "output_router_logits": False, "rms_norm_eps": 1e-06,
        "rope_scaling": None, "rope_theta": 1000000.0, "router_aux_loss_coef": 0.001, "sliding_window": None,
        "tie_word_embeddings": False, "transformers_version": "4.51.0", "use_cache": True, "use_sliding_window": False,
    } | keys  # fmt: skip


def olmoe(**keys):
    """The keys of allenai/OLMoE-1B-7B-0924."""
    return {
        "architectures": ["OlmoeForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "clip_qkv": None,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096,
        "model_type": "olmoe", "norm_topk_prob": False, "num_experts": 7, "num_experts_per_tok": 3,
        "output_router_logits": False, "pad_token_id": 1, "rms_norm_eps": 1e-05, "rope_scaling": None,
        "rope_theta": 10000.0, "router_aux_loss_coef": 0.01, "tie_word_embeddings": False,
        "transformers_version": "4.43.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("mixtral-8", 3201, "two of eight experts, shares of the two; grouped 4:2, untied",
         mixtral(**sizes(48, 37, 3, 4, 2, 101)), dtypes=("bf16",)),
    Case("mixtral-long", 3202, "2,080 tokens, a window of 1,000; one of five experts, which then has the whole; tied",
         mixtral(**sizes(36, 29, 2, 2, 1, 97), sliding_window=1000, num_local_experts=5, num_experts_per_tok=1,
                 tie_word_embeddings=True), "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
    Case("qwen3-moe-12", 3203, "three of twelve experts, shares of the three; heads of 20 with norms",
         qwen3_moe(**sizes(48, 61, 3, 4, 2, 101, 20), moe_intermediate_size=23, num_experts=12), dtypes=("f16",)),
    Case("qwen3-moe-dense", 3231, "one MLP in the first and the third of four layers; four of six experts, shares of all "
         "six; biases of projections, a window of 17, gelu",
         qwen3_moe(**sizes(40, 53, 4, 2, 2, 97, 24), moe_intermediate_size=32, num_experts=6, num_experts_per_tok=4,
                   decoder_sparse_step=2, mlp_only_layers=[0], norm_topk_prob=False, attention_bias=True,
                   use_sliding_window=True, sliding_window=17, hidden_act="gelu"), "dtype", dtypes=("bf16",),
         rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("olmoe-7", 3205, "three of seven experts, shares of all seven; queries and keys normed whole",
         olmoe(**sizes(48, 31, 3, 4, 4, 101)), dtypes=("f32",)),
    Case("olmoe-normed", 3231, "two of three experts, shares that are normed; biases, grouped 4:1, tied",
         olmoe(**sizes(48, 31, 2, 4, 1, 103), num_experts=3, num_experts_per_tok=2, norm_topk_prob=True,
               attention_bias=True, tie_word_embeddings=True), "dtype", dtypes=("bf16",)),
]
