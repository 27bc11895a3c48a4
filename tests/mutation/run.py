#!/usr/bin/env python3
"""Plants the faults of faults.toml one at a time, and says which test catches each; README.md beside it tells more.

Works in a copy of this checkout's tracked files as they stand, brought up to date at each start. Results are kept
beside the copy: a run goes on where the last one stopped.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
SURVIVED = "SURVIVED"
NOT_COMPILED = "does not compile"


class Mistake(Exception):
    """Something that the user or the list of faults must put right."""


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


class Copy:
    """The copied tree and its build."""

    def __init__(self, work, jobs, timeout):
        self.source = work / "source"
        self.build = self.source / "build"  # as the preset has it
        self.log = work / "log.txt"  # of the last command
        self.jobs, self.timeout = str(jobs), str(timeout)

    def update(self):
        """Copies what differs, so that only that is compiled again; whether anything did."""
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, check=True, capture_output=True).stdout
        tracked = {name for name in listed.decode().split("\0") if name and (CHECKOUT / name).is_file()}
        changed = False
        for name in tracked:
            origin, target = CHECKOUT / name, self.source / name
            if not target.is_file() or target.read_bytes() != origin.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(origin, target)  # with the time of now, for ninja
                changed = True
        for path in list(self.source.rglob("*")):
            inside = path.relative_to(self.source)
            if inside.parts[0] != "build" and not path.is_dir() and inside.as_posix() not in tracked:
                path.unlink()
                changed = True
        if (changed or not (self.build / "build.ninja").exists()) and not self.run("cmake", "--preset", "tests"):
            raise Mistake(f"the copy cannot be configured: see {self.log}")
        return changed

    def run(self, *command):
        with open(self.log, "w", encoding="utf-8") as log:
            return subprocess.run(command, cwd=self.source, stdout=log, stderr=log, check=False).returncode == 0

    def targets_of(self, tests):
        """What is to be built for the tests that an expression selects, and for those that set them up."""
        shown = subprocess.run(["ctest", "--preset", "tests", "-R", tests, "--show-only=json-v1"], cwd=self.source,
                               capture_output=True, text=True, check=False)
        selected = json.loads(shown.stdout)["tests"] if shown.returncode == 0 else []
        if not selected:
            raise Mistake(f"no test is called {tests}")
        targets = set()
        for test in selected:
            is_set_up = any(each["name"] == "FIXTURES_REQUIRED" for each in test["properties"])  # by other tests
            missing = [] if is_set_up else [f"{self.build}/bin/test_{test['name']}"]
            command = " ".join(test.get("command", missing))  # which names no program that is not there yet
            targets.update(re.findall(rf"{re.escape(str(self.build))}/bin/(\w+)", command))
        if "monomorph" in targets:
            targets.add("golden_runner")  # and with it the runtime, which engines are built from
        return sorted(targets)

    def compiles(self, targets):
        return self.run("ninja", "-C", str(self.build), "-j", self.jobs, *targets)

    def run_tests(self, tests):
        """Up to the first failure: those that failed, and those that passed."""
        report = self.build / "mutation.xml"
        report.unlink(missing_ok=True)
        self.run("ctest", "--preset", "tests", "-R", tests, "-j", "1", "--timeout", self.timeout, "--stop-on-failure",
                 "--output-junit", str(report))
        if not report.exists():
            raise Mistake(f"ctest wrote no report: see {self.log}")
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
        return [[case.get("name") for case in cases if case.get("status") == status] for status in ("fail", "run")]


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
    options = parser.parse_args()
    with open(HERE / "faults.toml", "rb") as file:
        faults = [Fault(**table) for table in tomllib.load(file)["fault"]]
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
