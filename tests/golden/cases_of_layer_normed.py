"""Families with LayerNorm and rotation."""

from case import LONG, ROWS, Case, long_rows, respelled, sizes


def cohere(**keys):
    """Command R: tied without a word, a scale of the logits, and the longest sequence under another name as well."""
    return {
        "architectures": ["CohereForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 92,
        "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02, "layer_norm_eps": 1e-5,
        "logit_scale": 0.0625, "max_position_embeddings": 8192, "model_max_length": 131072, "model_type": "cohere",
        "pad_token_id": 0, "rope_theta": 8000000.0, "transformers_version": "4.38.2", "use_cache": True,
    } | keys  # fmt: skip


def cohere_5(**keys):
    """The same as transformers 5 saves it: every key, and rotary parameters in a table of their own."""
    config = respelled(cohere(), pad_token_id=0, tie_word_embeddings=True, use_qk_norm=False)
    del config["model_max_length"]
    return config | keys


def cohere2(**keys):
    """Command R7B: Cohere's layers, of which three in four have a window and positions, the others neither; keys that
    no version of the library reads."""
    return {
        "architectures": ["Cohere2ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 92,
        "cache_implementation": "hybrid", "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02,
        "layer_norm_eps": 1e-5, "layer_switch": 4, "logit_scale": 0.25, "max_position_embeddings": 8192,
        "model_type": "cohere2", "order_of_interleaved_layers": "local_attn_first", "pad_token_id": 0,
        "position_embedding_type": "rope_gptj", "rope_scaling": None, "rope_theta": 50000, "rotary_pct": 1.0,
        "sliding_window": 4096, "sliding_window_pattern": 4, "transformers_version": "4.48.0.dev0", "use_cache": True,
        "use_embedding_sharing": True, "use_gated_activation": True, "use_parallel_block": True,
        "use_parallel_embedding": False,
    } | keys  # fmt: skip


def cohere2_5(**keys):
    """The same as transformers 5 saves it."""
    return {
        "architectures": ["Cohere2ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 92,
        "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02, "layer_norm_eps": 1e-5,
        "logit_scale": 0.0625, "max_position_embeddings": 8192, "model_type": "cohere2", "pad_token_id": 0,
        "rope_parameters": {"rope_theta": 50000.0, "rope_type": "default"}, "sliding_window": 4096,
        "tie_word_embeddings": True, "transformers_version": "5.23.0", "use_cache": True,
    } | keys  # fmt: skip


def cohere_compass(**keys):
    """Command's text model that reads images as well: angles by the type of layer, of which one may have none."""
    return {
        "architectures": ["CohereCompassForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 5, "eos_token_id": 96, "hidden_act": "silu", "initializer_range": 0.02, "layer_norm_eps": 1e-5,
        "logit_scale": None, "max_position_embeddings": 8192, "model_type": "cohere_compass_text", "pad_token_id": 0,
        "pooling": None, "rope_parameters": {"full_attention": {
            "mrope_interleaved": True, "mrope_section": [4, 3, 3], "rope_theta": 10000.0, "rope_type": "default"}},
        "sliding_window": 4096, "tie_word_embeddings": True, "transformers_version": "5.23.0", "use_cache": True,
    } | keys  # fmt: skip


def persimmon(**keys):
    """Persimmon 8B: half of a head turns, which no key says, by a base that versions of the library disagree on."""
    return {
        "architectures": ["PersimmonForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 93, "eos_token_id": 93,
        "hidden_act": "relu2", "hidden_dropout": 0.0, "initializer_range": 0.02, "layer_norm_eps": 1e-5,
        "max_position_embeddings": 16384, "model_type": "persimmon", "pad_token_id": 0, "qk_layernorm": True,
        "rope_theta": 25000.0, "tie_word_embeddings": False, "transformers_version": "4.34.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def stablelm(**keys):
    """StableLM 3B 4E1T, with keys of the class that it had before it was the library's."""
    return {
        "architectures": ["StableLmForCausalLM"], "bos_token_id": 0, "eos_token_id": 0, "hidden_act": "silu",
        "initializer_range": 0.02, "layer_norm_eps": 1e-5, "max_position_embeddings": 4096, "model_type": "stablelm",
        "num_heads": 32, "partial_rotary_factor": 0.25, "rope_pct": 0.25, "rope_theta": 10000,
        "rotary_scaling_factor": 1.0, "tie_word_embeddings": False, "transformers_version": "4.38.0", "use_cache": True,
        "use_qkv_bias": False,
    } | keys  # fmt: skip


def stablelm_5(**keys):
    """The same as transformers 5 saves it."""
    config = stablelm(attention_dropout=0.0, hidden_dropout=0.0, qk_layernorm=False, use_parallel_residual=False,
                      pad_token_id=None, transformers_version="5.23.0")  # fmt: skip
    for key in ("num_heads", "rope_pct", "rotary_scaling_factor"):
        del config[key]
    theta, share = config.pop("rope_theta"), config.pop("partial_rotary_factor")
    config["rope_parameters"] = {"partial_rotary_factor": share, "rope_theta": theta, "rope_type": "default"}
    return config | keys


def phi(**keys):
    """Phi-1.5 and Phi-2: attention and MLP side by side, biases everywhere, of the head too."""
    return {
        "architectures": ["PhiForCausalLM"], "attention_dropout": 0.0, "bos_token_id": None, "embd_pdrop": 0.0,
        "eos_token_id": None, "hidden_act": "gelu_new", "initializer_range": 0.02, "layer_norm_eps": 1e-5,
        "max_position_embeddings": 2048, "model_type": "phi", "partial_rotary_factor": 0.5, "qk_layernorm": False,
        "resid_pdrop": 0.0, "rope_scaling": None, "rope_theta": 10000.0, "tie_word_embeddings": False,
        "transformers_version": "4.37.0", "use_cache": True,
    } | keys  # fmt: skip


def phi_5(**keys):
    """The same as transformers 5 saves it."""
    config = respelled(phi())
    del config["partial_rotary_factor"]
    config["rope_parameters"]["partial_rotary_factor"] = 0.5
    return config | keys


def jais2(**keys):
    """Jais 2: LayerNorm with biases, biases on all projections, and an MLP without a gate."""
    return {
        "architectures": ["Jais2ForCausalLM"], "attention_bias": True, "attention_dropout": 0.0, "bos_token_id": 0,
        "eos_token_id": 93, "hidden_act": "relu2", "initializer_range": 0.02, "layer_norm_eps": 1e-5,
        "max_position_embeddings": 8192, "mlp_bias": True, "model_type": "jais2", "rope_theta": 500000.0,
        "tie_word_embeddings": False, "transformers_version": "4.57.0", "use_cache": True,
    } | keys  # fmt: skip


def nemotron(**keys):
    """Minitron 4B: half of each head turns, squares in the MLP, head_dim always explicit."""
    return {
        "architectures": ["NemotronForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 2, "eos_token_id": 3, "hidden_act": "relu2", "initializer_range": 0.0134,
        "max_position_embeddings": 4096, "mlp_bias": False, "model_type": "nemotron", "norm_eps": 1e-5,
        "partial_rotary_factor": 0.5, "rope_theta": 10000.0, "tie_word_embeddings": False,
        "transformers_version": "4.32.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def nemotron_5(**keys):
    """The same as transformers 5 saves it."""
    config = respelled(nemotron())
    config["rope_parameters"]["partial_rotary_factor"] = config.pop("partial_rotary_factor")
    return config | keys


def starcoder2(**keys):
    """StarCoder2 3B: a window, biases everywhere, and keys of GPTBigCode that mean nothing; tied without a word."""
    return {
        "activation_function": "gelu", "architectures": ["Starcoder2ForCausalLM"], "attention_dropout": 0.1,
        "attention_softmax_in_fp32": True, "bos_token_id": 0, "embedding_dropout": 0.1, "eos_token_id": 0,
        "hidden_act": "gelu_pytorch_tanh", "initializer_range": 0.018042, "layer_norm_epsilon": 1e-5,
        "max_position_embeddings": 16384, "mlp_type": "default", "model_type": "starcoder2", "norm_epsilon": 1e-5,
        "norm_type": "layer_norm", "residual_dropout": 0.1, "rope_theta": 999999.4420358813,
        "scale_attention_softmax_in_fp32": True, "scale_attn_weights": True, "sliding_window": 4096,
        "transformers_version": "4.37.0.dev0", "use_bias": True, "use_cache": True,
    } | keys  # fmt: skip


def starcoder2_5(**keys):
    """The same as transformers 5 saves it."""
    config = respelled(starcoder2(), tie_word_embeddings=True)
    for key in ("activation_function", "attention_softmax_in_fp32", "layer_norm_epsilon", "mlp_type", "norm_type",
                "scale_attention_softmax_in_fp32", "scale_attn_weights"):  # fmt: skip
        del config[key]
    return config | keys


# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("cohere-plain", 2025, "one norm for attention and MLP side by side, LayerNorm without bias; neighbours turn "
         "together in whole heads of 12, logits divided by 16, grouped 5:1, tied without a word",
         cohere(**sizes(60, 67, 3, 5, 1, 103)), dtypes=("f16",)),
    Case("cohere-qk-norm", 2026, "LayerNorm of each head's queries and keys, with weights of its own; biases on q, k, "
         "v, o, another scale of logits, grouped 4:2, untied; rope_parameters",
         cohere_5(**sizes(80, 61, 2, 4, 2, 107), attention_bias=True, logit_scale=0.8333333333333334,
                  rope_parameters={"rope_theta": 10000.0, "rope_type": "default"}, tie_word_embeddings=False,
                  use_qk_norm=True), "dtype", dtypes=("bf16",)),
    Case("persimmon-normed", 2062, "LayerNorm of each head's queries and keys, with one head's weights and biases; half "
         "of 24 turns, which no key says; relu2, biases everywhere, untied",
         persimmon(**sizes(72, 71, 2, 3, None, 101)), dtypes=("bf16",)),
    Case("persimmon-plain", 2063, "no norms of heads, half of 24 turns by angles scaled by 2.5, relu6; tied",
         persimmon(**sizes(48, 67, 3, 2, None, 103), qk_layernorm=False, hidden_act="relu6",
                   tie_word_embeddings=True, rope_scaling={"factor": 2.5, "type": "linear"}), dtypes=("f32",)),
    Case("stablelm-sequential", 2064, "LayerNorms with bias, a quarter of 16 turns; keys of an older class; grouped "
         "4:2, untied",
         stablelm(**sizes(64, 61, 2, 4, 2, 101)), dtypes=("f16",)),
    Case("stablelm-parallel", 2065, "attention and MLP side by side under one norm, biases on q, k, v, half of 24 "
         "turns; grouped 3:1, tied; rope_parameters",
         stablelm_5(**sizes(72, 67, 2, 3, 1, 103), use_parallel_residual=True, use_qkv_bias=True,
                    tie_word_embeddings=True,
                    rope_parameters={"partial_rotary_factor": 0.5, "rope_theta": 10000.0, "rope_type": "default"}),
         "dtype", dtypes=("bf16",)),
    Case("stablelm-heads", 2095, "a LayerNorm of each head's own, a tensor each, over queries and keys; attention and MLP "
         "side by side, a quarter of 16 turns, grouped 4:2, untied",
         stablelm(**sizes(64, 61, 2, 4, 2, 101), qk_layernorm=True, use_parallel_residual=True), dtypes=("bf16",)),
    Case("stablelm-heads-biases", 2096, "a LayerNorm of each head's own behind biases on q, k, v; one part after the "
         "other, half of 24 turns, one key head of three, three layers; tied; rope_parameters",
         stablelm_5(**sizes(72, 67, 3, 3, 1, 103), qk_layernorm=True, use_qkv_bias=True, tie_word_embeddings=True,
                    rope_parameters={"partial_rotary_factor": 0.5, "rope_theta": 10000.0, "rope_type": "default"}),
         "dtype", dtypes=("f32",)),
    Case("cohere2-pattern", 3010, "every third of four layers has neither window nor positions, the others a window of 17; "
         "one norm for attention and MLP side by side, neighbours turn together, grouped 5:1, tied without a word",
         cohere2(**sizes(60, 67, 4, 5, 1, 103), sliding_window=17, sliding_window_pattern=3, rope_theta=10000.0),
         dtypes=("f16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("cohere2-long", 3011, "2,080 tokens, a window of 1,000 and positions in the second of two layers, neither in the "
         "first; biases on q, k, v, o, grouped 2:1, untied; rope_parameters",
         cohere2_5(**sizes(40, 59, 2, 2, 1, 97), attention_bias=True, sliding_window=1000, tie_word_embeddings=False,
                   layer_types=["full_attention", "sliding_attention"]),
         "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
    Case("jais2-biases", 3024, "LayerNorm with biases, squared ReLU without a gate, biases on all projections; grouped 4:2, "
         "head_dim 18 explicit, untied",
         jais2(**sizes(48, 61, 2, 4, 2, 101, 18)), dtypes=("f16",)),
    Case("jais2-plain", 3025, "no biases but those of norms; multi-head, tied; rope_parameters",
         respelled(jais2(**sizes(54, 59, 2, 3, None, 103), attention_bias=False, mlp_bias=False, rope_theta=10000.0,
                         tie_word_embeddings=True)), "dtype", dtypes=("f32",)),
    Case("phi-partial", 3101, "attention and MLP side by side under one norm, three quarters of 24 turn, biases everywhere, "
         "of the head too; grouped 3:1",
         phi(**sizes(72, 67, 2, 3, 1, 101), partial_rotary_factor=0.75), dtypes=("f16",)),
    Case("phi-normed", 3113, "LayerNorm of each head's queries and keys, with one head's weights; whole heads of 16 turn, "
         "tied, which leaves the head its bias; rope_parameters",
         phi_5(**sizes(64, 61, 2, 4, None, 103), qk_layernorm=True, tie_word_embeddings=True,
               rope_parameters={"partial_rotary_factor": 1.0, "rope_theta": 25000.0, "rope_type": "default"}),
         "dtype", dtypes=("bf16",)),
    Case("cohere-compass-plain", 3132, "attention and MLP side by side, halves turn, no layer has a window; biases, grouped "
         "4:2, heads of 16 where the width gives 12, logits as they are, tied",
         cohere_compass(**sizes(48, 61, 2, 4, 2, 101, 16), attention_bias=True), "dtype", dtypes=("bf16",)),
    Case("cohere-compass-long", 3133, "2,080 tokens, a window of 1,000 in the first of two layers, and the second does not "
         "turn; logits times 0.3, untied",
         cohere_compass(**sizes(36, 59, 2, 2, 1, 97), logit_scale=0.3, sliding_window=1000,
                        layer_types=["sliding_attention", "full_attention"], tie_word_embeddings=False,
                        rope_parameters={"full_attention": None, "sliding_attention": {
                            "rope_theta": 500.0, "rope_type": "default"}}), "dtype",
         dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
    Case("starcoder2-window-17", 2040, "LayerNorms, biases on every projection, an MLP without a gate, a window of 17; "
         "grouped 4:2, tied without a word",
         starcoder2(**sizes(48, 61, 2, 4, 2, 101), sliding_window=17), dtypes=("f32",),
         rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("starcoder2-long", 2041, "2,080 tokens, a window of 1,500; no biases, gelu, one key/value head for two of 20, "
         "untied; rope_parameters",
         starcoder2_5(**sizes(40, 59, 2, 2, 1, 97), hidden_act="gelu", sliding_window=1500,
                      tie_word_embeddings=False, use_bias=False), "dtype", dtypes=("f16",),
         sequence_length=LONG, rows=long_rows(1500)),
    Case("nemotron-half", 2047, "LayerNorms with weights less one, squares in an MLP without a gate; 12 of a head's 24 "
         "elements turn, grouped 4:2, untied",
         nemotron(**sizes(46, 61, 2, 4, 2, 101, 24)), dtypes=("f16",)),
    Case("nemotron-biases", 2071, "biases on every projection, gelu, 14 of a head's 18 elements turn, three heads for "
         "one, tied; rope_parameters",
         nemotron_5(**sizes(54, 67, 2, 3, 1, 103), attention_bias=True, hidden_act="gelu", mlp_bias=True,
                    rope_parameters={"partial_rotary_factor": 0.78, "rope_theta": 25000.0,
                                     "rope_type": "default"},
                    tie_word_embeddings=True), "dtype", dtypes=("bf16",)),
]  # fmt: skip
