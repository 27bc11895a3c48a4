"""Parses a chat template with Jinja2's own parser, in the environment of transformers, and writes its tree as JSON.

The template is read from standard input. What is written is {"tree": node}, where a node has "kind" (its class in
jinja2.nodes), "line" and its fields, or {"line": n, "error": why} for what is no template.
"""

import json
import math
import sys
import unicodedata

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.ext import Extension


class Generation(Extension):
    """{% generation %}: the text that the model is to have written. It marks; it changes nothing of what is rendered."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("generation"), [], [], body).set_lineno(line)


ENVIRONMENT = Environment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"])


def dumped(value, line=1):
    """A value of a node's; `line` is that of what it stands in."""
    if isinstance(value, nodes.Node):
        line = value.lineno or line
        # Names become Python's, to which letters of the same shape are the same.
        for name in (getattr(value, field, "") for field in ("name", "key")):
            if isinstance(name, str) and unicodedata.normalize("NFKC", name) != name:
                raise TemplateSyntaxError(f"the name '{name}' has letters that Python takes for others", line)
        fields = {name: dumped(field, line) for name, field in value.iter_fields()}
        return {"kind": type(value).__name__, "line": line, **fields}
    if isinstance(value, (list, tuple)):
        return [dumped(element, line) for element in value]
    if isinstance(value, float) and math.isinf(value):
        raise TemplateSyntaxError("a number is larger than a double holds", line)
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        raise TemplateSyntaxError(f"the number {value} is larger than 64 bits hold", line)
    return value


def parse(template):
    try:
        return {"tree": dumped(ENVIRONMENT.parse(template))}
    except TemplateSyntaxError as error:
        return {"line": error.lineno, "error": error.message}
    except RecursionError as error:
        return {"line": 1, "error": str(error)}


def written(template):
    """What the generator reads, as text."""
    try:
        return json.dumps(parse(template), allow_nan=False)
    except (ValueError, RecursionError) as error:
        return json.dumps({"line": 1, "error": str(error)})


if __name__ == "__main__":
    sys.stdout.write(written(sys.stdin.buffer.read().decode()))
