#!/usr/bin/env python3
"""Writes the goldens: small random-weight models as Hugging Face directories, and the logits that the transformers
library computes for them. See README.md for the layout, and cases.py for the cases.

    make_goldens.py [CASE ...]                   (re)write cases/, or only the cases named (without their dtype)
    make_goldens.py --check [CASE ...]           make them again elsewhere and compare with cases/
    make_goldens.py --table                      print README.md's table of what is in cases/
    make_goldens.py --fuzz N --seed S --out DIR  N random configurations of the same families, written to DIR
"""

import argparse
import copy
import json
import logging
import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import gguf
import numpy as np
import safetensors
import torch
import transformers
from safetensors.torch import save_file

import fuzz
import library_models
import routes
import sensitivity
import sources
import texts
from calls import logits_by_calls
from case import DTYPES, PREFIXES, Case
from cases import cases
from family_weights import idle, parameters
from table import print_table, size_of

HERE = Path(__file__).parent
TORCH_DTYPES = {name: getattr(torch, word) for name, word in DTYPES.items()}

F32_AGAINST_F64_LIMIT = 3e-6  # above it the golden is the run in double
BAR = 1e-5  # what an engine may be off by


# ------------------------------------------------------------------------------------------------- checkpoint


def checkpoint(case: Case, dtype: str) -> dict[str, torch.Tensor]:
    """Every tensor of the file: the parameters rounded to dtype, and what the hub's files hold besides them."""
    tensors = {name: torch.from_numpy(value).to(TORCH_DTYPES[dtype]) for name, value in parameters(case).items()}
    if case.checkpoint.get("mxfp4"):
        for name in [n for n in tensors if n.endswith((".experts.gate_up_proj", ".experts.down_proj"))]:
            tensors |= blocks_and_scales(name, tensors.pop(name).float().mT.numpy())
    if "tied_copy" in case.checkpoint:
        tensors["lm_head.weight"] = tensors[case.checkpoint["tied_copy"]].clone()
    left_out = case.checkpoint.get("without", ())
    return {name: tensor for name, tensor in tensors.items() if not name.endswith(left_out)} | buffers(case, dtype)


def blocks_and_scales(name: str, values: np.ndarray) -> dict[str, torch.Tensor]:
    """[experts, rows, columns] in MXFP4, as the hub's files have it: neighbours share a byte."""
    blocks = gguf.quants.quantize(values, gguf.GGMLQuantizationType.MXFP4).reshape(*values.shape[:2], -1, 17)
    codes = np.concatenate([blocks[..., 1:] & 15, blocks[..., 1:] >> 4], axis=-1)
    return {f"{name}_blocks": torch.from_numpy(codes[..., 0::2] | codes[..., 1::2] << 4),
            f"{name}_scales": torch.from_numpy(blocks[..., 0].copy())}  # fmt: skip


