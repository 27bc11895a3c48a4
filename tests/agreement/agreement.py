#!/usr/bin/env python3
"""Compares an engine with the exact answer of the GGUF file that it runs, and llama.cpp's answer with both.

    agreement.py ENGINE FILE.gguf [--count 64] [--device NAME] [--prompts N]

Exact is what the transformers library computes in f32 from the file's decoded weights. Over twenty prompts it takes the
greedy continuation and the logits after the prompt. The engine is best built with `--set engine.kv_cache=f32`: then
nothing is rounded but sums. Prints a table in Markdown, and fails where the engine's tokens leave the exact ones at a
margin of 1e-3 or more, or one of the twenty likeliest logits is 1e-3 of their rms from exact. llama.cpp runs on the
CPU, by PyPI's `xllamacpp`; without that its columns stay empty. The other packages are those of tests/golden/requirements.txt.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import transformers

LIMIT = 1e-3
TOP = 20

PROMPTS = [
    "The capital of France is",
    "def fibonacci(n):\n    ",
    "Once upon a time, in a village by the sea,",
    "The theory of relativity states that",
    "Q: What is 17 + 25?\nA:",
    "In 1969, the first human being",
    "The three primary colours are red,",
    "To make bread, you need flour, water,",
    "import numpy as np\n\nx = np.",
    "Dear Sir or Madam,\n\nI am writing to",
    "The quick brown fox jumps over the lazy dog. The quick brown fox",
    "Ein Gedicht über den Herbst:\n",
    "1, 1, 2, 3, 5, 8, 13,",
    "#include <iostream>\n\nint main() {",
    "According to the laws of thermodynamics,",
    "Water boils at a lower temperature on a mountain because",
    "SELECT name, COUNT(*) FROM",
    "El agua es importante para la vida porque",
    "The best way to learn a language is",
]
# More than 600 tokens: beyond a window of 512.
LONG_PROMPT = "".join(
    f"Chapter {chapter}. On the {day} day the travellers crossed the river, counted their {thing}, and wrote down what "
    f"they had seen: hills in the north, smoke in the east, and a road that nobody remembered building. "
    for chapter, (day, thing) in enumerate(
        [("first", "horses"), ("second", "coins"), ("third", "lamps"), ("fourth", "maps"), ("fifth", "ropes"),
         ("sixth", "books"), ("seventh", "boats"), ("eighth", "tents"), ("ninth", "loaves"), ("tenth", "letters"),
         ("eleventh", "keys"), ("twelfth", "bells"), ("thirteenth", "stones"), ("fourteenth", "songs")], 1)
) + "Chapter 15. On the fifteenth day"  # fmt: skip


@dataclass
class Answer:
    tokens: list[int]
    margins: list[float]  # of each token before the second likeliest
    logits: np.ndarray  # after the prompt


class Exact:
    def __init__(self, path: Path) -> None:
        where = {"gguf_file": path.name}
        model = transformers.AutoModelForCausalLM.from_pretrained(
            path.parent, dtype=torch.float32, attn_implementation="eager", **where
        )
        self.model = model.eval()
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, **where)

    def ids(self, text: str) -> list[int]:
        return self.tokenizer(text)["input_ids"]

    def answer(self, ids: list[int], count: int) -> Answer:
        stop = self.model.generation_config.eos_token_id
        stops = set(stop if isinstance(stop, list) else [stop])
        tokens, margins, first, past = [], [], None, None
        given = ids
        while len(tokens) < count:
            with torch.no_grad():
                result = self.model(torch.tensor([given]), past_key_values=past, use_cache=True, logits_to_keep=1)
            past, logits = result.past_key_values, result.logits[0, -1].double().numpy()
            if first is None:
                first = logits
            second, best = np.partition(logits, -2)[-2:]
            tokens.append(int(logits.argmax()))
            margins.append(float(best - second))
            if tokens[-1] in stops:
                break
            given = tokens[-1:]
        return Answer(tokens, margins, first)


class Engine:
    def __init__(self, path: Path, weights: Path, device: str | None) -> None:
        self.command = [str(path), "", "--weights", str(weights)] + (["--device", device] if device else [])

    def run(self, command: str, *arguments: str) -> str:
        line = [self.command[0], command, *self.command[2:], *arguments]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"agreement: {' '.join(line[:2])} failed: {done.stderr}")
        return done.stdout

    def answer(self, ids: list[int], count: int) -> tuple[list[int], np.ndarray]:
        tokens = ",".join(map(str, ids))
        with tempfile.TemporaryDirectory() as scratch:
            drawn, path = Path(scratch) / "drawn.jsonl", Path(scratch) / "logits.npy"
            self.run("run", "--tokens", tokens, "-n", str(count), "--log-probabilities", str(drawn))
            self.run("logits", "--tokens", tokens, "-o", str(path))
            logits = np.load(path, mmap_mode="r")[-1].astype(np.float64)
            drawn_ids = [json.loads(line)["id"] for line in drawn.read_text().splitlines()]
        return drawn_ids, logits


class LlamaCpp:
    def __init__(self, path: Path) -> None:
        import xllamacpp

        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.n_gpu_layers = 0
        parameters.n_ctx = 2048
        parameters.n_parallel = 1
        parameters.warmup = False
        self.server = xllamacpp.Server(parameters)

    def answer(self, ids: list[int], count: int) -> tuple[list[int], dict[int, float]]:
        """Tokens, and log-probabilities after the prompt."""
        result = self.server.handle_completions(
            {"prompt": ids, "n_predict": count, "temperature": 0, "top_k": 1, "n_probs": TOP, "cache_prompt": False}
        )
        drawn = result["choices"][0]["logprobs"]["content"]
        return [row["id"] for row in drawn], {row["id"]: row["logprob"] for row in drawn[0]["top_logprobs"]}


def shown(prompt: str) -> str:
    """A prompt's begin, for a cell of a table."""
    return prompt[:32].replace("\n", " ").replace("|", " ") + ("..." if len(prompt) > 32 else "")


