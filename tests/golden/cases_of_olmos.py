"""OLMo and the families that norm after a sub-block, or queries and keys."""

from case import LONG, ROWS, Case, long_rows, respelled, sizes


def olmo(**keys):
    """OLMo: LayerNorm that has neither weights nor biases, and an epsilon that no key says."""
    return {
        "architectures": ["OlmoForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "clip_qkv": None,
        "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 2048,
        "model_type": "olmo", "pad_token_id": 1, "rope_scaling": None, "rope_theta": 10000.0,
        "tie_word_embeddings": False, "transformers_version": "4.40.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def olmo2(**keys):
    """OLMo 2: norms after attention and after the MLP alone, RMSNorm over all queries and over all keys."""
    return {
        "architectures": ["Olmo2ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "eos_token_id": 93,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096, "model_type": "olmo2",
        "pad_token_id": 92, "rms_norm_eps": 1e-6, "rope_scaling": None, "rope_theta": 500000,
        "tie_word_embeddings": False, "transformers_version": "4.47.0", "use_cache": True,
    } | keys  # fmt: skip


def olmo3(**keys):
    """OLMo 3: OLMo 2 with a window in three layers of four, and scaled angles in the others alone."""
    return {
        "architectures": ["Olmo3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "eos_token_id": 93,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 65536, "model_type": "olmo3",
        "pad_token_id": 92, "rms_norm_eps": 1e-6, "rope_theta": 500000, "sliding_window": 4096,
        "tie_word_embeddings": False, "transformers_version": "4.57.0", "use_cache": True,
    } | keys  # fmt: skip


def olmo3_5(**keys):
    """The same as transformers 5 saves it: rotary parameters for each kind of layer."""
    config = olmo3(pad_token_id=None, transformers_version="5.23.0")
    del config["rope_theta"]
    return config | keys


def exaone4(**keys):
    """EXAONE 4.0: OLMo 2's norms of outputs, norms of heads, and no positions in layers without a window."""
    return {
        "architectures": ["Exaone4ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 93,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 131072, "model_type": "exaone4",
        "pad_token_id": 0, "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 1000000, "sliding_window": 4096,
        "sliding_window_pattern": "LLLG", "tie_word_embeddings": False, "transformers_version": "4.54.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def glm(**keys):
    """GLM-4 9B: biases on q, k, v, an epsilon of its own, several tokens that end, and no word about what part of a head
    turns: half of it."""
    return {
        "architectures": ["GlmForCausalLM"], "attention_bias": True, "attention_dropout": 0.0,
        "eos_token_id": [91, 92, 93], "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 131072, "model_type": "glm", "pad_token_id": 91, "rms_norm_eps": 1.5625e-07,
        "rope_theta": 10000.0, "tie_word_embeddings": False, "transformers_version": "4.46.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def glm4(**keys):
    """GLM-4-0414: GLM with norms of outputs as well, and a key for the half of a head that turns."""
    return {
        "architectures": ["Glm4ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "eos_token_id": [91, 92, 93], "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 32768, "model_type": "glm4", "pad_token_id": 91, "partial_rotary_factor": 0.5,
        "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "tie_word_embeddings": False,
        "transformers_version": "4.52.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def glm4_5(**keys):
    """The same as transformers 5 saves it."""
    config = respelled(glm4(), pad_token_id=91)
    del config["partial_rotary_factor"]
    config["rope_parameters"]["partial_rotary_factor"] = 0.5
    return config | keys


# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("olmo2-gqa3", 2023, "norms of outputs alone, and of all queries and all keys; grouped 6:2, untied",
         olmo2(**sizes(60, 71, 3, 6, 2, 101)), "dtype", dtypes=("f16",)),
    Case("glm-partial", 2024, "neighbours turn together, in half of a head's 24 elements, which no key says; fused "
         "gate_up_proj, biases on q, k, v, epsilon 1.5625e-7, grouped 4:2, untied",
         glm(**sizes(46, 61, 2, 4, 2, 101, 24)), dtypes=("bf16",)),
    Case("olmo3-yarn", 3003, "a window of 17 in three layers of four, by no key; yarn by 4 from 64 positions in the fourth "
         "alone; norms of outputs and of all queries and keys, grouped 3:1",
         olmo3(**sizes(60, 59, 4, 3, 1, 101), sliding_window=17, rope_scaling={
             "attention_factor": 1.2079441541679836, "beta_fast": 2.0, "beta_slow": 0.5, "factor": 4.0,
             "original_max_position_embeddings": 64, "rope_type": "yarn"}),
         dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("olmo3-long", 3004, "2,080 tokens, a window of 1,000 in the first of two layers, which turns by a base of its own; "
         "biases on q, k, v, o, and an epsilon that shows beside them; grouped 2:1, tied; rope_parameters by kind of "
         "layer",
         olmo3_5(**sizes(36, 59, 2, 2, 1, 97), attention_bias=True, rms_norm_eps=0.01, sliding_window=1000,
                 tie_word_embeddings=True,
                 layer_types=["sliding_attention", "full_attention"], rope_parameters={
                     "full_attention": {"rope_theta": 25000.0, "rope_type": "default"},
                     "sliding_attention": {"rope_theta": 3000.0, "rope_type": "default"}}),
         "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
    Case("exaone4-hybrid", 3007, "a window of 17 and positions in three layers of four, neither in the fourth; llama3 scaling "
         "by 4 from 64 positions; norms of outputs and of heads of 18, grouped 4:2, untied",
         exaone4(**sizes(47, 61, 4, 4, 2, 101, 18), sliding_window=17, rope_theta=10000.0,
                 layer_types=["sliding_attention"] * 3 + ["full_attention"], rope_scaling={
                     "factor": 4.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                     "original_max_position_embeddings": 64, "rope_type": "llama3"}),
         dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("exaone4-global", 3008, "sliding_window null: positions in all layers; heads of 20, no key of which, multi-head, "
         "tied; rope_parameters",
         respelled(exaone4(**sizes(60, 59, 2, 3, 3, 103), layer_types=["full_attention"] * 2, sliding_window=None,
                           sliding_window_pattern=None, tie_word_embeddings=True)),
         "dtype", dtypes=("f16",)),
    Case("exaone4-long", 3009, "2,080 tokens, a window of 1,000 and positions in the first of two layers, neither in the "
         "second; grouped 2:1, head_dim 24",
         exaone4(**sizes(38, 59, 2, 2, 1, 97, 24), sliding_window=1000, rope_theta=10000.0, sliding_window_pattern="LG",
                 layer_types=["sliding_attention", "full_attention"]),
         dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
    Case("glm4-plain", 3018, "norms around attention and around the MLP; neighbours turn together, in half of a head's 24 "
         "elements; fused gate_up_proj, no biases, grouped 4:2, untied",
         glm4(**sizes(46, 61, 2, 4, 2, 101, 24)), dtypes=("f16",)),
    Case("glm4-biases", 3119, "three quarters of a head's 16 elements turn, which rope_parameters says; biases on q, k, v, "
         "epsilon 1.5625e-7, grouped 3:1, tied",
         glm4_5(**sizes(45, 59, 2, 3, 1, 103, 16), attention_bias=True, rms_norm_eps=1.5625e-07,
                tie_word_embeddings=True,
                rope_parameters={"partial_rotary_factor": 0.75, "rope_theta": 10000.0, "rope_type": "default"}),
         "dtype", dtypes=("f32",)),
    Case("olmo-plain", 3022, "LayerNorm without weights or biases, its epsilon in no key; queries, keys and values "
         "clipped at 1.25; multi-head, untied",
         olmo(**sizes(54, 61, 3, 3, 3, 101), clip_qkv=1.25), dtypes=("f32",)),
    Case("olmo-biases", 3023, "biases on q, k, v, o, grouped 4:2, heads of 12, tied; rope_parameters",
         respelled(olmo(**sizes(48, 59, 2, 4, 2, 103), attention_bias=True, tie_word_embeddings=True)),
         "dtype", dtypes=("bf16",)),
]  # fmt: skip
