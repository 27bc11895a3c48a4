"""Llama and the families that keep its layers: RMSNorm before each sub-block, a gated MLP, rotation."""

from case import LENGTH_CALLS, LONG, ROWS, Calls, Case, long_rows, respelled, sizes


def llama(**keys):
    """Llama 2 and 3 as converted by transformers 4.3x: `rope_theta` and `rope_scaling` at the top level."""
    return {
        "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 512,
        "model_type": "llama", "pretraining_tp": 1, "rms_norm_eps": 1e-5, "rope_scaling": None,
        "rope_theta": 10000.0, "tie_word_embeddings": False, "transformers_version": "4.37.2", "use_cache": True,
    } | keys  # fmt: skip


def llama_1(**keys):
    """The first Llama conversions: one head count, and no word about rotary embeddings or biases."""
    return {
        "architectures": ["LlamaForCausalLM"], "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu",
        "initializer_range": 0.02, "max_position_embeddings": 2048, "model_type": "llama", "pad_token_id": 0,
        "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "transformers_version": "4.28.1", "use_cache": True,
    } | keys  # fmt: skip


def mistral(**keys):
    """Mistral 7B v0.3 and Nemo: the window's key is there, and null."""
    return {
        "architectures": ["MistralForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 32768, "model_type": "mistral",
        "rms_norm_eps": 1e-5, "rope_theta": 1000000.0, "sliding_window": None, "tie_word_embeddings": False,
        "transformers_version": "4.42.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def qwen2(**keys):
    """Qwen2 and 2.5: q, k, v biases that no key mentions, and window keys that are switched off. The hub's windows
    are as long as the context; these are short, so that an engine which obeys them is caught."""
    return {
        "architectures": ["Qwen2ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 91, "eos_token_id": 93,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 32768, "max_window_layers": 1,
        "model_type": "qwen2", "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "sliding_window": 32,
        "tie_word_embeddings": False, "transformers_version": "4.40.1", "use_cache": True,
        "use_sliding_window": False,
    } | keys  # fmt: skip


def qwen3(**keys):
    """Qwen3: head_dim always explicit, RMSNorm over each head's queries and keys, rope_theta an integer."""
    return {
        "architectures": ["Qwen3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 91,
        "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 40960,
        "max_window_layers": 2, "model_type": "qwen3", "rms_norm_eps": 1e-6, "rope_scaling": None,
        "rope_theta": 1000000, "sliding_window": None, "tie_word_embeddings": True,
        "transformers_version": "4.51.0", "use_cache": True, "use_sliding_window": False,
    } | keys  # fmt: skip


def phi3(**keys):
    """Phi-3 and Phi-4: fused projections that no key mentions, and a window's key that is null."""
    return {
        "architectures": ["Phi3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 91,
        "embd_pdrop": 0.0, "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 16384, "model_type": "phi3", "original_max_position_embeddings": 16384,
        "pad_token_id": 92, "resid_pdrop": 0.0, "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 250000,
        "sliding_window": None, "tie_word_embeddings": False, "transformers_version": "4.47.0", "use_cache": True,
    } | keys  # fmt: skip


def ministral(**keys):
    """Ministral 8B as its own class has it: kinds of layers one by one, some with a window."""
    return {
        "architectures": ["MinistralForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 32768, "model_type": "ministral",
        "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "sliding_window": 32768, "tie_word_embeddings": False,
        "transformers_version": "4.57.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def ministral3(**keys):
    """Ministral 3: YaRN, and scores that grow beyond the original context."""
    return {
        "architectures": ["Ministral3ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 262144, "model_type": "ministral3",
        "rms_norm_eps": 1e-5,
        "rope_parameters": {"beta_fast": 32.0, "beta_slow": 1.0, "factor": 16.0, "llama_4_scaling_beta": 0.1,
                            "mscale": 1.0, "mscale_all_dim": 1.0, "original_max_position_embeddings": 64,
                            "rope_theta": 1000000.0, "rope_type": "yarn"},
        "sliding_window": None, "tie_word_embeddings": False, "transformers_version": "5.0.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def seed_oss(**keys):
    """Seed-OSS 36B: biases on q, k, v and none on o, each by a key of its own; dropout that is not 0."""
    return {
        "architectures": ["SeedOssForCausalLM"], "attention_bias": True, "attention_dropout": 0.1,
        "attention_out_bias": False, "bos_token_id": 0, "eos_token_id": 2, "hidden_act": "silu",
        "initializer_range": 0.02, "max_position_embeddings": 524288, "mlp_bias": False, "model_type": "seed_oss",
        "pad_token_id": 1, "residual_dropout": 0.1, "rms_norm_eps": 1e-6, "rope_scaling": {"rope_type": "default"},
        "rope_theta": 10000000.0, "tie_word_embeddings": False, "transformers_version": "4.55.0", "use_cache": True,
    } | keys  # fmt: skip


def cwm(**keys):
    """Code World Model: Llama with a window in three layers of four, and llama3's angles in all."""
    return {
        "architectures": ["CwmForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 90,
        "eos_token_id": [91, 92, 93], "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 131072, "mlp_bias": False, "model_type": "cwm", "pretraining_tp": 1,
        "rms_norm_eps": 1e-5, "rope_theta": 1000000.0, "sliding_window": 8192, "tie_word_embeddings": False,
        "transformers_version": "4.57.0", "use_cache": True,
    } | keys  # fmt: skip


def smollm3(**keys):
    """SmolLM3 3B: which layers turn stands layer by layer, beside the interval that says the same; tied without a word."""
    return {
        "architectures": ["SmolLM3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": None, "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 65536, "max_window_layers": 28, "mlp_bias": False, "model_type": "smollm3",
        "no_rope_layer_interval": 4, "pad_token_id": 92, "pretraining_tp": 2, "rms_norm_eps": 1e-6,
        "rope_scaling": None, "rope_theta": 5000000.0, "sliding_window": None, "transformers_version": "4.54.0.dev0",
        "use_cache": True, "use_sliding_window": False,
    } | keys  # fmt: skip


def smollm3_5(**keys):
    """The same as transformers 5 saves it."""
    config = respelled(smollm3(), pad_token_id=92, tie_word_embeddings=True)
    for key in ("max_window_layers", "pretraining_tp"):
        del config[key]
    return config | keys


def hunyuan(**keys):
    """Hunyuan's dense models: norms of heads after the rotation, a base that an alpha stretches, and keys that no
    version of the library reads."""
    return {
        "add_classification_head": False, "architectures": ["HunYuanDenseV1ForCausalLM"], "attention_bias": False,
        "attention_dropout": 0.1, "bos_token_id": 1, "cla_share_factor": 2, "class_num": 0, "eod_token_id": 94,
        "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 32768,
        "mlp_bias": False, "model_type": "hunyuan_v1_dense", "norm_type": "rms", "org_vocab_size": 90, "pad_id": 92,
        "pad_token_id": 92, "pool_type": "last", "position_embedding_xdrope": False, "pretraining_tp": 1,
        "rms_norm_eps": 1e-5,
        "rope_scaling": {"alpha": 1000.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0,
                         "mscale_all_dim": 1.0, "type": "dynamic"},
        "rope_theta": 10000.0, "tie_word_embeddings": False, "transformers_version": "4.41.2", "use_cache": True,
        "use_cla": False, "use_qk_norm": True, "use_rotary_pos_emb": True,
    } | keys  # fmt: skip


def hunyuan_5(**keys):
    """The same as transformers 5 saves it, without scaling."""
    return {
        "architectures": ["HunYuanDenseV1ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 1, "eod_token_id": 3, "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 2048, "model_type": "hunyuan_v1_dense", "pad_token_id": 0, "pretraining_tp": 1,
        "rms_norm_eps": 1e-5, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
        "tie_word_embeddings": False, "transformers_version": "5.23.0", "use_cache": True,
    } | keys  # fmt: skip


def ernie4_5(**keys):
    """ERNIE 4.5: one key for all biases; neighbours turn together; tied."""
    return {
        "architectures": ["Ernie4_5ForCausalLM"], "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu",
        "initializer_range": 0.02, "max_position_embeddings": 131072, "model_type": "ernie4_5", "pad_token_id": 0,
        "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 500000.0, "tie_word_embeddings": True,
        "transformers_version": "4.54.0.dev0", "use_bias": False, "use_cache": True,
    } | keys  # fmt: skip


def helium(**keys):
    """Helium 1: Llama with neighbours that turn together, and the smallest epsilon."""
    return {
        "architectures": ["HeliumForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096,
        "mlp_bias": False, "model_type": "helium", "pad_token_id": 3, "rms_norm_eps": 1e-8, "rope_theta": 100000.0,
        "tie_word_embeddings": False, "transformers_version": "4.48.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("llama-mha-hd64", 1001, "multi-head, head_dim 64, untied",
         llama(**sizes(40, 61, 2, 2, 2, 101, 64))),
    Case("llama-gqa3-hd24-sharded", 1002, "grouped 6:2, head_dim 24, three layers, tied, weights in two shards",
         llama(**sizes(36, 67, 3, 6, 2, 127, 24), rope_theta=500000.0, tie_word_embeddings=True,
               max_position_embeddings=8192),
         checkpoint={"shards": 2}),
    Case("llama-gqa5-hd80", 1003, "grouped 10:2, head_dim 80, untied, rope_parameters",
         respelled(llama(**sizes(20, 67, 2, 10, 2, 103, 80))), "dtype"),
    Case("llama-gqa7-hd64", 1004, "grouped 14:2, head_dim 64, untied",
         llama(**sizes(14, 71, 2, 14, 2, 107, 64), rope_theta=100000.0)),
    Case("llama-mqa-hd128", 1005, "one key/value head for three, head_dim 128, odd width 21, tied, rope_parameters",
         respelled(llama(**sizes(21, 83, 2, 3, 1, 109, 128), tie_word_embeddings=True)), "dtype"),
    Case("llama-mha-hd96", 1006, "multi-head, head_dim 96, tied; transformers 4.57: dtype beside rope_theta",
         llama(**sizes(26, 79, 2, 2, 2, 97, 96), tie_word_embeddings=True, transformers_version="4.57.1"),
         "dtype"),
    Case("llama-gqa2-hd256", 1007, "grouped 2:1, head_dim 256: queries 36 times as wide as hidden_size, untied",
         llama(**sizes(14, 73, 2, 2, 1, 113, 256))),
    Case("llama-odd-hd26", 1008, "everything odd or prime but head_dim: hidden 45, three heads of 26, 577 "
         "positions",
         llama(**sizes(45, 101, 2, 3, 3, 131, 26), max_position_embeddings=577)),
    Case("llama-biases", 1009, "attention_bias and mlp_bias: a bias on every projection, grouped 6:3",
         llama(**sizes(60, 89, 2, 6, 3, 99), attention_bias=True, mlp_bias=True)),
    Case("llama-1", 1010, "no num_key_value_heads, no rope_theta; rotary_emb.inv_freq stored as f32 in every layer",
         llama_1(**sizes(54, 83, 2, 3, None, 97)), checkpoint={"inv_freq": True}),
    Case("mistral-no-window", 1011, "grouped 6:2, sliding_window null, head_dim derived",
         mistral(**sizes(60, 79, 2, 6, 2, 113))),
    Case("mistral-prime", 1012, "hidden_size 61, intermediate 67, vocabulary 127; head_dim 18 explicit; "
         "sliding_window null, rope_parameters",
         respelled(mistral(**sizes(61, 67, 2, 4, 2, 127, 18))), "dtype"),
    Case("mistral-window-key-absent", 1013, "no sliding_window key: 4096 by the library's default, past the 512 "
         "positions there are",
         {key: value for key, value in mistral(**sizes(60, 67, 2, 5, 1, 101), max_position_embeddings=512).items()
          if key != "sliding_window"}),
    Case("qwen2-gqa7-tied", 1014, "biases on q, k, v; grouped 14:2; tied; window of 32 present and switched off",
         qwen2(**sizes(84, 47, 2, 14, 2, 103), tie_word_embeddings=True, use_mrope=False)),
    Case("qwen2-mha", 1015, "biases on q, k, v; multi-head, untied; rope_parameters and layer_types",
         respelled(qwen2(**sizes(54, 73, 2, 3, 3, 109), layer_types=["full_attention"] * 2)), "dtype"),
    Case("qwen3-gqa2-tied", 1016, "QK-norm, hidden_size 67, grouped 4:2, tied yet lm_head.weight is in the file",
         qwen3(**sizes(67, 59, 2, 4, 2, 127, 20)), checkpoint={"tied_copy": "model.embed_tokens.weight"}),
    Case("qwen3-gqa5-biases", 1017, "QK-norm, grouped 5:1, biases on q, k, v, o, untied; rope_parameters",
         respelled(qwen3(**sizes(51, 61, 2, 5, 1, 101, 32), attention_bias=True, tie_word_embeddings=False,
                         layer_types=["full_attention"] * 2)), "dtype"),
    Case("phi3-mha", 1021, "fused qkv_proj and gate_up_proj, multi-head, three heads of 14, untied; window "
         "null",
         phi3(**sizes(42, 67, 2, 3, None, 109))),
    Case("phi3-gqa3-partial", 1022, "fused, grouped 3:1, partial_rotary_factor 0.8: 14 of a head's 18 elements turn; "
         "tied, rope_parameters",
         respelled(phi3(**sizes(54, 61, 2, 3, 1, 103), tie_word_embeddings=True),
                   rope_parameters={"partial_rotary_factor": 0.8, "rope_theta": 250000, "rope_type": "default"}),
         "dtype"),
    Case("mistral-sliding-1", 1027, "a window of 1: every token sees itself alone, and queries and keys do not "
         "matter",
         mistral(**sizes(42, 61, 2, 4, 2, 101, 18), sliding_window=1, rope_theta=10000.0), dtypes=("f16",)),
    Case("mistral-sliding-5", 1028, "a window of 5 over three layers, grouped 5:1, head_dim 18 explicit",
         mistral(**sizes(47, 61, 3, 5, 1, 103, 18), sliding_window=5, rope_theta=10000.0), dtypes=("bf16",),
         rows=tuple(sorted({*ROWS, 4, 5, 6}))),
    Case("mistral-sliding-64", 2001, "a window of 64, grouped 6:2, head_dim derived; rope_parameters",
         respelled(mistral(**sizes(60, 79, 2, 6, 2, 107), sliding_window=64, rope_theta=10000.0)), "dtype",
         dtypes=("f32",)),
    Case("mistral-sliding-long", 1030, "2,080 tokens, a window of 1,500, grouped 2:1, head_dim 40",
         mistral(**sizes(38, 59, 2, 2, 1, 97, 40), sliding_window=1500, rope_theta=10000.0), dtypes=("f16",),
         sequence_length=LONG, rows=long_rows(1500)),
    Case("llama-rope-linear", 1034, "linear scaling by 2.5, spelled type; grouped 4:2, head_dim 18, tied",
         llama(**sizes(44, 61, 2, 4, 2, 101, 18), rope_scaling={"factor": 2.5, "type": "linear"},
               tie_word_embeddings=True), dtypes=("f16",)),
    Case("llama-rope-llama3", 1035, "llama3 scaling by 8 from 128 positions: angles of all three kinds; grouped "
         "3:1, head_dim 40",
         llama(**sizes(39, 67, 2, 3, 1, 103, 40), max_position_embeddings=1024, rope_scaling={
             "factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
             "original_max_position_embeddings": 128, "rope_type": "llama3"}), dtypes=("bf16",)),
    Case("qwen3-rope-linear", 1036, "linear scaling by 3 in rope_parameters; QK-norm, grouped 6:2, head_dim 24",
         respelled(qwen3(**sizes(43, 61, 2, 6, 2, 107, 24), layer_types=["full_attention"] * 2),
                   rope_parameters={"factor": 3.0, "rope_theta": 10000.0, "rope_type": "linear"}), "dtype",
         dtypes=("bf16",)),
    Case("qwen2-rope-llama3", 1037, "llama3 scaling by 4 from 64 positions in rope_parameters, factors 1.5 and 6; "
         "three heads of 24",
         respelled(qwen2(**sizes(72, 61, 2, 3, 1, 109), layer_types=["full_attention"] * 2),
                   rope_parameters={"factor": 4.0, "high_freq_factor": 6.0, "low_freq_factor": 1.5,
                                    "original_max_position_embeddings": 64, "rope_theta": 25000.0,
                                    "rope_type": "llama3"}), "dtype", dtypes=("f16",)),
    Case("qwen2-rope-yarn", 1038, "yarn by 4 from 64 positions and nothing else said, as Qwen's model cards "
         "advise: spelled type; five heads for one of 18",
         qwen2(**sizes(90, 53, 2, 5, 1, 97), rope_theta=10000.0, rope_scaling={
             "factor": 4.0, "original_max_position_embeddings": 64, "type": "yarn"}), dtypes=("f32",)),
    Case("qwen3-rope-yarn", 2000, "yarn by 3 from 128 positions in rope_parameters: attention_factor given (so "
         "mscale does not count), betas, ends of the ramp not rounded",
         respelled(qwen3(**sizes(45, 61, 2, 4, 2, 101, 40), layer_types=["full_attention"] * 2),
                   rope_parameters={"attention_factor": 1.25, "beta_fast": 8.0, "beta_slow": 0.5, "factor": 3.0,
                                    "mscale": 0.7, "mscale_all_dim": 0.9,
                                    "original_max_position_embeddings": 128, "rope_theta": 10000.0,
                                    "rope_type": "yarn", "truncate": False}), "dtype", dtypes=("bf16",)),
    Case("llama-rope-yarn", 1040, "yarn by 5 from 64 positions with both mscales and betas, whole heads of 80; "
         "tied",
         llama(**sizes(36, 61, 2, 2, 1, 113, 80), tie_word_embeddings=True, rope_scaling={
             "beta_fast": 4, "beta_slow": 1.25, "factor": 5.0, "mscale": 0.9, "mscale_all_dim": 0.4,
             "original_max_position_embeddings": 64, "rope_type": "yarn"}), dtypes=("f16",)),
    Case("qwen2-rope-yarn-long", 1041, "2,080 tokens, yarn by 4 from 1,024 positions; two heads of 24",
         qwen2(**sizes(48, 53, 2, 2, 1, 97), max_position_embeddings=4096, rope_theta=10000.0, rope_scaling={
             "factor": 4.0, "original_max_position_embeddings": 1024, "type": "yarn"}),
         dtypes=("f32",), sequence_length=LONG, rows=long_rows(1024)),
    Case("llama-rope-dynamic", 1050, "dynamic NTK by 4 from 80 positions: prompts below, at and past them, in calls "
         "and token by token; grouped 4:2, head_dim 20",
         llama(**sizes(40, 61, 2, 4, 2, 101, 20), max_position_embeddings=80, rope_scaling={
             "factor": 4.0, "type": "dynamic"}), dtypes=("f32",), calls=Calls(LENGTH_CALLS)),
    Case("phi3-longrope", 1051, "LongRoPE from 80 of 512 positions: prompts below, at and past its switch, in calls "
         "and token by token; three quarters of heads of 32 turn, grouped 3:1",
         phi3(**sizes(96, 61, 2, 3, 1, 103), partial_rotary_factor=0.75, max_position_embeddings=512,
              original_max_position_embeddings=80, rope_scaling={
                  "long_factor": [1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 4.5, 5.0, 5.5, 6.0, 7.5],
                  "short_factor": [1.0, 1.0, 1.05, 1.1, 1.15, 1.2, 1.2, 1.25, 1.3, 1.35, 1.4, 1.5],
                  "type": "longrope"}), dtypes=("f16",), calls=Calls(LENGTH_CALLS, 80)),
    Case("qwen3-longrope", 1052, "LongRoPE from 80 positions in rope_parameters, factor given; QK-norm, head_dim 24",
         respelled(qwen3(**sizes(45, 61, 2, 4, 2, 101, 24), max_position_embeddings=1024,
                         layer_types=["full_attention"] * 2),
                   rope_parameters={
                       "factor": 16.0, "original_max_position_embeddings": 80, "rope_theta": 10000.0,
                       "rope_type": "longrope",
                       "long_factor": [1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 4.5, 5.0, 5.5, 6.0, 7.5],
                       "short_factor": [1.0, 1.0, 1.05, 1.1, 1.15, 1.2, 1.2, 1.25, 1.3, 1.35, 1.4, 1.5]}),
         "dtype", dtypes=("bf16",), calls=Calls(LENGTH_CALLS, 80)),
    Case("ministral-pattern", 3001, "a window of 17 in the second and third of three layers, which layer_types says; grouped "
         "5:1, head_dim 18 explicit, untied",
         ministral(**sizes(47, 61, 3, 5, 1, 103, 18), sliding_window=17,
                   layer_types=["full_attention", "sliding_attention", "sliding_attention"]),
         "dtype", dtypes=("f16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("ministral-long", 3002, "2,080 tokens, a window of 1,000 in all layers, since no layer_types says otherwise; grouped "
         "2:1, head_dim 24, tied; rope_parameters",
         respelled(ministral(**sizes(38, 59, 2, 2, 1, 97, 24), sliding_window=1000, tie_word_embeddings=True)),
         "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
    Case("seed-oss-inside", 3005, "biases on q, k, v alone; grouped 6:2, head_dim 18 explicit, untied; a table that asks for "
         "no scaling",
         seed_oss(**sizes(43, 61, 2, 6, 2, 101, 18)), dtypes=("f16",)),
    Case("seed-oss-outside", 3006, "biases on o and in the MLP, none on q, k, v; grouped 5:1, head_dim 14 explicit, tied; "
         "rope_parameters",
         respelled(seed_oss(**sizes(51, 59, 2, 5, 1, 103, 14), attention_bias=False, attention_out_bias=True,
                            mlp_bias=True, rope_theta=10000.0, tie_word_embeddings=True)),
         "dtype", dtypes=("bf16",)),
    Case("cwm-pattern", 3012, "a window of 17 in all but every fourth of five layers, from the first on, by no key; llama3 "
         "scaling by 8 from 64 positions; grouped 4:2, head_dim 18",
         cwm(**sizes(48, 61, 5, 4, 2, 101, 18), sliding_window=17, rope_theta=10000.0, rope_scaling={
             "factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
             "original_max_position_embeddings": 64, "rope_type": "llama3"}),
         dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("cwm-long", 3013, "2,080 tokens, a window of 1,000 in the first of two layers, angles as they are; biases in the "
         "MLP, grouped 2:1, head_dim 24, tied; rope_parameters",
         respelled(cwm(**sizes(38, 59, 2, 2, 1, 97, 24), mlp_bias=True, rope_theta=10000.0, sliding_window=1000,
                       tie_word_embeddings=True, layer_types=["sliding_attention", "full_attention"])),
         "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
    Case("hunyuan-alpha", 3014, "norms of heads of 18 after the rotation, by a base that an alpha of 50 stretches; grouped "
         "6:2, untied",
         hunyuan(**sizes(43, 61, 2, 6, 2, 101, 18), rope_scaling={
             "alpha": 50.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0,
             "type": "dynamic"}), dtypes=("f32",)),
    Case("hunyuan-biases", 3015, "no scaling; biases on q, k, v, o, grouped 3:1, head_dim 20, tied; rope_parameters",
         hunyuan_5(**sizes(60, 59, 2, 3, 1, 103, 20), attention_bias=True, tie_word_embeddings=True),
         "dtype", dtypes=("f16",)),
    Case("ernie4_5-tied", 3016, "neighbours turn together; grouped 6:2, head_dim 18 explicit, tied, no biases",
         ernie4_5(**sizes(47, 61, 2, 6, 2, 101, 18)), dtypes=("bf16",)),
    Case("ernie4_5-biases", 3017, "one key for biases on all projections; grouped 3:1, head_dim 20, untied; rope_parameters",
         respelled(ernie4_5(**sizes(51, 59, 2, 3, 1, 103, 20), rope_theta=10000.0, tie_word_embeddings=False,
                            use_bias=True)), "dtype", dtypes=("f32",)),
    Case("helium-plain", 3020, "neighbours turn together in whole heads of 12, epsilon 1e-8, grouped 5:1, untied",
         helium(**sizes(60, 67, 2, 5, 1, 103, 12)), dtypes=("bf16",)),
    Case("helium-biases", 3021, "biases on q, k, v and in the MLP, multi-head, head_dim 18, tied; rope_parameters",
         respelled(helium(**sizes(54, 59, 2, 3, 3, 101, 18), attention_bias=True, mlp_bias=True, rope_theta=10000.0,
                          tie_word_embeddings=True)), "dtype", dtypes=("f16",)),
    Case("ministral3-growing", 3130, "scores that grow at every 64 positions, YaRN by 16 from there; grouped 3:1, head_dim 18 "
         "explicit, untied",
         ministral3(**sizes(50, 61, 2, 3, 1, 101, 18), rope_parameters=ministral3()["rope_parameters"] | {
             "beta_fast": 4.0, "beta_slow": 0.4, "rope_theta": 50.0}), "dtype", dtypes=("f32",)),
    Case("ministral3-long", 3131, "2,080 tokens, a window of 1,000 in all layers, scores that grow at every 700 positions; no "
         "scaling of angles, tied",
         ministral3(**sizes(36, 59, 2, 2, 1, 97, 18), sliding_window=1000, tie_word_embeddings=True,
                    rope_parameters={"llama_4_scaling_beta": 0.5, "original_max_position_embeddings": 700,
                                     "rope_theta": 25000.0, "rope_type": "default"}), "dtype",
         dtypes=("f16",), sequence_length=LONG, rows=tuple(sorted({*long_rows(1000), 699, 700, 701, 1399, 1400}))),
    Case("smollm3-nope", 2044, "every other of four layers does not turn, as the interval says; grouped 4:2, head_dim "
         "10, tied without a word",
         smollm3(**sizes(40, 61, 4, 4, 2, 103), no_rope_layer_interval=2), dtypes=("f16",)),
    Case("smollm3-window", 2045, "layers one by one: the first and the last do not turn and have a window of 17; biases "
         "on every projection, grouped 3:1, untied; rope_parameters, linear scaling by 2.5",
         smollm3_5(**sizes(54, 61, 4, 3, 1, 101), attention_bias=True, mlp_bias=True,
                   no_rope_layers=[0, 1, 1, 0], layer_types=[
                       "sliding_attention", "full_attention", "full_attention", "sliding_attention"],
                   rope_parameters={"factor": 2.5, "rope_theta": 10000.0, "rope_type": "linear"},
                   sliding_window=17, tie_word_embeddings=False, use_sliding_window=True), "dtype",
         dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("smollm3-long", 2046, "2,080 tokens; the second of two layers does not turn, and has a window of 1,000 as no "
         "layer_types say; grouped 2:1, head_dim 18",
         smollm3(**sizes(36, 59, 2, 2, 1, 97), bos_token_id=91, no_rope_layer_interval=2, rope_theta=10000.0,
                 sliding_window=1000, use_sliding_window=True),
         dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
]  # fmt: skip
