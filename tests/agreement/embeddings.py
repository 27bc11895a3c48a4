#!/usr/bin/env python3
"""Compares an engine's vectors of texts with those of sentence-transformers.

    embeddings.py DIRECTORY ENGINE [--count 200] [--device NAME] [--bound 1e-5]

DIRECTORY is the model's, as the hub has it (scripts/fetch-model minilm fetches one), and ENGINE was built from it. Each of
the texts of texts.py is embedded by both: by the engine as many at once as it has slots, and once more with --invariant, where
each has to have bit for bit the vector that it has alone. Prints the largest relative L2 distance and how long each took,
and fails where it is more than the bound. Needs sentence-transformers beside the packages of tests/golden/requirements.txt.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from texts import texts


class Engine:
    def __init__(self, path: Path, weights: Path, device: str | None):
        self.command = [path, "embed", "--weights", weights, "--truncate", *(["--device", device] if device else [])]

    def vectors(self, lines: list[str], *options: str) -> np.ndarray:
        with tempfile.TemporaryDirectory() as scratch:
            file, output = Path(scratch) / "lines.txt", Path(scratch) / "vectors.npy"
            file.write_text("".join(f"{line}\n" for line in lines))
            subprocess.run([*self.command, "--file", file, "-o", output, *options], check=True)
            return np.load(output)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("engine", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--device")
    parser.add_argument("--bound", type=float, default=1e-5)
    arguments = parser.parse_args()
    lines = texts(arguments.count)
    torch.set_num_threads(2)
    model = SentenceTransformer(str(arguments.directory), device="cpu")
    model.encode(lines[:1])
    start = time.monotonic()
    expected = model.encode(lines, batch_size=32)
    theirs = time.monotonic() - start
    engine = Engine(arguments.engine, arguments.directory, arguments.device)
    start = time.monotonic()
    engine.vectors(lines[:1])
    loading = time.monotonic() - start
    start = time.monotonic()
    ours = engine.vectors(lines)
    seconds = time.monotonic() - start - loading
    distances = np.linalg.norm(ours - expected, axis=1) / np.linalg.norm(expected, axis=1)
    lengths = sorted(len(ids) for ids in model.tokenizer(lines, truncation=True)["input_ids"])
    print(f"{len(lines)} texts of {lengths[0]} to {lengths[-1]} tokens, {sum(lengths)} in all")
    print(f"largest distance {distances.max():.2e}, of text {distances.argmax() + 1}")
    print(f"sentence-transformers {theirs:.2f} s; the engine {seconds:.2f} s beyond {loading:.2f} s of loading")
    together = engine.vectors(lines, "--invariant")
    alone = np.concatenate([engine.vectors([line], "--invariant") for line in lines[:: max(len(lines) // 8, 1)]])
    same = (together[:: max(len(lines) // 8, 1)] == alone).all()
    print(f"--invariant: {len(alone)} texts alone have {'the same bits' if same else 'OTHER BITS'}")
    if not (distances.max() <= arguments.bound and same):
        sys.exit("embeddings: beyond the bound")


if __name__ == "__main__":
    main()
