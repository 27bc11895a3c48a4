"""Encoders, and decoders that come from them."""

from case import LONG, ROWS, TEXTS, Case, long_rows


def bert(**keys):
    """BERT and what has its layers; keys of the pooler and of dropout are those of old files."""
    return {
        "architectures": ["BertModel"], "attention_probs_dropout_prob": 0.1, "gradient_checkpointing": False,
        "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "initializer_range": 0.02, "layer_norm_eps": 1e-12,
        "max_position_embeddings": 311, "model_type": "bert", "pad_token_id": 0, "position_embedding_type": "absolute",
        "transformers_version": "4.8.2", "type_vocab_size": 2, "use_cache": True,
    } | keys  # fmt: skip


def roberta(**keys):
    return bert(**{"architectures": ["RobertaModel"], "bos_token_id": 0, "eos_token_id": 2, "layer_norm_eps": 1e-5,
                   "max_position_embeddings": 316, "model_type": "roberta", "pad_token_id": 1, "type_vocab_size": 1} | keys)  # fmt: skip


def distilbert(**keys):
    """Names of its own for what BERT has; no types of tokens."""
    return {
        "activation": "gelu", "architectures": ["DistilBertModel"], "attention_dropout": 0.1, "dropout": 0.1,
        "initializer_range": 0.02, "max_position_embeddings": 311, "model_type": "distilbert", "pad_token_id": 0,
        "qa_dropout": 0.1, "seq_classif_dropout": 0.2, "sinusoidal_pos_embds": False, "tie_weights_": True,
        "transformers_version": "4.8.2",
    } | keys  # fmt: skip


def electra(**keys):
    return bert(**{"architectures": ["ElectraModel"], "model_type": "electra", "summary_activation": "gelu",
                   "summary_last_dropout": 0.1, "summary_type": "first", "summary_use_proj": True} | keys)  # fmt: skip


def albert(**keys):
    """One group of layers, which run again and again."""
    return {
        "architectures": ["AlbertModel"], "attention_probs_dropout_prob": 0, "bos_token_id": 2,
        "classifier_dropout_prob": 0.1, "down_scale_factor": 1, "eos_token_id": 3, "gap_size": 0,
        "hidden_act": "gelu_new", "hidden_dropout_prob": 0, "initializer_range": 0.02, "inner_group_num": 1,
        "layer_norm_eps": 1e-12, "max_position_embeddings": 311, "model_type": "albert", "net_structure_type": 0,
        "num_hidden_groups": 1, "num_memory_blocks": 0, "pad_token_id": 0, "type_vocab_size": 2,
    } | keys  # fmt: skip


def mpnet(**keys):
    """Positions from 2 on, and 32 buckets of distances for all layers."""
    return {
        "architectures": ["MPNetModel"], "attention_probs_dropout_prob": 0.1, "bos_token_id": 0, "eos_token_id": 2,
        "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "initializer_range": 0.02, "layer_norm_eps": 1e-12,
        "max_position_embeddings": 316, "model_type": "mpnet", "pad_token_id": 1,
        "relative_attention_num_buckets": 32, "transformers_version": "4.8.2",
    } | keys  # fmt: skip


def nomic_bert(**keys):
    return {
        "architectures": ["NomicBertModel"], "attention_probs_dropout_prob": 0.0, "bos_token_id": None,
        "classifier_dropout": None, "eos_token_id": None, "hidden_act": "silu", "hidden_dropout_prob": 0.0,
        "initializer_range": 0.02, "layer_norm_eps": 1e-12, "max_position_embeddings": 2048,
        "model_type": "nomic_bert", "pad_token_id": 0, "type_vocab_size": 2, "transformers_version": "5.23.0",
        "rope_parameters": {"rope_theta": 1000.0, "rope_type": "default"},
    } | keys  # fmt: skip


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


