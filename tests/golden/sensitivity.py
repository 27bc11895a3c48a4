"""Shows that a golden notices: changes one key of config.json at a time, loads the directory again and measures how
far the logits move. Every key of every configuration must be accounted for here: it moves the logits, the library
refuses it, or it provably changes nothing.
"""

import copy
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file

MOVES = 1e-3  # relative L2 over all rows, 100 times what the tests of an engine allow
NEAR = 1e-4  # between activations that are meant to approximate each other
ROUNDING = 3e-6  # below this nothing was changed but the order of sums
TENSOR_MOVES = 1e-3  # for one tensor whose elements are changed by a tenth, at random

# What to expect of a change.
MOVED, NEARLY, REFUSED, INERT, MOVED_OR_REFUSED = "moved", "moved, near", "refused", "inert", "moved or refused"


@dataclass
class Change:
    keys: dict  # path: new value; "rope_parameters.rope_theta" names a key of a table
    expect: str
    drop: str | None = None  # a tensor to leave out of the file as well


@dataclass
class Findings:
    entries: list = field(default_factory=list)
    faults: list = field(default_factory=list)


# Keys that inference does not read (dropout is for training; the rest describes the file or other heads).
INERT_VALUES = {
    "architectures": ["Other"], "attention_dropout": 0.5, "attn_pdrop": 0.9, "bos_token_id": 5, "dtype": "float64",
    "embd_pdrop": 0.9, "eos_token_id": 6, "initializer_range": 0.7, "n_ctx": 16,
    "original_max_position_embeddings": 64, "pad_token_id": 7,
    "pretraining_tp": 2, "reorder_and_upcast_attn": True, "resid_pdrop": 0.9, "summary_activation": "tanh",
    "summary_first_dropout": 0.9, "summary_proj_to_labels": False, "summary_type": "mean",
    "summary_use_proj": False, "task_specific_params": None, "torch_dtype": "float64",
    "transformers_version": "4.0.0", "use_cache": False, "use_mrope": True,
}  # fmt: skip
LINEAR_ROPE = {"type": "linear", "factor": 2.0}


