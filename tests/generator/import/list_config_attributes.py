"""Writes config_attributes.json: every attribute of the configuration class that the transformers library has for each
family of generator/families/, or tests/golden/published_code.py where the library has none. A test of import asks that the
family's file accounts for each of them.

    .venv-goldens/bin/python tests/generator/import/list_config_attributes.py

The library's version is that of tests/golden/requirements.txt.
"""

import dataclasses
import json
import sys
import tomllib
from pathlib import Path

import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "golden"))

import published_code  # noqa: F401, has the library find its classes

FAMILIES = HERE.parents[2] / "generator" / "families"


def attributes(model_type: str) -> list[str]:
    """What a config.json of this type may say: what the library writes, takes, and takes under another name."""
    cls = CONFIG_MAPPING[model_type]
    return sorted(set(cls().to_dict()) | {field.name for field in dataclasses.fields(cls)} | set(cls.attribute_map))


def main() -> None:
    families = {}
    for path in sorted(FAMILIES.glob("*.toml")):
        family = tomllib.loads(path.read_text())
        if "model_type" in family:
            families[path.stem] = attributes(family["model_type"])
    listed = {"transformers": transformers.__version__, "families": families}
    (HERE / "config_attributes.json").write_text(json.dumps(listed, indent=2) + "\n")


if __name__ == "__main__":
    main()
