"""A copy of this checkout's tracked files as they stand, and its build: for scripts that change the tree and see what
happens. It is kept, so that a next run compiles only what differs."""
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


class Mistake(Exception):
    """Something that the user or the list of faults must put right."""


class Copy:
    """The copied tree and its build, below the folder `work`."""

    def __init__(self, work, jobs, timeout):
        self.source = work / "source"
        self.build = self.source / "build"  # as the preset has it
        self.log = work / "log.txt"  # of the last command
        self.jobs, self.timeout = str(jobs), str(timeout)

    def update(self, changes=None):
        """Copies what differs, so that only that is compiled again; whether anything did. `changes` are files by their
        names with other contents than the checkout's."""
        changes = changes or {}
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, check=True, capture_output=True).stdout
        tracked = {name for name in listed.decode().split("\0") if name and (CHECKOUT / name).is_file()} | set(changes)
        changed = False
        for name in sorted(tracked):
            origin, target = CHECKOUT / name, self.source / name
            content = changes[name] if name in changes else origin.read_bytes()
            if not target.is_file() or target.read_bytes() != content:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)  # with the time of now, for ninja
                if name not in changes or origin.is_file():
                    shutil.copymode(origin, target)
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
        report = self.build / "copied_tree.xml"
        report.unlink(missing_ok=True)
        self.run("ctest", "--preset", "tests", "-R", tests, "-j", "1", "--timeout", self.timeout, "--stop-on-failure",
                 "--output-junit", str(report))
        if not report.exists():
            raise Mistake(f"ctest wrote no report: see {self.log}")
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
        return [[case.get("name") for case in cases if case.get("status") == status] for status in ("fail", "run")]