def changes(config: dict, *, tied_copy: bool) -> list[Change]:
    """The mistakes to try on a configuration. tied_copy: the file holds lm_head.weight though it is tied."""
    if config["model_type"] == "gpt2":
        return gpt2_changes(config)
    heads, layers = config["num_attention_heads"], config["num_hidden_layers"]
    kv_heads = config.get("num_key_value_heads", heads)
    is_phi3 = config["model_type"] == "phi3"  # which refuses every scaling but LongRoPE, and never had biases
    listed = [
        Change({"hidden_size": config["hidden_size"] + heads}, REFUSED),
        Change({"intermediate_size": config["intermediate_size"] + 1}, REFUSED),
        Change({"vocab_size": config["vocab_size"] + 1}, REFUSED),
        Change({"num_hidden_layers": layers - 1} | fewer_layer_types(config, -1), MOVED),
        Change({"num_hidden_layers": layers + 1} | fewer_layer_types(config, 1), REFUSED),
        Change({"num_attention_heads": 2 * heads}, MOVED_OR_REFUSED),
        Change({"num_key_value_heads": kv_heads + 1}, REFUSED),
        Change({"rms_norm_eps": 1e-6 if config["rms_norm_eps"] == 1e-5 else 1e-5}, MOVED),
        Change({"rms_norm_eps": 0.0}, MOVED),
        Change({"hidden_act": "gelu"}, MOVED),
        Change({"hidden_act": "relu"}, MOVED),
        Change({"max_position_embeddings": 2 * config["max_position_embeddings"]}, INERT),
    ]
    if config["tie_word_embeddings"]:
        # Without a head of its own in the file the library makes one up; with a copy of the embedding nothing changes.
        listed.append(Change({"tie_word_embeddings": False}, INERT if tied_copy else REFUSED))
    else:
        # The library keeps a head that differs from the embedding, whatever the key says: so it has to go as well.
        listed.append(Change({"tie_word_embeddings": True}, INERT))
        listed.append(Change({"tie_word_embeddings": True}, MOVED, drop="lm_head.weight"))
    listed += same_shapes(config)
    if "rope_parameters" in config:
        listed.append(Change({"rope_parameters.rope_theta": 2.5 * config["rope_parameters"]["rope_theta"]}, MOVED))
        listed.append(Change({"rope_parameters.rope_type": "linear", "rope_parameters.factor": 2.0},
                             REFUSED if is_phi3 else MOVED))
    else:
        listed.append(Change({"rope_theta": 2.5 * config.get("rope_theta", 10000.0)}, MOVED))
        listed.append(Change({"rope_scaling": LINEAR_ROPE}, REFUSED if is_phi3 else MOVED))
    if "partial_rotary_factor" in config.get("rope_parameters", {}):
        listed.append(Change({"rope_parameters.partial_rotary_factor": 1.0}, MOVED))
    if config["model_type"] in ("mistral", "phi3"):
        listed.append(Change({"sliding_window": 32}, MOVED))
    if "use_sliding_window" in config:
        window = config["sliding_window"] or 32
        listed.append(Change({"sliding_window": window + 1}, INERT))
        listed.append(Change({"max_window_layers": 0}, INERT))
        switched_on = {"use_sliding_window": True, "sliding_window": window, "max_window_layers": 1}
        if "layer_types" in config:  # which then decides, over max_window_layers
            switched_on["layer_types"] = ["full_attention", "sliding_attention"]
        listed.append(Change({key: v for key, v in switched_on.items() if config[key] != v}, MOVED))
    for key in ("attention_bias", "mlp_bias"):
        if key in config:
            listed.append(Change({key: not config[key]}, INERT if is_phi3 else MOVED_OR_REFUSED))
    if config["model_type"] == "llama" and "attention_bias" not in config:
        listed.append(Change({"attention_bias": True}, REFUSED))
    if "head_dim" in config:
        listed.append(Change({"head_dim": config["head_dim"] // 2}, REFUSED))
        listed.append(Change({"head_dim": ABSENT}, REFUSED))
    return listed + inert_changes(config)


ABSENT = "(absent)"


def fewer_layer_types(config, by):
    """layer_types has one entry a layer, and the library insists."""
    if "layer_types" not in config:
        return {}
    return {"layer_types": (config["layer_types"] * 2)[: config["num_hidden_layers"] + by]}


def same_shapes(config):
    """Other head counts under which every tensor keeps its shape: only the logits can tell."""
    heads = config["num_attention_heads"]
    implied = config["hidden_size"] // heads
    head_dim, kv_heads = config.get("head_dim", implied), config.get("num_key_value_heads")
    for factor in (2, 3, 5):
        if head_dim % (2 * factor) == 0 and config["hidden_size"] % (factor * heads) == 0:
            break
        if "head_dim" in config and config["model_type"] != "llama" and head_dim % (2 * factor) == 0:
            break
    else:
        return []
    keys = {"num_attention_heads": factor * heads}
    if kv_heads is not None:
        keys["num_key_value_heads"] = factor * kv_heads
    if "head_dim" in config:
        keys["head_dim"] = head_dim // factor
    # Qwen3 has norms of length head_dim, which give it away.
    return [Change(keys, REFUSED if config["model_type"] == "qwen3" else MOVED)]


def gpt2_changes(config):
    heads, hidden = config["n_head"], config["n_embd"]
    other_heads = next(count for count in range(2, hidden) if hidden % count == 0 and count != heads)
    listed = [
        Change({"n_embd": hidden + heads}, REFUSED),
        Change({"n_layer": config["n_layer"] - 1}, MOVED),
        Change({"n_layer": config["n_layer"] + 1}, REFUSED),
        Change({"n_head": other_heads}, MOVED),
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
    return listed + inert_changes(config)


def inert_changes(config):
    return [Change({key: value}, INERT) for key, value in INERT_VALUES.items() if key in config]


# --------------------------------------------------------------------------------------------------- measuring


def changed(config: dict, change: Change) -> dict:
    config = copy.deepcopy(config)
    for path, value in change.keys.items():
        *tables, key = path.split(".")
        table = config
        for name in tables:
            table = table[name]
        if value == ABSENT:
            table.pop(key, None)
        else:
            table[key] = value
    return config


def value_at(config: dict, path: str):
    for name in path.split("."):
        config = config[name] if name in config else ABSENT
        if config == ABSENT:
            break
    return config


def distance(values: np.ndarray, reference: np.ndarray) -> float:
    """Relative L2 over all rows together."""
    if not np.isfinite(values).all():
        return float("inf")
    return float(np.linalg.norm(values.astype(np.float64) - reference) / np.linalg.norm(reference))


def measure(directory: Path, config: dict, reference: np.ndarray, load_and_run, *, tied_copy: bool) -> Findings:
    """Tries every change. A change counts as refused where the library raises, or lacks a tensor it would need (it
    then makes one up, with a warning); an engine should refuse a tensor left over as well, here only noted."""
    findings = Findings()
    # Named by the family, or looked at together with a key that is changed.
    accounted = {"model_type", "rope_parameters", "layer_types"}
    _, as_is = load_and_run(directory)
    for change in changes(config, tied_copy=tied_copy):
        accounted |= set(change.keys)
        with tempfile.TemporaryDirectory() as scratch:
            for path in directory.iterdir():
                if path.name != "config.json":
                    (Path(scratch) / path.name).symlink_to(path.resolve())
            (Path(scratch) / "config.json").write_text(json.dumps(changed(config, change)))
            if change.drop:
                weights = Path(scratch) / "model.safetensors"
                tensors = load_file(weights)
                del tensors[change.drop]
                weights.unlink()
                save_file(tensors, weights, {"format": "pt"})
            entry = {
                "keys": change.keys,
                "from": {path: value_at(config, path) for path in change.keys},
            }
            if change.drop:
                entry["dropped"] = change.drop
            try:
                logits, info = load_and_run(Path(scratch))
            except Exception as error:  # whatever the library raises is a refusal, and its first words are recorded
                entry |= {"outcome": "refused", "why": reason(error)}
            else:
                left_over = len(set(info["unexpected_keys"]) - set(as_is["unexpected_keys"]))
                if info["missing_keys"]:
                    entry |= {"outcome": "refused", "why": f"no {info['missing_keys'][0]}"}
                elif (moved := distance(logits, reference)) < ROUNDING:
                    entry |= {"outcome": "inert"}
                else:
                    entry |= {"outcome": "moved", "moved": float(f"{moved:.2e}")}
                if left_over:
                    entry["tensors_left_over"] = left_over
        findings.entries.append(entry)
        if not as_expected(entry, change.expect):
            findings.faults.append(f"{change.keys}: expected {change.expect}, but {entry}")
    if forgotten := sorted(set(config) - accounted):
        findings.faults.append(f"keys that no change looks at: {forgotten}")
    return findings


def reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    return "shapes differ" if "mismatch" in text else f"{type(error).__name__}: {text[:100]}"


def as_expected(entry: dict, expect: str) -> bool:
    moved = entry.get("moved", 0.0)
    return {
        MOVED: moved > MOVES,
        NEARLY: moved > NEAR,
        REFUSED: entry["outcome"] == "refused",
        INERT: entry["outcome"] == "inert",
        MOVED_OR_REFUSED: moved > MOVES or entry["outcome"] == "refused",
    }[expect]


@torch.no_grad()
def measure_tensors(model, reference: np.ndarray, run) -> dict:
    """Changes each parameter's elements by a tenth at random, one parameter at a time, and names the one that mattered
    least. (Scaling a whole tensor would not do: norms after it undo that.)"""
    noise = torch.Generator().manual_seed(0)
    least = {"least": None, "moved": float("inf")}
    for name, parameter in model.named_parameters():
        kept = parameter.clone()
        parameter.mul_(1 + 0.1 * torch.randn(parameter.shape, generator=noise))
        moved = distance(run(model), reference)
        parameter.copy_(kept)
        if moved < least["moved"]:
            least = {"least": name, "moved": float(f"{moved:.2e}")}
    return least
