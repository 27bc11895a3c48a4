#!/usr/bin/env python3
"""Compiles the templates that mutate.py made, renders them, and compares with what Jinja2 gave: a template is refused, or
fails, or renders the same text.

    python3 check_mutants.py MUTANTS.jsonl [--build FOLDER] [--batch N] [--first N] [--limit N] [--jobs N] [--sanitize]
                             [--list KIND] [--wrong N]

FOLDER is where the project is built (`cmake --build FOLDER --target test_generator_chat`); what is made here goes to
FOLDER/mutants. Wrong is: another text than Jinja's, a text where Jinja fails, a crash or no end, C++ that does not compile or
warns. Not wrong, and counted: what is refused when it is compiled, and when it is rendered. --list shows what of a kind there
is ("fails" for refusals when rendered, by message). --sanitize compiles the emitted code and runtime/chat with the address and
undefined behaviour sanitizers, and the emitter too. Not a test of its own: 20,000 templates take two cores ten to twenty minutes,
and each kind of fault found so has a case in cases/. Exit status: 1 where something is wrong. Python 3.11 with jinja2, g++ and
ccache.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "generator" / "chat"))

from mutate import CONVERSATIONS  # noqa: E402
from parse_template import parse  # noqa: E402

COMPILE = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}"]
SANITIZE = ["-g", "-fsanitize=address,undefined", "-fno-sanitize=vptr", "-fno-sanitize-recover=all"]
LIBRARIES = ["-lfmt", "-lutf8proc", "-lpcre2-8"]
SECONDS = 60  # for a batch; each template is a matter of milliseconds

# Limits of Python's, which ours need not have: part of its error.
EXEMPT = ("too many statically nested blocks", "too many nested parentheses", "maximum recursion depth exceeded")


class Batch:
    """Some of the templates, as one program."""

    def __init__(self, folder, mutants, tools):
        self.folder, self.mutants, self.tools = folder, mutants, tools

    def outcomes(self):
        """For each template a list of what its conversations became, {"refused": why}, or {"wrong": why}."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        trees = []
        for number, mutant in enumerate(self.mutants):
            trees.append(self.folder / f"m{number}.json")
            trees[-1].write_text(json.dumps(parse(mutant["template"])))
        source, program = self.folder / "mutants.cpp", self.folder / "mutants"
        emitted = subprocess.run([self.tools.emitter, source, *trees], capture_output=True, text=True, errors="replace")
        if emitted.returncode != 0:
            return self.halves(f"the emitter fails ({emitted.returncode}): {emitted.stderr[-500:]}")
        compiled = subprocess.run(["ccache", *self.tools.compiler, "-O0", "-c", source, "-o", f"{program}.o"],
                                  capture_output=True, text=True, errors="replace")
        if compiled.returncode != 0:
            return self.halves(f"does not compile: {compiled.stderr[:800]}")
        subprocess.run([*self.tools.compiler, f"{program}.o", *self.tools.objects, "-o", program, *LIBRARIES], check=True)
        return self.run(program)

    def halves(self, why):
        if len(self.mutants) == 1:
            return [{"wrong": why}]
        middle = len(self.mutants) // 2
        parts = [self.mutants[:middle], self.mutants[middle:]]
        return [outcome for number, part in enumerate(parts)
                for outcome in Batch(self.folder / str(number), part, self.tools).outcomes()]

    def run(self, program):
        """Again from behind the one that ends the program."""
        found = []
        while len(found) < len(self.mutants):
            command = [program, HERE / "conversations.json", str(len(found)), *map(str, CONVERSATIONS)]
            try:
                ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, errors="replace")
                lines, status, errors = ran.stdout, ran.returncode, ran.stderr
            except subprocess.TimeoutExpired as expired:
                lines, status, errors = (expired.stdout or b"").decode(), "no end", ""
            found += [json.loads(line) for line in lines.split("\n")[:-1]]
            if status != 0 and len(found) < len(self.mutants):
                found.append({"wrong": f"crash ({status}): {errors[:3000]}"})
        return found


