"""Mixtures whose router has learned numbers to choose by, most of them beside an MLP that every token has: GLM 4.5, dots.llm1,
MiniMax M2, Solar Open."""

from case import ROWS, Case, sizes


def glm4_moe(**keys):
    """The keys of zai-org/GLM-4.5."""
    return {
        "architectures": ["Glm4MoeForCausalLM"], "attention_bias": True, "attention_dropout": 0.0, "eos_token_id": [2, 3],
        "first_k_dense_replace": 1, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096,
        "model_type": "glm4_moe", "n_group": 1, "n_shared_experts": 1, "norm_topk_prob": True, "num_experts_per_tok": 3,
        "num_nextn_predict_layers": 1, "pad_token_id": 2, "partial_rotary_factor": 0.5, "rms_norm_eps": 1e-05,
        "rope_scaling": None, "rope_theta": 1000000, "routed_scaling_factor": 2.5, "tie_word_embeddings": False,
        "topk_group": 1, "transformers_version": "4.54.0", "use_cache": True, "use_qk_norm": True,
    } | keys  # fmt: skip


def dots1(**keys):
    """The keys of rednote-hilab/dots.llm1.base."""
    return {
        "architectures": ["Dots1ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "eos_token_id": 2,
        "first_k_dense_replace": 1, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096,
        "max_window_layers": 62, "model_type": "dots1", "n_group": 1, "n_shared_experts": 2, "norm_topk_prob": True,
        "num_experts_per_tok": 3, "rms_norm_eps": 1e-05, "rope_scaling": None, "rope_theta": 1000000,
        "routed_scaling_factor": 2.5, "sliding_window": None, "tie_word_embeddings": False, "topk_group": 1,
        "transformers_version": "4.46.3", "use_cache": True,
    } | keys  # fmt: skip


def minimax_m2(**keys):
    """The keys of MiniMaxAI/MiniMax-M2 that the library knows, with the older name of the part that turns."""
    return {
        "architectures": ["MiniMaxM2ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096, "model_type": "minimax_m2",
        "num_experts_per_tok": 3, "output_router_logits": False, "rms_norm_eps": 1e-06, "rope_theta": 5000000,
        "router_aux_loss_coef": 0.001, "router_jitter_noise": 0.0, "tie_word_embeddings": False,
        "transformers_version": "4.57.1", "use_cache": True,
    } | keys  # fmt: skip


def solar_open(**keys):
    """The keys of upstage/Solar-Open-100B."""
    return {
        "architectures": ["SolarOpenForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096,
        "model_type": "solar_open", "n_group": 1, "n_shared_experts": 1, "norm_topk_prob": True, "num_experts_per_tok": 3,
        "rms_norm_eps": 1e-05, "rope_theta": 1000000, "routed_scaling_factor": 1.0, "tie_word_embeddings": False,
        "topk_group": 1, "transformers_version": "5.0.0", "use_cache": True,
    } | keys  # fmt: skip


# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("glm4-moe-10", 3211, "three of ten experts beside one, one MLP in the first of three layers; half of each head turns, "
         "norms of queries and keys, biases of q, k and v; grouped 4:2",
         glm4_moe(**sizes(48, 61, 3, 4, 2, 101, 20), moe_intermediate_size=23, n_routed_experts=10), dtypes=("bf16",)),
    Case("glm4-moe-groups", 3212, "four of twelve experts out of the two best of three groups, beside two, their scores as they "
         "are; two MLPs first, a quarter of each head turns, no norms of queries and keys, no biases, tied",
         glm4_moe(**sizes(40, 53, 4, 2, 1, 97, 24), moe_intermediate_size=19, n_routed_experts=12, n_shared_experts=2,
                  num_experts_per_tok=4, n_group=3, topk_group=2, norm_topk_prob=False, first_k_dense_replace=2,
                  use_qk_norm=False, attention_bias=False, partial_rotary_factor=0.25, routed_scaling_factor=1.5,
                  tie_word_embeddings=True, hidden_act="gelu"), "dtype", dtypes=("f32",)),
    Case("dots1-14", 3213, "three of 14 experts beside two, one MLP in the first of three layers; norms of queries and keys",
         dots1(**sizes(48, 61, 3, 4, 4, 101), moe_intermediate_size=23, n_routed_experts=14), dtypes=("f16",)),
    Case("dots1-groups", 3225, "two of nine experts out of the two best of three groups, their scores as they are; a window of 17 "
         "from the second layer on, two MLPs first; biases, grouped 4:2, tied",
         dots1(**sizes(48, 37, 4, 4, 2, 97), moe_intermediate_size=29, n_routed_experts=9, n_shared_experts=1,
               num_experts_per_tok=2, n_group=3, topk_group=2, norm_topk_prob=False, first_k_dense_replace=2,
               routed_scaling_factor=0.5, attention_bias=True, sliding_window=17, max_window_layers=1,
               tie_word_embeddings=True), "dtype", dtypes=("bf16",),
         rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("minimax-m2-11", 3215, "three of eleven experts; ten of a head's 20 elements turn, queries and keys normed whole; "
         "grouped 4:2",
         minimax_m2(**sizes(48, 23, 3, 4, 2, 101, 20), num_local_experts=11, rotary_dim=10), dtypes=("bf16",)),
    Case("minimax-m2-whole", 3216, "two of five experts; heads of 24 turn whole, grouped 2:1, gelu, tied",
         minimax_m2(**sizes(40, 31, 2, 2, 1, 97, 24), num_local_experts=5, num_experts_per_tok=2, hidden_act="gelu",
                    tie_word_embeddings=True), "dtype", dtypes=("f32",)),
    Case("solar-open-10", 3217, "three of ten experts beside one; heads of 20, grouped 4:2",
         solar_open(**sizes(48, None, 3, 4, 2, 101, 20), moe_intermediate_size=23, n_routed_experts=10), dtypes=("bf16",)),
    Case("solar-open-groups", 3218, "three of eight experts out of the two best of four groups, beside two, their scores as they "
         "are; biases of q, k and v, yarn, tied",
         solar_open(**sizes(40, None, 2, 2, 1, 97, 24), moe_intermediate_size=29, n_routed_experts=8,
                    n_shared_experts=2, n_group=4, topk_group=2, norm_topk_prob=False, attention_bias=True,
                    routed_scaling_factor=1.5, rope_scaling={"type": "yarn", "factor": 2.0, "original_max_position_embeddings": 48},
                    tie_word_embeddings=True), "dtype", dtypes=("f32",)),
]
