#!/usr/bin/env python3
"""Makes expected/: what Jinja2 renders for each template of cases/ over each conversation of conversations.json.

    python3 make_goldens.py [CASE...]       (rewrites all, or those named)

expected/CASE.json is a list with an entry for each conversation: the text, or {"error": TYPE: MESSAGE} where rendering fails. The
message is Jinja's or Python's, but for "TemplateError: ...", which is what the template itself says. An object of
conversations.json holds all variables of a rendering; its "number" is its place in the list.
"""

import json
import pathlib
import sys

from chat_environment import outcome

HERE = pathlib.Path(__file__).parent
CONVERSATIONS = json.loads((HERE / "conversations.json").read_text(encoding="utf-8"))


def main():
    directory = HERE / "expected"
    directory.mkdir(exist_ok=True)
    names = sys.argv[1:] or sorted(path.stem for path in (HERE / "cases").glob("*.jinja"))
    if not sys.argv[1:]:
        for path in directory.glob("*.json"):
            path.unlink()
    total, size = [0, 0], 0
    for name in names:
        source = (HERE / "cases" / f"{name}.jinja").read_bytes().decode()
        outcomes = [outcome(source, conversation) for conversation in CONVERSATIONS]
        texts = sum(isinstance(entry, str) for entry in outcomes)
        if any(isinstance(entry, str) and " at 0x" in entry for entry in outcomes):
            sys.exit(f"make_goldens: {name} prints an address, which differs from run to run")
        # One rendering a line, so that a change can be reviewed.
        lines = ",\n".join(json.dumps(entry) for entry in outcomes)
        size += (directory / f"{name}.json").write_text(f"[\n{lines}\n]\n")
        total = [total[0] + texts, total[1] + len(outcomes) - texts]
        print(f"{name}: {texts} texts, {len(outcomes) - texts} errors, {len(lines)} bytes")
    print(f"{len(names)} cases: {total[0]} texts, {total[1]} errors, {size} bytes")


if __name__ == "__main__":
    main()
