"""Shows that a golden notices: makes the mistakes of mistakes.py, one at a time, loads the directory again and measures
how far the logits move. Every key of every configuration must be accounted for: it moves the logits, the library
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

from changes import (
    ABSENT,
    INERT,
    MEASURED,
    MOVED,
    MOVED_OR_REFUSED,
    NEARLY,
    REFUSED,
    Change,
    every_key,
)
from mistakes import changes

MOVES = 1e-3  # relative L2 over all rows, 100 times what the tests of an engine allow
NEAR = 1e-4  # between activations that are meant to approximate each other
ROUNDING = 3e-6  # below this nothing was changed but the order of sums
TENSOR_MOVES = 1e-3  # for one tensor whose elements are changed by a tenth, at random


@dataclass
class Findings:
    entries: list = field(default_factory=list)
    faults: list = field(default_factory=list)


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


def furthest(given: list[np.ndarray], reference: list[np.ndarray]) -> float:
    """Of what a model gives, the distance of that which moved most."""
    return max(distance(*each) for each in zip(given, reference, strict=True))


def measure(directory: Path, config: dict, reference: list[np.ndarray], load_and_run, *, tied_copy: bool) -> Findings:
    """Tries every change. A change counts as refused where the library raises, or lacks a tensor it would need (it
    then makes one up, with a warning); an engine should refuse a tensor left over as well, here only noted."""
    findings = Findings()
    accounted = {"model_type", "layer_types"}  # named by the family, or changed together with a key that is
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
                given, info = load_and_run(Path(scratch))
            except Exception as error:  # whatever the library raises is a refusal, and its first words are recorded
                entry |= {"outcome": "refused", "why": reason(error)}
            else:
                left_over = len(set(info["unexpected_keys"]) - set(as_is["unexpected_keys"]))
                if info["missing_keys"]:
                    entry |= {"outcome": "refused", "why": f"no {info['missing_keys'][0]}"}
                elif (moved := furthest(given, reference)) < ROUNDING:
                    entry |= {"outcome": "inert"}
                else:
                    entry |= {"outcome": "moved", "moved": float(f"{moved:.2e}")}
                if left_over:
                    entry["tensors_left_over"] = left_over
        findings.entries.append(entry)
        if not as_expected(entry, change.expect):
            findings.faults.append(f"{change.keys}: expected {change.expect}, but {entry}")
    if forgotten := sorted({path for path, _ in every_key(config)} - accounted):
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
        MEASURED: entry["outcome"] != "moved" or moved > NEAR,
        MOVED_OR_REFUSED: moved > MOVES or entry["outcome"] == "refused",
    }[expect]


@torch.no_grad()
def measure_tensors(model, reference: list[np.ndarray], run, idle: tuple[str, ...] = ()) -> dict:
    """Changes each parameter's elements by a tenth at random, one parameter at a time, and names the one that mattered
    least. (Scaling a whole tensor would not do: norms after it undo that.) Those whose names end like one of `idle`
    must not matter at all."""
    noise = torch.Generator().manual_seed(0)
    least, unmoved, faults = {"least": None, "moved": float("inf")}, [], []
    chosen_by = [(name, buffer) for name, buffer in model.named_buffers() if name.endswith("e_score_correction_bias") and buffer.any()]
    for name, parameter in [*model.named_parameters(), *chosen_by]:
        kept = parameter.clone()
        parameter.mul_(1 + 0.1 * torch.randn(parameter.shape, generator=noise))
        moved = furthest(run(model), reference)
        parameter.copy_(kept)
        if name.endswith(idle):
            unmoved.append(name)
            if moved > ROUNDING:
                faults.append(f"{name} should not matter, and moves {moved:.2e}")
        elif moved < least["moved"]:
            least = {"least": name, "moved": float(f"{moved:.2e}")}
    if least["moved"] < TENSOR_MOVES:
        faults.append(f"a tensor does not matter: {least}")
    return least | ({"idle": unmoved} if unmoved else {}) | {"faults": faults}
