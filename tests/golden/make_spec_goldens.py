#!/usr/bin/env python3
"""Writes the goldens of specs: small models that no family of the hub is, whose model.toml is written by hand, and the
logits that another implementation computes for them. See README.md for what they are, spec_models.py for the models.

    make_spec_goldens.py [CASE ...]            (re)write what stands beside model.toml in cases/<case>-spec-f32/
    make_spec_goldens.py --check [CASE ...]    make it again elsewhere and compare
"""

import argparse
import contextlib
import json
import shutil
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import safetensors
import torch
import transformers

import sensitivity
from case import PREFIXES
from make_goldens import (
    BAR,
    F32_AGAINST_F64_LIMIT,
    InDouble,
    compare,
    kept_logits,
    logits_of,
    round_figure,
    size_of,
    token_sequence,
    worst_row,
    write_json_lines,
    write_safetensors,
)
from spec_case import VOCABULARY, Change, SpecCase
from spec_models import spec_cases

HERE = Path(__file__).parent
LARGEST_DIRECTORY = 400_000


@torch.no_grad()
def changed_logits(case: SpecCase, tensors: dict[str, torch.Tensor], change: Change, tokens: list[int]) -> np.ndarray:
    """[kept, vocab_size] of the model that the change makes of the case's."""
    with mock.patch.object(*change.patch) if change.patch else contextlib.nullcontext():
        model = case.build(case.config | change.keys)
        missing, _ = model.load_state_dict(tensors, strict=False)
        assert not missing, missing
        if change.edit:
            change.edit(model)
        return kept_logits(model, tokens, case)


def measure_changes(case: SpecCase, tensors, tokens: list[int], reference: np.ndarray) -> tuple[list[dict], list[str]]:
    entries, faults = [], []
    for change in case.changes:
        moved = sensitivity.distance(changed_logits(case, tensors, change, tokens), reference)
        entries.append({"change": change.what, "moved": round_figure(moved)})
        if not (sensitivity.NEAR if change.near else sensitivity.MOVES) < moved < float("inf"):
            faults.append(f"another model is not told from this one: {entries[-1]}")
    return entries, faults


def make_case(case: SpecCase, directory: Path) -> tuple[list[str], list[str]]:
    """Writes one case into an empty directory. Returns the faults that make it worthless, and warnings."""
    drawn = case.tensors(case.config, case.seed)
    tensors = {name: torch.from_numpy(value).to(torch.float32) for name, value in drawn.items()}
    write_safetensors(directory / "model.safetensors", case.stored(tensors), {"format": "pt"})
    model = case.build(case.config)
    model.load_state_dict(tensors)  # raises unless these are all parameters that there are

    faults, warnings = [], []
    tokens, kept = token_sequence(case, VOCABULARY), list(case.rows)
    logits = logits_of(model, tokens)
    rows = kept_logits(model, tokens, case)
    if not np.isfinite(logits).all():
        faults.append("logits are not finite")
    prefixes = max(worst_row(logits_of(model, tokens[:n]), logits[:n]) for n in {*PREFIXES, case.sequence_length // 2})
    libraries = (torch, transformers, safetensors, np)
    record = {
        "case": case.directory,
        "description": case.description,
        "architecture": case.architecture,
        "dtype": "f32",
        "seed": case.seed,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "libraries": {library.__name__: library.__version__.split("+")[0] for library in libraries},
        "tokens": tokens,
        "rows": kept,
        "logits": "logits.npy",
    }
    if case.calls:
        record["calls"] = case.calls.patterns
    record["tensor_sensitivity"] = sensitivity.measure_tensors(model, [rows], lambda m: [kept_logits(m, tokens, case)])
    faults += record["tensor_sensitivity"].pop("faults")
    record["change_sensitivity"], unnoticed = measure_changes(case, tensors, tokens, rows)
    faults += unnoticed
    with InDouble():
        in_double = kept_logits(model.double(), tokens, case)
    assert in_double.dtype == np.float64
    noise = worst_row(rows, in_double)
    record["f32_against_f64"] = round_figure(noise)
    record["prefix_against_whole"] = round_figure(prefixes)
    if (prefixes > max(F32_AGAINST_F64_LIMIT, noise)) != bool(case.calls):
        faults.append(f"rows depend on what follows them, or should: {prefixes:.2e}")
    if case.in_double or noise > F32_AGAINST_F64_LIMIT:
        record["computed_in"] = "f64"
        rows = in_double.astype(np.float32)
    if noise > BAR:
        warnings.append(f"ill-conditioned: the implementation's own f32 is off by {noise:.2e}")

    np.save(directory / "logits.npy", rows)
    write_json_lines(directory / "golden.json", record)
    return faults, warnings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)  # the order of sums, and so every last bit, is then the same in every run

    known = {case.name: case for case in spec_cases()}
    if unknown := set(arguments.cases) - set(known):
        parser.error(f"no such case: {', '.join(sorted(unknown))}; there are: {', '.join(known)}")
    failed = False
    for case in (known[name] for name in arguments.cases or known):
        kept = HERE / "cases" / case.directory
        with tempfile.TemporaryDirectory() as scratch:
            made = Path(scratch)
            faults, warnings = make_case(case, made)
            size = size_of(made)
            if not (kept / "model.toml").exists():
                faults.append(f"{kept / 'model.toml'} is missing: a spec is written by hand")
            elif (size := size + (kept / "model.toml").stat().st_size) > LARGEST_DIRECTORY:
                faults.append(f"{size} bytes are more than {LARGEST_DIRECTORY}")
            if arguments.check:
                faults += compare(made, kept)
            elif not faults:
                for path in made.iterdir():
                    shutil.copy(path, kept / path.name)
            record = json.loads((made / "golden.json").read_text())
            print(f"{case.directory:32} {record['parameters']:8} parameters {size:9} bytes, f32 against f64 "
                  f"{record['f32_against_f64']:.1e}  {'REFUSED' if faults else 'ok'}", flush=True)  # fmt: skip
        for line in [f"error: {fault}" for fault in faults] + [f"warning: {warning}" for warning in warnings]:
            print(f"    {line}", file=sys.stderr, flush=True)
        failed |= bool(faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
