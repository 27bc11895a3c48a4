#!/usr/bin/env python3
"""Compares engines of one file whose caches are of other types: what rounding keys and values costs.

    caches.py FILE.gguf F32_ENGINE ENGINE... [--count 64] [--device NAME] [--skip N] [--bound 0.1]

The first engine's cache is f32 (`--set engine.kv_cache=f32`). Over agreement.py's twenty prompts it takes the logits after
the prompt, of the twenty likeliest tokens the largest difference as a share of all logits' rms, and the greedy
continuation. Prints a table in Markdown, and fails where a difference is more than the bound. The packages are those of
tests/golden/requirements.txt.
"""

import argparse
import sys
from pathlib import Path

import transformers
from agreement import LONG_PROMPT, PROMPTS, Engine, difference, shown


def tokens_in_common(tokens: list[int], expected: list[int]) -> int:
    return next((i for i, pair in enumerate(zip(tokens, expected)) if pair[0] != pair[1]), len(expected))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("f32_engine", type=Path)
    parser.add_argument("engines", type=Path, nargs="+")
    parser.add_argument("--count", type=int, default=64)
    parser.add_argument("--device")
    parser.add_argument("--skip", type=int, default=0, help="prompts to leave out, the long one first")
    parser.add_argument("--bound", type=float, default=0.1)
    arguments = parser.parse_args()
    transformers.logging.set_verbosity_error()
    tokenizer = transformers.AutoTokenizer.from_pretrained(arguments.file.parent, gguf_file=arguments.file.name)
    paths = [arguments.f32_engine, *arguments.engines]
    expected_of, *others = [Engine(path, arguments.file, arguments.device) for path in paths]
    names = [path.parent.name for path in arguments.engines]
    print("| prompt | tokens | " + " | ".join(f"{name}: logits | same tokens" for name in names) + " |")
    print("| --- | --- |" + " --- | --- |" * len(names), flush=True)
    worst, same = [0.0] * len(names), [0] * len(names)
    prompts = [LONG_PROMPT, *PROMPTS][arguments.skip :]
    for prompt in prompts:
        ids = tokenizer(prompt)["input_ids"]
        expected, logits = expected_of.answer(ids, arguments.count)
        row = [shown(prompt), str(len(ids))]
        for i, engine in enumerate(others):
            tokens, rounded = engine.answer(ids, arguments.count)
            error = difference(rounded, logits)
            common = tokens_in_common(tokens, expected)
            worst[i] = max(worst[i], error)
            same[i] += common == len(expected)
            row += [f"{error:.1e}", "all" if common == len(expected) else f"{common} of {len(expected)}"]
        print("| " + " | ".join(row) + " |", flush=True)
    print(f"| **{len(prompts)} prompts** |  | " + " | ".join(f"**{error:.1e}** | **{all_of}**" for error, all_of in zip(worst, same)) + " |")
    beyond = [f"{name}: {error:.1e}" for name, error in zip(names, worst) if not error <= arguments.bound]
    if beyond:
        sys.exit(f"caches: beyond {arguments.bound}: {', '.join(beyond)}")


if __name__ == "__main__":
    main()