def difference(logits: np.ndarray, expected: np.ndarray) -> float:
    """Of the likeliest tokens the largest difference, as a share of all expected logits' rms."""
    likeliest = np.argsort(expected)[-TOP:]
    return float(np.max(np.abs(logits[likeliest] - expected[likeliest]))) / math.sqrt(np.mean(expected**2))


def agreement(tokens: list[int], exact: Answer) -> tuple[bool, str]:
    """Whether tokens are the exact ones, or leave them where two are as likely; and where they do."""
    for step, (margin, wanted) in enumerate(zip(exact.margins, exact.tokens)):
        if step >= len(tokens):  # the end of a text may be left out
            return step + 1 == len(exact.tokens), f"{step} of {len(exact.tokens)}"
        if tokens[step] != wanted:
            return margin < LIMIT, f"{step} of {len(exact.tokens)}, margin {margin:.1e}"
    return True, "all"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--count", type=int, default=64)
    parser.add_argument("--device")
    parser.add_argument("--prompts", type=int, help="only so many, the long one first")
    arguments = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    exact = Exact(arguments.file.resolve())
    engine = Engine(arguments.engine, arguments.file, arguments.device)
    try:
        other = LlamaCpp(arguments.file.resolve())
    except ImportError:
        other = None
        print("llama.cpp: skipped, there is no package xllamacpp", file=sys.stderr)
    print("| prompt | tokens | ours: as exact | logits | llama.cpp: as exact | log-probabilities |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    good, others, worst, worst_other = 0, 0, 0.0, 0.0
    prompts = [LONG_PROMPT, *PROMPTS][: arguments.prompts]
    for prompt in prompts:
        ids = exact.ids(prompt)
        wanted = exact.answer(ids, arguments.count)
        tokens, logits = engine.answer(ids, arguments.count)
        error = difference(logits, wanted.logits)
        equal, until = agreement(tokens, wanted)
        good += equal and error < LIMIT
        worst = max(worst, error)
        row = [shown(prompt), str(len(ids)), until, f"{error:.1e}"]
        if other is not None:
            tokens, probabilities = other.answer(ids, arguments.count)
            equal, until = agreement(tokens, wanted)
            others += equal
            sure = wanted.logits - wanted.logits.max()
            sure -= math.log(np.exp(sure).sum())
            apart = max(abs(value - sure[token]) for token, value in probabilities.items())
            apart /= math.sqrt(np.mean(wanted.logits**2))
            worst_other = max(worst_other, apart)
            row += [until, f"{apart:.1e}"]
        else:
            row += ["", ""]
        print("| " + " | ".join(row) + " |", flush=True)
    total = [f"**{len(prompts)} prompts**", "", f"**{good}**", f"**{worst:.1e}**"]
    total += [f"**{others}**", f"**{worst_other:.1e}**"] if other is not None else ["", ""]
    print("| " + " | ".join(total) + " |")
    if good != len(prompts):
        sys.exit(f"agreement: {len(prompts) - good} of {len(prompts)} prompts are not as exact")


if __name__ == "__main__":
    main()
