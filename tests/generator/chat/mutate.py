#!/usr/bin/env python3
"""Makes many templates that nobody would write, and what Jinja2 renders for them: cases/ and given files with tokens, filters,
operators, literals, tags and blocks deleted, doubled, swapped, replaced or taken from another template.

    python3 mutate.py OUTPUT [--count N] [--seed N] [--processes N] [--files FILE...]

OUTPUT has one JSON object a line:

    {"template": SOURCE, "expected": [OUTCOME, OUTCOME]}

OUTCOME is the text for each conversation of CONVERSATIONS below (places in conversations.json, all variables of which are given),
or {"error": TYPE: MESSAGE} where rendering fails. A template that Jinja refuses before it renders (TemplateSyntaxError,
TemplateAssertionError, or Python's SyntaxError, as for a `break` outside a loop) has the same error twice; only a few of those are
kept. What recurses without end is Python's RecursionError. Left out are templates that take longer than a second, print more than
100 KB or an object of Python's with its address, or calculate with what grows out of bounds. The same seed and files give the same
lines.
"""

import argparse
import contextlib
import itertools
import json
import multiprocessing
import pathlib
import random
import re
import resource
import signal
import time
import warnings

import jinja2
from chat_environment import environment, error
from make_goldens import CONVERSATIONS as ALL
from mutations import mutate, part, text, units_of

HERE = pathlib.Path(__file__).parent
CONVERSATIONS = [2, 6]
SECONDS, CHARACTERS, TEMPLATE, NUMBER = 1.0, 100_000, 4_000, 10**4
REFUSED = 0.04  # how many of those that do not parse are kept
GUARDED = ("*", "**", "%")
LEFT_OUT = ("random", "lipsum")  # cases that differ from run to run
UNREPEATABLE = re.compile(r" at 0x|0x[0-9a-f]{9}|<class|<function|<built-in|jinja2|chat_environment", re.IGNORECASE)


class Unbounded(BaseException):
    """Not an Exception: neither Jinja nor a filter takes it for an error of the template."""


def size(value):
    return abs(value) if isinstance(value, (int, float)) else len(value) if hasattr(value, "__len__") else 1


def guard(operator, left, right):
    numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
    if (operator == "**" and size(right) > 100 or operator == "*" and not numbers and size(left) * size(right) > NUMBER or
            operator == "%" and isinstance(left, str) and re.search(r"\d{4}|\*", left)):
        raise Unbounded


class Guarded(type(environment())):
    """Asks before it calculates, and so folds no constants, of which Jinja has results of its own: never the oracle."""

    intercepted_binops = frozenset(GUARDED)

    def call_binop(self, context, operator, left, right):
        guard(operator, left, right)
        return super().call_binop(context, operator, left, right)


def guard_folding():
    """Jinja calculates with constants while it compiles, in branches never taken too."""
    def guarded(operator, function):
        return lambda left, right: (guard(operator, left, right), function(left, right))[1]

    functions = jinja2.nodes._binop_to_func
    functions.update({operator: guarded(operator, functions[operator]) for operator in GUARDED})


def stop(*_):
    raise Unbounded


def render(template, conversation):
    pieces, length = [], 0
    try:
        for piece in template.generate(**json.loads(json.dumps(ALL[conversation]))):
            pieces.append(piece)
            length += len(piece) if isinstance(piece, str) else 0
            if length > CHARACTERS:
                raise Unbounded
        rendered = "".join(pieces)
    except MemoryError:
        raise Unbounded from None
    except Exception as exception:
        return error(exception)
    if UNREPEATABLE.search(rendered):
        raise Unbounded
    return rendered


def outcomes(source):
    """None where they have no bounds; whether Jinja takes the template, and the list."""
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        if any(operator in source for operator in GUARDED):
            guarded = environment()
            guarded.__class__ = Guarded
            with contextlib.suppress(Exception):
                template = guarded.from_string(source)
                for conversation in CONVERSATIONS:
                    render(template, conversation)
        try:
            template = environment().from_string(source)
        except Exception as exception:
            return False, [error(exception)] * len(CONVERSATIONS)
        return True, [render(template, conversation) for conversation in CONVERSATIONS]
    except (Unbounded, MemoryError):
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def bases(files):
    paths = sorted((HERE / "cases").glob("*.jinja")) + [pathlib.Path(file) for file in files]
    return [units_of(path.read_bytes().decode()) for path in paths if path.stem not in LEFT_OUT]


def prepare(files):
    global BASES
    BASES = bases(files)
    guard_folding()
    warnings.simplefilter("ignore")  # of Python, of the code that a template becomes
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def mutant(task):
    """(kind, template, outcomes) of the mutant with this number; a mutant is a matter of seed and number alone."""
    seed, number = task
    chance = random.Random(f"{seed} {number}")
    units = part(chance, chance.choice(BASES))
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 4])):
        mutate(chance, units, chance.choice(BASES))
    source = text(units)
    if len(source) > TEMPLATE:
        return "long", None, None
    found = outcomes(source)
    if found is None:
        return "unbounded", None, None
    parsed, expected = found
    if not parsed:
        return "refused" if chance.random() < REFUSED else "refused, left out", source, expected
    return "rendered", source, expected


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--files", nargs="*", default=[], help="more templates to mutate")
    arguments = parser.parse_args()
    begun, kinds, errors, seen = time.monotonic(), {}, [0, 0, 0], set()
    with multiprocessing.Pool(arguments.processes, prepare, (arguments.files,)) as pool, arguments.output.open("w") as output:
        tasks = ((arguments.seed, number) for number in itertools.count())
        with contextlib.closing(bounded(pool, tasks)) as results:
            for kind, source, expected in results:
                kind = "twice" if source in seen else kind
                kinds[kind] = kinds.get(kind, 0) + 1
                if kind not in ("rendered", "refused"):
                    continue
                seen.add(source)
                output.write(json.dumps({"template": source, "expected": expected}) + "\n")
                if kind == "rendered":
                    errors[sum(isinstance(entry, dict) for entry in expected)] += 1
                if len(seen) == arguments.count:
                    break
    print(f"seed {arguments.seed}: {len(seen)} templates in {time.monotonic() - begun:.0f} s; tried: " +
          ", ".join(f"{kinds[kind]} {kind}" for kind in sorted(kinds)))
    print(f"of those rendered, {errors[0]} give a text for each conversation, {errors[1]} for one, {errors[2]} for none")


def bounded(pool, tasks, batch=2_000):
    """In order of the tasks, of which there is no end: a pool takes all there are at once."""
    while True:
        yield from pool.imap(mutant, itertools.islice(tasks, batch), chunksize=50)


if __name__ == "__main__":
    main()
