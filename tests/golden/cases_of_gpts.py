"""GPT-2 and the families whose layers are its own: LayerNorm, a plain MLP."""

from case import LONG, ROWS, Case, long_rows, sizes


def gpt2(**keys):
    """GPT-2's own file: no intermediate size, no word about tying, keys for heads it does not have."""
    return {
        "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
        "bos_token_id": 96, "embd_pdrop": 0.1, "eos_token_id": 96, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-5, "model_type": "gpt2", "n_ctx": 512, "n_positions": 512, "resid_pdrop": 0.1,
        "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True,
        "summary_type": "cls_index", "summary_use_proj": True,
        "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
    } | keys  # fmt: skip


def gpt_bigcode(**keys):
    """StarCoder: GPT-2's keys, one key/value head, and keys of kernels that are gone."""
    return {
        "activation_function": "gelu", "architectures": ["GPTBigCodeForCausalLM"], "attention_softmax_in_fp32": True,
        "attn_pdrop": 0.1, "bos_token_id": 0, "embd_pdrop": 0.1, "eos_token_id": 0, "inference_runner": 0,
        "initializer_range": 0.02, "layer_norm_epsilon": 1e-5, "max_batch_size": None, "max_sequence_length": None,
        "model_type": "gpt_bigcode", "multi_query": True, "n_positions": 512, "pad_key_length": True,
        "pre_allocate_kv_cache": False, "resid_pdrop": 0.1, "scale_attention_softmax_in_fp32": True,
        "scale_attn_weights": True, "summary_activation": None, "summary_first_dropout": 0.1,
        "summary_proj_to_labels": True, "summary_type": "cls_index", "summary_use_proj": True,
        "transformers_version": "4.28.1", "use_cache": True, "validate_runner_input": True,
    } | keys  # fmt: skip


def gpt_bigcode_5(**keys):
    """The same as transformers 5 saves it."""
    config = gpt_bigcode(add_cross_attention=False, pad_token_id=None, tie_word_embeddings=True,
                         transformers_version="5.23.0")  # fmt: skip
    for key in ("inference_runner", "max_batch_size", "max_sequence_length", "pad_key_length", "pre_allocate_kv_cache",
                "validate_runner_input"):  # fmt: skip
        del config[key]
    return config | keys


