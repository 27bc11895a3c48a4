"""Latent attention: MiniCPM3, Youtu, DeepSeek V2 and V3 and their kin, A.X-K1."""

from case import LONG, Case, long_rows, sizes


def widths(q_lora, kv_lora, nope, rope, value):
    """None is a config that makes queries of what is read."""
    return {
        "q_lora_rank": q_lora, "kv_lora_rank": kv_lora, "qk_nope_head_dim": nope, "qk_rope_head_dim": rope,
        "v_head_dim": value,
    }  # fmt: skip


def minicpm3(**keys):
    """The keys of openbmb/MiniCPM3-4B."""
    return {
        "architectures": ["MiniCPM3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "dim_model_base": 256, "eos_token_id": [2, 73], "hidden_act": "silu", "initializer_range": 0.1,
        "max_position_embeddings": 4096, "model_type": "minicpm3", "pad_token_id": 2, "rms_norm_eps": 1e-05,
        "rope_scaling": None, "scale_depth": 1.4, "scale_emb": 12, "tie_word_embeddings": True,
        "transformers_version": "4.41.0", "use_cache": True,
    } | keys  # fmt: skip


def youtu(**keys):
    """The keys of tencent/Youtu-LLM-2B."""
    return {
        "architectures": ["YoutuForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 10,
        "eos_token_id": 11, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096,
        "model_type": "youtu", "rms_norm_eps": 1e-06, "rope_interleave": True, "rope_scaling": None,
        "rope_theta": 1600000, "tie_word_embeddings": True, "transformers_version": "4.56.0", "use_cache": True,
    } | keys  # fmt: skip


def experts(number, chosen, intermediate, shared, groups=None, of_them=None):
    return {
        "n_routed_experts": number, "num_experts_per_tok": chosen, "moe_intermediate_size": intermediate,
        "n_shared_experts": shared, "n_group": groups, "topk_group": of_them,
    }  # fmt: skip


def deepseek_v3(**keys):
    """The keys of deepseek-ai/DeepSeek-V3, whose weights are not in float8."""
    return {
        "architectures": ["DeepseekV3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "aux_loss_alpha": 0.001,
        "bos_token_id": 0, "eos_token_id": 1, "ep_size": 1, "first_k_dense_replace": 1, "hidden_act": "silu",
        "initializer_range": 0.02, "max_position_embeddings": 4096, "model_type": "deepseek_v3", "moe_layer_freq": 1,
        "norm_topk_prob": True, "num_nextn_predict_layers": 1, "pretraining_tp": 1, "rms_norm_eps": 1e-06,
        "rope_scaling": None, "rope_theta": 10000, "routed_scaling_factor": 2.5, "scoring_func": "sigmoid",
        "seq_aux": True, "tie_word_embeddings": False, "topk_method": "noaux_tc", "transformers_version": "4.33.1",
        "use_cache": True,
    } | keys  # fmt: skip


def deepseek_v2(**keys):
    """The keys of deepseek-ai/DeepSeek-V2."""
    return {
        "architectures": ["DeepseekV2ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "aux_loss_alpha": 0.001,
        "bos_token_id": 10, "eos_token_id": 11, "ep_size": 1, "first_k_dense_replace": 1, "hidden_act": "silu",
        "initializer_range": 0.02, "max_position_embeddings": 4096, "model_type": "deepseek_v2", "moe_layer_freq": 1,
        "norm_topk_prob": False, "pretraining_tp": 1, "rms_norm_eps": 1e-06, "rope_scaling": None, "rope_theta": 10000,
        "routed_scaling_factor": 1.0, "scoring_func": "softmax", "seq_aux": True, "tie_word_embeddings": False,
        "topk_method": "greedy", "transformers_version": "4.33.1", "use_cache": True,
    } | keys  # fmt: skip


def glm4_moe_lite(**keys):
    """The keys of zai-org/GLM-4.7-Flash."""
    return {
        "architectures": ["Glm4MoeLiteForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "eos_token_id": [5, 7],
        "first_k_dense_replace": 1, "hidden_act": "silu", "max_position_embeddings": 4096, "model_type": "glm4_moe_lite",
        "norm_topk_prob": True, "num_nextn_predict_layers": 1, "pad_token_id": 5, "rms_norm_eps": 1e-05,
        "rope_scaling": None, "rope_theta": 1000000, "routed_scaling_factor": 1.8, "tie_word_embeddings": False,
        "topk_method": "noaux_tc", "transformers_version": "5.0.0", "use_cache": True,
    } | keys  # fmt: skip


def axk1(**keys):
    """The keys of the library's AXK1Config, and those that skt/A.X-K1 has of DeepSeek V3's."""
    return deepseek_v3(architectures=["AXK1ForCausalLM"], model_type="axk1", transformers_version="4.57.3", **keys)


# Sizes are hidden, intermediate, layers, heads, kv heads and vocabulary.
CASES = [
    Case("minicpm3-3", 3301, "three heads of 13 + 6, values of 7 of a latent of 20; queries of a latent of 23, angles of twice the "
         "length",
         minicpm3(**sizes(48, 61, 3, 3, 3, 101), **widths(23, 20, 13, 6, 7), dim_model_base=16,
                  rope_scaling={"type": "linear", "factor": 2.0}), dtypes=("bf16",)),
    Case("minicpm3-direct", 3302, "queries made of what is read, values as wide as heads would be, biases of all, untied",
         minicpm3(**sizes(40, 37, 2, 4, 4, 97), **widths(None, 33, 8, 10, None), attention_bias=True, mlp_bias=True,
                  tie_word_embeddings=False, scale_depth=None, hidden_act="gelu"), "dtype", dtypes=("f32",)),
    Case("youtu-5", 3303, "five heads, neighbours that turn; a scale by mscale_all_dim, yarn",
         youtu(**sizes(45, 53, 3, 5, 5, 103), **widths(21, 36, 9, 8, 11),
               rope_scaling={"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024, "mscale": 0.707,
                             "mscale_all_dim": 1.2, "beta_fast": 32, "beta_slow": 1, "truncate": False}), dtypes=("f16",)),
    Case("youtu-long", 3304, "2,080 tokens, queries made of what is read, halves that turn, biases",
         youtu(**sizes(36, 29, 2, 2, 2, 97), **widths(None, 24, 10, 4, 9), rope_interleave=False, attention_bias=True,
               tie_word_embeddings=False), "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
    Case("deepseek-v3-12", 3305, "three of twelve experts in four groups of which two compete, one dense layer; yarn with mscale",
         deepseek_v3(**sizes(48, 61, 3, 4, 4, 101), **widths(26, 20, 12, 8, 14), **experts(12, 3, 23, 1, 4, 2), max_position_embeddings=163840,
                     rope_scaling={"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "mscale": 1.0,
                                   "mscale_all_dim": 1.0, "beta_fast": 32, "beta_slow": 1, "truncate": False}), dtypes=("bf16",)),
    Case("deepseek-v3-direct", 3306, "queries made of what is read, one of six experts in three groups, shares as they are; halves "
         "that turn, biases, two MLPs beside",
         deepseek_v3(**sizes(40, 37, 2, 2, 2, 97), **widths(None, 28, 9, 10, 6), **experts(6, 1, 19, 2, 3, 1),
                     first_k_dense_replace=0, norm_topk_prob=False, attention_bias=True, rope_interleave=False,
                     hidden_act="gelu"), "dtype", dtypes=("f32",)),
    Case("deepseek-v2-lite", 3307, "queries made of what is read, three of seven experts, two MLPs beside, one dense layer",
         deepseek_v2(**sizes(45, 53, 3, 3, 3, 101), **widths(None, 22, 10, 6, 9), **experts(7, 3, 17, 2, 1, 1),
                     rope_scaling={"type": "yarn", "factor": 4, "original_max_position_embeddings": 1024, "mscale": 0.707,
                                   "mscale_all_dim": 0.707, "beta_fast": 32, "beta_slow": 1, "truncate": False}), dtypes=("f16",)),
    Case("deepseek-v2-groups", 3308, "four of twelve experts, of two groups of three; shares scaled by 16, biases of all",
         deepseek_v2(**sizes(48, 41, 2, 4, 4, 97), **widths(18, 16, 8, 4, 10), **experts(12, 4, 13, 1, 3, 2),
                     topk_method="group_limited_greedy", routed_scaling_factor=16.0, attention_bias=True, mlp_bias=True,
                     first_k_dense_replace=1), "dtype", dtypes=("bf16",)),
    Case("glm4-moe-lite-9", 3309, "three of nine experts, shares of the three, one dense layer; five heads",
         glm4_moe_lite(**sizes(40, 59, 3, 5, 5, 103), **widths(24, 32, 10, 6, 13), **experts(9, 3, 21, 1, 1, 1)),
         dtypes=("bf16",)),
    Case("glm4-moe-lite-layers", 3310, "dense and sparse layers as config.json lists them, tied, biases",
         glm4_moe_lite(**sizes(36, 31, 4, 2, 2, 97), **widths(None, 18, 7, 8, 5), **experts(4, 2, 15, 2, 2, 1),
                       mlp_layer_types=["sparse", "dense", "sparse", "dense"], norm_topk_prob=False, attention_bias=True,
                       rope_interleave=False, tie_word_embeddings=True), "dtype", dtypes=("f16",)),
    Case("axk1-12", 3311, "three of twelve experts in three groups of which two compete, normed together with the one beside them; one "
         "dense layer, whose output is not; yarn, values narrower than keys",
         axk1(**sizes(48, 61, 3, 4, 4, 101), **widths(26, 20, 12, 8, 10), **experts(12, 3, 23, 1, 3, 2),
              rope_scaling={"type": "yarn", "factor": 4, "original_max_position_embeddings": 1024, "mscale": 1.0,
                            "mscale_all_dim": 1.0, "beta_fast": 32, "beta_slow": 1, "truncate": False}), dtypes=("bf16",)),
    Case("axk1-one", 3322, "one of six experts beside two in every other layer, its share as it is; a file without the "
         "numbers that experts are chosen by; halves that turn, biases, gelu, tied",
         axk1(**sizes(40, 37, 4, 2, 2, 97), **widths(18, 28, 9, 10, 14), **experts(6, 1, 19, 2, 2, 1),
              mlp_layer_types=["dense", "sparse", "dense", "sparse"], norm_topk_prob=False, attention_bias=True,
              rope_interleave=False, hidden_act="gelu", tie_word_embeddings=True), "dtype",
         checkpoint={"without": ("e_score_correction_bias",)}, dtypes=("f32",)),
]
