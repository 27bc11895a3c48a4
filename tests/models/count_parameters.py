#!/usr/bin/env python3
"""Counts the parameters of the models in models/ with Hugging Face transformers, as a second opinion, and with
tests/golden/published_code.py where the library has no class of theirs.

    pip install torch==2.15.0 transformers==5.23.0
    python tests/models/count_parameters.py            # writes tests/models/parameters.txt
    python tests/models/count_parameters.py --check    # compares with it instead

Takes:  tests/models/configs/NAME/config.json, as the hub has them, and models/kjv/config.json.
Gives:  a table of name and count. Models are made on the meta device: no memory, no weights, no network. A tied head
        counts once. Buffers (causal masks, rotary frequencies) are not parameters, but for what a checkpoint has beside
        what is learned: the constants of an activation (xIELU), the numbers that a router chooses by, BART's bias of
        logits. BERT's pooler is left out: hidden states do not pass it.
"""

import argparse
import sys
from pathlib import Path

import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "golden"))

import published_code  # noqa: F401, has the library find its classes

TABLE = HERE / "parameters.txt"
CONSTANTS = (".e_score_correction_bias", ".expert_bias", "final_logits_bias")
POOLER = ("pooler.", "bert.pooler.", "roberta.pooler.")


def count(directory: Path) -> int:
    config = AutoConfig.from_pretrained(directory)
    with torch.device("meta"):
        model = make(config)
    model.tie_weights()
    constants = [buffer for name, buffer in model.named_buffers() if name.endswith(CONSTANTS) or ".act_fn." in name]
    poolers = [each for name, each in model.named_parameters() if name.startswith(POOLER)]
    return sum(tensor.numel() for tensor in [*model.parameters(), *constants]) - sum(each.numel() for each in poolers)


def make(config):
    """The class that config.json names, or the library's causal one of its model_type."""
    named = getattr(transformers, config.architectures[0], None)
    return AutoModelForCausalLM.from_config(config) if named is None or "CausalLM" in named.__name__ else named(config)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="compare with the table, write nothing")
    arguments = parser.parse_args()

    directories = sorted((HERE / "configs").iterdir()) + [HERE.parent.parent / "models" / "kjv"]
    lines = [f"{directory.name} {count(directory)}\n" for directory in sorted(directories, key=lambda d: d.name)]
    text = "# Made by count_parameters.py: model, parameters.\n" + "".join(lines)
    if not arguments.check:
        TABLE.write_text(text)
        return 0
    if TABLE.read_text() == text:
        return 0
    print(f"{TABLE} differs from what transformers counts:\n{text}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