def gpt_neo(**keys):
    """GPT-Neo 125M: kinds of layers twice, as a pattern and one by one; no biases at q, k, v, which no key says."""
    return {
        "activation_function": "gelu_new", "architectures": ["GPTNeoForCausalLM"], "attention_dropout": 0,
        "bos_token_id": 96, "embed_dropout": 0, "eos_token_id": 96, "gradient_checkpointing": False,
        "initializer_range": 0.02, "intermediate_size": None, "layer_norm_epsilon": 1e-5, "model_type": "gpt_neo",
        "resid_dropout": 0, "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True,
        "summary_type": "cls_index", "summary_use_proj": True, "transformers_version": "4.9.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def gpt_neox(**keys):
    """Pythia: rotary_pct and rotary_emb_base, no word about biases."""
    return {
        "architectures": ["GPTNeoXForCausalLM"], "bos_token_id": 0, "eos_token_id": 0, "hidden_act": "gelu",
        "initializer_range": 0.02, "layer_norm_eps": 1e-5, "max_position_embeddings": 2048,
        "model_type": "gpt_neox", "rotary_emb_base": 10000, "rotary_pct": 0.25, "tie_word_embeddings": False,
        "transformers_version": "4.24.0", "use_cache": True, "use_parallel_residual": True,
    } | keys  # fmt: skip


def gpt_neox_5(**keys):
    """The same as transformers 5 saves it."""
    config = gpt_neox(
        attention_bias=True, attention_dropout=0.0, classifier_dropout=0.1, hidden_dropout=0.0, is_decoder=False,
        pad_token_id=None, transformers_version="5.23.0",
    )  # fmt: skip
    theta, share = config.pop("rotary_emb_base"), config.pop("rotary_pct")
    config["rope_parameters"] = {"partial_rotary_factor": share, "rope_theta": theta, "rope_type": "default"}
    return config | keys


def gpt_neox_japanese(**keys):
    """GPT-NeoX Japanese: matrices without biases, but for the last attention's; tied without a word."""
    return {
        "architectures": ["GPTNeoXJapaneseForCausalLM"], "attention_dropout": 0.1, "bos_token_id": 95,
        "eos_token_id": 96, "hidden_act": "gelu", "hidden_dropout": 0.0, "initializer_range": 0.02,
        "intermediate_multiple_size": 4, "layer_norm_eps": 1e-5, "max_position_embeddings": 2048,
        "model_type": "gpt_neox_japanese", "rotary_emb_base": 10000, "rotary_pct": 1.0,
        "transformers_version": "4.23.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def gptj(**keys):
    """GPT-J 6B: neighbours of a part of each head turn, and the head has a bias."""
    return {
        "activation_function": "gelu_new", "architectures": ["GPTJForCausalLM"], "attn_pdrop": 0.0, "bos_token_id": 96,
        "embd_pdrop": 0.0, "eos_token_id": 96, "initializer_range": 0.02, "layer_norm_epsilon": 1e-5,
        "model_type": "gptj", "n_inner": None, "n_positions": 2048, "resid_pdrop": 0.0,
        "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True,
        "summary_type": "cls_index", "summary_use_proj": True, "tie_word_embeddings": False,
        "transformers_version": "4.18.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def codegen(**keys):
    """CodeGen: GPT-J with queries, values and keys of each quarter of the heads in one tensor."""
    return {
        "activation_function": "gelu_new", "architectures": ["CodeGenForCausalLM"], "attn_pdrop": 0.0, "bos_token_id": 1,
        "embd_pdrop": 0.0, "eos_token_id": 96, "gradient_checkpointing": False, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-5, "model_type": "codegen", "n_ctx": 2048, "n_inner": None, "n_positions": 2048,
        "resid_pdrop": 0.0, "scale_attn_weights": True, "summary_activation": None, "summary_first_dropout": 0.1,
        "summary_proj_to_labels": True, "summary_type": "cls_index", "summary_use_proj": True,
        "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50, "temperature": 1.0}},
        "tie_word_embeddings": False, "tokenizer_class": "GPT2Tokenizer", "transformers_version": "4.21.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def ctrl(**keys):
    """CTRL: sines before cosines beside embeddings times sqrt(n_embd), a head with a bias, tied without a word."""
    return {
        "architectures": ["CTRLLMHeadModel"], "attn_pdrop": 0.1, "embd_pdrop": 0.1, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-6, "model_type": "ctrl", "n_ctx": 512, "n_positions": 311, "resid_pdrop": 0.1,
        "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True,
        "summary_type": "cls_index", "summary_use_proj": True,
    } | keys  # fmt: skip


def openai_gpt(**keys):
    """GPT: norms after additions and none before the head; gelu, by which it means the approximation."""
    return {
        "afn": "gelu", "architectures": ["OpenAIGPTLMHeadModel"], "attn_pdrop": 0.1, "embd_pdrop": 0.1,
        "initializer_range": 0.02, "layer_norm_epsilon": 1e-5, "model_type": "openai-gpt", "n_ctx": 512,
        "n_positions": 311, "n_special": 0, "predict_special_tokens": True, "resid_pdrop": 0.1,
        "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True,
        "summary_type": "cls_index", "summary_use_proj": True,
        "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
    } | keys  # fmt: skip


# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("gpt2-hub", 1018, "plain names, as in openai-community/gpt2; f32 stores the causal masks as that does, "
         "f16 as bytes beside masked_bias as fine-tunes do, bf16 neither",
         gpt2(n_embd=24, n_head=4, n_layer=2, vocab_size=97), None, {"masks": True}),
    Case("gpt2-prefixed", 1019, "names under transformer., five heads of 12, n_inner 61, the keys that fine-tunes "
         "add",
         gpt2(n_embd=60, n_head=5, n_layer=2, vocab_size=103, n_inner=61, reorder_and_upcast_attn=False,
              scale_attn_by_inverse_layer_idx=False, scale_attn_weights=True, use_cache=True,
              transformers_version="4.27.4"),
         checkpoint={"prefix": "transformer."}),
    Case("gpt2-odd", 1020, "five heads of 7: odd width, odd head_dim; n_inner null",
         gpt2(n_embd=35, n_head=5, n_layer=2, vocab_size=101, n_inner=None, n_positions=521, n_ctx=521,
              tie_word_embeddings=True, transformers_version="5.23.0"), "dtype"),
    Case("gpt-neox-parallel", 1021, "Pythia: both norms of the layer's input, a quarter of 24 turns, untied; "
         "stores masks as booleans and rotary frequencies in half precision",
         gpt_neox(**sizes(72, 97, 2, 3, None, 101), max_position_embeddings=307), checkpoint={"masks": True},
         dtypes=("f16",)),
    Case("gpt-neox-sequential", 1022, "one sublayer after the other, half of 20 turns by another base, tied, "
         "gelu_new, no biases at attention; rope_parameters",
         gpt_neox_5(**sizes(60, 89, 3, 3, None, 97), attention_bias=False, hidden_act="gelu_new",
                    rope_parameters={"partial_rotary_factor": 0.5, "rope_theta": 25000.0, "rope_type": "default"},
                    tie_word_embeddings=True, use_parallel_residual=False), "dtype", dtypes=("bf16",)),
    Case("gpt-neox-long", 1023, "2,080 tokens; whole heads of 18 turn, gelu_fast, untied",
         gpt_neox(**sizes(54, 61, 2, 3, None, 103), hidden_act="gelu_fast", rotary_pct=1.0,
                  max_position_embeddings=4096),
         dtypes=("f32",), sequence_length=LONG, rows=long_rows()),
    Case("gptj-partial", 3103, "neighbours turn together in 8 of a head's 15 elements; attention and MLP side by side under "
         "one norm, a head with a bias",
         gptj(n_embd=60, n_head=4, n_layer=2, vocab_size=101, rotary_dim=8), dtypes=("f16",)),
    Case("codegen-quarters", 3120, "queries, values and keys of each quarter of four heads in one tensor; neighbours turn "
         "together in 6 of a head's 13 elements",
         codegen(n_embd=52, n_head=4, n_layer=2, vocab_size=101, rotary_dim=6), dtypes=("f16",)),
    Case("codegen-pairs", 3121, "two heads of 6 in each quarter, of which all turn; an MLP of 61, tied, which leaves the head "
         "its bias",
         codegen(n_embd=48, n_head=8, n_layer=2, n_inner=61, vocab_size=103, rotary_dim=6, tie_word_embeddings=True),
         dtypes=("bf16",)),
    Case("gpt-neox-japanese", 3122, "no biases but that of the last of three attentions; an MLP three times as wide as the "
         "model, tied without a word",
         gpt_neox_japanese(hidden_size=48, num_hidden_layers=3, num_attention_heads=4, vocab_size=101,
                           intermediate_multiple_size=3), dtypes=("bf16",)),
    Case("gpt-neox-japanese-partial", 3123, "8 of a head's 18 elements turn, relu; untied; rope_parameters, linear scaling by "
         "2.5",
         {key: value for key, value in gpt_neox_japanese(
             hidden_size=54, num_hidden_layers=2, num_attention_heads=3, vocab_size=103, hidden_act="relu",
             rope_parameters={"factor": 2.5, "partial_rotary_factor": 0.45, "rope_theta": 25000.0, "rope_type": "linear"},
             tie_word_embeddings=False).items() if key not in ("rotary_emb_base", "rotary_pct")},
         "dtype", dtypes=("f32",)),
    Case("ctrl-tied", 3108, "sines before cosines, embeddings times sqrt(n_embd), a head with a bias, tied without a word",
         ctrl(n_embd=60, dff=67, n_layer=2, n_head=3, vocab_size=103), dtypes=("bf16",)),
    Case("openai-gpt", 3109, "norms after additions, none before the head; fused and transposed matrices, tied without a "
         "word",
         openai_gpt(n_embd=60, n_layer=2, n_head=3, vocab_size=103), None, dtypes=("f32",)),
    Case("gpt-bigcode-mqa", 2062, "one key/value head for five of 12, whose rows follow all queries; gelu, keys of "
         "kernels that are gone; names under transformer.",
         gpt_bigcode(n_embd=60, n_head=5, n_layer=2, n_inner=122, vocab_size=103),
         checkpoint={"prefix": "transformer."}, dtypes=("bf16",)),
    Case("gpt-bigcode-mha", 2043, "each of four heads has keys of its own, beside its queries; scores that are not "
         "scaled, heads of 7, gelu_pytorch_tanh",
         gpt_bigcode_5(activation_function="gelu_pytorch_tanh", multi_query=False, n_embd=28, n_head=4, n_layer=2,
                       n_inner=None, vocab_size=101, scale_attn_weights=False), "dtype",
         {"prefix": "transformer."}, dtypes=("f32",)),
    Case("gpt-neo-window-17", 2051, "a window of 17 in every other of four layers, scores that are not scaled, no "
         "biases at q, k, v; four heads of 7; names under transformer.",
         gpt_neo(hidden_size=28, num_heads=4, num_layers=4, vocab_size=101, window_size=17,
                 attention_types=[[["global", "local"], 2]], attention_layers=["global", "local"] * 2,
                 max_position_embeddings=512),
         None, {"prefix": "transformer."}, dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
    Case("gpt-neo-long", 2052, "2,080 tokens, a window of 1,000 in the second of three layers; intermediate_size 61, "
         "gelu, three heads of 10",
         gpt_neo(hidden_size=30, num_heads=3, num_layers=3, vocab_size=97, window_size=1000,
                 activation_function="gelu", attention_types=[[["global", "local"], 1], [["global"], 1]],
                 attention_layers=["global", "local", "global"], intermediate_size=61,
                 max_position_embeddings=2100),
         checkpoint={"prefix": "transformer."}, dtypes=("f16",), sequence_length=LONG, rows=long_rows(1000)),
]  # fmt: skip