class Tools:
    def __init__(self, build, folder, sanitize):
        self.folder = folder
        self.emitter = build / "bin" / "emit_chat_cases"
        self.compiler = COMPILE + (SANITIZE if sanitize else [])
        own = [HERE / "mutants_main.cpp", HERE / "rendering.cpp"]
        emitter = [HERE / "emit_cases.cpp", *sorted((ROOT / "generator" / "chat").glob("*.cpp"))]
        if sanitize:
            own += [*sorted((ROOT / "runtime" / "chat").glob("*.cpp")), ROOT / "runtime" / "tokenizer" / "utf8.cpp"]
        folder.mkdir(parents=True, exist_ok=True)
        self.objects = [self.compiled(source, folder) for source in own]
        formats = build / "lib" / "libmonomorph_formats.a"
        if sanitize:
            # parse.cpp's embedded scripts come from the library, which stands last.
            made = folder / "emit_chat_cases"
            parts = [self.compiled(source, folder) for source in emitter] + self.objects[2:]
            subprocess.run([*self.compiler, *parts, build / "lib" / "libmonomorph_generator.a", formats, "-o", made, *LIBRARIES],
                           check=True)
            self.emitter = made
        self.objects.append(formats)

    def compiled(self, source, folder):
        made = folder / f"{source.parent.name}_{source.stem}.o"
        subprocess.run(["ccache", *self.compiler, "-O1", "-c", source, "-o", made], check=True)
        return made


def judged(mutant, outcome):
    """(kind, what is to be said of it); kinds that are wrong are in capitals."""
    if isinstance(outcome, dict):
        return ("refused", outcome["refused"]) if "refused" in outcome else ("BROKEN", outcome["wrong"])
    kinds = []
    for expected, ours in zip(mutant["expected"], outcome, strict=True):
        fails = isinstance(expected, dict)
        if "text" not in ours:
            kinds.append(("both fail", "") if fails else ("fails", ours["error"]))
        elif fails and not any(part in expected["error"] for part in EXEMPT):
            kinds.append(("TEXT FOR ERROR", f"{expected['error']}\nours: {ours['text']!r}"))
        elif fails:
            kinds.append(("exempt", ""))
        else:
            same = ours["text"] == expected
            kinds.append(("equal", "") if same else ("OTHER TEXT", f"Jinja2: {expected!r}\nours:   {ours['text']!r}"))
    for worst in ("OTHER TEXT", "TEXT FOR ERROR", "exempt", "fails", "equal", "both fail"):
        for kind, said in kinds:
            if kind == worst:
                return kind, said


def shape(message):
    """A message without what differs from template to template."""
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'", "'...'", message))[:110]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mutants", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--batch", type=int, default=250, help="how many make a program")
    parser.add_argument("--first", type=int, default=0, help="where to begin")
    parser.add_argument("--limit", type=int, help="how many to check")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--list", default="fails", help="a kind to show")
    parser.add_argument("--wrong", type=int, default=20, help="how many of what is wrong to show")
    arguments = parser.parse_args()
    lines = arguments.mutants.read_text().splitlines()
    mutants = [json.loads(line) for line in lines[arguments.first:][:arguments.limit]]
    folder = arguments.build / "mutants"
    tools = Tools(arguments.build, folder / ("sanitized" if arguments.sanitize else "plain"), arguments.sanitize)
    batches = [Batch(tools.folder / f"batch{first}", mutants[first:first + arguments.batch], tools)
               for first in range(0, len(mutants), arguments.batch)]
    kinds, messages, examples, wrong = collections.Counter(), collections.Counter(), {}, 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for batch, outcomes in zip(batches, pool.map(Batch.outcomes, batches)):
            for mutant, outcome in zip(batch.mutants, outcomes, strict=True):
                kind, said = judged(mutant, outcome)
                kinds[kind] += 1
                if kind == arguments.list:
                    messages[shape(said)] += 1
                    examples.setdefault(shape(said), mutant["template"])
                if kind.isupper() and (wrong := wrong + 1) <= arguments.wrong:
                    print(f"{kind}: {mutant['template']!r}\n{said}\n", flush=True)
            shutil.rmtree(batch.folder)
    print(f"{len(mutants)} templates: " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    for message, count in messages.most_common(60):
        print(f"{count:6} {message}\n       as of {examples[message][:300]!r}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
