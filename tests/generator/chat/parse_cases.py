#!/usr/bin/env python3
"""parse_cases.py FOLDER FILE...: the tree of each chat template, as generator/chat/parse_template.py writes it, in FOLDER.

One process parses all of them: to begin one takes longer than to parse a small template.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "generator" / "chat"))
from parse_template import written  # noqa: E402

folder = Path(sys.argv[1])
for path in map(Path, sys.argv[2:]):
    (folder / f"{path.stem}.json").write_text(written(path.read_bytes().decode()))
