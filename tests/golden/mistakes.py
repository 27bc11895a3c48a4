"""The mistakes to try on a configuration: for each key of each family, values that must move the logits, that the
library must refuse, or that must change nothing.
"""

from dataclasses import dataclass

import library_models

# What to expect of a change.
MOVED, NEARLY, REFUSED, INERT, MOVED_OR_REFUSED = "moved", "moved, near", "refused", "inert", "moved or refused"
MEASURED = "whatever it does, but to move a little"

ABSENT = "(absent)"


@dataclass
class Change:
    keys: dict  # path: new value; "rope_parameters.rope_theta" names a key of a table
    expect: str
    drop: str | None = None  # a tensor to leave out of the file as well


# Keys that inference does not read (dropout is for training; the rest describes the file or other heads).
INERT_VALUES = {
    "_sliding_window_pattern": 2, "add_classification_head": True, "architectures": ["Other"], "attention_dropout": 0.5,
    "attention_softmax_in_fp32": False, "attn_pdrop": 0.9, "bias_dropout_fusion": False, "bos_token_id": 5,
    "cache_implementation": "static", "cla_share_factor": 3, "class_num": 4, "classifier_dropout": 0.9,
    "dtype": "float64", "embd_pdrop": 0.9, "eod_token_id": 8, "eos_token_id": 6, "hidden_dropout": 0.9,
    "initializer_range": 0.7, "is_decoder": True, "layer_switch": 2, "masked_softmax_fusion": False,
    "model_max_length": 16, "n_ctx": 16, "norm_type": "layer", "offset_alibi": 7,
    "order_of_interleaved_layers": "global_attn_first", "org_vocab_size": 16, "original_max_position_embeddings": 64,
    "pad_id": 9, "pad_token_id": 7, "pool_type": "first", "position_embedding_type": "alibi",
    "position_embedding_xdrope": True, "pretraining_tp": 2, "reorder_and_upcast_attn": True, "resid_pdrop": 0.9,
    "residual_dropout": 0.9, "rotary_pct": 0.5, "seq_length": 16, "skip_bias_add": False, "skip_bias_add_qkv": True,
    "sliding_window_size": 5, "summary_activation": "tanh", "summary_first_dropout": 0.9,
    "summary_proj_to_labels": False, "summary_type": "mean", "summary_use_proj": False, "task_specific_params": None,
    "torch_dtype": "float64", "transformers_version": "4.0.0", "unk_token_id": 4, "use_cache": False, "use_cla": True,
    "use_embedding_sharing": False, "use_gated_activation": False, "use_mrope": True, "use_parallel_block": False,
    "use_parallel_embedding": True, "use_rotary_pos_emb": False, "num_heads": 5, "rope_pct": 0.5,
    "rotary_scaling_factor": 2.0,
    "apply_residual_connection_post_layernorm": True,
    "embed_dropout": 0.9, "embedding_dropout": 0.9, "gradient_checkpointing": True, "inference_runner": 1,
    "max_batch_size": 3, "max_sequence_length": 16, "mlp_type": "gated",
    "pad_key_length": False, "pre_allocate_kv_cache": True, "resid_dropout": 0.9,
    "scale_attention_softmax_in_fp32": False, "validate_runner_input": False,
}  # fmt: skip
# What these families read of them.
READ_HERE = {"bloom": ("apply_residual_connection_post_layernorm",), "gpt_neox": ("rotary_pct",), "xglm": ("pad_token_id",)}
LINEAR_ROPE = {"type": "linear", "factor": 2.0}


def changes(config: dict, *, tied_copy: bool) -> list[Change]:
    """tied_copy: the file holds lm_head.weight though it is tied."""
    families = {"gpt2": gpt2_changes, "gpt_bigcode": gpt_bigcode_changes, "gpt_neo": gpt_neo_changes,
                "gemma": gemma1_changes, "starcoder2": plain_mlp_changes, "nemotron": plain_mlp_changes,
                "arcee": plain_mlp_changes, "smollm3": smollm3_changes, "falcon": falcon_changes,
                "gpt_neox": gpt_neox_changes, "gemma2": gemma2_changes,
                "gemma3_text": gemma3_changes, "bloom": bloom_changes, "cohere": cohere_changes, "cohere2": cohere2_changes,
                "nanochat": nanochat_changes,
                "persimmon": persimmon_changes, "stablelm": stablelm_changes,
                "apertus": apertus_changes, "vaultgemma": gemma2_changes}  # fmt: skip
    changes_of = measured_changes if config["model_type"] in library_models.FAMILIES else llama_like_changes
    listed = families.get(config["model_type"], changes_of)(config, tied_copy)
    inert = {key: value for key, value in INERT_VALUES.items() if key in config}
    for key in READ_HERE.get(config["model_type"], ()):
        inert.pop(key, None)
    if scaling_of(config) == "longrope":
        inert.pop("original_max_position_embeddings", None)
    if config["model_type"] == "starcoder2":  # keys of GPTBigCode
        bigcode = {"activation_function": "relu", "layer_norm_epsilon": 0.1, "scale_attn_weights": False}
        inert |= {key: value for key, value in bigcode.items() if key in config}
    return listed + [Change({key: value}, INERT) for key, value in inert.items()]


def measured_changes(config, tied_copy) -> list[Change]:
    """Other values of every key that may be read."""
    return [
        Change({path: value}, MEASURED)
        for path, old in every_key(config)
        if path != "model_type" and (path not in INERT_VALUES or path in READ_HERE.get(config["model_type"], ()))
        for value in library_models.other_values(path.split(".")[-1], old)
    ] + [Change({path: ABSENT}, MEASURED) for path, old in every_key(config) if old is None]


def every_key(config):
    """(path, value) of each, those of a table in place of the table's."""
    for key, value in config.items():
        if isinstance(value, dict) and value and key != "task_specific_params":
            yield from ((f"{key}.{inner}", of) for inner, of in every_key(value))
        else:
            yield key, value


def scaling_of(config) -> str:
    """The type of rotary scaling."""
    scaling = config.get("rope_parameters") or config.get("rope_scaling") or {}
    return scaling.get("rope_type", scaling.get("type", "default"))


# ---------------------------------------------------------------------------------------------------- families


