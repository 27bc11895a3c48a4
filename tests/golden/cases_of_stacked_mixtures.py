"""Mixtures whose experts stand in one tensor: Granite's three, gpt-oss, DBRX, Aria."""

from case import LONG, ROWS, Case, long_rows, respelled, sizes


def granitemoe(**keys):
    """The keys of ibm-granite/granite-3.0-1b-a400m-base."""
    return {
        "architectures": ["GraniteMoeForCausalLM"], "attention_bias": False, "attention_dropout": 0.1,
        "attention_multiplier": 0.19, "bos_token_id": 0, "embedding_multiplier": 12.0, "eos_token_id": 0,
        "hidden_act": "silu", "initializer_range": 0.02, "logits_scaling": 6.0, "max_position_embeddings": 4096,
        "model_type": "granitemoe", "num_experts_per_tok": 3, "num_local_experts": 7, "output_router_logits": False,
        "pad_token_id": 0, "residual_multiplier": 0.22, "rms_norm_eps": 1e-06, "rope_scaling": None, "rope_theta": 10000,
        "router_aux_loss_coef": 0.0, "tie_word_embeddings": True, "transformers_version": "4.46.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def granitemoeshared(**keys):
    return granitemoe(architectures=["GraniteMoeSharedForCausalLM"], model_type="granitemoeshared",
                      shared_intermediate_size=29, **keys)  # fmt: skip


def granitemoe_swa(**keys):
    return granitemoe(architectures=["GraniteMoeSWAForCausalLM"], model_type="granitemoe_swa", **keys)


def gpt_oss(**keys):
    """The keys of openai/gpt-oss-20b, whose weights are not quantized."""
    return {
        "architectures": ["GptOssForCausalLM"], "attention_bias": True, "attention_dropout": 0.0, "eos_token_id": 2,
        "experts_per_token": 3, "hidden_act": "silu", "initial_context_length": 64, "initializer_range": 0.02,
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention"], "max_position_embeddings": 4096,
        "model_type": "gpt_oss", "num_experts_per_tok": 3, "num_local_experts": 5, "output_router_logits": False,
        "pad_token_id": 1, "rms_norm_eps": 1e-05,
        "rope_scaling": {"beta_fast": 8.0, "beta_slow": 1.0, "factor": 4.0, "original_max_position_embeddings": 64,
                         "rope_type": "yarn", "truncate": False},
        "rope_theta": 150000, "router_aux_loss_coef": 0.9, "sliding_window": 17, "swiglu_limit": 7.0,
        "tie_word_embeddings": False, "transformers_version": "4.55.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def dbrx(attention, experts, **keys):
    """The keys of databricks/dbrx-base, with a base of angles that all versions of the library take, beside attn_config too: the
    library makes no model without the one, and turns by the other. No model of it runs without clip_qkv."""
    return {
        "architectures": ["DbrxForCausalLM"],
        "attn_config": {"clip_qkv": 1.25, "kv_n_heads": 2, "model_type": "", "rope_theta": 500000.0} | attention,
        "emb_pdrop": 0.0,
        "ffn_config": {"model_type": "", "moe_jitter_eps": 0.01, "moe_loss_weight": 0.05} | experts,
        "initializer_range": 0.02, "max_seq_len": 4096, "model_type": "dbrx", "output_router_logits": False,
        "resid_pdrop": 0.0, "rope_theta": 500000.0, "router_aux_loss_coef": 0.05, "tie_word_embeddings": False,
        "transformers_version": "4.38.2", "use_cache": True,
    } | keys  # fmt: skip


def aria_text(**keys):
    """The keys of text_config of rhymes-ai/Aria, and what the library has at the top of it."""
    return {
        "architectures": ["AriaTextForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096,
        "mlp_bias": False, "model_type": "aria_text", "moe_num_experts": 7, "moe_num_shared_experts": 2, "moe_topk": 3,
        "pad_token_id": 2, "pretraining_tp": 1, "rms_norm_eps": 1e-06, "rope_scaling": None, "rope_theta": 5000000,
        "tie_word_embeddings": False, "transformers_version": "4.46.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


WINDOW_ROWS = tuple(sorted({*ROWS, 16, 17, 18, 19}))

# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("granitemoe-7", 3401, "three of seven experts that stand in one tensor, gate before up in each; scales of four "
         "kinds, grouped 4:2, tied",
         granitemoe(**sizes(48, 23, 3, 4, 2, 101)), dtypes=("bf16",)),
    Case("granitemoe-biases", 3412, "two of five experts; biases on q, k, v, o, linear scaling by 2.5, relu, untied",
         respelled(granitemoe(**sizes(40, 37, 2, 2, 1, 97), num_local_experts=5, num_experts_per_tok=2,
                              attention_bias=True, hidden_act="relu", tie_word_embeddings=False),
                   rope_parameters={"factor": 2.5, "rope_theta": 10000.0, "rope_type": "linear"}),
         "dtype", dtypes=("f32",)),
    Case("granitemoeshared-6", 3403, "three of six experts beside an MLP of 29; grouped 4:1",
         granitemoeshared(**sizes(48, 31, 3, 4, 1, 101), num_local_experts=6), dtypes=("f16",)),
    Case("granitemoeshared-none", 3404, "shared_intermediate_size 0: two of three experts alone",
         granitemoeshared(**sizes(36, 19, 2, 3, 3, 97), num_local_experts=3, num_experts_per_tok=2)
         | {"shared_intermediate_size": 0}, "dtype", dtypes=("bf16",)),
    Case("granitemoe-swa-bases", 3415, "sinks, windows of 17 but in every fourth layer, bases of two layers and none of a "
         "third; three of seven experts beside an MLP of 33",
         granitemoe_swa(**sizes(48, 23, 4, 4, 2, 101), sliding_window=17, shared_intermediate_size=33,
                        layer_rope_theta=[10000.0, 0, 500.0, 10000.0]), dtypes=("f32",), rows=WINDOW_ROWS),
    Case("granitemoe-swa-long", 3406, "2,080 tokens, a window of 1,000 in the second of two layers, no MLP beside the "
         "experts; untied",
         granitemoe_swa(**sizes(36, 29, 2, 2, 1, 97), sliding_window=1000, num_local_experts=5, num_experts_per_tok=1,
                        tie_word_embeddings=False), "dtype", dtypes=("bf16",), sequence_length=LONG,
         rows=long_rows(1000)),
    Case("gpt-oss-5", 3407, "three of five experts, rows of gate and up in turn and lying transposed, with biases; sinks, a "
         "window of 17 in two of three layers, yarn by 4, untied",
         gpt_oss(**sizes(46, 37, 3, 4, 2, 101, 18)), dtypes=("bf16",), rows=WINDOW_ROWS),
    Case("gpt-oss-plain", 3428, "two of six experts as wide as the model; no biases of attention, a window of 40 in every "
         "other layer, tied",
         gpt_oss(**sizes(36, 36, 2, 2, 1, 97, 24), num_local_experts=6, num_experts_per_tok=2, experts_per_token=2,
                 attention_bias=False, sliding_window=40, layer_types=None, tie_word_embeddings=True), "dtype",
         dtypes=("f32",)),
    Case("gpt-oss-mxfp4", 3441, "as it was published: experts in blocks of MXFP4, whose scales stand in tensors of their own; the rest in bf16, in two shards",
         gpt_oss(**sizes(64, 96, 3, 4, 2, 101, 18),
                 quantization_config={"quant_method": "mxfp4", "modules_to_not_convert": [
                     "model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]}),
         dtypes=("bf16",), checkpoint={"mxfp4": True, "shards": 2}, rows=WINDOW_ROWS),
    Case("dbrx-7", 3431, "three of seven experts, all rows of each projection in one axis, those of down transposed; queries, keys "
         "and values clipped at 1.25, in one tensor, grouped 4:2",
         dbrx({}, {"ffn_hidden_size": 23, "moe_num_experts": 7, "moe_top_k": 3},
              d_model=48, n_heads=4, n_layers=3, vocab_size=101), dtypes=("bf16",)),
    Case("dbrx-one", 3432, "one of three experts, which weighs its share of all; one key/value head for four of 10, clipped at 0.75, "
         "gelu, linear scaling by 2.5, common names of heads and layers",
         respelled(dbrx({"clip_qkv": 0.75, "kv_n_heads": 1, "rope_theta": 10000.0},
                        {"ffn_act_fn": {"name": "gelu"}, "ffn_hidden_size": 37, "moe_normalize_expert_weights": None,
                         "moe_num_experts": 3, "moe_top_k": 1},
                        d_model=40, num_attention_heads=4, num_hidden_layers=2, vocab_size=97),
                   rope_parameters={"factor": 2.5, "rope_theta": 10000.0, "rope_type": "linear"}),
         "dtype", dtypes=("f32",)),
    Case("aria-text-7", 3441, "three of seven experts that lie transposed in one tensor, gate before up in each, beside two; grouped 4:2",
         aria_text(**sizes(48, 23, 3, 4, 2, 101)), dtypes=("bf16",)),
    Case("aria-text-one", 3442, "one of five experts, which are silu whatever hidden_act says of the one beside them; biases of attention "
         "and of that one, heads of 24, linear scaling by 2.5, tied",
         respelled(aria_text(**sizes(40, 37, 2, 2, 1, 97, 24), moe_num_experts=5, moe_num_shared_experts=1, moe_topk=1,
                             hidden_act="gelu", attention_bias=True, mlp_bias=True, tie_word_embeddings=True),
                   rope_parameters={"factor": 2.5, "rope_theta": 10000.0, "rope_type": "linear"}),
         "dtype", dtypes=("f32",)),
]
