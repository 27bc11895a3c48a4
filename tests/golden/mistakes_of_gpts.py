"""What to change in the configurations of GPT-2, of those that took its keys over, of Falcon and of Bloom."""

from changes import ABSENT, INERT, LINEAR_ROPE, MOVED, NEARLY, REFUSED, Change, other_heads, rotary_changes, tying


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
