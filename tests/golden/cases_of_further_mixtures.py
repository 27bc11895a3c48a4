"""Mixtures of experts beside an MLP that every token has: ERNIE 4.5 MoE, EXAONE MoE, Hunyuan MoE, HY 3, Cohere 2 MoE, Flint,
Kolibri 1, AFMoE."""

from case import ROWS, Case, sizes

WINDOW_17 = tuple(sorted({*ROWS, 16, 17, 18, 19}))


def ernie(**keys):
    """The keys of baidu/ERNIE-4.5-21B-A3B-PT."""
    return {
        "architectures": ["Ernie4_5_MoeForCausalLM"], "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu",
        "max_position_embeddings": 4096, "model_type": "ernie4_5_moe", "moe_k": 3, "moe_layer_end_index": -1,
        "moe_layer_interval": 1, "moe_layer_start_index": 1, "moe_num_experts": 9, "moe_num_shared_experts": 2,
        "pad_token_id": 0, "rms_norm_eps": 1e-05, "rope_theta": 500000.0, "tie_word_embeddings": True,
        "use_bias": False, "use_cache": True,
    } | keys  # fmt: skip


def exaone_moe(**keys):
    """The keys of LGAI-EXAONE/K-EXAONE-236B-A23B."""
    return {
        "architectures": ["ExaoneMoeForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 53,
        "first_k_dense_replace": 1, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096,
        "model_type": "exaone_moe", "n_group": 1, "norm_topk_prob": True, "num_experts": 10, "num_experts_per_tok": 3,
        "num_shared_experts": 1, "pad_token_id": 0, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0,
        "routed_scaling_factor": 2.5, "sliding_window": 17, "tie_word_embeddings": False, "topk_group": 1,
        "use_cache": True,
    } | keys  # fmt: skip


def hunyuan_moe(**keys):
    """Keys of tencent/Hunyuan-A13B-Instruct."""
    return {
        "architectures": ["HunYuanMoEV1ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096,
        "model_type": "hunyuan_v1_moe", "num_experts": 7, "pad_token_id": 0, "rms_norm_eps": 1e-05,
        "rope_scaling": {"alpha": 1000.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0,
                         "mscale_all_dim": 1.0, "type": "dynamic"},
        "rope_theta": 10000.0, "tie_word_embeddings": True, "use_cache": True,
    } | keys  # fmt: skip


def hy3(**keys):
    """The keys of the library's HYV3Config."""
    return {
        "architectures": ["HYV3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "enable_moe_fp32_combine": True, "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.006,
        "max_position_embeddings": 4096, "mlp_bias": False, "model_type": "hy_v3", "num_experts": 9,
        "num_experts_per_tok": 3, "num_shared_experts": 1, "rms_norm_eps": 1e-05, "rope_theta": 11158840.0,
        "router_scaling_factor": 2.826, "tie_word_embeddings": False, "use_cache": True,
    } | keys  # fmt: skip


def cohere2_moe(**keys):
    """The keys of the library's Cohere2MoeConfig."""
    return {
        "architectures": ["Cohere2MoeForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 5,
        "eos_token_id": 2, "expert_selection_fn": "softmax", "hidden_act": "silu", "initializer_range": 0.02,
        "layer_norm_eps": 1e-05, "logit_scale": 0.25, "max_position_embeddings": 4096, "model_type": "cohere2_moe",
        "norm_topk_prob": True, "num_experts": 7, "num_experts_per_tok": 3, "num_shared_experts": 0, "pad_token_id": 0,
        "rope_theta": 50000.0, "shared_expert_combination_strategy": "average", "sliding_window": 17,
        "sliding_window_pattern": 4, "tie_word_embeddings": True, "use_cache": True,
    } | keys  # fmt: skip


def flint(**keys):
    """The keys of the library's FlintConfig."""
    return {
        "architectures": ["FlintForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "decoder_sparse_step": 1, "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 4096, "model_type": "flint", "norm_topk_prob": True, "num_experts": 11,
        "num_experts_per_tok": 3, "output_router_logits": False, "rms_norm_eps": 1e-06, "rope_theta": 10000.0,
        "router_aux_loss_coef": 0.0005, "sliding_window": 17, "tie_word_embeddings": False, "use_cache": True,
    } | keys  # fmt: skip


def kolibri(**keys):
    """The keys of the library's Kolibri1Config."""
    return {
        "architectures": ["Kolibri1ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096, "model_type": "kolibri1",
        "norm_topk_prob": False, "num_experts": 9, "num_experts_per_tok": 3, "output_router_logits": False,
        "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "shared_expert_intermediate_size": 35, "sliding_window": 17,
        "tie_word_embeddings": False, "use_cache": True,
    } | keys  # fmt: skip


def afmoe(**keys):
    """Keys of arcee-ai/Trinity-Mini."""
    return {
        "architectures": ["AfmoeForCausalLM"], "attention_dropout": 0.0, "global_attn_every_n_layers": 4,
        "hidden_act": "silu", "initializer_range": 0.02, "load_balance_coeff": 0.001, "max_position_embeddings": 4096,
        "model_type": "afmoe", "mup_enabled": True, "n_group": 1, "num_dense_layers": 1, "num_expert_groups": 1,
        "num_experts": 11, "num_experts_per_tok": 3, "num_limited_groups": 1, "num_shared_experts": 1,
        "rms_norm_eps": 1e-05, "rope_scaling": None, "rope_theta": 10000, "route_norm": True, "route_scale": 2.826,
        "score_func": "sigmoid", "sliding_window": 17, "tie_word_embeddings": False, "topk_group": 1,
        "transformers_version": "4.57.1", "use_cache": True, "use_grouped_mm": True,
    } | keys  # fmt: skip


SLIDING, FULL = "sliding_attention", "full_attention"

# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("ernie4_5-moe-9", 3301, "one MLP in the first of three layers, then three of nine experts, chosen by their shares and "
         "a bias, and two experts' width that every token has; grouped 4:2, tied",
         ernie(**sizes(48, 61, 3, 4, 2, 101), moe_intermediate_size=21), dtypes=("bf16",)),
    Case("ernie4_5-moe-alone", 3303, "one of seven experts in the second of four layers, none that every token has; "
         "the weight is a share of at least 0.6; biases, heads of 20, untied",
         ernie(**sizes(40, 53, 4, 4, 2, 97, 20), moe_intermediate_size=33, moe_num_experts=7, moe_k=1,
               moe_num_shared_experts=0, moe_layer_interval=2, moe_layer_start_index=0, moe_layer_end_index=2,
               moe_norm_min=0.6, use_bias=True, rope_theta=10000.0, tie_word_embeddings=False), "dtype",
         dtypes=("f32",)),
    Case("exaone-moe-10", 3311, "three of ten experts out of three of five groups, sigmoids and a bias; one MLP in the first of "
         "four layers, every other with a window of 17, those without one not turned; heads of 20 with norms",
         exaone_moe(**sizes(48, 61, 4, 4, 2, 101, 20), moe_intermediate_size=23, n_group=5, topk_group=3,
                    layer_types=[SLIDING, FULL] * 2), dtypes=("f16",), rows=WINDOW_17),
    Case("exaone-moe-one", 3321, "one of three experts, not normed; one MLP in the second of three layers, which has no window; "
         "two experts' width that every token has; tied",
         exaone_moe(**sizes(40, 53, 3, 2, 2, 97, 24), moe_intermediate_size=32, num_experts=3, num_experts_per_tok=1,
                    num_shared_experts=2, norm_topk_prob=False, routed_scaling_factor=1.5,
                    mlp_layer_types=["sparse", "dense", "sparse"], layer_types=[SLIDING, FULL, FULL],
                    tie_word_embeddings=True), "dtype", dtypes=("bf16",), rows=WINDOW_17),
    Case("hunyuan-moe-7", 3331, "two, three and one of seven experts in three layers; a base that an alpha stretches, heads of 20 "
         "that are normed after they turn",
         hunyuan_moe(**sizes(48, 29, 3, 4, 2, 101, 20), moe_topk=[2, 3, 1]), dtypes=("bf16",)),
    Case("hunyuan-moe-biases", 3341, "three of five experts in each layer; biases of attention, no stretched base; untied",
         hunyuan_moe(**sizes(40, 32, 2, 4, 1, 97, 24), moe_topk=3, num_experts=5, attention_bias=True, rope_scaling=None,
                     tie_word_embeddings=False), "dtype", dtypes=("f32",)),
    Case("hy3-9", 3352, "three of nine experts, sigmoids and a bias; one MLP in the first of three layers; heads of 20 with norms",
         hy3(**sizes(48, 61, 3, 4, 2, 101, 20), moe_intermediate_size=23), dtypes=("bf16",)),
    Case("hy3-biases", 3362, "one of five experts, one MLP in the second of three layers; two experts' width that every token has; "
         "biases of all but experts; tied",
         hy3(**sizes(40, 53, 3, 4, 1, 97, 24), moe_intermediate_size=32, num_experts=5, num_experts_per_tok=1,
             num_shared_experts=2, mlp_layer_types=["sparse", "dense", "sparse"], attention_bias=True, mlp_bias=True,
             rope_theta=10000.0, tie_word_embeddings=True), "dtype", dtypes=("f16",)),
    Case("cohere2-moe-mean", 3371, "the mean of three of seven experts, shares of the three, and of two experts' width that every "
         "token has, beside attention; four layers of which three have a window of 17 and turn; heads of 20, tied",
         cohere2_moe(**sizes(48, 31, 4, 4, 2, 101, 20), num_shared_experts=2), dtypes=("f16",), rows=WINDOW_17),
    Case("cohere2-moe-sum", 3381, "the sum of one of five experts, a sigmoid, and one that every token has; one MLP in the first two of "
         "four layers, which turn without a window; RMS norms, biases, untied",
         cohere2_moe(**sizes(40, 29, 4, 4, 1, 97, 24), num_experts=5, num_experts_per_tok=1, num_shared_experts=1,
                     shared_expert_combination_strategy="sum", expert_selection_fn="sigmoid", norm_topk_prob=False,
                     first_k_dense_replace=2, prefix_dense_intermediate_size=45, prefix_dense_sliding_window_pattern=1,
                     sliding_window_pattern=3, rms_norm_eps=1e-05, attention_bias=True, tie_word_embeddings=False),
         "dtype", dtypes=("bf16",), rows=WINDOW_17),
    Case("cohere2-moe-alone", 3391, "two of three experts, sigmoids that are normed, none that every token has; an MLP with a window "
         "in the first of three layers, and one without in the second, which is not turned; gelu",
         cohere2_moe(**sizes(40, 37, 3, 2, 2, 97, 24), num_experts=3, num_experts_per_tok=2, expert_selection_fn="sigmoid",
                     prefix_dense_sliding_window_pattern=2, mlp_layer_types=["dense", "dense", "sparse"],
                     layer_types=[SLIDING, FULL, SLIDING], hidden_act="gelu"), dtypes=("f32",), rows=WINDOW_17),
    Case("flint-11", 3401, "three of eleven experts, sigmoids that are normed; one MLP in the first two of four layers, a window of "
         "17 in the third, which turns alone; heads of 20 with norms, and sinks",
         flint(**sizes(48, 61, 4, 4, 2, 101, 20), moe_intermediate_size=23, shared_expert_intermediate_size=35),
         dtypes=("bf16",), rows=WINDOW_17),
    Case("flint-one", 3411, "one of three experts, not normed; one MLP in three of four layers, and a window of 17 in half of them; "
         "biases, tied",
         flint(**sizes(40, 53, 4, 4, 1, 97, 24), moe_intermediate_size=32, shared_expert_intermediate_size=19, num_experts=3,
               num_experts_per_tok=1, norm_topk_prob=False, decoder_sparse_step=2, mlp_only_layers=[3],
               layer_types=[SLIDING, FULL] * 2, attention_bias=True, tie_word_embeddings=True),
         "dtype", dtypes=("f16",), rows=WINDOW_17),
    Case("kolibri1-9", 3421, "three of nine experts, sigmoids of scores that a bias chooses by; their sum with what every token has is "
         "normed; five layers of which the last has no window of 17, and is not turned; heads of 20 with norms",
         kolibri(**sizes(48, None, 5, 4, 2, 101, 20), moe_intermediate_size=23), dtypes=("bf16",), rows=WINDOW_17),
    Case("kolibri1-normed", 3434, "four of thirteen experts, sigmoids that are normed; windows of 17 alone; gelu, tied",
         kolibri(**sizes(40, None, 2, 4, 1, 97, 24), moe_intermediate_size=32, num_experts=13, num_experts_per_tok=4,
                 norm_topk_prob=True, layer_types=[SLIDING, SLIDING], hidden_act="gelu", tie_word_embeddings=True),
         "dtype", dtypes=("f32",), rows=WINDOW_17),
    Case("afmoe-11", 3441, "three of eleven experts, sigmoids and a bias, beside one; one MLP in the first of four layers; attention "
         "gated by element, norms of all that is added, a window of 17 but in the last layer, which is not turned; heads of "
         "20 with norms, embeddings times sqrt(hidden_size)",
         afmoe(**sizes(48, 61, 4, 4, 2, 101, 20), moe_intermediate_size=23), dtypes=("bf16",), rows=WINDOW_17),
    Case("afmoe-biases", 3442, "two of nine experts beside two; one MLP in the first of three layers, which alone has no window of 17; "
         "biases of attention, gelu, tied",
         afmoe(**sizes(40, 53, 3, 2, 1, 97, 24), moe_intermediate_size=32, num_experts=9, num_experts_per_tok=2,
               num_shared_experts=2, mup_enabled=False, route_scale=1.5, layer_types=[FULL, SLIDING, SLIDING],
               attention_bias=True, hidden_act="gelu", tie_word_embeddings=True), "dtype", dtypes=("f32",), rows=WINDOW_17),
]
