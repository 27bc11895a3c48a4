"""The environment in which transformers renders a chat template (its utils/chat_template_utils.py), written again: Jinja2's
sandbox whose values cannot be changed, without escaping, with a clock that stands still. Needs jinja2 alone."""

import datetime
import json
import re

import jinja2
import jinja2.ext
import jinja2.sandbox
import jinja2.utils

NOW = datetime.datetime(2026, 3, 4, 5, 6, 7)


class Generation(jinja2.ext.Extension):
    """`{% generation %}`, which marks what the model wrote: renders as its body."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


class Dict:
    """`dict` of a template: makes one, and hides the type itself."""

    def __call__(self, *args, **kwargs):
        return dict(*args, **kwargs)

    def fromkeys(self, *args, **kwargs):
        return dict.fromkeys(*args, **kwargs)


class Namespace(jinja2.utils.Namespace):
    """`namespace` of a template: no attribute of it begins with an underscore."""

    def __init__(*args, **kwargs):
        self, args = args[0], args[1:]
        attributes = dict(*args, **kwargs)
        for name in attributes:
            refuse_underscore(name)
        jinja2.utils.Namespace.__init__(self, attributes)

    def __setitem__(self, name, value):
        refuse_underscore(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)


def refuse_underscore(name):
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(f"a namespace stores no attribute {name!r}")


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def strftime_now(format):
    return NOW.strftime(format)


def environment():
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True,
                                                        extensions=[Generation, jinja2.ext.loopcontrols])
    made.filters["tojson"] = tojson
    made.globals.update(raise_exception=raise_exception, strftime_now=strftime_now, dict=Dict(), namespace=Namespace)
    return made


def error(exception):
    """Addresses differ from run to run, and where a recursion ends differs from caller to caller."""
    if isinstance(exception, RecursionError):
        return {"error": "RecursionError: maximum recursion depth exceeded"}
    return {"error": re.sub(r"\b0x[0-9a-f]{6,}", "0x", f"{type(exception).__name__}: {exception}")}


def outcome(source, variables):
    """The text that `source` renders to, or {"error": TYPE: MESSAGE}: of a template that is refused, too."""
    try:
        return environment().from_string(source).render(**json.loads(json.dumps(variables)))
    except Exception as exception:  # whatever a template can be made to raise
        return error(exception)
