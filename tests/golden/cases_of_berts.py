"""Decoders that come from encoders."""

from case import LONG, ROWS, Case, long_rows


def bert_generation(**keys):
    """BERT for generation: norms after additions and none before the head, of which a bias is a tensor of its own."""
    return {
        "architectures": ["BertGenerationDecoder"], "attention_probs_dropout_prob": 0.1, "bos_token_id": 2,
        "eos_token_id": 1, "gradient_checkpointing": False, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
        "initializer_range": 0.02, "is_decoder": True, "layer_norm_eps": 1e-12, "max_position_embeddings": 311,
        "model_type": "bert-generation", "pad_token_id": 0,
    } | keys  # fmt: skip


def modernbert_decoder(**keys):
    """Ettin's decoders: a first layer without a norm, windows of half of local_attention, a dense matrix before the head."""
    return {
        "architectures": ["ModernBertDecoderForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 95, "causal_mask": True, "classifier_activation": "gelu", "classifier_bias": False,
        "classifier_dropout": 0.0, "classifier_pooling": "mean", "cls_token_id": 95, "decoder_bias": True,
        "deterministic_flash_attn": False, "embedding_dropout": 0.0, "eos_token_id": 96,
        "global_attn_every_n_layers": 3, "global_rope_theta": 160000.0, "gradient_checkpointing": False,
        "hidden_activation": "gelu", "initializer_cutoff_factor": 2.0, "initializer_range": 0.02, "is_causal": True,
        "layer_norm_eps": 1e-5, "local_attention": 128, "local_rope_theta": 160000.0, "max_position_embeddings": 7999,
        "mlp_bias": False, "mlp_dropout": 0.0, "model_type": "modernbert-decoder", "norm_bias": False, "norm_eps": 1e-5,
        "pad_token_id": 94, "position_embedding_type": "sans_pos", "repad_logits_with_grad": False, "sep_token_id": 96,
        "sparse_pred_ignore_index": -100, "sparse_prediction": False, "transformers_version": "4.48.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("bert-generation", 3124, "norms after additions, none before the head, biases everywhere, learned positions under "
         "the embedding's norm; tied without a word",
         bert_generation(hidden_size=60, intermediate_size=67, num_hidden_layers=2, num_attention_heads=3, vocab_size=101),
         dtypes=("f32",)),
    Case("bert-generation-relu", 3125, "an epsilon that shows, heads of 12, relu",
         bert_generation(hidden_size=48, intermediate_size=61, num_hidden_layers=3, num_attention_heads=4, vocab_size=103,
                         layer_norm_eps=1e-3, hidden_act="relu"), "dtype", dtypes=("f16",)),
    Case("modernbert-decoder-window-16", 3126, "the first of four layers without a norm and without a window, two with one "
         "of 16; a dense matrix, an activation and a norm before the head, which is tied and has a bias",
         modernbert_decoder(hidden_size=48, intermediate_size=61, num_hidden_layers=4, num_attention_heads=4,
                            vocab_size=101, local_attention=33, local_rope_theta=10000.0), dtypes=("bf16",),
         rows=tuple(sorted({*ROWS, 15, 16, 17, 18}))),
    Case("modernbert-decoder-long", 3127, "2,080 tokens; the first of two layers has a window of 1,000, as layer_types and "
         "sliding_window say, before which local_attention counts for nothing; biases everywhere but at the head's matrix, "
         "untied; rope_parameters",
         {key: value for key, value in modernbert_decoder(
             hidden_size=36, intermediate_size=59, num_hidden_layers=2, num_attention_heads=2, vocab_size=97,
             local_attention=128, sliding_window=1000, layer_types=["sliding_attention", "full_attention"], norm_bias=True, attention_bias=True,
             mlp_bias=True, classifier_bias=True, decoder_bias=False, classifier_activation="silu",
             hidden_activation="gelu_new", tie_word_embeddings=False,
             rope_parameters={"full_attention": {"rope_theta": 40000.0, "rope_type": "default"},
                              "sliding_attention": {"rope_theta": 500.0, "rope_type": "default"}}).items()
          if key not in ("global_rope_theta", "local_rope_theta", "global_attn_every_n_layers")}, "dtype",
         dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
]  # fmt: skip
