#!/usr/bin/env python3
"""Compares texts that an engine finds where masks stand with those of the algorithm of the paper (Nie et al. 2025).

    denoising.py MONOMORPH [CASE ...] [--prompts 10] [--length 64] [--steps 16] [--device NAME]

The models are those of LLaDA's goldens, whose logits torch computes; how tokens are found and kept is written here, from the
paper, in double. Each prompt is random tokens, 1 to 40 of them; blocks are as long as the text, and a quarter of it. Fails
where a token differs. Needs the packages of tests/golden/requirements.txt.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
sys.path.insert(0, str(GOLDEN))

from make_goldens import load, logits_of  # noqa: E402


def denoise(logits: callable, prompt: list[int], mask: int, length: int, block: int, steps: int) -> list[int]:
    """Tokens in the place of `length` masks behind the prompt, found from left to right, a block after the other."""
    text = prompt + [mask] * length
    passes = steps // (length // block)
    for end in range(len(prompt) + block, len(text) + 1, block):
        masked = sum(token == mask for token in text[end - block : end])
        for step in range(passes):
            kept = masked // passes + (step < masked % passes)
            rows = logits(text).astype(np.float64)
            surest = []
            for place in range(end):
                if text[place] == mask:
                    row = rows[place] - rows[place].max()
                    surest.append((-np.exp(row[row.argmax()]) / np.exp(row).sum(), place, int(row.argmax())))
            for _, place, token in sorted(surest)[:kept]:
                text[place] = token
    return text[len(prompt) :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("monomorph", type=Path)
    parser.add_argument("cases", nargs="*", default=["llada-biases-f32", "llada-plain-f16"])
    parser.add_argument("--prompts", type=int, default=10)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--device")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    device = ["--device", arguments.device] if arguments.device else []
    failed = False
    for case in arguments.cases:
        directory = GOLDEN / "cases" / case
        config = json.loads((directory / "config.json").read_text())
        mask = config["mask_token_id"]
        model, _ = load(directory)
        random = np.random.default_rng(28)
        others = [token for token in range(config["vocab_size"]) if token != mask]
        prompts = [random.choice(others, int(random.integers(1, 41))).tolist() for _ in range(arguments.prompts)]
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run([arguments.monomorph, "build", directory, "-o", scratch], check=True)
            engine = next(path for path in Path(scratch).iterdir() if path.is_file() and path.stat().st_mode & 0o100)
            for block in (arguments.length, arguments.length // 4):
                same, tokens = 0, set()
                for prompt in prompts:
                    command = [engine, "run", "--weights", directory, "--denoise", "--tokens", ",".join(map(str, prompt)),
                               "-n", arguments.length, "--steps", arguments.steps, "--block-length", block, *device]  # fmt: skip
                    run = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                         text=True, check=True)  # fmt: skip
                    found = [int(token) for token in run.stdout.split(",")]
                    expected = denoise(lambda text: logits_of(model, text), prompt, mask, arguments.length, block, arguments.steps)
                    same += found == expected
                    tokens.update(found)
                print(f"{case}, blocks of {block}: {same} of {len(prompts)} texts are the same, {len(tokens)} different tokens")
                failed |= same != len(prompts)
    if failed:
        sys.exit("denoising: tokens differ")


if __name__ == "__main__":
    main()