def buffers(case: Case, dtype: str) -> dict[str, torch.Tensor]:
    """Tensors that are no parameters, which earlier versions of the library stored."""
    config, departs = case.config, case.checkpoint
    found = {}
    if departs.get("inv_freq"):
        head_dim = config["hidden_size"] // config["num_attention_heads"]
        for i in range(config["num_hidden_layers"]):
            found[f"model.layers.{i}.self_attn.rotary_emb.inv_freq"] = inverse_frequencies(head_dim)
    if departs.get("masks") and config["model_type"] == "gpt2" and dtype != "bf16":
        mask = causal_mask(config["n_positions"])
        for i in range(config["n_layer"]):
            attention = f"{departs.get('prefix', '')}h.{i}.attn"
            found[f"{attention}.bias"] = mask.clone() if dtype == "f32" else mask.to(torch.uint8)
            if dtype == "f16":
                found[f"{attention}.masked_bias"] = torch.tensor(-1e4, dtype=TORCH_DTYPES[dtype])
    if departs.get("masks") and config["model_type"] == "gpt_neox":
        # As a model in half precision was saved: -1e9 has become -inf, and frequencies were rounded.
        rotary_dim = int(config["hidden_size"] // config["num_attention_heads"] * config["rotary_pct"])
        for i in range(config["num_hidden_layers"]):
            attention = f"gpt_neox.layers.{i}.attention"
            found[f"{attention}.bias"] = causal_mask(config["max_position_embeddings"]).to(torch.bool)
            found[f"{attention}.masked_bias"] = torch.tensor(-1e9).to(TORCH_DTYPES[dtype])
            found[f"{attention}.rotary_emb.inv_freq"] = inverse_frequencies(rotary_dim).to(TORCH_DTYPES[dtype])
    return found


def causal_mask(positions: int) -> torch.Tensor:
    return torch.tril(torch.ones(positions, positions))[None, None]


def inverse_frequencies(size: int) -> torch.Tensor:
    return 1.0 / 10000.0 ** (torch.arange(0, size, 2, dtype=torch.float32) / size)


def write_checkpoint(directory: Path, tensors: dict[str, torch.Tensor], shards: int) -> None:
    metadata = {"format": "pt"}
    if shards == 1:
        write_safetensors(directory / "model.safetensors", tensors, metadata)
        return
    # Cut where a shard has its share of the bytes, in the order of the layers: so a layer may be cut in two.
    total = sum(tensor.nbytes for tensor in tensors.values())
    weight_map, members, seen = {}, [{} for _ in range(shards)], 0
    for name, tensor in tensors.items():
        shard = min(seen * shards // total, shards - 1)
        members[shard][name] = tensor
        weight_map[name] = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        seen += tensor.nbytes
    for shard, member in enumerate(members):
        write_safetensors(directory / f"model-{shard + 1:05}-of-{shards:05}.safetensors", member, metadata)
    index = {"metadata": {"total_size": total}, "weight_map": dict(sorted(weight_map.items()))}
    (directory / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


def write_safetensors(path: Path, tensors: dict[str, torch.Tensor], metadata: dict[str, str]) -> None:
    save_file(tensors, path, metadata)
    path.chmod(0o644)  # the library keeps others from reading it


def token_sequence(case: Case, vocab_size: int) -> list[int]:
    """Every id of the vocabulary, 0 and the last among them, then random ones; all shuffled. Where positions are counted
    without the padding token, that is left out: no text has it."""
    random, length = np.random.Generator(np.random.PCG64([case.seed, 1])), case.sequence_length
    tokens = np.concatenate([np.arange(vocab_size), random.integers(0, vocab_size, length)])[:length]
    if library_models.counts_positions_past_padding(case.config):
        tokens[tokens == case.config["pad_token_id"]] = case.config["pad_token_id"] + 1
    return random.permutation(tokens).tolist()


# -------------------------------------------------------------------------------------------------- computing


class InDouble(torch.overrides.TorchFunctionMode):
    """These models' norms and softmax ask for f32 by name, even where the model is in double. This makes them
    stay in double. Rotary angles remain f32, formed from whole positions by .float(), and so do ALiBi's slopes: that
    rounding is part of the definition. A slope times a position is formed in double: only differences of these
    products count, and what rounding does to large ones is no part of it."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function is torch.Tensor.float and args[0].dtype is torch.float64:
            return args[0]
        if function is torch.Tensor.type and args[0].dtype is torch.float64 and args[1:] == (torch.float32,):
            return args[0]
        if function is torch.pow and torch.float32 in (getattr(each, "dtype", None) for each in args):
            return function(*args, **kwargs).double()
        if function is torch.Tensor.to and args[1:] == (torch.float32,):
            args = (args[0], torch.float64)
        if function is torch.full and "dtype" not in kwargs and isinstance(args[1], float):
            kwargs["dtype"] = torch.float64  # the lowest number of a type, which hides a key
        if function is torch.nn.functional.softmax and kwargs.get("dtype") is torch.float32:
            kwargs["dtype"] = torch.float64
        return function(*args, **kwargs)


def load(directory: Path, source: list[int] | None = None):
    """The model in f32, and what the library had to say about tensors that do not match it."""
    config = json.loads((directory / "config.json").read_text())
    bare = library_models.is_bare(config)
    automatic = library_models.class_of(config) if bare or source else transformers.AutoModelForCausalLM
    model, info = automatic.from_pretrained(
        directory, dtype=torch.float32, attn_implementation=library_models.attention_of(config),
        experts_implementation="eager",
        output_loading_info=True, trust_remote_code=False,
    )  # fmt: skip
    if source:
        model = sources.Answering(model, source)
    if bare:
        model = (texts.HiddenStates if library_models.gives_vectors(config) else texts.Typed)(model)
    told = {kind: sorted(map(str, info[kind])) for kind in ("missing_keys", "unexpected_keys")}
    told["missing_keys"] = [name for name in told["missing_keys"] if not name.endswith(library_models.COMPUTED)]
    return model.eval(), told


@torch.no_grad()
def logits_of(model, tokens: list[int]) -> np.ndarray:
    """[tokens, vocab_size]. On a copy: rotary embeddings may remember how long a sequence was."""
    return copy.deepcopy(model)(torch.tensor([tokens]), use_cache=False).logits[0].numpy()


def worst_row(values: np.ndarray, reference: np.ndarray) -> float:
    """Relative L2 difference of the worst row."""
    difference = values.astype(np.float64) - reference
    return float(np.max(np.linalg.norm(difference, axis=-1) / np.linalg.norm(reference, axis=-1)))


def expected_leftovers(tensors: dict[str, torch.Tensor]) -> list[str]:
    """What the library reports as unexpected. GPT-2's and GPT-NeoX's masks it leaves out without a word, rotary
    frequencies too."""
    return [name for name in tensors if name.endswith(".masked_bias") and not name.startswith("gpt_neox.")]


# ---------------------------------------------------------------------------------------------------- writing


def round_figure(value: float) -> float:
    return float(f"{value:.2e}")


def write_json_lines(path: Path, record: dict) -> None:
    """One line a key, and one line an entry in lists of tables: short enough to read, and to see a difference in."""
    lines = []
    for key, value in record.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            entries = ",\n".join(f"    {json.dumps(entry)}" for entry in value)
            lines.append(f"  {json.dumps(key)}: [\n{entries}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def make_case(case: Case, dtype: str, directory: Path, *, with_sensitivity: bool) -> tuple[list[str], list[str]]:
    """Writes one case into an empty directory. Returns the faults that make it worthless, and warnings."""
    config = case.config_json(dtype)
    (directory / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    if case.pooling:
        texts.write_modules(directory, case, TORCH_DTYPES[dtype])
    tensors = checkpoint(case, dtype)
    write_checkpoint(directory, tensors, case.checkpoint.get("shards", 1))

    faults, warnings = [], []
    source = sources.source_of(case.seed, config["vocab_size"]) if sources.answers(config) else None
    model, info = load(directory, source)
    if info["missing_keys"] or info["unexpected_keys"] != expected_leftovers(tensors):
        faults.append(f"the checkpoint is not the model's: {info}")
    tokens, kept = token_sequence(case, config["vocab_size"]), list(case.rows)
    logits = logits_of(model, tokens)
    rows = kept_logits(model, tokens, case)
    if case.routed:
        faults += routes.faults(model, tokens, case.routed)
    if not np.isfinite(logits).all():
        faults.append("logits are not finite")

    def prefix_error() -> float:
        whole = logits_of(model, tokens)
        lengths = {*PREFIXES, case.sequence_length // 2}
        return max(worst_row(logits_of(model, tokens[:n]), whole[:n]) for n in lengths)

    prefixes = prefix_error()
    record = {
        "case": f"{case.name}-{dtype}",
        "description": case.description,
        "architecture": config["architectures"][0],
        "dtype": dtype,
        "seed": case.seed,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "libraries": {
            "torch": torch.__version__.split("+")[0], "transformers": transformers.__version__,
            "safetensors": safetensors.__version__, "numpy": np.__version__,
        },
        "tokens": tokens,
        "rows": kept,
        "logits": "logits.npy",
    }  # fmt: skip
    if source:
        record |= {"source": source, "source_lengths": sources.LENGTHS}
    if case.calls:
        record["calls"] = case.calls.patterns
    if library_models.is_bare(config):
        record["types"] = texts.types_of(len(tokens), config.get("type_vocab_size", 0))
    if library_models.gives_vectors(config):
        record["vectors"] = "vectors.npy"
    if with_sensitivity:
        given = given_by(model, tokens, case)
        found = sensitivity.measure(directory, config, given, lambda d: load_and_run(d, tokens, case, source),
                                    tied_copy="tied_copy" in case.checkpoint)  # fmt: skip
        faults += found.faults
        tensors_found = sensitivity.measure_tensors(model, given, lambda m: given_by(m, tokens, case), idle(config))
        faults += tensors_found.pop("faults")
        record["tensor_sensitivity"] = tensors_found
        record["key_sensitivity"] = found.entries
    with InDouble():
        in_double = kept_logits(model.double(), tokens, case)
        if library_models.gives_vectors(config):
            np.save(directory / "vectors.npy", vectors_of(model, tokens, case, TORCH_DTYPES[dtype]).astype(np.float32))
        if prefixes > F32_AGAINST_F64_LIMIT and (not case.calls or texts.is_causal(config)):  # unless f32 alone tells them apart, as ALiBi's products do
            prefixes = prefix_error()
    assert in_double.dtype == np.float64
    noise = worst_row(rows, in_double)
    record["f32_against_f64"] = round_figure(noise)
    record["prefix_against_whole"] = round_figure(prefixes)
    reads_ahead = bool(case.calls) and not texts.is_causal(config)
    if (prefixes > max(F32_AGAINST_F64_LIMIT, noise)) != reads_ahead:
        faults.append(f"rows depend on what follows them, or should: {prefixes:.2e}")
    if noise > F32_AGAINST_F64_LIMIT:
        record["computed_in"] = "f64"
        rows = in_double.astype(np.float32)
    if noise > BAR / 2:  # an engine, whose sums have another order, may be off by more than the bar
        warnings.append(f"ill-conditioned, draw another: the library's own f32 is off by {noise:.2e}")

    np.save(directory / "logits.npy", rows)
    write_json_lines(directory / "golden.json", record)
    return faults, warnings


@torch.no_grad()
def vectors_of(model, tokens: list[int], case: Case, dtype: torch.dtype) -> np.ndarray:
    """[texts, width], of the texts of the case's calls and of the whole: their scores, or what pooling makes of their
    hidden states. dtype: of the file."""

    def vector_of(text: list[int]) -> np.ndarray:
        if library_models.task_of(case.config):
            return model.scores(torch.tensor([text]))
        return texts.vector_of(logits_of(model, text), case, dtype)

    return np.stack([vector_of(tokens[:n]) for n in (*(pattern[0] for pattern in case.calls.patterns), len(tokens))])


def given_by(model, tokens: list[int], case: Case) -> list[np.ndarray]:
    """By which changes are measured: rows, and scores where the model has labels, whose head no hidden state shows."""
    rows = [kept_logits(model, tokens, case)]
    has_labels = library_models.gives_vectors(case.config) and library_models.task_of(case.config)
    return [*rows, vectors_of(model, tokens, case, torch.float32)] if has_labels else rows


def kept_logits(model, tokens: list[int], case: Case) -> np.ndarray:
    """The rows of the whole sequence, then those of calls, each on a fresh model."""
    rows = logits_of(model, tokens)[list(case.rows)]
    if isinstance(model, sources.Answering):
        return np.concatenate([rows, sources.logits_by_sources(model, tokens)])
    return np.concatenate([rows, logits_by_calls(model, tokens, case.calls)]) if case.calls else rows


def load_and_run(directory: Path, tokens: list[int], case: Case, source: list[int] | None):
    model, info = load(directory, source)
    return given_by(model, tokens, case), info


# ----------------------------------------------------------------------------------------------- command line


def compare(made: Path, kept: Path) -> list[str]:
    """Weights and configuration must be the same bytes; logits may differ by what another CPU's sums do."""
    faults = []
    for path in sorted(made.iterdir()):
        other = kept / path.name
        if not other.exists():
            faults.append(f"{path.name} is missing")
        elif path.is_dir():
            faults += compare(path, other)
        elif path.suffix == ".npy":
            error = worst_row(np.load(path), np.load(other).astype(np.float64))
            if error > F32_AGAINST_F64_LIMIT:
                faults.append(f"{path.name} differs by {error:.2e}")
        elif path.name == "golden.json":
            ours, theirs = json.loads(path.read_text()), json.loads(other.read_text())
            measured = {"libraries", "key_sensitivity", "tensor_sensitivity", "change_sensitivity", "f32_against_f64",
                        "prefix_against_whole", "computed_in"}  # fmt: skip
            faults += [f"{path.name}: {key}" for key in ours if key not in measured and ours[key] != theirs.get(key)]
        elif path.read_bytes() != other.read_bytes():
            faults.append(f"{path.name} differs")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--fuzz", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=0, help="of --fuzz")
    parser.add_argument("--out", type=Path, help="default: cases/ beside this script; required by --fuzz")
    arguments = parser.parse_args()
    if arguments.fuzz is not None and arguments.out is None:
        parser.error("--fuzz requires --out")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)  # the order of sums, and so every last bit, is then the same in every run

    out = arguments.out or HERE / "cases"
    if arguments.table:
        print_table(out)
        return 0
    if arguments.fuzz is not None:
        work = ((case, dtype) for case, dtype in fuzz.random_cases(arguments.fuzz, arguments.seed))
    else:
        known = {case.name: case for case in cases()}
        if unknown := set(arguments.cases) - set(known):
            parser.error(f"no such case: {', '.join(sorted(unknown))}; there are: {', '.join(known)}")
        chosen = [known[name] for name in arguments.cases] if arguments.cases else known.values()
        work = ((case, dtype) for case in chosen for dtype in case.dtypes)

    failed = False
    for case, dtype in work:
        name = f"{case.name}-{dtype}"
        with tempfile.TemporaryDirectory() as scratch:
            made = Path(scratch)
            faults, warnings = make_case(case, dtype, made, with_sensitivity=arguments.fuzz is None)
            if arguments.check:
                faults += compare(made, out / name)
            elif not faults:
                shutil.rmtree(out / name, ignore_errors=True)
                shutil.copytree(made, out / name)
                (out / name).chmod(0o755)  # a temporary directory is its owner's alone
            record = json.loads((made / "golden.json").read_text())
            print(f"{name:32} {record['parameters']:8} parameters {size_of(made):9} bytes, f32 against f64 "
                  f"{record['f32_against_f64']:.1e}  {'REFUSED' if faults else 'ok'}", flush=True)  # fmt: skip
        for line in [f"error: {fault}" for fault in faults] + [f"warning: {warning}" for warning in warnings]:
            print(f"    {line}", file=sys.stderr, flush=True)
        failed |= bool(faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
