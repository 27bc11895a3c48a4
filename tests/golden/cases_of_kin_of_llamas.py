"""Families whose layers are Llama's with factors, other activations or other attention, and those of published code."""

from case import LONG, ROWS, TEXTS, Case, long_rows, respelled, sizes


def apertus(**keys):
    """Apertus 8B: an activation with learned numbers, and angles scaled as Llama 3's."""
    return {
        "architectures": ["ApertusForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "xielu", "initializer_range": 0.02, "max_position_embeddings": 65536,
        "model_type": "apertus", "pad_token_id": 3, "rms_norm_eps": 1e-5,
        "rope_scaling": {"factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                         "original_max_position_embeddings": 64, "rope_type": "llama3"},
        "rope_theta": 12000000.0, "tie_word_embeddings": False, "transformers_version": "4.56.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def nanochat(**keys):
    """NanoChat as transformers saves it: no norm has weights, and no key says that heads turn the other way."""
    return {
        "architectures": ["NanoChatForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 0,
        "eos_token_id": 1, "final_logit_softcapping": 15.0, "hidden_act": "relu2", "initializer_range": 0.02,
        "max_position_embeddings": 2048, "model_type": "nanochat", "pad_token_id": 1, "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, "tie_word_embeddings": False,
        "transformers_version": "5.0.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def arcee(**keys):
    """AFM 4.5B: a Llama whose MLP has squares in place of a gate."""
    return {
        "architectures": ["ArceeForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 91,
        "eos_token_id": 93, "hidden_act": "relu2", "initializer_range": 0.02, "max_position_embeddings": 65536,
        "mlp_bias": False, "model_type": "arcee", "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 10000.0,
        "tie_word_embeddings": False, "transformers_version": "4.53.2", "use_cache": True,
    } | keys  # fmt: skip


def granite(**keys):
    """Granite 3: Llama with scales of the embedding, of scores, of what sub-blocks add and of logits."""
    return {
        "architectures": ["GraniteForCausalLM"], "attention_bias": False, "attention_dropout": 0.1,
        "attention_multiplier": 0.015625, "bos_token_id": 0, "embedding_multiplier": 12.0, "eos_token_id": 0,
        "hidden_act": "silu", "initializer_range": 0.02, "logits_scaling": 16.0, "max_position_embeddings": 131072,
        "mlp_bias": False, "model_type": "granite", "pad_token_id": 0, "residual_multiplier": 0.22,
        "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 10000000.0, "tie_word_embeddings": True,
        "transformers_version": "4.49.0", "use_cache": True,
    } | keys  # fmt: skip


def granite_swa(**keys):
    """Granite Swash: Granite with sinks, windows, and a base of angles for each layer, 0 where none turns."""
    return {
        "architectures": ["GraniteSWAForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "attention_multiplier": 0.25, "bos_token_id": 95, "embedding_multiplier": 12.0, "eos_token_id": 95,
        "hidden_act": "silu", "initializer_range": 0.02, "layer_rope_theta": None, "logits_scaling": 8.0,
        "max_position_embeddings": 8192, "mlp_bias": False, "model_type": "granite_swa", "residual_multiplier": 0.22,
        "rms_norm_eps": 1e-5, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, "sliding_window": 128,
        "tie_word_embeddings": True, "transformers_version": "5.23.0", "use_cache": True,
    } | keys  # fmt: skip


def hyperclovax(**keys):
    """HyperCLOVA X SEED Think: the same scales, of which that of logits is multiplied, and norms around sub-blocks."""
    return {
        "architectures": ["HyperCLOVAXForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "attention_multiplier": 0.0078125, "bos_token_id": 1, "embedding_multiplier": 10.0, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "logits_scaling": 0.125, "max_position_embeddings": 131072,
        "mlp_bias": False, "model_type": "hyperclovax", "pad_token_id": 0, "residual_multiplier": 1.0,
        "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 500000000, "tie_word_embeddings": False,
        "transformers_version": "4.52.4", "use_cache": True, "use_post_norm": True,
    } | keys  # fmt: skip


def diffllama(**keys):
    """DiffLlama: Llama with differential attention."""
    return {
        "architectures": ["DiffLlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "lambda_std_dev": 0.1,
        "max_position_embeddings": 4096, "model_type": "diffllama", "rms_norm_eps": 1e-5,
        "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, "tie_word_embeddings": False,
        "transformers_version": "5.23.0", "use_cache": True,
    } | keys  # fmt: skip


def openelm(**keys):
    """OpenELM as the hub has it: heads and multipliers of each layer, beside what they follow from."""
    return {
        "activation_fn_name": "swish", "architectures": ["OpenELMForCausalLM"],
        "auto_map": {"AutoConfig": "configuration_openelm.OpenELMConfig",
                     "AutoModelForCausalLM": "modeling_openelm.OpenELMForCausalLM"},
        "bos_token_id": 1, "eos_token_id": 2, "ffn_with_glu": True, "initializer_range": 0.02,
        "max_context_length": 512, "model_type": "openelm", "normalization_layer_name": "rms_norm",
        "normalize_qk_projections": True, "rope_freq_constant": 10000, "rope_max_length": 1024,
        "share_input_output_layers": True, "transformers_version": "4.39.3", "use_cache": True,
    } | keys  # fmt: skip


def llada(**keys):
    """LLaDA 8B: keys of OLMo's first code, of which the published code reads a part."""
    return {
        "activation_type": "silu", "alibi": False, "alibi_bias_max": 8.0, "architectures": ["LLaDAModelLM"],
        "attention_dropout": 0.0, "attention_layer_norm": False, "attention_layer_norm_with_affine": True,
        "auto_map": {"AutoConfig": "configuration_llada.LLaDAConfig",
                     "AutoModelForCausalLM": "modeling_llada.LLaDAModelLM"},
        "bias_for_layer_norm": False, "block_group_size": 1, "block_type": "llama", "embedding_dropout": 0.0,
        "eos_token_id": 91, "flash_attention": False, "include_bias": False, "include_qkv_bias": False,
        "init_cutoff_factor": None, "init_device": "meta", "init_fn": "mitchell", "init_std": 0.02,
        "input_emb_norm": False, "layer_norm_type": "rms", "layer_norm_with_affine": True, "mask_token_id": 92,
        "max_sequence_length": 512, "mlp_ratio": 4, "model_type": "llada", "multi_query_attention": None,
        "pad_token_id": 91, "precision": "amp_bf16", "residual_dropout": 0.0, "rms_norm_eps": 1e-05, "rope": True,
        "rope_full_precision": True, "rope_theta": 10000.0, "scale_logits": False, "transformers_version": "4.46.3",
        "use_cache": False, "weight_tying": False,
    } | keys  # fmt: skip


# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("nanochat-relu2", 2060, "heads turn the other way, and are normed after it; norms without weights, one of the "
         "embedding; relu2, logits capped at 15, grouped 4:2, untied",
         nanochat(**sizes(64, 71, 3, 4, 2, 101)), "dtype", dtypes=("f16",)),
    Case("nanochat-mish", 2061, "mish, head_dim 20 explicit, biases on q, k, v, o, no cap; angles scaled by 2.5; tied",
         nanochat(**sizes(60, 67, 2, 2, 1, 103, 20), hidden_act="mish", attention_bias=True,
                  final_logit_softcapping=None, tie_word_embeddings=True, rms_norm_eps=1e-5,
                  rope_parameters={"factor": 2.5, "rope_theta": 10000.0, "rope_type": "linear"}), "dtype",
         dtypes=("f32",)),
    Case("apertus-scaled", 2066, "xIELU, whose four numbers are stored in each layer; norms of heads, angles scaled as "
         "llama3's by 8 from 64 positions; grouped 4:2, untied",
         apertus(**sizes(64, 71, 2, 4, 2, 101)), dtypes=("f32",)),
    Case("apertus-biases", 2072, "xIELU, biases on q, k, v, o, angles that are not scaled; three heads of 24, tied; "
         "rope_parameters",
         respelled(apertus(**sizes(72, 67, 3, 3, 1, 103), attention_bias=True, tie_word_embeddings=True)), "dtype",
         dtypes=("f16",)),
    Case("granite-scales", 3026, "scales of the embedding, of scores, of what sub-blocks add and of logits, biases on all "
         "projections; grouped 5:1, heads of 12, tied",
         granite(**sizes(60, 59, 2, 5, 1, 103), attention_bias=True, attention_multiplier=0.5, mlp_bias=True,
                 rope_theta=10000.0), dtypes=("f32",)),
    Case("hyperclovax-normed", 3027, "the same scales, of which that of logits is multiplied, and norms around attention and "
         "MLP; grouped 4:2, head_dim 18 explicit, untied",
         hyperclovax(**sizes(48, 61, 2, 4, 2, 101, 18), attention_multiplier=0.125, rope_theta=10000.0),
         dtypes=("bf16",)),
    Case("hyperclovax-plain", 3028, "no norms of outputs, a scale of scores that is null; multi-head, tied; rope_parameters",
         respelled(hyperclovax(**sizes(54, 59, 2, 3, None, 103), attention_multiplier=None, embedding_multiplier=1.0,
                               logits_scaling=1.0, tie_word_embeddings=True, use_post_norm=False)),
         "dtype", dtypes=("f16",)),
    Case("granite-swa-bases", 3128, "four bases of angles in five layers, of which two do not turn, one under a window of 17; "
         "sinks, grouped 4:2, heads of 12, tied",
         granite_swa(**sizes(48, 61, 5, 4, 2, 101), sliding_window=17,
                     layer_rope_theta=[0, 10000.0, 0.0, 500.0, 25000.0]), "dtype", dtypes=("f16",),
         rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("granite-swa-long", 3129, "2,080 tokens, a window of 1,000 in the second of two layers, as no layer_types say; biases "
         "on every projection, logits as they are, untied; linear scaling by 2.5",
         granite_swa(**sizes(36, 59, 2, 2, 1, 97), sliding_window=1000, attention_bias=True, mlp_bias=True,
                     logits_scaling=1.0, residual_multiplier=1.0, embedding_multiplier=1.0, tie_word_embeddings=False,
                     rope_parameters={"factor": 2.5, "rope_theta": 25000.0, "rope_type": "linear"}), "dtype",
         dtypes=("bf16",), sequence_length=LONG, rows=long_rows(1000)),
    Case("diffllama-grouped", 3134, "differential attention of three pairs of heads to one of keys, heads of 10 and values of 20; "
         "biases of q, k, v and o, tied; an epsilon that shows",
         diffllama(**sizes(60, 67, 3, 6, 2, 101), attention_bias=True, tie_word_embeddings=True, rms_norm_eps=1e-3), "dtype",
         dtypes=("bf16",)),
    Case("diffllama-long", 3135, "2,080 tokens; two pairs of heads, each with keys of its own, head_dim 18 explicit; linear "
         "scaling by 2.5, untied",
         diffllama(**sizes(36, 59, 2, 4, 4, 97, 18), rope_parameters={
             "factor": 2.5, "rope_theta": 25000.0, "rope_type": "linear"}), "dtype",
         dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
    Case("openelm-sizes", 3112, "2 to 6 heads of queries, two for each of keys, and MLPs of 28 to 119 from layer to layer, "
         "RMSNorm of heads of 12, one tensor of q, k and v, one of gate and up, tied by a key of its own",
         openelm(model_dim=60, head_dim=12, num_transformer_layers=4, vocab_size=101, num_gqa_groups=2,
                 qkv_multipliers=[0.4, 1.2], num_query_heads=[2, 4, 6, 6], num_kv_heads=[1, 2, 3, 3],
                 ffn_multipliers=[0.5, 0.97, 1.45, 2.0], ffn_dim_divisor=7), dtypes=("bf16",)),
    Case("openelm-untied", 3113, "a head of its own beside a classifier that nothing reads; MLPs rounded to 16, up where "
         "down would lose a tenth; four heads of 10 in every layer, as no num_kv_heads says, gelu, no norms of heads",
         openelm(model_dim=40, head_dim=10, num_transformer_layers=3, vocab_size=103, num_gqa_groups=1,
                 num_query_heads=[4, 4, 4], ffn_multipliers=[0.5, 1.0, 1.5], ffn_dim_divisor=16,
                 activation_fn_name="gelu", normalize_qk_projections=False, rope_freq_constant=25000,
                 share_input_output_layers=False, tie_word_embeddings=False), "dtype", dtypes=("f32",)),
    Case("llada-plain", 3114, "a token sees the whole text, which is one pass; three heads of 20, untied",
         llada(d_model=60, n_heads=3, n_kv_heads=3, n_layers=2, mlp_hidden_size=67, vocab_size=101,
               embedding_size=101), None, dtypes=("f16",), calls=TEXTS),
    Case("llada-one-key-head", 3115, "one key/value head for four of 16, by multi_query_attention; RMSNorms of all "
         "queries and all keys, biases on q, k, v, gelu, embeddings times sqrt(d_model) and logits divided by it, "
         "more rows than vocab_size, tied by a key of its own",
         llada(d_model=64, n_heads=4, n_kv_heads=None, multi_query_attention=True, n_layers=2, mlp_hidden_size=61,
               vocab_size=101, embedding_size=104, activation_type="gelu", attention_layer_norm=True,
               include_qkv_bias=True, input_emb_norm=True, scale_logits=True, weight_tying=True),
         None, dtypes=("bf16",), calls=TEXTS),
    Case("llada-biases", 3119, "LayerNorms, biases everywhere, the head's too, grouped 4:2, relu, an MLP as wide as "
         "mlp_ratio says",
         llada(d_model=48, n_heads=4, n_kv_heads=2, n_layers=2, mlp_ratio=2, mlp_hidden_size=None, vocab_size=103,
               embedding_size=None, activation_type="relu", bias_for_layer_norm=None, include_bias=True,
               layer_norm_type="default"), "dtype", dtypes=("f32",), calls=TEXTS),
    Case("arcee-squares", 2049, "RMSNorms, squares in an MLP without a gate, yarn by 4 from 64 positions; grouped 5:1, "
         "head_dim 18 explicit, untied",
         arcee(**sizes(45, 61, 2, 5, 1, 101, 18), rope_scaling={
             "factor": 4.0, "original_max_position_embeddings": 64, "rope_type": "yarn"}), dtypes=("f32",)),
    Case("arcee-biases", 2050, "biases on every projection, silu, grouped 4:2, heads of 12, tied; rope_parameters",
         respelled(arcee(**sizes(48, 61, 2, 4, 2, 103), attention_bias=True, hidden_act="silu", mlp_bias=True,
                         tie_word_embeddings=True)), "dtype", dtypes=("f16",)),
]  # fmt: skip
