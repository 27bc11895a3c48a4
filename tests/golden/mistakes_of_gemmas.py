"""What to change in the configurations of the Gemmas."""

from changes import (
    ABSENT,
    INERT,
    MOVED,
    NEARLY,
    REFUSED,
    Change,
    other_sizes,
    rotary_changes,
    same_shapes,
    soft_cap_changes,
    tying,
    window_changes,
)


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
