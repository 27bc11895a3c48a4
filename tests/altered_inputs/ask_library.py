#!/usr/bin/env python3
"""Asks transformers what it makes of the altered configs that nothing of ours notices: each has to leave the logits as they
are, or be refused.

    MONOMORPH_PASSED=build/passed build/bin/test_altered_inputs --no-skip --test-case='*every one'
    .venv-goldens/bin/python tests/altered_inputs/ask_library.py build/passed

Each config that moves the logits is printed, and ends in status 1. Takes twelve minutes.
"""

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

CASES = Path(__file__).parent.parent / "golden" / "cases"
sys.path.insert(0, str(CASES.parent))

import make_goldens
import numpy as np
import transformers
from sensitivity import ROUNDING, distance

# Where one of these words is in a key, it may matter late in a text alone.
OF_LENGTH = ("window", "rope", "layer_types", "positions")


def outcome_of(directory: Path, tokens: list[int], expected: np.ndarray) -> str:
    try:
        model, info = make_goldens.load(directory)
        if info["missing_keys"]:
            return "refused"
        logits = make_goldens.logits_of(model, tokens)
    except Exception:  # whatever the library raises is a refusal
        return "refused"
    same = logits.shape == expected.shape and distance(logits, expected) < ROUNDING
    return "inert" if same else "moved"


def main() -> int:
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    outcomes, expected = Counter(), {}
    for line in Path(sys.argv[1]).read_text().splitlines():
        altered = json.loads(line)
        case = CASES / altered["case"]
        tokens = json.loads((case / "golden.json").read_text())["tokens"]
        if not any(word in altered["key"] for word in OF_LENGTH):
            tokens = tokens[:100]
        key = (case.name, len(tokens))
        if key not in expected:
            expected[key] = make_goldens.logits_of(make_goldens.load(case)[0], tokens).astype(np.float64)
        with tempfile.TemporaryDirectory() as scratch:
            for path in case.iterdir():
                if path.name != "config.json":
                    (Path(scratch) / path.name).symlink_to(path.resolve())
            (Path(scratch) / "config.json").write_text(json.dumps(altered["config"]))
            outcome = outcome_of(Path(scratch), tokens, expected[key])
        outcomes[outcome] += 1
        if outcome == "moved":
            print(f"{case.name}: {altered['key']} {altered['what']} moves the logits")
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    return 1 if outcomes["moved"] else 0


if __name__ == "__main__":
    sys.exit(main())
