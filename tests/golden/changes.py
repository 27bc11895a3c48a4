"""A change of a configuration and what is expected of it; changes that many families have: of sizes, ties, windows and
angles."""

from dataclasses import dataclass

# What to expect of a change.
MOVED, NEARLY, REFUSED, INERT, MOVED_OR_REFUSED = "moved", "moved, near", "refused", "inert", "moved or refused"
MEASURED = "whatever it does, but to move a little"

ABSENT = "(absent)"
LINEAR_ROPE = {"type": "linear", "factor": 2.0}


@dataclass
class Change:
    keys: dict  # path: new value; "rope_parameters.rope_theta" names a key of a table
    expect: str
    drop: str | None = None  # a tensor to leave out of the file as well


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


def soft_cap_changes(config, key, default):
    listed = [Change({key: ABSENT}, INERT if config[key] == default else MOVED)]
    if config[key] is None:
        return [*listed, Change({key: 30.0}, MOVED)]
    return [*listed, Change({key: 1.25 * config[key]}, MOVED), Change({key: None}, MOVED)]


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
    told = config["model_type"] in norms_of_heads or config.get("use_qk_norm") or config.get("qk_layernorm")
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
