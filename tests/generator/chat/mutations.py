"""Changes to a template's source that leave most of it in order: a template is a list of units, which are texts, tags (lists of
tokens, from "{{" to "}}") and blocks (a list of units, from the tag that opens one to the one that ends it)."""

import re

STRING = r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
TAG = re.compile(rf"""(\{{\#.*?\#\}}|\{{%[-+]?\s*raw\s*[-+]?%\}}.*?\{{%[-+]?\s*endraw\s*[-+]?%\}}
                      |\{{%(?:{STRING}|[^"'])*?%\}}|\{{\{{(?:{STRING}|[^"'])*?\}}\}})""", re.DOTALL | re.VERBOSE)
TOKEN = re.compile(rf"\{{[{{%][-+]?|[-+]?[%}}]\}}|\s+|{STRING}|\d\w*(?:\.\d\w*)?|\w+|\*\*|//|[=!<>]=|.", re.DOTALL)
BLOCKS = {"if", "for", "macro", "call", "filter", "with", "generation", "block", "autoescape"}

BINARY = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", ">", "<=", ">=", " and ", " or ", " in ", " not in ", "|", ".", ","]
FILTERS = ["length", "list", "trim", "upper", "lower", "title", "capitalize", "string", "int", "float", "abs", "round", "first", "last",
           "join", "join(', ')", "sort", "reverse", "unique", "min", "max", "sum", "tojson", "tojson(indent=2)", "default('d')",
           "default('d', true)", "replace('e', 'E')", "items", "dictsort", "map('string')", "map(attribute='role')", "select", "reject",
           "selectattr('role')", "selectattr('content', 'string')", "rejectattr('role', 'equalto', 'user')", "groupby('role')",
           "batch(2)", "slice(2)", "indent", "e", "safe", "wordcount", "truncate(9)", "center(9)", "count", "format(1)", "sort(reverse=true)"]
TESTS = ["defined", "undefined", "none", "string", "mapping", "sequence", "iterable", "number", "integer", "float", "boolean", "true",
         "false", "odd", "even", "divisibleby(2)", "in [1, 'user']", "eq 1", "ne 'a'", "lt 2", "ge 2", "sameas none", "callable", "upper",
         "lower", "equalto('user')", "not defined", "not none"]
NAMES = ["messages", "message", "loop", "tools", "number", "bos_token", "eos_token", "unk_token", "missing", "add_generation_prompt", "x",
         "ns", "namespace", "dict", "content", "none", "true", "false"]
LITERALS = ["0", "1", "2", "-1", "7", "1.5", "0.0", "-2.5", "100", "1e16", "''", "'a'", "' b '", "'user'", "'role'", "'é日😀'", "'it\\'s\\n'", "none",
            "true", "false", "[]", "{}", "()", "[1, 'a', none]", "{'a': 1, 'b': [2]}", "(1, 2)", "range(3)", "messages", "missing", "'%s'"]
SUFFIXES = ["[0]", "[-1]", "[1:]", "[:2]", "[::-1]", "[:-1]", "['role']", ".role", ".content", ".x", ".strip()", ".split()", ".upper()",
            ".items()", ".get('role')", ".get('x', 1)", ".keys()", ".startswith('<')", ".index", "()", ".length", "['x']", ".split('e')",
            ".replace('e', '')", ".lower()", ".title()", ".count('e')", ".find('e')", ".rstrip()", ".join(['a', 'b'])", "[1]", "[5]"]


def units_of(source):
    """Nothing is lost: text() of them is `source`, whether or not blocks end as they should."""
    stack = [[]]
    for piece in TAG.split(source):
        if piece.startswith(("{{", "{%")) and not re.match(r"\{%[-+]?\s*raw\b", piece):
            tag = ["tag", TOKEN.findall(piece)]
            name = keyword(tag)
            if name in BLOCKS or name == "set" and "=" not in tag[1]:
                stack.append([])
            stack[-1].append(tag)
            if name.startswith("end") and len(stack) > 1:
                block = stack.pop()
                stack[-1].append(["block", block])
        elif piece:
            stack[-1].append(["data", piece])
    while len(stack) > 1:
        block = stack.pop()
        stack[-1] += block
    return stack[0]


def text(units):
    return "".join(unit[1] if unit[0] == "data" else "".join(unit[1]) if unit[0] == "tag" else text(unit[1]) for unit in units)


def copied(units):
    return [[kind, value if kind == "data" else list(value) if kind == "tag" else copied(value)] for kind, value in units]


def keyword(tag):
    return next((token for token in tag[1][1:] if not token.isspace()), "") if tag[1][0].startswith("{%") else ""


def tags(units):
    for unit in units:
        if unit[0] == "tag":
            yield unit
        elif unit[0] == "block":
            yield from tags(unit[1])


def lists(units):
    yield units
    for unit in units:
        if unit[0] == "block":
            yield from lists(unit[1])


