"""Writes classes.toml: every causal class of the transformers library, and the model types that the library maps to it.

    .venv-goldens/bin/python tests/architectures/list_classes.py

The library's version is that of tests/golden/requirements.txt. What each class is to us is said by hand in
standing.toml, which this script leaves as it is. scripts/write-architectures reads both.
"""

from pathlib import Path

import transformers
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

HERE = Path(__file__).parent


def main() -> None:
    classes: dict[str, list[str]] = {}
    for model_type, name in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.items():
        classes.setdefault(name, []).append(model_type)
    lines = [
        "# Written by list_classes.py.",
        f'transformers = "{transformers.__version__}"',
        "",
        "# Class = the model types whose causal class it is.",
        "[classes]",
    ]
    for name in sorted(classes, key=str.lower):
        types = ", ".join(f'"{model_type}"' for model_type in sorted(classes[name]))
        lines.append(f"{name} = [{types}]")
    (HERE / "classes.toml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
