"""OPT, BLOOM, Falcon and MPT: positions that are learned from an offset, sinusoids, and ALiBi."""

from case import LONG, Case, long_rows, sizes


def opt(**keys):
    """OPT: learned positions from the third row on, biases everywhere."""
    return {
        "_remove_final_layer_norm": False, "activation_function": "relu", "architectures": ["OPTForCausalLM"],
        "attention_dropout": 0.0, "bos_token_id": 2, "do_layer_norm_before": True, "dropout": 0.1, "eos_token_id": 2,
        "init_std": 0.02, "layerdrop": 0.0, "max_position_embeddings": 311, "model_type": "opt", "pad_token_id": 1,
        "transformers_version": "4.21.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def biogpt(**keys):
    """BioGPT: embeddings times sqrt(hidden_size), learned positions from the third row on, an epsilon that nobody reads."""
    return {
        "activation_dropout": 0.0, "architectures": ["BioGptForCausalLM"], "attention_probs_dropout_prob": 0.1,
        "bos_token_id": 0, "eos_token_id": 2, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
        "initializer_range": 0.02, "layer_norm_eps": 1e-12, "layerdrop": 0.0, "max_position_embeddings": 311,
        "model_type": "biogpt", "pad_token_id": 1, "scale_embedding": True, "transformers_version": "4.25.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def xglm(**keys):
    """XGLM: sines before cosines, from the third position on, whose last frequency is 1 / 10000."""
    return {
        "activation_dropout": 0, "activation_function": "gelu", "architectures": ["XGLMForCausalLM"],
        "attention_dropout": 0.1, "bos_token_id": 0, "decoder_start_token_id": 2, "dropout": 0.1, "eos_token_id": 2,
        "init_std": 0.02, "layerdrop": 0.0, "max_position_embeddings": 2048, "model_type": "xglm", "pad_token_id": 1,
        "scale_embedding": True, "transformers_version": "4.16.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def mpt(**keys):
    """MPT 7B: ALiBi, no biases, keys of attention in an object."""
    return {
        "architectures": ["MptForCausalLM"],
        "attn_config": {"alibi": True, "alibi_bias_max": 8, "attn_impl": "torch", "attn_pdrop": 0, "attn_type": "multihead_attention",
                        "attn_uses_sequence_id": False, "clip_qkv": None, "prefix_lm": False, "qk_ln": False,
                        "softmax_scale": None},
        "emb_pdrop": 0, "embedding_fraction": 1.0, "expansion_ratio": 4, "init_device": "cpu",
        "layer_norm_epsilon": 1e-5, "learned_pos_emb": True, "logit_scale": None, "max_seq_len": 301,
        "model_type": "mpt", "no_bias": True, "norm_type": "low_precision_layernorm", "resid_pdrop": 0,
        "transformers_version": "4.28.1", "use_cache": False,
    } | keys  # fmt: skip


def falcon(**keys):
    """Falcon 7B, and those before it: keys that say which of three kinds of layer there is; tied without a word."""
    return {
        "alibi": False, "apply_residual_connection_post_layernorm": False, "architectures": ["FalconForCausalLM"],
        "attention_dropout": 0.0, "bias": False, "bos_token_id": 11, "eos_token_id": 11, "hidden_dropout": 0.0,
        "initializer_range": 0.02, "layer_norm_epsilon": 1e-5, "model_type": "falcon", "multi_query": True,
        "new_decoder_architecture": False, "parallel_attn": True, "transformers_version": "4.27.4", "use_cache": True,
    } | keys  # fmt: skip


def falcon_5(**keys):
    """As transformers 5 saves it, and Falcon 11B has it: sizes of key/value heads and the MLP, norms by number."""
    config = falcon(
        activation="gelu", max_position_embeddings=8192, num_ln_in_parallel_attn=None, pad_token_id=None,
        rope_parameters={"rope_theta": 10000.0, "rope_type": "default"}, tie_word_embeddings=True,
        transformers_version="5.23.0",
    )  # fmt: skip
    del config["apply_residual_connection_post_layernorm"]
    return config | keys


def bloom(**keys):
    """Bloom's own file: the width is n_embed, and half of the keys are Megatron's."""
    return {
        "apply_residual_connection_post_layernorm": False, "architectures": ["BloomForCausalLM"],
        "attention_dropout": 0.0, "attention_softmax_in_fp32": True, "bias_dropout_fusion": True,
        "bos_token_id": 1, "eos_token_id": 2, "hidden_dropout": 0.0, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-5, "masked_softmax_fusion": True, "model_type": "bloom", "n_inner": None,
        "offset_alibi": 100, "pad_token_id": 3, "pretraining_tp": 2, "seq_length": 2048, "skip_bias_add": True,
        "skip_bias_add_qkv": False, "slow_but_exact": False, "transformers_version": "4.21.0", "unk_token_id": 0,
        "use_cache": True,
    } | keys  # fmt: skip


def bloom_5(**keys):
    """The same as transformers 5 saves it."""
    return {
        "apply_residual_connection_post_layernorm": False, "architectures": ["BloomForCausalLM"],
        "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2, "hidden_dropout": 0.0,
        "initializer_range": 0.02, "layer_norm_epsilon": 1e-5, "model_type": "bloom", "pad_token_id": None,
        "pretraining_tp": 1, "slow_but_exact": False, "tie_word_embeddings": True, "transformers_version": "5.23.0",
        "use_cache": True,
    } | keys  # fmt: skip


# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("bloom-alibi-8", 1031, "eight heads of 6, and no others; n_embed and names without a prefix, beside a "
         "copy of the head",
         bloom(n_embed=48, num_attention_heads=8, n_layer=2, vocab_size=101),
         checkpoint={"tied_copy": "word_embeddings.weight"}, dtypes=("bf16",)),
    Case("bloom-alibi-12", 1032, "twelve heads of 5, four with slopes between those of eight; residuals are what "
         "comes out of the norms; names under transformer.",
         bloom_5(hidden_size=60, n_head=12, n_layer=2, vocab_size=103,
                 apply_residual_connection_post_layernorm=True),
         "dtype", {"prefix": "transformer."}, dtypes=("f16",)),
    Case("bloom-long", 1033, "2,080 tokens; sixteen heads of 3",
         bloom_5(hidden_size=48, n_head=16, n_layer=2, vocab_size=97),
         "dtype", {"prefix": "transformer."}, dtypes=("f32",), sequence_length=LONG, rows=long_rows()),
    Case("opt-narrow", 3104, "an embedding of 40 with projections in and out, norms after additions and none before the "
         "head, which is tied",
         opt(hidden_size=64, ffn_dim=71, num_hidden_layers=2, num_attention_heads=4, vocab_size=101,
             word_embed_proj_dim=40, do_layer_norm_before=False), dtypes=("f16",)),
    Case("opt-plain", 3105, "norms before sub-blocks, an embedding as wide as the model; untied",
         opt(hidden_size=60, ffn_dim=67, num_hidden_layers=3, num_attention_heads=3, vocab_size=103,
             word_embed_proj_dim=60, tie_word_embeddings=False), dtypes=("bf16",)),
    Case("biogpt-scaled", 3106, "embeddings times sqrt(hidden_size), positions from the third row on, tied without a word",
         biogpt(hidden_size=60, intermediate_size=67, num_hidden_layers=2, num_attention_heads=3, vocab_size=103),
         dtypes=("f32",)),
    Case("xglm-scaled", 3107, "sines before cosines from the third position on, whose frequencies end at 1 / 10000; tied "
         "without a word",
         xglm(d_model=60, ffn_dim=67, num_layers=2, attention_heads=3, vocab_size=103), dtypes=("f16",)),
    Case("mpt-clipped", 3110, "ALiBi over twelve heads of 5, queries, keys and values clipped at 1.25, a scale of scores",
         mpt(d_model=60, n_layers=2, n_heads=12, vocab_size=103,
             attn_config=mpt()["attn_config"] | {"clip_qkv": 1.25, "softmax_scale": 0.6}), dtypes=("f16",)),
    Case("mpt-plain", 3111, "ALiBi over eight heads of 6, nothing clipped",
         mpt(d_model=48, n_layers=3, n_heads=8, vocab_size=101), dtypes=("f32",)),
    Case("falcon-7b", 2080, "attention and MLP side by side by one norm, one key/value head for three of 18; names under "
         "transformer., beside a copy of the head",
         falcon(**sizes(54, None, 2, 3, None, 101)),
         checkpoint={"prefix": "transformer.", "tied_copy": "transformer.word_embeddings.weight"},
         dtypes=("f32",)),
    Case("falcon-11b", 2081, "new_decoder_architecture with one norm: keys and values of 2 of 6 heads stand with the "
         "queries that they serve; biases, an MLP of 61, gelu_new, untied; rope_parameters, linear scaling by 2.5",
         falcon_5(**sizes(60, None, 2, 6, None, 103), activation="gelu_new", bias=True, ffn_hidden_size=61,
                  new_decoder_architecture=True, num_kv_heads=2, num_ln_in_parallel_attn=1,
                  rope_parameters={"factor": 2.5, "rope_theta": 25000.0, "rope_type": "linear"},
                  tie_word_embeddings=False), "dtype", {"prefix": "transformer."}, dtypes=("bf16",)),
    Case("falcon-40b", 2083, "new_decoder_architecture with two norms, grouped 6:2, of which no num_ln_in_parallel_attn "
         "speaks; tied without a word, names under transformer.",
         falcon(**sizes(60, None, 2, 6, None, 101), multi_query=True, new_decoder_architecture=True,
                num_kv_heads=2), checkpoint={"prefix": "transformer."}, dtypes=("f16",)),
    Case("falcon-rw", 2082, "ALiBi by slopes that are scaled as scores are, in f32; one sublayer after the other, five "
         "heads of 12 with keys of their own, biases",
         falcon(**sizes(60, None, 2, 5, None, 97), alibi=True, bias=True, multi_query=False, parallel_attn=False),
         checkpoint={"prefix": "transformer."}, dtypes=("f16",)),
]  # fmt: skip
