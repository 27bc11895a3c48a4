"""Writes resaved.json: every config.json of the tests, as the pinned transformers saves it after reading it.

    .venv-goldens/bin/python tests/generator/audit/resave_configs.py
"""

import json
import sys
import tempfile
from pathlib import Path

from transformers import AutoConfig

here = Path(__file__).parent
tests = here.parent.parent
sys.path.insert(0, str(tests / "golden"))

import published_code  # noqa: F401, has the library find its classes

directories = {path.name: path for path in sorted((tests / "models" / "configs").iterdir())}
cases = set()
for path in sorted((tests / "golden" / "cases").iterdir()):
    case = path.name.rsplit("-", 1)[0]  # dtypes of a case have one config.json but for their dtype
    if not (path / "config.json").exists():  # of a GGUF file or a spec
        continue
    if case not in cases:
        cases.add(case)
        directories[path.name] = path

resaved = {}
for name, directory in directories.items():
    with tempfile.TemporaryDirectory() as saved:
        AutoConfig.from_pretrained(directory).save_pretrained(saved)
        resaved[name] = json.loads((Path(saved) / "config.json").read_text())

lines = [f"  {json.dumps(name)}: {json.dumps(config)}" for name, config in resaved.items()]
(here / "resaved.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