def llama_like_changes(config, tied_copy):
    """Llama, CWM, ERNIE 4.5, EXAONE 4, GLM, Granite, Helium, Hunyuan, HyperCLOVA X, Jais 2, Mistral, Ministral, OLMo, Phi-3, Qwen2, Qwen3, Seed-OSS."""
    heads = config["num_attention_heads"]
    kv_heads = config.get("num_key_value_heads", heads)
    listed = [
        *other_sizes(config),
        Change({"num_attention_heads": 2 * heads}, MOVED_OR_REFUSED),
        Change({"num_key_value_heads": kv_heads + 1}, REFUSED),
        Change({"hidden_act": "gelu"}, MOVED),
        Change({"hidden_act": "relu"}, MOVED),
        Change({"max_position_embeddings": 2 * config["max_position_embeddings"]}, lengthened(config)),
    ]
    if config["model_type"] == "olmo":  # whose epsilon no key says
        listed.append(Change({"clip_qkv": 0.5}, MOVED))
    else:
        epsilon = "layer_norm_eps" if config["model_type"] == "jais2" else "rms_norm_eps"
        listed.append(Change({epsilon: 1e-6 if config[epsilon] == 1e-5 else 1e-5}, MOVED))
        listed.append(Change({epsilon: 0.0}, MOVED))
    listed += tying(config, "lm_head.weight", tied_copy=tied_copy)
    listed += same_shapes(config)
    if scaling_of(config) == "longrope" and "original_max_position_embeddings" in config:
        listed.append(Change({"original_max_position_embeddings": 40}, MOVED))
    # A token that sees itself alone has one weight to give, whatever its angle.
    angles = {"olmo3": olmo3_rotary_changes, "hunyuan_v1_dense": hunyuan_rotary_changes}.get(
        config["model_type"], rotary_changes
    )
    listed += angles(config, INERT if config.get("sliding_window") == 1 else MOVED)
    listed += layers_with_windows(config)
    is_phi3 = config["model_type"] == "phi3"  # which never had biases
    if config["model_type"] in ("mistral", "phi3"):
        listed += window_changes(config) if config.get("sliding_window") else [Change({"sliding_window": 32}, MOVED)]
    if config["model_type"] in ("qwen2", "qwen3"):
        window = config["sliding_window"] or 32
        listed.append(Change({"sliding_window": window + 1}, INERT))
        listed.append(Change({"max_window_layers": 0}, INERT))
        switched_on = {"use_sliding_window": True, "sliding_window": window, "max_window_layers": 1}
        if "layer_types" in config:  # which then decides, over max_window_layers
            switched_on["layer_types"] = ["full_attention", "sliding_attention"]
        listed.append(Change({key: v for key, v in switched_on.items() if config[key] != v}, MOVED))
    for key in ("attention_bias", "attention_out_bias", "mlp_bias", "use_bias"):
        if key in config:
            unread = is_phi3 or (config["model_type"], key) == ("hunyuan_v1_dense", "mlp_bias")
            listed.append(Change({key: not config[key]}, INERT if unread else MOVED_OR_REFUSED))
    if config["model_type"] == "llama" and "attention_bias" not in config:
        listed.append(Change({"attention_bias": True}, REFUSED))
    if "head_dim" in config:
        listed.append(Change({"head_dim": config["head_dim"] // 2}, REFUSED))
        listed.append(Change({"head_dim": ABSENT}, REFUSED))
    if is_phi3 and "partial_rotary_factor" in config:
        listed.append(Change({"partial_rotary_factor": 1.0}, REFUSED if scaling_of(config) == "longrope" else MOVED))
    if config["model_type"] in ("olmo", "olmo2", "olmo3"):  # none of whose keys it is, and yet read
        listed.append(Change({"head_dim": 2 * (config["hidden_size"] // heads)}, REFUSED))
    if "embedding_multiplier" in config:
        listed += scale_changes(config)
    if "use_qk_norm" in config:  # Hunyuan has norms whatever it says
        listed.append(Change({"use_qk_norm": False}, INERT))
    if config["model_type"] == "glm4" and "partial_rotary_factor" in config:  # half where no key says, all where null does
        listed += [Change({"partial_rotary_factor": share}, MOVED) for share in (0.75, 1.0, None)]
        listed.append(Change({"partial_rotary_factor": ABSENT}, INERT))
    if config["model_type"] == "glm":  # of which half turns where no key says, and all where null does
        listed += [Change({"partial_rotary_factor": share}, MOVED) for share in (0.75, 1.0, None)]
        listed += [Change({"partial_rotary_factor": 0.5}, INERT), Change({"head_dim": None}, REFUSED)]
    return listed


def scale_changes(config):
    """Of what the embedding, scores, logits and outputs of sub-blocks are multiplied by, or logits divided by."""
    defaults = {"embedding_multiplier": 1.0, "logits_scaling": 1.0, "residual_multiplier": 1.0,
                "attention_multiplier": 1.0 if config["model_type"] == "granite" else None}  # fmt: skip
    listed = []
    for key, default in defaults.items():
        listed.append(Change({key: 1.5 * (config[key] or 1.0)}, MOVED))
        listed.append(Change({key: ABSENT}, INERT if config[key] == default else MOVED))
    if "use_post_norm" in config:
        listed.append(Change({"use_post_norm": not config["use_post_norm"]}, MOVED_OR_REFUSED))
    return listed


def layers_with_windows(config):
    """Of which layers have a window, where a family's keys say it one by one, and of the window."""
    layers, given, window = config["num_hidden_layers"], config.get("layer_types"), config.get("sliding_window")
    pattern = config.get("sliding_window_pattern", 4)
    defaults = {  # whether layer i has one, where no key says
        "cohere2": lambda i: (i + 1) % pattern != 0,
        "cwm": lambda i: i % 4 != 0,
        "ministral": lambda i: True,
        "olmo3": lambda i: (i + 1) % 4 != 0,
    }
    if config["model_type"] not in (*defaults, "exaone4"):
        return []
    kinds, listed = ("full_attention", "sliding_attention"), []
    if config["model_type"] == "exaone4":  # whose pattern may be letters, which the library does not read
        listed.append(Change({"layer_types": ABSENT}, REFUSED))
        listed.append(Change({"sliding_window_pattern": 3}, INERT))
        if window is None:  # positions of layers without a window are left out where others have one
            return [*listed, Change({"sliding_window": 32}, MOVED), Change({"layer_types": kinds[1:] * layers}, REFUSED)]
        in_force = given
    else:
        default = [kinds[defaults[config["model_type"]](i)] for i in range(layers)]
        in_force = given or default
        listed.append(Change({"layer_types": ABSENT if given else default}, INERT if in_force == default else MOVED))
    for others in ((kinds[0],), (kinds[1],), kinds):
        changed = list(others * layers)[:layers]
        listed += [Change({"layer_types": changed}, MOVED)] if changed != in_force else []
    return listed + window_changes(config, without=REFUSED)


def olmo3_rotary_changes(config, expect):
    """Layers with a window turn by angles of their own. Where one table says the settings it is of the others alone, as
    is a base beside it; and it names its scaling in one way."""
    if "rope_parameters" not in config:
        scaling = config["rope_scaling"]
        listed = [Change({"rope_theta": 2.5 * config["rope_theta"]}, expect)]
        for keys, found in scaling_changes(scaling, "rope_type", scaling["rope_type"]):
            by_type = keys.get("rope_type") == ABSENT
            listed.append(Change({f"rope_scaling.{key}": value for key, value in keys.items()},
                                 expect if by_type else found))  # fmt: skip
        return listed
    listed = []
    for kind, table in config["rope_parameters"].items():
        name = f"rope_parameters.{kind}.{{}}".format
        listed += [
            Change({name("rope_theta"): 2.5 * table["rope_theta"]}, expect),
            Change({name("rope_theta"): ABSENT}, expect),  # which means 500000
            Change({name("rope_type"): "linear", name("factor"): 2.0}, expect),
        ]
    return listed


def hunyuan_rotary_changes(config, expect):
    """A base that alpha stretches, which is called dynamic. The other settings are another's."""
    if "rope_parameters" in config:
        return rotary_changes(config, expect)
    table = "rope_scaling.{}".format
    return [
        Change({"rope_theta": 2.5 * config["rope_theta"]}, expect),
        Change({table("alpha"): 4 * config["rope_scaling"]["alpha"]}, expect),
        Change({table("alpha"): ABSENT}, expect),
        Change({table("alpha"): 1.0}, expect),
        Change({table("type"): "default"}, expect),
        Change({table("type"): ABSENT, table("rope_type"): "dynamic"}, INERT),
        *(Change({table(key): 2.5 * config["rope_scaling"][key]}, INERT)
          for key in ("beta_fast", "beta_slow", "factor", "mscale", "mscale_all_dim")),
    ]  # fmt: skip


def cohere2_changes(config, tied_copy):
    """Cohere's, without norms of queries and keys, and with windows."""
    listed = [change for change in cohere_changes(config, tied_copy) if "use_qk_norm" not in change.keys]
    if "sliding_window_pattern" in config:
        pattern = config["sliding_window_pattern"]
        listed.append(Change({"sliding_window_pattern": pattern + 1}, MOVED))
        listed.append(Change({"sliding_window_pattern": ABSENT}, INERT if pattern == 4 else MOVED))
    return listed + layers_with_windows(config)


def cohere_changes(config, tied_copy):
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    scale, biased, normed = config["logit_scale"], config["attention_bias"], config.get("use_qk_norm", False)
    return [
        *other_sizes(config),
        Change({"num_attention_heads": 2 * heads}, REFUSED),
        Change({"num_key_value_heads": kv_heads + 1}, REFUSED),
        Change({"num_key_value_heads": ABSENT}, REFUSED),  # which means num_attention_heads
        Change({"head_dim": 2 * (config["hidden_size"] // heads)}, REFUSED),  # no key of the class, and yet read
        Change({"layer_norm_eps": 1e-6}, MOVED),
        Change({"layer_norm_eps": 0.0}, MOVED),
        Change({"layer_norm_eps": None}, REFUSED),
        Change({"hidden_act": "gelu"}, MOVED),
        Change({"hidden_act": "relu"}, MOVED),
        Change({"max_position_embeddings": 2 * config["max_position_embeddings"]}, INERT),
        Change({"logit_scale": 1.25 * scale}, MOVED),
        Change({"logit_scale": ABSENT}, INERT if scale == 0.0625 else MOVED),
        Change({"logit_scale": None}, REFUSED),
        Change({"attention_bias": not biased}, MOVED if biased else REFUSED),
        Change({"use_qk_norm": not normed}, MOVED if normed else REFUSED),
        Change({"use_qk_norm": None}, MOVED if normed else INERT),
        *tying(config, "lm_head.weight", tied_copy=tied_copy),
        *same_shapes(config),
        *rotary_changes(config, MOVED),
    ]


def nanochat_changes(config, tied_copy):
    heads, biased = config["num_attention_heads"], config["attention_bias"]
    return [
        *other_sizes(config),
        Change({"num_attention_heads": 2 * heads}, REFUSED),
        Change({"num_key_value_heads": config["num_key_value_heads"] + 1}, REFUSED),
        Change({"rms_norm_eps": 1e-5 if config["rms_norm_eps"] == 1e-6 else 1e-6}, MOVED),
        Change({"rms_norm_eps": 0.0}, MOVED),
        Change({"hidden_act": "gelu"}, MOVED),
        Change({"hidden_act": "relu" if config["hidden_act"] != "relu" else "relu2"}, MOVED),
        Change({"max_position_embeddings": 2 * config["max_position_embeddings"]}, INERT),
        Change({"attention_bias": not biased}, MOVED if biased else REFUSED),
        *soft_cap_changes(config, "final_logit_softcapping", 15.0),
        *tying(config, "lm_head.weight", tied_copy=tied_copy),
        *same_shapes(config),
        *rotary_changes(config, MOVED),
        *([Change({"head_dim": ABSENT}, REFUSED)] if "head_dim" in config else []),
    ]


def apertus_changes(config, tied_copy):
    return [
        *other_sizes(config),
        Change({"num_attention_heads": 2 * config["num_attention_heads"]}, REFUSED),
        Change({"num_key_value_heads": config["num_key_value_heads"] + 1}, REFUSED),
        Change({"rms_norm_eps": 1e-6}, MOVED),
        Change({"rms_norm_eps": 0.0}, MOVED),
        Change({"hidden_act": "silu"}, MOVED),
        Change({"max_position_embeddings": 2 * config["max_position_embeddings"]}, INERT),
        Change({"attention_bias": not config["attention_bias"]}, MOVED_OR_REFUSED),
        *tying(config, "lm_head.weight", tied_copy=tied_copy),
        *rotary_changes(config, MOVED),
    ]


def persimmon_changes(config, tied_copy):
    normed = config["qk_layernorm"]
    return [
        *other_sizes(config),
        Change({"num_attention_heads": 2 * config["num_attention_heads"]}, REFUSED if normed else MOVED),
        Change({"layer_norm_eps": 1e-6}, MOVED),
        Change({"layer_norm_eps": 0.0}, MOVED),
        Change({"hidden_act": "relu" if config["hidden_act"] == "relu2" else "relu2"}, MOVED),
        Change({"hidden_act": "silu"}, MOVED),
        Change({"max_position_embeddings": 2 * config["max_position_embeddings"]}, INERT),
        Change({"qk_layernorm": not normed}, MOVED if normed else REFUSED),
        *tying(config, "lm_head.weight", tied_copy=tied_copy),
        *rotary_changes(config, MOVED),
        *rotary_share_changes(config, 0.5),
    ]


def stablelm_changes(config, tied_copy):
    biased, parallel = config["use_qkv_bias"], config.get("use_parallel_residual", False)
    return [
        *other_sizes(config),
        Change({"num_key_value_heads": config["num_key_value_heads"] + 1}, REFUSED),
        Change({"layer_norm_eps": 1e-6}, MOVED),
        Change({"layer_norm_eps": 0.0}, MOVED),
        Change({"hidden_act": "gelu"}, MOVED),
        Change({"hidden_act": "relu"}, MOVED),
        Change({"max_position_embeddings": 2 * config["max_position_embeddings"]}, INERT),
        Change({"use_qkv_bias": not biased}, MOVED if biased else REFUSED),
        Change({"use_parallel_residual": not parallel}, REFUSED if parallel else MOVED),
        Change({"qk_layernorm": True}, REFUSED),
        *tying(config, "lm_head.weight", tied_copy=tied_copy),
        *same_shapes(config),
        *rotary_changes(config, MOVED),
        *rotary_share_changes(config, 0.25),
    ]


def plain_mlp_changes(config, tied_copy):
    """Starcoder 2, Nemotron, Arcee."""
    family, heads = config["model_type"], config["num_attention_heads"]
    eps = {"starcoder2": "norm_epsilon", "nemotron": "norm_eps", "arcee": "rms_norm_eps"}[family]
    listed = [
        *other_sizes(config),
        Change({"num_attention_heads": 2 * heads}, MOVED_OR_REFUSED),
        Change({"num_key_value_heads": config["num_key_value_heads"] + 1}, REFUSED),
        Change({"num_key_value_heads": None}, REFUSED),
        Change({eps: 1e-6}, MOVED),
        Change({eps: 0.0}, MOVED),
        Change({"hidden_act": "relu"}, MOVED),
        Change({"hidden_act": "gelu_new" if config["hidden_act"] == "gelu" else "gelu"},
               MOVED if config["hidden_act"] in ("relu2", "silu") else NEARLY),
        Change({"max_position_embeddings": 2 * config["max_position_embeddings"]}, INERT),
        *tying(config, "lm_head.weight", tied_copy=tied_copy),
        *same_shapes(config),
        *rotary_changes(config, MOVED),
    ]  # fmt: skip
    for key in ("use_bias", "attention_bias", "mlp_bias"):
        if key in config:
            listed.append(Change({key: not config[key]}, MOVED if config[key] else REFUSED))
    if "head_dim" in config:
        listed += [Change({"head_dim": config["head_dim"] // 2}, REFUSED), Change({"head_dim": ABSENT}, REFUSED)]
    if family == "starcoder2":
        listed += window_changes(config)
    if "partial_rotary_factor" in config:  # without it half of each head turns
        listed += [Change({"partial_rotary_factor": 0.75}, MOVED), Change({"partial_rotary_factor": ABSENT}, INERT),
                   Change({"partial_rotary_factor": None}, REFUSED)]  # fmt: skip
    elif family == "nemotron":
        listed.append(Change({"rope_parameters.partial_rotary_factor": ABSENT}, MOVED))
    return listed


def smollm3_changes(config, tied_copy):
    """SmolLM3: Llama's, and which layers turn and have windows."""
    layers = config["num_hidden_layers"]
    turned = config.get("no_rope_layers")
    listed = [
        *llama_like_changes(config, tied_copy),
        Change({"no_rope_layers": [1] * layers}, MOVED),
        Change({"no_rope_layers": [0] * layers}, MOVED),
        Change({"no_rope_layers": [1] * (layers - 1)}, REFUSED),
    ]
    if turned:
        listed += [Change({"no_rope_layers": [*turned, 0]}, INERT),  # of layers that are not there
                   Change({"no_rope_layers": [2 * turns for turns in turned]}, INERT),
                   Change({"no_rope_layers": ABSENT}, MOVED),
                   Change({"no_rope_layer_interval": 3}, INERT)]  # fmt: skip
    else:
        listed += [Change({"no_rope_layer_interval": interval}, MOVED) for interval in (1, 3, ABSENT)]
    if not config["use_sliding_window"]:
        return listed + [
            Change({"sliding_window": 17}, INERT),
            Change({"use_sliding_window": True}, INERT),
            Change({"use_sliding_window": True, "sliding_window": 17}, MOVED),
            Change({"max_window_layers": 1}, INERT),
        ]
    window = config["sliding_window"]
    listed += [Change({"sliding_window": window + 1}, NEARLY), Change({"sliding_window": window - 1}, NEARLY)]
    if "layer_types" in config:  # the masks go by it, whatever use_sliding_window says
        listed += [Change({"layer_types": ["full_attention"] * layers}, MOVED),
                   Change({"layer_types": ["sliding_attention"] * layers}, MOVED),
                   Change({"layer_types": ABSENT}, INERT),
                   Change({"use_sliding_window": False}, INERT),
                   Change({"sliding_window": None}, REFUSED)]  # fmt: skip
    else:
        listed += [Change({"use_sliding_window": False}, MOVED), Change({"sliding_window": None}, MOVED),
                   Change({"max_window_layers": 1}, INERT)]  # fmt: skip
    return listed


def gpt_bigcode_changes(config, tied_copy):
    heads, hidden, shared = config["n_head"], config["n_embd"], config["multi_query"]
    return [
        Change({"n_embd": hidden + heads}, REFUSED),
        Change({"n_layer": config["n_layer"] - 1}, MOVED),
        Change({"n_layer": config["n_layer"] + 1}, REFUSED),
        Change({"n_head": other_heads(heads, hidden)}, REFUSED if shared else MOVED),
        Change({"n_inner": 4 * hidden + 1}, REFUSED),
        Change({"n_positions": config["n_positions"] + 1}, REFUSED),
        Change({"vocab_size": config["vocab_size"] + 1}, REFUSED),
        Change({"activation_function": "relu"}, MOVED),
        Change({"activation_function": "gelu" if config["activation_function"] != "gelu" else "gelu_new"}, NEARLY),
        Change({"layer_norm_epsilon": 1e-6}, MOVED),
        Change({"layer_norm_epsilon": 0.0}, MOVED),
        Change({"tie_word_embeddings": False}, REFUSED),
        Change({"scale_attn_weights": not config["scale_attn_weights"]}, MOVED),
        Change({"multi_query": not shared}, REFUSED),
        Change({"multi_query": ABSENT}, INERT if shared else REFUSED),
        Change({"num_key_value_heads": 3}, INERT),  # multi_query decides
        Change({"add_cross_attention": True}, REFUSED),
    ]


def gpt_neo_changes(config, tied_copy):
    heads, hidden, layers = config["num_heads"], config["hidden_size"], config["num_layers"]
    kinds, window = config["attention_layers"], config["window_size"]
    return [
        Change({"hidden_size": hidden + heads}, REFUSED),
        Change({"num_layers": layers - 1}, REFUSED),
        Change({"num_layers": layers - 1, "attention_layers": kinds[:-1]}, MOVED),
        Change({"num_layers": layers + 1, "attention_layers": [*kinds, "global"]}, REFUSED),
        Change({"num_heads": other_heads(heads, hidden)}, MOVED),
        Change({"intermediate_size": 4 * hidden + 1}, REFUSED),
        Change({"max_position_embeddings": config["max_position_embeddings"] + 1}, REFUSED),
        Change({"vocab_size": config["vocab_size"] + 1}, REFUSED),
        Change({"attention_layers": ["global"] * layers}, MOVED),
        Change({"attention_layers": ["local"] * layers}, MOVED),
        Change({"attention_layers": kinds[1:] + kinds[:1]}, MOVED),
        Change({"attention_layers": ["none", *kinds[1:]]}, REFUSED),
        Change({"attention_types": [[["global"], layers]]}, INERT),  # attention_layers decides
        Change({"window_size": window + 1}, NEARLY),
        Change({"window_size": window - 1}, NEARLY),
        Change({"window_size": ABSENT}, MOVED),  # which means 256
        Change({"activation_function": "relu"}, MOVED),
        Change({"activation_function": "gelu" if config["activation_function"] != "gelu" else "gelu_new"}, NEARLY),
        Change({"layer_norm_epsilon": 1e-6}, MOVED),
        Change({"layer_norm_epsilon": 0.0}, MOVED),
        Change({"tie_word_embeddings": False}, REFUSED),
    ]


def gpt2_changes(config, tied_copy):
    heads, hidden = config["n_head"], config["n_embd"]
    return [
        Change({"n_embd": hidden + heads}, REFUSED),
        Change({"n_layer": config["n_layer"] - 1}, MOVED),
        Change({"n_layer": config["n_layer"] + 1}, REFUSED),
        Change({"n_head": other_heads(heads, hidden)}, MOVED),
        Change({"n_inner": 4 * hidden + 1}, REFUSED),
        Change({"n_positions": config["n_positions"] + 1}, REFUSED),
        Change({"vocab_size": config["vocab_size"] + 1}, REFUSED),
        Change({"activation_function": "relu"}, MOVED),
        Change({"activation_function": "gelu"}, NEARLY),
        Change({"layer_norm_epsilon": 1e-6}, MOVED),
        Change({"layer_norm_epsilon": 0.0}, MOVED),
        Change({"tie_word_embeddings": False}, REFUSED),
        Change({"scale_attn_weights": False}, MOVED),
        Change({"scale_attn_by_inverse_layer_idx": True}, MOVED),
    ]


def gpt_neox_changes(config, tied_copy):
    heads, hidden, layers = config["num_attention_heads"], config["hidden_size"], config["num_hidden_layers"]
    eps, parallel = config["layer_norm_eps"], config["use_parallel_residual"]
    listed = [
        Change({"hidden_size": hidden + heads}, REFUSED),
        Change({"intermediate_size": config["intermediate_size"] + 1}, REFUSED),
        Change({"vocab_size": config["vocab_size"] + 1}, REFUSED),
        Change({"num_hidden_layers": layers - 1}, MOVED),
        Change({"num_hidden_layers": layers + 1}, REFUSED),
        Change({"num_attention_heads": other_heads(heads, hidden // 2)}, MOVED),  # of an even size, so that they turn
        Change({"layer_norm_eps": 1e-6 if eps == 1e-5 else 1e-5}, MOVED),
        Change({"layer_norm_eps": 0.0}, MOVED),
        Change({"hidden_act": "relu"}, MOVED),
        Change({"hidden_act": "gelu_new" if config["hidden_act"] == "gelu" else "gelu"}, NEARLY),
        Change({"max_position_embeddings": 2 * config["max_position_embeddings"]}, INERT),
        Change({"use_parallel_residual": not parallel}, MOVED),
        Change({"use_parallel_residual": ABSENT}, INERT if parallel else MOVED),
    ]
    listed += tying(config, "embed_out.weight", tied_copy=tied_copy)
    # Without the key there are biases.
    biased = config.get("attention_bias", True)
    listed.append(Change({"attention_bias": not biased}, MOVED if biased else REFUSED))
    if "attention_bias" in config:
        listed.append(Change({"attention_bias": ABSENT}, INERT if biased else REFUSED))
    if "rope_parameters" in config:
        listed += rotary_changes(config, MOVED)
        share = config["rope_parameters"]["partial_rotary_factor"]
        listed.append(Change({"rope_parameters.partial_rotary_factor": 0.75}, MOVED))
        listed.append(Change({"rope_parameters.partial_rotary_factor": ABSENT}, INERT if share == 0.25 else MOVED))
    else:
        base, share = config["rotary_emb_base"], config["rotary_pct"]
        listed.append(Change({"rotary_emb_base": 2.5 * base}, MOVED))
        listed.append(Change({"rotary_emb_base": ABSENT}, INERT if base == 10000 else MOVED))
        listed.append(Change({"rotary_pct": 0.75}, MOVED))
        listed.append(Change({"rotary_pct": ABSENT}, INERT if share == 0.25 else MOVED))
        listed.append(Change({"rope_scaling": LINEAR_ROPE}, MOVED))
        # The names that other families have mean nothing here.
        listed.append(Change({"rope_theta": 500.0}, INERT))
        listed.append(Change({"partial_rotary_factor": 0.75}, INERT))
    return listed


def falcon_changes(config, tied_copy):
    heads, hidden, layers = config["num_attention_heads"], config["hidden_size"], config["num_hidden_layers"]
    new, shared, biased = config["new_decoder_architecture"], config["multi_query"], config["bias"]
    norms = config.get("num_ln_in_parallel_attn")
    side_by_side = new or config["parallel_attn"]
    listed = [
        Change({"hidden_size": hidden + heads}, REFUSED),
        Change({"n_embed": hidden + heads}, REFUSED),  # counts before hidden_size
        Change({"vocab_size": config["vocab_size"] + 1}, REFUSED),
        Change({"num_hidden_layers": layers - 1}, MOVED),
        Change({"num_hidden_layers": layers + 1}, REFUSED),
        Change({"num_attention_heads": other_heads(heads, hidden)}, REFUSED if new or shared else MOVED),
        Change({"num_kv_heads": 3}, REFUSED if new or not shared else INERT),
        Change({"ffn_hidden_size": 4 * hidden + 1}, REFUSED),
        Change({"layer_norm_epsilon": 1e-6}, MOVED),
        Change({"layer_norm_epsilon": 0.0}, MOVED),
        Change({"layer_norm_epsilon": None}, REFUSED),
        Change({"activation": "relu"}, MOVED),
        Change({"activation": "gelu_new" if config.get("activation", "gelu") == "gelu" else "gelu"}, NEARLY),
        Change({"activation": None}, REFUSED),
        Change({"alibi": not config["alibi"]}, MOVED),
        Change({"bias": not biased}, MOVED if biased else REFUSED),
        Change({"new_decoder_architecture": not new}, REFUSED),
        Change({"multi_query": not shared}, INERT if new else REFUSED),
        Change({"parallel_attn": not config["parallel_attn"]}, REFUSED if side_by_side else MOVED),
        Change({"max_position_embeddings": 4096}, INERT),
        *tying(config, "lm_head.weight", tied_copy=tied_copy),
    ]
    if new:  # without a number there are two norms
        listed += [Change({"num_ln_in_parallel_attn": number}, REFUSED) for number in (3, 1 if norms != 1 else 2)]
    else:
        listed.append(Change({"num_ln_in_parallel_attn": 2}, REFUSED if side_by_side else INERT))
    if config["alibi"]:  # where nothing turns
        return [*listed, Change({"rope_theta": 500.0}, INERT)]
    return listed + rotary_changes(config, MOVED)


def bloom_changes(config, tied_copy):
    width, count = ("n_embed", "num_attention_heads") if "n_embed" in config else ("hidden_size", "n_head")
    hidden, heads, layers = config[width], config[count], config["n_layer"]
    listed = [
        Change({width: hidden + heads}, REFUSED),
        Change({"vocab_size": config["vocab_size"] + 1}, REFUSED),
        Change({"n_layer": layers - 1}, MOVED),
        Change({"n_layer": layers + 1}, REFUSED),
        Change({count: other_heads(heads, hidden)}, MOVED),
        Change({"layer_norm_epsilon": 1e-6}, MOVED),
        Change({"layer_norm_epsilon": 0.0}, MOVED),
        Change({"apply_residual_connection_post_layernorm": not config["apply_residual_connection_post_layernorm"]},
               MOVED),
        # Where the parts of a parallel training are added one by one the library leaves a bias out.
        Change({"slow_but_exact": True}, MOVED if config["pretraining_tp"] > 1 else INERT),
        Change({"pretraining_tp": 4}, INERT),
        Change({"tie_word_embeddings": False}, INERT if tied_copy else REFUSED),
    ]  # fmt: skip
    if width == "n_embed":
        listed.append(Change({"hidden_size": hidden + heads}, INERT))  # n_embed decides
    if "n_inner" in config:
        listed.append(Change({"n_inner": 3 * hidden}, INERT))  # always four times the width
    return listed


def gemma1_changes(config, tied_copy):
    biased = config["attention_bias"]
    listed = [
        *other_sizes(config),
        Change({"num_attention_heads": 2 * config["num_attention_heads"]}, REFUSED),
        Change({"num_key_value_heads": config["num_key_value_heads"] + 1}, REFUSED),
        Change({"head_dim": config["head_dim"] // 2}, REFUSED),
        Change({"head_dim": ABSENT}, REFUSED),
        Change({"rms_norm_eps": 1e-5}, MOVED),
        Change({"rms_norm_eps": 0.0}, MOVED),
        Change({"hidden_act": "relu"}, MOVED),
        Change({"hidden_act": "gelu_new"}, INERT),  # the same function
        Change({"hidden_act": "gelu" if config["hidden_act"] != "gelu" else "gelu_pytorch_tanh"}, INERT),
        Change({"hidden_activation": "relu"}, INERT),  # hidden_act decides
        Change({"max_position_embeddings": 2 * config["max_position_embeddings"]}, INERT),
        Change({"attention_bias": not biased}, MOVED if biased else REFUSED),
        *tying(config, "lm_head.weight", tied_copy=tied_copy),
        *same_shapes(config),
        *rotary_changes(config, MOVED),
    ]
    if "use_bidirectional_attention" in config:
        listed.append(Change({"use_bidirectional_attention": True}, INERT))  # eager attention does not read it
    return listed


def gemma_changes(config):
    """Of Gemma 2 and 3, and VaultGemma."""
    heads, layers = config["num_attention_heads"], config["num_hidden_layers"]
    listed = [
        *other_sizes(config),
        Change({"num_attention_heads": 2 * heads}, REFUSED),
        Change({"num_key_value_heads": config["num_key_value_heads"] + 1}, REFUSED),
        Change({"head_dim": config["head_dim"] // 2}, REFUSED),
        Change({"head_dim": ABSENT}, REFUSED),
        Change({"rms_norm_eps": 1e-5}, MOVED),
        Change({"rms_norm_eps": 0.0}, NEARLY if config["model_type"] == "gemma3_text" else MOVED),
        Change({"hidden_activation": "relu"}, MOVED),
        Change({"hidden_activation": "gelu"}, NEARLY),
        Change({"max_position_embeddings": 2 * config["max_position_embeddings"]}, INERT),
        Change({"tie_word_embeddings": False}, REFUSED),
        Change({"attention_bias": not config["attention_bias"]}, MOVED if config["attention_bias"] else REFUSED),
        Change({"query_pre_attn_scalar": config["head_dim"]}, MOVED),
        Change({"query_pre_attn_scalar": ABSENT}, MOVED),
        Change({"layer_types": ["full_attention"] * layers}, MOVED),
        Change({"layer_types": ["sliding_attention"] * layers}, MOVED),
        Change({"layer_types": (["full_attention", "sliding_attention"] * layers)[:layers]}, MOVED),
    ]
    if "layer_types" in config:
        listed.append(Change({"layer_types": ABSENT}, MOVED))
    if "use_bidirectional_attention" in config:
        # Eager attention of Gemma 2 does not read it.
        listed.append(Change({"use_bidirectional_attention": True}, INERT if config["model_type"] == "gemma2" else MOVED))
    return listed + same_shapes(config) + window_changes(config, without=REFUSED)


def soft_cap_changes(config, key, default):
    listed = [Change({key: ABSENT}, INERT if config[key] == default else MOVED)]
    if config[key] is None:
        return [*listed, Change({key: 30.0}, MOVED)]
    return [*listed, Change({key: 1.25 * config[key]}, MOVED), Change({key: None}, MOVED)]


def gemma2_changes(config, tied_copy):
    listed = gemma_changes(config)
    if "hidden_act" in config:
        listed.append(Change({"hidden_act": "relu"}, INERT))  # hidden_activation decides
    listed += soft_cap_changes(config, "attn_logit_softcapping", 50.0)
    listed += soft_cap_changes(config, "final_logit_softcapping", 30.0)
    return listed + rotary_changes(config, MOVED)


def gemma3_changes(config, tied_copy):
    listed = gemma_changes(config) + soft_cap_changes(config, "final_logit_softcapping", None)
    listed.append(Change({"attn_logit_softcapping": 50.0}, INERT))  # no attention reads it
    if "sliding_window_pattern" in config:
        pattern = config["sliding_window_pattern"]
        listed += [Change({"sliding_window_pattern": pattern + 1}, MOVED), Change({"sliding_window_pattern": ABSENT}, MOVED)]
    if "rope_parameters" in config:
        table = "rope_parameters.{}_attention.{}".format
        rotary = config["rope_parameters"]
        return listed + [
            Change({table("full", "rope_theta"): 2.5 * rotary["full_attention"]["rope_theta"]}, MOVED),
            Change({table("full", "rope_theta"): ABSENT}, MOVED),
            Change({table("full", "factor"): 2.0}, MOVED),
            Change({table("full", "rope_type"): "default"}, MOVED),
            Change({table("sliding", "rope_theta"): 2.5 * rotary["sliding_attention"]["rope_theta"]}, MOVED),
            Change({table("sliding", "rope_type"): "linear", table("sliding", "factor"): 2.0}, MOVED),
        ]
    return listed + [
        Change({"rope_theta": 2.5 * config["rope_theta"]}, MOVED),
        Change({"rope_theta": 10000.0}, MOVED),
        Change({"rope_local_base_freq": 2.5 * config["rope_local_base_freq"]}, MOVED),
        Change({"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, MOVED),
    ]


# ------------------------------------------------------------------------------------- what families have in common


def other_sizes(config):
    """Sizes that the tensors contradict, and layers left out."""
    layers = config["num_hidden_layers"]
    return [
        Change({"hidden_size": config["hidden_size"] + config["num_attention_heads"]}, REFUSED),
        Change({"intermediate_size": config["intermediate_size"] + 1}, REFUSED),
        Change({"vocab_size": config["vocab_size"] + 1}, REFUSED),
        Change({"num_hidden_layers": layers - 1} | fewer_layer_types(config, -1), MOVED),
        Change({"num_hidden_layers": layers + 1} | fewer_layer_types(config, 1), REFUSED),
    ]


def tying(config, head, *, tied_copy):
    if config.get("tie_word_embeddings", True):
        # Without a head of its own in the file the library makes one up; with a copy of the embedding nothing changes.
        return [Change({"tie_word_embeddings": False}, INERT if tied_copy else REFUSED)]
    # The library keeps a head that differs from the embedding, whatever the key says: so it has to go as well.
    return [Change({"tie_word_embeddings": True}, INERT), Change({"tie_word_embeddings": True}, MOVED, drop=head)]


def fewer_layer_types(config, by):
    """layer_types has one entry a layer, and the library insists."""
    if "layer_types" not in config:
        return {}
    return {"layer_types": (config["layer_types"] * 2)[: config["num_hidden_layers"] + by]}


def other_heads(heads, hidden):
    return next(count for count in range(2, hidden) if hidden % count == 0 and count != heads)


def same_shapes(config):
    """Other head counts under which every tensor keeps its shape: only the logits can tell."""
    heads = config["num_attention_heads"]
    implied = config["hidden_size"] // heads
    head_dim, kv_heads = config.get("head_dim", implied), config.get("num_key_value_heads")
    for factor in (2, 3, 5):
        if head_dim % (2 * factor) == 0 and config["hidden_size"] % (factor * heads) == 0:
            break
        # These insist that heads divide the width, even where head_dim is explicit.
        insists = config["model_type"] in ("llama", "cwm", "gemma2", "gemma3_text", "jais2", "hyperclovax", "vaultgemma")
        if "head_dim" in config and not insists and head_dim % (2 * factor) == 0:
            break
    else:
        return []
    keys = {"num_attention_heads": factor * heads}
    if kv_heads is not None:
        keys["num_key_value_heads"] = factor * kv_heads
    if "head_dim" in config:
        keys["head_dim"] = head_dim // factor
    # Norms of length head_dim give it away, and a row for each head.
    norms_of_heads = ("qwen3", "gemma3_text", "exaone4", "hunyuan_v1_dense")
    told = config["model_type"] in norms_of_heads or config.get("use_qk_norm")
    told = told or scaling_of(config) == "longrope"  # whose factors are one for each angle of a head
    return [Change(keys, REFUSED if told else MOVED)]


def window_changes(config, without=MOVED):
    """Of a window in force. One key more or less, among many, moves little. without: what null does."""
    window = config["sliding_window"]
    listed = [
        Change({"sliding_window": window + 1}, NEARLY),
        Change({"sliding_window": None}, without),
        Change({"sliding_window": ABSENT}, MOVED),  # which means 4096
    ]
    return listed + ([Change({"sliding_window": window - 1}, NEARLY)] if window > 1 else [])


def rotary_changes(config, expect):
    """Of the base, and of what stretches the angles over longer sequences."""
    if "rope_parameters" in config:
        table, theta = "rope_parameters", config["rope_parameters"]["rope_theta"]
        listed = [Change({"rope_parameters.rope_theta": 2.5 * theta}, expect)]
    else:
        table = "rope_scaling"
        listed = [Change({"rope_theta": 2.5 * config.get("rope_theta", 10000.0)}, expect)]
    scaling = config.get(table) or {}
    spelling = "type" if "type" in scaling else "rope_type"
    kind = scaling.get(spelling, "default")
    if kind == "default":
        if spelling in scaling and table == "rope_scaling":  # a table that asks for no scaling
            listed.append(Change({f"{table}.{spelling}": ABSENT}, INERT))
        if table == "rope_parameters":
            keys = {"rope_parameters.rope_type": "linear", "rope_parameters.factor": 2.0}
        else:
            keys = {"rope_scaling": LINEAR_ROPE}
        if "partial_rotary_factor" in (config.get(table) or {}):
            listed.append(Change({f"{table}.partial_rotary_factor": 1.0}, expect))
        # Phi-3 refuses every scaling but LongRoPE.
        return listed + [Change(keys, REFUSED if config["model_type"] == "phi3" else expect)]
    if kind == "longrope":
        return listed + [
            Change({f"{table}.{key}": value for key, value in keys.items()}, found)
            for keys, found in longrope_changes(scaling, spelling)
        ]
    return listed + [
        Change({f"{table}.{key}": value for key, value in keys.items()}, found)
        for keys, found in scaling_changes(scaling, spelling, kind)
    ]


def rotary_share_changes(config, default):
    """Of the part of a head that turns."""
    table = config.get("rope_parameters", {})
    key = "rope_parameters.partial_rotary_factor" if "partial_rotary_factor" in table else "partial_rotary_factor"
    share = table.get("partial_rotary_factor", config.get("partial_rotary_factor", default))
    same = Change({key: ABSENT}, INERT if share == default else MOVED) if key in config or table else None
    return [Change({key: 0.75}, MOVED), *([same] if same else [])]


def lengthened(config):
    """What to expect where max_position_embeddings is doubled."""
    scaling = config.get("rope_parameters") or config.get("rope_scaling") or {}
    depends = scaling_of(config) == "dynamic" and "alpha" not in scaling  # an alpha makes it another scaling
    decides = depends or (scaling_of(config) == "longrope" and "factor" not in scaling)
    return MOVED if decides else INERT


def longrope_changes(scaling, spelling):
    """Pairs of the new values and what to expect."""
    yield {spelling: "default"}, MOVED
    yield {spelling: "su"}, REFUSED  # the name that Phi-3's first files have
    for key in ("short_factor", "long_factor"):
        yield {key: [1.5 * factor for factor in scaling[key]]}, MOVED
        yield {key: ABSENT}, REFUSED
    for key in ("attention_factor", "factor"):
        if key in scaling:
            yield {key: 1.5 * scaling[key]}, MOVED
            yield {key: ABSENT}, MOVED
    if "original_max_position_embeddings" in scaling:
        yield {"original_max_position_embeddings": scaling["original_max_position_embeddings"] // 2}, MOVED


def scaling_changes(scaling, spelling, kind):
    """Pairs of the new values and what to expect."""
    yield {spelling: "default"}, MOVED
    yield {spelling: ABSENT, "rope_type" if spelling == "type" else "type": kind}, INERT  # both names will do
    yield {"factor": 1.5 * scaling["factor"]}, MOVED
    if kind == "dynamic":
        yield {spelling: "linear"}, MOVED
    if kind in ("linear", "dynamic"):
        return
    yield {spelling: "linear"}, MOVED
    yield {"original_max_position_embeddings": 4 * scaling["original_max_position_embeddings"]}, MOVED
    yield {"original_max_position_embeddings": ABSENT}, MOVED  # which means max_position_embeddings
    # attention_factor decides over both mscales, and these count together or not at all.
    for key in ("mscale", "mscale_all_dim"):
        if key in scaling:
            expect = INERT if "attention_factor" in scaling else MOVED
            yield {key: 2 * scaling[key]}, expect
            yield {key: ABSENT}, expect
    for key in ("attention_factor", "beta_fast", "beta_slow", "low_freq_factor", "high_freq_factor"):
        if key in scaling:
            yield {key: 1.5 * scaling[key]}, MOVED
            yield {key: ABSENT}, REFUSED if kind == "llama3" else MOVED
    if "truncate" in scaling:
        yield {"truncate": not scaling["truncate"]}, MOVED
