"""What to change in the configurations of families under Llama's names, and near them."""

from changes import (
    ABSENT,
    INERT,
    MOVED,
    MOVED_OR_REFUSED,
    NEARLY,
    REFUSED,
    Change,
    lengthened,
    other_sizes,
    rotary_changes,
    rotary_share_changes,
    same_shapes,
    scaling_changes,
    scaling_of,
    soft_cap_changes,
    tying,
    window_changes,
)


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
    normed = config.get("qk_layernorm", False)
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
        Change({"qk_layernorm": not normed}, MOVED if normed else REFUSED),
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
