#!/usr/bin/env python3
"""Plants the faults of faults.toml one at a time, and says which test catches each; README.md beside it tells more.

Works in a copy of this checkout's tracked files as they stand, brought up to date at each start. Results are kept
beside the copy: a run goes on where the last one stopped.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from copied_tree import CHECKOUT, Copy, Mistake  # noqa: E402

SURVIVED = "SURVIVED"
NOT_COMPILED = "does not compile"


@dataclass(frozen=True)
class Fault:
    id: str
    file: str
    replace: str
    by: str
    what: str
    tests: str

    @property
    def is_for_the_compiler(self):
        return self.tests == "compile"

    def is_caught_by(self, outcome):
        return outcome == NOT_COMPILED if self.is_for_the_compiler else outcome.startswith("caught")


class Results:
    """Outcomes so far, each with the fault as it was, and the selections of tests that pass on the copy as it is."""

    def __init__(self, path):
        self.path = path
        self.kept = json.loads(path.read_text()) if path.exists() else {"outcomes": {}, "sound": []}

    def outcome(self, fault):
        kept = self.kept["outcomes"].get(fault.id)
        return kept["outcome"] if kept and kept["fault"] == asdict(fault) else None

    def save(self):
        self.path.write_text(json.dumps(self.kept, indent=1) + "\n")


def plant(copy, fault, sound):
    """The outcome of one fault; the file is whole again afterwards, whatever happens."""
    path = copy.source / fault.file
    whole = path.read_bytes()
    count = whole.count(fault.replace.encode())
    if count != 1:
        raise Mistake(f"{fault.id}: its text stands {count} times in {fault.file}, not once")
    targets = ["all"] if fault.is_for_the_compiler else copy.targets_of(fault.tests)
    if fault.tests not in sound:  # a test that fails anyway catches nothing, and one that is skipped neither
        if not copy.compiles(targets):
            raise Mistake(f"{fault.id}: the tree does not compile as it is: see {copy.log}")
        failed, passed = ([], ["compiler"]) if fault.is_for_the_compiler else copy.run_tests(fault.tests)
        if failed or not passed:
            raise Mistake(f"{fault.id}: {fault.tests} fails or is skipped on the tree as it is: see {copy.log}")
        sound.append(fault.tests)
    try:
        path.write_bytes(whole.replace(fault.replace.encode(), fault.by.encode()))
        if not copy.compiles(targets):
            return NOT_COMPILED
        failed = [] if fault.is_for_the_compiler else copy.run_tests(fault.tests)[0]
        return f"caught by {failed[0]}" if failed else SURVIVED
    finally:
        path.write_bytes(whole)


def check(faults, build):
    """What is wrong with the list itself: a text that does not stand once, tests that `scripts/test` does not run."""
    shown = subprocess.run(["ctest", "--test-dir", str(build), "--label-exclude", "^all$", "--show-only=json-v1"],
                           check=True, capture_output=True, text=True).stdout
    names = [test["name"] for test in json.loads(shown)["tests"]]
    wrong = []
    for fault in faults:
        path = CHECKOUT / fault.file
        count = path.read_text(encoding="utf-8").count(fault.replace) if path.is_file() else 0
        if count != 1:
            wrong.append(f"{fault.id}: its text stands {count} times in {fault.file}, not once: point it to where the "
                         "same mistake could be made today")
        if not fault.is_for_the_compiler and not any(re.search(fault.tests, name) for name in names):
            wrong.append(f"{fault.id}: of {fault.tests} scripts/test runs none")
    counted = Counter(fault.id for fault in faults)
    return wrong + [f"{id} is the id of {count} faults" for id, count in counted.items() if count > 1]


def chosen(faults, words):
    """Faults by id, and ranges FIRST..LAST in the order of the list; all where nothing is named."""
    ids = [fault.id for fault in faults]
    indices = set() if words else set(range(len(ids)))
    for word in words:
        first, _, last = word.partition("..")
        if first not in ids or (last or first) not in ids:
            raise Mistake(f"no such fault: {word}")
        indices.update(range(ids.index(first), ids.index(last or first) + 1))
    return [faults[index] for index in sorted(indices)]


def main():
    parser = argparse.ArgumentParser(description="Plants small faults one at a time: which does a test catch?")
    parser.add_argument("ids", nargs="*", metavar="ID", help="an id, or FIRST..LAST; default: all without a result")
    parser.add_argument("--work", type=Path, default=CHECKOUT / "build" / "mutation", help="where to work")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), help="compilers at once")
    parser.add_argument("--timeout", type=int, default=300, help="seconds a test may take; one that takes more failed")
    parser.add_argument("--check", type=Path, metavar="BUILD", help="plant nothing: is each fault in the list one that "
                        "can be planted, and are its tests among those that scripts/test runs of this build folder?")
    options = parser.parse_args()
    with open(HERE / "faults.toml", "rb") as file:
        faults = [Fault(**table) for table in tomllib.load(file)["fault"]]
    if options.check:
        wrong = check(faults, options.check)
        print("\n".join(wrong) or f"{len(faults)} faults can be planted")
        return 1 if wrong else 0
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    results = Results(work / "results.json")
    copy = Copy(work, options.jobs, options.timeout)
    if copy.update():
        results.kept["sound"] = []
    for fault in chosen(faults, options.ids):
        if not options.ids and results.outcome(fault):
            continue
        outcome = plant(copy, fault, results.kept["sound"])
        results.kept["outcomes"][fault.id] = {"outcome": outcome, "fault": asdict(fault)}
        results.save()
        print(f"{fault.id}: {outcome}", flush=True)
    outcomes = [(fault, results.outcome(fault)) for fault in faults if results.outcome(fault)]
    caught = sum(fault.is_caught_by(outcome) for fault, outcome in outcomes)
    print(f"{caught} caught of {len(outcomes)} run, {len(faults)} listed")
    return 0 if caught == len(faults) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Mistake as mistake:
        sys.exit(f"run.py: {mistake}")
    except KeyboardInterrupt:
        sys.exit("run.py: interrupted; the copy is whole, and what was found is kept")