def modernbert(**keys):
    """An encoder with windows on both sides."""
    decoder = modernbert_decoder(**{"architectures": ["ModernBertModel"], "model_type": "modernbert"} | keys)
    return {key: value for key, value in decoder.items() if key not in ("causal_mask", "is_causal", "use_cache")}


# Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it).
CASES = [
    Case("bert", 4001, "an encoder: types of tokens, norms after additions, the mean of a text's tokens, normalised, as "
         "sentence-transformers' files say",
         bert(hidden_size=60, intermediate_size=67, num_hidden_layers=2, num_attention_heads=3, vocab_size=101),
         dtypes=("f32",), calls=TEXTS, pooling=("mean", True)),
    Case("bert-cls", 4002, "the first token's hidden states as they are; an epsilon that shows, three types, heads of 12, relu",
         bert(hidden_size=48, intermediate_size=61, num_hidden_layers=2, num_attention_heads=4, vocab_size=103,
              layer_norm_eps=1e-3, hidden_act="relu", type_vocab_size=3), "dtype", dtypes=("f16",), calls=TEXTS,
         pooling=("cls", False)),
    Case("roberta", 4003, "positions from the padding token's id on, of one type; no files of sentence-transformers: the mean",
         roberta(hidden_size=60, intermediate_size=67, num_hidden_layers=2, num_attention_heads=5, vocab_size=101),
         dtypes=("bf16",), calls=TEXTS),
    Case("xlm-roberta", 4024, "padding by id 5; the last token's hidden states, normalised",
         roberta(architectures=["XLMRobertaModel"], model_type="xlm-roberta", pad_token_id=5, hidden_size=36,
                 intermediate_size=59, num_hidden_layers=2, num_attention_heads=3, vocab_size=97, hidden_act="gelu_new"),
         "dtype", dtypes=("f16",), calls=TEXTS, pooling=("last", True)),
    Case("camembert", 4015, "the same under CamemBERT's name",
         roberta(architectures=["CamembertModel"], model_type="camembert", hidden_size=48, intermediate_size=61,
                 num_hidden_layers=2, num_attention_heads=4, vocab_size=101), "dtype", dtypes=("f32",), calls=TEXTS,
         pooling=("cls", True)),
    Case("bert-classifier", 4051, "three labels of a text behind a dense layer and tanh",
         bert(architectures=["BertForSequenceClassification"], hidden_size=48, intermediate_size=61, num_hidden_layers=2,
              num_attention_heads=4, vocab_size=101, id2label={"0": "no", "1": "yes", "2": "perhaps"},
              label2id={"no": 0, "yes": 1, "perhaps": 2}), "dtype", dtypes=("f32",), calls=TEXTS),
    Case("roberta-classifier", 4052, "two labels, as no key says otherwise",
         roberta(architectures=["RobertaForSequenceClassification"], hidden_size=48, intermediate_size=61,
                 num_hidden_layers=2, num_attention_heads=4, vocab_size=97), dtypes=("f16",), calls=TEXTS),
    Case("xlm-roberta-classifier", 4053, "one label, which ranks texts",
         roberta(architectures=["XLMRobertaForSequenceClassification"], model_type="xlm-roberta", hidden_size=48,
                 intermediate_size=61, num_hidden_layers=2, num_attention_heads=3, vocab_size=97,
                 id2label={"0": "LABEL_0"}, label2id={"LABEL_0": 0}), "dtype", dtypes=("f32",), calls=TEXTS),
    Case("camembert-classifier", 4064, "the same under CamemBERT's name, of two labels",
         roberta(architectures=["CamembertForSequenceClassification"], model_type="camembert", hidden_size=36,
                 intermediate_size=59, num_hidden_layers=2, num_attention_heads=2, vocab_size=97), "dtype",
         dtypes=("bf16",), calls=TEXTS),
    Case("bert-masked", 4065, "what stands at each place of a text: a dense layer, an activation and a norm before the head, "
         "which is tied and has a bias",
         bert(architectures=["BertForMaskedLM"], hidden_size=48, intermediate_size=61, num_hidden_layers=2,
              num_attention_heads=4, vocab_size=101), dtypes=("f32",), calls=TEXTS),
    Case("roberta-masked", 4056, "the same under RoBERTa's names; of its activation no key tells",
         roberta(architectures=["RobertaForMaskedLM"], hidden_size=48, intermediate_size=61, num_hidden_layers=2,
                 num_attention_heads=3, vocab_size=97, hidden_act="relu"), "dtype", dtypes=("f16",), calls=TEXTS),
    Case("xlm-roberta-masked", 4077, "the same of XLM-R",
         roberta(architectures=["XLMRobertaForMaskedLM"], model_type="xlm-roberta", hidden_size=48, intermediate_size=59,
                 num_hidden_layers=2, num_attention_heads=4, vocab_size=97), dtypes=("bf16",), calls=TEXTS),
    Case("camembert-masked", 4058, "the same of CamemBERT, padding by id 3",
         roberta(architectures=["CamembertForMaskedLM"], model_type="camembert", pad_token_id=3, hidden_size=36,
                 intermediate_size=59, num_hidden_layers=2, num_attention_heads=4, vocab_size=97), "dtype",
         dtypes=("f32",), calls=TEXTS),
    Case("distilbert", 4031, "BERT's layers under other names, no types of tokens; the mean, normalised",
         distilbert(dim=60, hidden_dim=67, n_layers=2, n_heads=3, vocab_size=101), dtypes=("f16",), calls=TEXTS,
         pooling=("mean", True)),
    Case("distilbert-sinusoidal", 4032, "a table of positions that began as sines and cosines, which no longer shows; heads "
         "of 12, relu; the first token's hidden states",
         distilbert(dim=48, hidden_dim=61, n_layers=3, n_heads=4, vocab_size=103, activation="relu",
                    sinusoidal_pos_embds=True), "dtype", dtypes=("f32",), calls=TEXTS, pooling=("cls", False)),
    Case("electra", 4033, "embeddings of 29, positions, types and their norm too, which a matrix with a bias makes as wide as "
         "the layers",
         electra(embedding_size=29, hidden_size=60, intermediate_size=67, num_hidden_layers=2, num_attention_heads=3,
                 vocab_size=101), dtypes=("f32",), calls=TEXTS, pooling=("mean", True)),
    Case("electra-whole", 4034, "embeddings as wide as the layers, and no matrix; one type, relu; the first token's hidden "
         "states, normalised",
         electra(embedding_size=48, hidden_size=48, intermediate_size=61, num_hidden_layers=2, num_attention_heads=4,
                 vocab_size=103, hidden_act="relu", type_vocab_size=1), "dtype", dtypes=("bf16",), calls=TEXTS,
         pooling=("cls", True)),
    Case("albert", 4035, "one layer that runs three times, embeddings of 23; the mean",
         albert(embedding_size=23, hidden_size=60, intermediate_size=67, num_hidden_layers=3, num_attention_heads=5,
                vocab_size=101), dtypes=("f32",), calls=TEXTS),
    Case("albert-inner", 4036, "two layers that run twice, one after the other; a matrix between embeddings and layers of one "
         "width, heads of 12, gelu; the last token's hidden states",
         albert(embedding_size=48, hidden_size=48, intermediate_size=61, num_hidden_layers=2, num_attention_heads=4,
                inner_group_num=2, vocab_size=103, hidden_act="gelu", layer_norm_eps=1e-3), "dtype", dtypes=("f16",),
         calls=TEXTS, pooling=("last", False)),
    Case("mpnet", 4037, "positions from 2 on, and a bias of each bucket of distances that all layers share; the mean, "
         "normalised",
         mpnet(hidden_size=60, intermediate_size=67, num_hidden_layers=2, num_attention_heads=3, vocab_size=101),
         dtypes=("f32",), calls=TEXTS, pooling=("mean", True)),
    Case("mpnet-relu", 4038, "an epsilon that shows, heads of 12, relu; the first token's hidden states",
         mpnet(hidden_size=48, intermediate_size=61, num_hidden_layers=3, num_attention_heads=4, vocab_size=103,
               layer_norm_eps=1e-3, hidden_act="relu"), "dtype", dtypes=("bf16",), calls=TEXTS, pooling=("cls", False)),
    Case("modernbert-window-16", 4039, "the first of four layers without a norm and without a window, two with 16 keys on "
         "both sides; q, k and v in one tensor, a norm of every token at the end; the mean, normalised",
         modernbert(hidden_size=48, intermediate_size=61, num_hidden_layers=4, num_attention_heads=4, vocab_size=101,
                    local_attention=33, local_rope_theta=10000.0), dtypes=("f32",), calls=TEXTS, pooling=("mean", True)),
    Case("modernbert-types", 4040, "a window of 9 keys on both sides in the first of three layers and in the last, as layer_types "
         "says; biases everywhere; rope_parameters; the first token's hidden states",
         {key: value for key, value in modernbert(
             hidden_size=36, intermediate_size=59, num_hidden_layers=3, num_attention_heads=2, vocab_size=97,
             local_attention=19, layer_types=["sliding_attention", "full_attention", "sliding_attention"],
             norm_bias=True, attention_bias=True, mlp_bias=True, hidden_activation="gelu_new",
             rope_parameters={"full_attention": {"rope_theta": 40000.0, "rope_type": "default"},
                              "sliding_attention": {"rope_theta": 500.0, "rope_type": "default"}}).items()
          if key not in ("global_rope_theta", "local_rope_theta", "global_attn_every_n_layers")}, "dtype",
         dtypes=("f16",), calls=TEXTS, pooling=("cls", False)),
    Case("modernbert-classifier", 4071, "one label, which ranks texts, behind the mean of all tokens, a dense layer, an "
         "activation and a norm; no bias but the label's",
         modernbert(architectures=["ModernBertForSequenceClassification"], hidden_size=48, intermediate_size=61,
                    num_hidden_layers=3, num_attention_heads=3, vocab_size=101, local_attention=33,
                    local_rope_theta=10000.0, classifier_pooling="mean", id2label={"0": "LABEL_0"},
                    label2id={"LABEL_0": 0}), dtypes=("f32",), calls=TEXTS),
    Case("modernbert-classifier-cls", 4072, "three labels behind the first token's hidden states; biases of the dense layer "
         "and of norms, relu",
         modernbert(architectures=["ModernBertForSequenceClassification"], hidden_size=36, intermediate_size=59,
                    num_hidden_layers=4, num_attention_heads=2, vocab_size=97, local_attention=20,
                    local_rope_theta=10000.0, norm_bias=True, classifier_bias=True, classifier_activation="relu",
                    classifier_pooling="cls", id2label={"0": "no", "1": "yes", "2": "perhaps"},
                    label2id={"no": 0, "yes": 1, "perhaps": 2}), "dtype", dtypes=("f16",), calls=TEXTS),
    Case("nomic-bert", 4041, "types of tokens, rotated heads and a gated MLP under BERT's norms, no biases but theirs; the "
         "published names; the mean",
         nomic_bert(hidden_size=60, intermediate_size=67, num_hidden_layers=2, num_attention_heads=3, vocab_size=101),
         "dtype", dtypes=("f32",), calls=TEXTS, pooling=("mean", False)),
    Case("nomic-bert-heads", 4042, "heads of 18 beside a width of 48, three types, gelu, an epsilon that shows, another base; "
         "the first token's hidden states, normalised",
         nomic_bert(hidden_size=48, intermediate_size=61, num_hidden_layers=3, num_attention_heads=4, head_dim=18,
                    vocab_size=103, type_vocab_size=3, hidden_act="gelu", layer_norm_eps=1e-3,
                    rope_parameters={"rope_theta": 700.0, "rope_type": "default"}), "dtype", dtypes=("bf16",),
         calls=TEXTS, pooling=("cls", True)),
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
