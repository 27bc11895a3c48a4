"""Models that answer to a source: T5 and BART, and their kin, and T5Gemma."""

from case import Case


def t5(**keys):
    """As the hub's files have it: the first of T5, whose head is scaled."""
    return {
        "architectures": ["T5ForConditionalGeneration"], "decoder_start_token_id": 0, "dropout_rate": 0.1,
        "eos_token_id": 1, "initializer_factor": 1.0, "is_encoder_decoder": True, "layer_norm_epsilon": 1e-6,
        "model_type": "t5", "n_positions": 512, "output_past": True, "pad_token_id": 0, "relative_attention_num_buckets": 32,
        "task_specific_params": {"summarization": {"early_stopping": True, "length_penalty": 2.0, "num_beams": 4}},
    } | keys  # fmt: skip


def flan_t5(**keys):
    """v1.1: gated, and a head of its own."""
    return t5(**{"d_model": 48, "dense_act_fn": "gelu_new", "feed_forward_proj": "gated-gelu", "is_gated_act": True,
                 "tie_word_embeddings": False, "relative_attention_max_distance": 128, "transformers_version": "4.23.1",
                 "use_cache": True} | keys)  # fmt: skip


def bart(**keys):
    """The keys of old files that say nothing are there too."""
    return {
        "_num_labels": 3, "activation_dropout": 0.0, "activation_function": "gelu", "add_bias_logits": False,
        "add_final_layer_norm": False, "architectures": ["BartForConditionalGeneration"], "attention_dropout": 0.0,
        "bos_token_id": 0, "classif_dropout": 0.0, "decoder_layerdrop": 0.0, "decoder_start_token_id": 2, "dropout": 0.1,
        "encoder_layerdrop": 0.0, "eos_token_id": 2, "forced_bos_token_id": 0, "forced_eos_token_id": 2,
        "gradient_checkpointing": False, "init_std": 0.02, "is_encoder_decoder": True, "max_position_embeddings": 320,
        "model_type": "bart", "normalize_before": False, "normalize_embedding": True, "num_beams": 4, "pad_token_id": 1,
        "prefix": " ", "scale_embedding": False, "transformers_version": "4.7.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def sizes(hidden, layers, widths, heads, vocab):
    """Of each the encoder's and the decoder's."""
    return {
        "d_model": hidden, "encoder_layers": layers[0], "decoder_layers": layers[1], "encoder_ffn_dim": widths[0],
        "decoder_ffn_dim": widths[1], "encoder_attention_heads": heads[0], "decoder_attention_heads": heads[1],
        "num_hidden_layers": layers[0], "vocab_size": vocab,
    }  # fmt: skip


def module(**keys):
    """One of T5Gemma's stacks, as version 4.53 saves it; a key of old spelling that is None it does not say."""
    given = {
        "attention_bias": False, "attention_dropout": 0.0, "attn_logit_softcapping": 50.0, "bos_token_id": 2,
        "dropout_rate": 0.0, "eos_token_id": 1, "final_logit_softcapping": 30.0, "hidden_activation": "gelu_pytorch_tanh",
        "initializer_range": 0.02, "is_decoder": False, "max_position_embeddings": 8192, "model_type": "t5_gemma_module",
        "pad_token_id": 0, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
        "sliding_window": 4096, "torch_dtype": "float32", "use_cache": True,
    }  # fmt: skip
    given |= keys
    return {key: value for key, value in given.items() if value is not None or key not in ("rope_theta", "torch_dtype")}


def t5gemma(encoder, decoder, **keys):
    return {
        "architectures": ["T5GemmaForConditionalGeneration"], "classifier_dropout_rate": 0.0,
        "decoder": module(is_decoder=True, cross_attention_hidden_size=encoder["hidden_size"], **decoder),
        "dropout_rate": 0.0, "encoder": module(**encoder), "eos_token_id": [1, 7], "initializer_range": 0.02,
        "is_encoder_decoder": True, "model_type": "t5gemma", "pad_token_id": 0, "transformers_version": "4.53.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def gemma_sizes(hidden, layers, inner, heads, kv_heads, head_dim, vocab):
    return {
        "hidden_size": hidden, "num_hidden_layers": layers, "intermediate_size": inner, "num_attention_heads": heads,
        "num_key_value_heads": kv_heads, "head_dim": head_dim, "vocab_size": vocab,
    }  # fmt: skip


CASES = [
    Case("t5", 5001, "an encoder and a decoder of other depths, buckets of distances that each stack shares, the head scaled",
         t5(d_model=48, d_kv=12, d_ff=61, num_layers=2, num_decoder_layers=3, num_heads=3, vocab_size=101), None,
         dtypes=("f32",)),
    Case("t5-heads", 5002, "heads wider than the model, few buckets that end early, another activation, an epsilon that shows",
         t5(d_model=36, d_kv=20, d_ff=59, num_layers=2, num_heads=3, vocab_size=97, relative_attention_num_buckets=10,
            relative_attention_max_distance=40, feed_forward_proj="silu", layer_norm_epsilon=1e-3), "torch_dtype",
         dtypes=("f16",)),
    Case("flan-t5", 5003, "gated layers, and a head of its own, which is not scaled",
         flan_t5(d_kv=16, d_ff=67, num_layers=2, num_decoder_layers=2, num_heads=2, vocab_size=101), "torch_dtype",
         checkpoint={"own_head": True}, dtypes=("bf16",)),
    Case("t5-saved-anew", 5004, "as transformers 5 saves it: tied, not scaled, gated relu",
         t5(d_model=48, d_kv=16, d_ff=61, dense_act_fn="relu", feed_forward_proj="gated-relu", is_gated_act=True,
            is_decoder=False, classifier_dropout=0.0, num_layers=2, num_decoder_layers=2, num_heads=2, vocab_size=97,
            relative_attention_max_distance=128, scale_decoder_outputs=False, tie_word_embeddings=True, use_cache=True,
            transformers_version="5.23.0"), "dtype", dtypes=("f32",)),
    Case("mt5", 5005, "never scaled, a head of its own that the file has",
         flan_t5(architectures=["MT5ForConditionalGeneration"], model_type="mt5", d_kv=12, d_ff=61, num_layers=2,
                 num_decoder_layers=2, num_heads=4, vocab_size=101, tokenizer_class="T5Tokenizer"), "torch_dtype",
         checkpoint={"own_head": True}, dtypes=("f16",)),
    Case("umt5", 5006, "biases of distances in each layer, and always a scaled head",
         flan_t5(architectures=["UMT5ForConditionalGeneration"], model_type="umt5", d_kv=16, d_ff=61, num_layers=2,
                 num_decoder_layers=3, num_heads=2, vocab_size=101, scalable_attention=True), "torch_dtype",
         checkpoint={"own_head": True}, dtypes=("f32",)),
    Case("bart", 5050, "learned positions from 2 on, norms after additions and of embeddings; a bias of logits",
         bart(**sizes(48, (3, 2), (61, 67), (3, 4), 101)), "torch_dtype", dtypes=("f32",)),
    Case("bart-scaled", 5012, "embeddings scaled, relu; untied, so that encoder, decoder and head have tables of their own",
         bart(**sizes(36, (2, 2), (59, 61), (2, 3), 97), scale_embedding=True, activation_function="relu",
              tie_word_embeddings=False), "torch_dtype", dtypes=("f16",)),
    Case("mbart", 5013, "norms before sub-blocks and behind the last layer, and of embeddings",
         bart(**sizes(48, (2, 2), (61, 67), (4, 2), 101), architectures=["MBartForConditionalGeneration"],
              model_type="mbart", scale_embedding=True, normalize_before=True, add_final_layer_norm=True,
              decoder_start_token_id=None), "torch_dtype", dtypes=("bf16",)),
    Case("pegasus", 5014, "a table of positions, which the file has in place of the sines and cosines that the class computes",
         bart(**sizes(48, (2, 2), (61, 67), (3, 3), 101), architectures=["PegasusForConditionalGeneration"],
              model_type="pegasus", activation_function="relu", scale_embedding=True, decoder_start_token_id=0,
              eos_token_id=1, pad_token_id=0, force_bos_token_to_be_generated=False, extra_pos_embeddings=1,
              static_position_embeddings=True, normalize_before=True), "torch_dtype", dtypes=("f32",)),
    Case("marian", 5063, "sines and cosines, of which the file has no table; norms after additions, swish",
         bart(**sizes(48, (3, 2), (67, 61), (4, 4), 101), architectures=["MarianMTModel"], model_type="marian",
              activation_function="swish", scale_embedding=True, decoder_start_token_id=100, pad_token_id=100,
              eos_token_id=0, bad_words_ids=[[100]], static_position_embeddings=True, decoder_vocab_size=101,
              share_encoder_decoder_embeddings=True), "torch_dtype",
         checkpoint={"without": ("embed_positions.weight",)}, dtypes=("f16",)),
    Case("blenderbot", 5016, "learned positions from 0 on, norms before sub-blocks, none of embeddings",
         bart(**sizes(48, (2, 4), (61, 67), (2, 3), 101), architectures=["BlenderbotForConditionalGeneration"],
              model_type="blenderbot", scale_embedding=True, bos_token_id=1, decoder_start_token_id=1, pad_token_id=0,
              do_blenderbot_90_layernorm=True, encoder_no_repeat_ngram_size=3, no_repeat_ngram_size=3,
              layernorm_variant="prelayernorm", normalize_before=True), "torch_dtype", dtypes=("f32",)),
    Case("t5gemma", 5021, "stacks of other widths, heads and windows, both sides of a token in the encoder; scores and logits capped",
         t5gemma(gemma_sizes(48, 3, 61, 4, 2, 12, 101) | {"sliding_window": 21, "query_pre_attn_scalar": 12,
                                                          "attn_logit_softcapping": 3.0},
                 gemma_sizes(36, 4, 67, 3, 1, 20, 101) | {"sliding_window": 17, "query_pre_attn_scalar": 20,
                                                          "attn_logit_softcapping": 2.0, "final_logit_softcapping": 4.0},
                 vocab_size=101), "torch_dtype", dtypes=("f32",)),
    Case("t5gemma-biases", 5026, "as transformers 5 saves it: untied, biases, one of the encoder's layers local, angles scaled, nothing capped",
         t5gemma(gemma_sizes(36, 3, 59, 2, 2, 18, 97) | {
                     "attention_bias": True, "query_pre_attn_scalar": 6, "attn_logit_softcapping": None, "hidden_activation": "silu",
                     "layer_types": ["full_attention", "sliding_attention", "full_attention"], "sliding_window": 9,
                     "rope_parameters": {"rope_type": "default", "rope_theta": 500.0}, "rope_theta": None, "torch_dtype": None,
                     "tie_word_embeddings": True},
                 gemma_sizes(36, 2, 61, 4, 2, 12, 97) | {
                     "attention_bias": True, "query_pre_attn_scalar": 5, "attn_logit_softcapping": None, "final_logit_softcapping": None,
                     "layer_types": ["sliding_attention", "full_attention"], "sliding_window": 33, "tie_word_embeddings": True,
                     "hidden_activation": "relu",
                     "rope_theta": None, "torch_dtype": None,
                     "rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 40.0}},
                 bos_token_id=2, vocab_size=97, tie_word_embeddings=False), "dtype", dtypes=("bf16",)),
]  # fmt: skip