def is_definition(unit):
    first = unit if unit[0] == "tag" else unit[1][0] if unit[0] == "block" else None
    return first is not None and keyword(first) in ("set", "macro")


def part(random, units):
    """A few neighbours, and most of what is set before them: in a long template the first error would hide what comes after."""
    if len(units) < 8 or random.random() < 0.2:
        return copied(units)
    begin = random.randrange(len(units))
    kept = [unit for unit in units[:begin] if is_definition(unit) and random.random() < 0.9]
    return copied(kept + units[begin:begin + random.randint(2, 10)])


def mutate(random, units, others):
    """One change of `units`, in place; `others` are another template's."""
    found = [tag for tag in tags(units) if len(tag[1]) > 2]
    if not found or random.random() < 0.2:
        change_units(random, random.choice(list(lists(units))), others)
    else:
        change_tag(random, random.choice(found)[1], [tag[1] for tag in tags(others)])


def change_units(random, units, others):
    at = random.randrange(len(units) + 1)
    source = random.choice(list(lists(others)))
    kind = random.choice(["delete", "duplicate", "swap", "splice", "splice", "end", "space"])
    if kind == "splice" and source:
        begin = random.randrange(len(source))
        units[at:at] = copied(source[begin:begin + random.randint(1, 3)])
    elif kind == "space" or not units:
        units.insert(at, ["data", random.choice([" ", "\n", "  \n", "\n\n", "\t", "x", "\n  ", "\u00a0", "\r\n", "{", "}"])])
    elif kind == "end" and source:  # this template's beginning, another's end
        units[at:] = copied(source[random.randrange(len(source)):])
    elif at < len(units):
        other = random.randrange(len(units))
        if kind == "delete":
            del units[at]
        elif kind == "duplicate":
            units[at:at] = copied(units[at:at + 1])
        else:
            units[at], units[other] = units[other], units[at]


def change_tag(random, tokens, others):
    inner = [i for i in range(1, len(tokens) - 1) if not tokens[i].isspace()]
    if not inner:
        return
    at = random.choice(inner)
    words = [i for i in inner if re.match(r"\w", tokens[i])]
    word = random.choice(words or inner)
    kind = random.choice(["delete", "duplicate", "swap", "replace", "replace", "replace", "filter", "test", "suffix", "operate", "wrap",
                          "edge", "borrow", "condition"])
    if kind == "delete":
        del tokens[at]
    elif kind == "duplicate":
        tokens[at:at] = [tokens[at]]
    elif kind == "swap":
        other = random.choice(inner)
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif kind == "replace":
        tokens[at] = replacement(random, tokens, at)
    elif kind == "filter":
        tokens.insert(word + 1, random.choice(["|", " | "]) + random.choice(FILTERS))
    elif kind == "test":
        tokens.insert(word + 1, random.choice([" is ", " is ", " is not "]) + random.choice(TESTS))
    elif kind == "suffix":
        tokens.insert(word + 1, random.choice(SUFFIXES))
    elif kind == "operate":
        tokens.insert(word + 1, random.choice(BINARY) + random.choice(LITERALS + NAMES))
    elif kind == "wrap":
        before, after = random.choice([("not ", ""), ("-", ""), ("(", ")"), ("[", "]"), ("{'k': ", "}"), ("(", ",)"), ("*", ""), ("(", ")|list")])
        tokens[word] = before + tokens[word] + after
    elif kind == "edge":
        side = random.choice([0, -1])
        bare = tokens[side].strip("-+")
        sign = random.choice(["", "-", "-", "+" if bare in ("{%", "%}") else ""])
        tokens[side] = bare + sign if side == 0 else sign + bare
    elif kind == "borrow" and others:
        source = random.choice(others)
        begin = random.randrange(1, len(source))
        tokens[at:at + random.randint(0, 2)] = source[begin:min(begin + random.randint(1, 5), len(source) - 1)]
    else:
        tokens.insert(len(tokens) - 1, random.choice([" if ", " if not ", " if not loop and "]) + random.choice(NAMES) +
                      random.choice(["", " else 'e'", " else " + random.choice(NAMES)]))


def replacement(random, tokens, at):
    token = tokens[at]
    before = next((tokens[i] for i in range(at - 1, 0, -1) if not tokens[i].isspace()), "")
    if random.random() < 0.1:
        return random.choice(LITERALS + NAMES + BINARY)
    if before == "|":
        return random.choice(FILTERS)
    if before == "is":
        return random.choice(TESTS)
    if re.match(r"[\"'\d]", token):
        return random.choice(LITERALS)
    if re.match(r"\w", token):
        if token in ("and", "or", "in", "not", "is"):
            return random.choice(["and", "or", "in", "not in", "is", "is not", "not"])
        if before == ".":
            return random.choice(SUFFIXES).lstrip(".")
        return random.choice(NAMES + [t for t in tokens if t.isidentifier()])
    if token in ("(", ")", "[", "]", "{", "}"):
        return random.choice(["(", ")", "[", "]", "{", "}"])
    return random.choice(BINARY)
