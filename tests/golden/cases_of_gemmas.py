"""The Gemmas."""

from case import LONG, ROWS, Case, long_rows, respelled, sizes


def gemma(**keys):
    """Gemma 2B: its activation's old name, beside the newer key; tied without a word."""
    return {
        "architectures": ["GemmaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 2,
        "eos_token_id": 1, "hidden_act": "gelu", "hidden_activation": "gelu_pytorch_tanh",
        "initializer_range": 0.02, "max_position_embeddings": 8192, "model_type": "gemma", "pad_token_id": 0,
        "rms_norm_eps": 1e-6, "rope_scaling": None, "rope_theta": 10000.0, "transformers_version": "4.38.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def gemma_5(**keys):
    """The same as transformers 5 saves it."""
    config = respelled(gemma(), hidden_act="gelu_pytorch_tanh", pad_token_id=0, tie_word_embeddings=True,
                       use_bidirectional_attention=None)  # fmt: skip
    del config["hidden_activation"]
    return config | keys


def gemma2(**keys):
    """Gemma 2: a window in every other layer, two soft caps, a scale of scores that is a key; tied without a word."""
    return {
        "architectures": ["Gemma2ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "attn_logit_softcapping": 50.0, "bos_token_id": 2, "cache_implementation": "hybrid", "eos_token_id": 1,
        "final_logit_softcapping": 30.0, "hidden_act": "gelu_pytorch_tanh",
        "hidden_activation": "gelu_pytorch_tanh", "initializer_range": 0.02, "max_position_embeddings": 8192,
        "model_type": "gemma2", "pad_token_id": 0, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0, "sliding_window": 4096, "transformers_version": "4.42.4", "use_cache": True,
    } | keys  # fmt: skip


def gemma2_5(**keys):
    """The same as transformers 5 saves it: kinds of layers one by one, null where nothing is capped."""
    config = respelled(gemma2(), pad_token_id=0, tie_word_embeddings=True, use_bidirectional_attention=None)
    for key in ("cache_implementation", "hidden_act"):
        del config[key]
    return config | keys


def gemma3(**keys):
    """Gemma 3's text models: a global layer after every so many local ones, which turn by a base of their own."""
    return {
        "architectures": ["Gemma3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "attn_logit_softcapping": None, "bos_token_id": 2, "cache_implementation": "hybrid", "eos_token_id": 1,
        "final_logit_softcapping": None, "hidden_activation": "gelu_pytorch_tanh", "initializer_range": 0.02,
        "max_position_embeddings": 32768, "model_type": "gemma3_text", "pad_token_id": 0,
        "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-6, "rope_local_base_freq": 10000.0, "rope_scaling": None,
        "rope_theta": 1000000.0, "sliding_window": 512, "sliding_window_pattern": 6,
        "transformers_version": "4.50.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def gemma3_5(**keys):
    """The same as transformers 5 saves it: rotary parameters for each kind of layer."""
    config = gemma3(_sliding_window_pattern=6, tie_word_embeddings=True, transformers_version="5.23.0",
                    use_bidirectional_attention=False)  # fmt: skip
    for key in ("cache_implementation", "rope_local_base_freq", "rope_scaling", "rope_theta", "sliding_window_pattern"):
        del config[key]
    rotary = {"full_attention": {"rope_theta": 1000000.0, "rope_type": "default"},
              "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"}}  # fmt: skip
    return config | {"rope_parameters": rotary} | keys


def vaultgemma(**keys):
    """VaultGemma: Gemma 2 without norms of outputs."""
    config = gemma2(architectures=["VaultGemmaForCausalLM"], model_type="vaultgemma", transformers_version="4.57.0")
    for key in ("cache_implementation", "hidden_act"):
        del config[key]
    return config | keys


# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("gemma-mqa", 2030, "one key/value head for three, head_dim 24: queries wider than hidden_size; hidden_act gelu, "
         "which means gelu_pytorch_tanh, tied without a word",
         gemma(**sizes(48, 67, 2, 3, 1, 101, 24)), dtypes=("f16",)),
    Case("gemma-biases", 2031, "grouped 4:2, heads of 10, biases on q, k, v, o, untied; rope_parameters, linear scaling "
         "by 2.5",
         gemma_5(**sizes(46, 61, 3, 4, 2, 103, 10), attention_bias=True, tie_word_embeddings=False,
                 rope_parameters={"factor": 2.5, "rope_theta": 25000.0, "rope_type": "linear"}), "dtype",
         dtypes=("bf16",)),
    Case("gemma2-window-17", 2004, "window of 17 in layers 0 and 2, none in 1 and 3; scores and logits capped; "
         "grouped 4:2, head_dim 18 scaled as if it were 11, queries wider than hidden_size",
         gemma2(**sizes(48, 67, 4, 4, 2, 101, 18), attn_logit_softcapping=10.0, final_logit_softcapping=7.5,
                query_pre_attn_scalar=11, sliding_window=17, sliding_window_size=17),
         dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("gemma2-uncapped", 1025, "soft caps null; layer_types full, sliding, sliding with a window of 64; three "
         "heads for one of 40; rope_parameters",
         gemma2_5(**sizes(42, 83, 3, 3, 1, 107, 40), attn_logit_softcapping=None, final_logit_softcapping=None,
                  layer_types=["full_attention", "sliding_attention", "sliding_attention"],
                  query_pre_attn_scalar=24, rope_parameters={"rope_theta": 25000.0, "rope_type": "default"},
                  sliding_window=64), "dtype", dtypes=("f16",)),
    Case("gemma2-long", 2003, "2,080 tokens, a window of 1,000 in the first of two layers; grouped 2:1, "
         "head_dim 24",
         gemma2(**sizes(36, 59, 2, 2, 1, 97, 24), query_pre_attn_scalar=17, sliding_window=1000),
         dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
    Case("gemma3-pattern", 1041, "every third of five layers is global, the others have a window of 17 and a rotary base "
         "of their own; grouped 4:2, norms of heads of 18, scaled as if they were 11",
         gemma3(**sizes(48, 67, 5, 4, 2, 101, 18), query_pre_attn_scalar=11, sliding_window=17,
                sliding_window_pattern=3),
         dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("gemma3-scaled", 1042, "global layers turn by angles divided by 8; layer_types, capped logits, three heads for "
         "one of 40; rope_parameters by kind of layer",
         gemma3_5(**sizes(42, 83, 3, 3, 1, 107, 40), final_logit_softcapping=7.5,
                  layer_types=["full_attention", "sliding_attention", "sliding_attention"], query_pre_attn_scalar=24,
                  rope_parameters={
                      "full_attention": {"factor": 8.0, "rope_theta": 250000.0, "rope_type": "linear"},
                      "sliding_attention": {"rope_theta": 5000.0, "rope_type": "default"}},
                  sliding_window=64), "dtype", dtypes=("f16",)),
    Case("gemma3-long", 1043, "2,080 tokens, a window of 1,000 in the first of two layers; grouped 2:1, head_dim 24",
         gemma3(**sizes(36, 59, 2, 2, 1, 97, 24), query_pre_attn_scalar=17, sliding_window=1000,
                sliding_window_pattern=2),
         dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
    Case("vaultgemma-pattern", 3029, "Gemma 2 without norms of outputs: a window of 17 in layers 0 and 2, none in 1; scores "
         "and logits capped; grouped 4:2, head_dim 18 scaled as if it were 11",
         vaultgemma(**sizes(48, 67, 3, 4, 2, 101, 18), attn_logit_softcapping=10.0, final_logit_softcapping=7.5,
                    query_pre_attn_scalar=11, sliding_window=17),
         dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("vaultgemma-long", 3030, "2,080 tokens, a window of 1,000 in the last of three layers, nothing capped; biases on q, "
         "k, v, o, grouped 2:1, head_dim 24; rope_parameters",
         respelled(vaultgemma(**sizes(36, 59, 3, 2, 1, 97, 24), attention_bias=True, attn_logit_softcapping=None,
                              final_logit_softcapping=None, layer_types=["full_attention", "full_attention", "sliding_attention"],
                              query_pre_attn_scalar=17, sliding_window=1000, tie_word_embeddings=True)),
         "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
]  # fmt: skip
