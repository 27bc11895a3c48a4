"""Mixtures of experts: Mixtral, Qwen 2 and 3 MoE, OLMoE, FlexOlmo, Mellum, Phi-3.5 MoE."""

from case import ALONE, EACH, LONG, ROWS, Case, long_rows, sizes


def mixtral(**keys):
    """The keys of mistralai/Mixtral-8x7B-v0.1."""
    return {
        "architectures": ["MixtralForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096, "model_type": "mixtral",
        "num_experts_per_tok": 2, "num_local_experts": 8, "output_router_logits": False, "rms_norm_eps": 1e-05,
        "rope_theta": 1000000.0, "router_aux_loss_coef": 0.02, "sliding_window": None, "tie_word_embeddings": False,
        "transformers_version": "4.36.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def qwen2_moe(**keys):
    """The keys of Qwen/Qwen1.5-MoE-A2.7B."""
    return {
        "architectures": ["Qwen2MoeForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "decoder_sparse_step": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096,
        "max_window_layers": 21, "model_type": "qwen2_moe", "norm_topk_prob": False, "num_experts_per_tok": 3,
        "output_router_logits": False, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "router_aux_loss_coef": 0.001,
        "sliding_window": 4096, "tie_word_embeddings": False, "transformers_version": "4.39.0.dev0", "use_cache": True,
        "use_sliding_window": False,
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


def flex_olmo(**keys):
    """The keys of allenai/FlexOlmo-7x7B-1T."""
    return {
        "architectures": ["FlexOlmoForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096, "model_type": "flex_olmo",
        "norm_topk_prob": False, "num_experts": 7, "num_experts_per_tok": 5, "output_router_logits": False,
        "pad_token_id": 1, "rms_norm_eps": 1e-06, "rope_scaling": None, "rope_theta": 500000,
        "router_aux_loss_coef": 0.01, "tie_word_embeddings": False, "transformers_version": "4.54.0", "use_cache": True,
    } | keys  # fmt: skip


def mellum(full=None, **keys):
    """The keys of the library's class; `full`: of the angles of layers without a window."""
    return {
        "architectures": ["MellumForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096,
        "model_type": "mellum", "norm_topk_prob": True, "num_experts_per_tok": 3, "output_router_logits": False,
        "rms_norm_eps": 1e-06, "router_aux_loss_coef": 0.001, "sliding_window": 17, "tie_word_embeddings": False,
        "rope_parameters": {
            "full_attention": {"rope_type": "default", "rope_theta": 500000.0} | (full or {}),
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        },
        "transformers_version": "5.9.0", "use_cache": True,
    } | keys  # fmt: skip


def phimoe(**keys):
    """The keys of microsoft/Phi-3.5-MoE-instruct."""
    return {
        "architectures": ["PhimoeForCausalLM"], "attention_bias": True, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "input_jitter_noise": 0.01, "lm_head_bias": True,
        "max_position_embeddings": 4096, "model_type": "phimoe", "num_experts_per_tok": 2, "num_local_experts": 7,
        "output_router_logits": False, "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "router_aux_loss_coef": 0.0,
        "router_jitter_noise": 0.2, "sliding_window": None, "tie_word_embeddings": False, "use_cache": True,
    } | keys  # fmt: skip


SLIDING, FULL = "sliding_attention", "full_attention"

# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("mixtral-8", 3201, "two of eight experts, shares of the two; grouped 4:2, untied",
         mixtral(**sizes(48, 37, 3, 4, 2, 101)), dtypes=("bf16",)),
    Case("mixtral-long", 3202, "2,080 tokens, a window of 1,000; one of five experts, which then has the whole; tied",
         mixtral(**sizes(36, 29, 2, 2, 1, 97), sliding_window=1000, num_local_experts=5, num_experts_per_tok=1,
                 tie_word_embeddings=True), "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
    Case("qwen2-moe-10", 3207, "three of ten experts, shares of all ten, beside one of a width of its own with a gate; "
         "grouped 4:2",
         qwen2_moe(**sizes(48, 61, 3, 4, 2, 101), moe_intermediate_size=23, shared_expert_intermediate_size=35,
                   num_experts=10), dtypes=("bf16",)),
    Case("qwen2-moe-dense", 3208, "one MLP in the first and the fourth of five layers, a window of 17 in every other one; one "
         "of three experts, its share of all three; no biases, tied",
         qwen2_moe(**sizes(40, 53, 5, 2, 1, 97), moe_intermediate_size=29, shared_expert_intermediate_size=19,
                   num_experts=3, num_experts_per_tok=1, mlp_only_layers=[0, 3], use_sliding_window=True,
                   sliding_window=17, qkv_bias=False, tie_word_embeddings=True), "dtype", dtypes=("f32",),
         rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
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
    Case("olmoe-each", 3261, "one of 67 experts, another for each of the 67 tokens",
         olmoe(**sizes(48, 5, 2, 4, 4, 67), num_experts=67, num_experts_per_tok=1), dtypes=("bf16",), sequence_length=67,
         rows=tuple(row for row in ROWS if row < 67), routed=EACH),
    Case("olmoe-alone", 3262, "one of five experts, the same for all tokens",
         olmoe(**sizes(48, 31, 2, 4, 4, 101), num_experts=5, num_experts_per_tok=1), dtypes=("f16",), routed=ALONE),
    Case("flex-olmo-7", 3221, "five of seven experts, shares of all seven; queries and keys normed whole, norms of what "
         "sub-blocks give",
         flex_olmo(**sizes(48, 31, 3, 4, 4, 101)), dtypes=("bf16",)),
    Case("flex-olmo-normed", 3222, "two of three experts, shares that are normed; biases, heads of 16, grouped 4:1, tied",
         flex_olmo(**sizes(48, 31, 2, 4, 1, 103, 16), num_experts=3, num_experts_per_tok=2, norm_topk_prob=True,
                   attention_bias=True, tie_word_embeddings=True), "dtype", dtypes=("f32",)),
    Case("mellum-9", 3223, "three of nine experts, one MLP in the first and the last of four layers; a window of 17 with angles of "
         "its own in every other one; grouped 4:2",
         mellum(**sizes(48, 61, 4, 4, 2, 101, 20), moe_intermediate_size=23, num_experts=9,
                layer_types=[SLIDING, FULL, SLIDING, FULL], mlp_layer_types=["dense", "sparse", "sparse", "dense"]), "dtype",
         dtypes=("f16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("mellum-yarn", 3228, "four of six experts, shares of all six; scaled angles without a window; biases, gelu, tied",
         mellum({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 48}, **sizes(40, 53, 3, 2, 2, 97, 24),
                moe_intermediate_size=32, num_experts=6, num_experts_per_tok=4, norm_topk_prob=False, attention_bias=True,
                layer_types=[FULL, SLIDING, FULL], hidden_act="gelu", tie_word_embeddings=True), "dtype", dtypes=("bf16",),
         rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("phimoe-7", 3241, "two of seven experts, each by its share of those within two fifths of it; LayerNorms, biases, heads of 20; "
         "LongRoPE past 80 positions, whose long factors the library does not read",
         phimoe(**sizes(48, 31, 3, 4, 2, 101, 20),
                rope_scaling={"type": "longrope", "short_factor": [1.0 + 0.1 * i for i in range(10)],
                              "long_factor": [2.0 + 0.3 * i for i in range(10)], "short_mscale": 1.25, "long_mscale": 1.25,
                              "original_max_position_embeddings": 80}), dtypes=("bf16",)),
    Case("phimoe-window", 3251, "two of three experts, each by its share of those within a fifth of it; a window of 17, no biases, tied",
         phimoe(**sizes(40, 32, 2, 4, 1, 97), num_local_experts=3, router_jitter_noise=0.1, sliding_window=17,
                attention_bias=False, lm_head_bias=False, tie_word_embeddings=True), "dtype", dtypes=("f32",),
         rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
]
