"""What scripts/write-architectures says of files that contradict each other, in a small checkout of its own.

    tests/architectures/contradictions_test.py
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "write-architectures"

FAMILY = 'architectures = ["AForCausalLM"]\nmodel_type = "a"\n'
CLASSES = """transformers = "1.0"
[classes]
AForCausalLM = ["a"]
BForCausalLM = ["b"]
CForCausalLM = ["c"]
DForCausalLM = ["d"]
"""
STANDING = """[parts]
family = "A file."
experts = "A router."
row = "A row."
[classes]
BForCausalLM = { waits = ["experts", "row"], note = "the row" }
CForCausalLM = { waits = ["family"] }
DForCausalLM = { never = "audio" }
[model_types]
"""
README = "| architectures | <!-- architectures: begin --><!-- architectures: end --> |\n"


class Contradictions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in {
            "generator/families/a.toml": FAMILY,
            "generator/families/shared.toml": "[keys]\n",
            "tests/architectures/classes.toml": CLASSES,
            "tests/architectures/standing.toml": STANDING,
            "README.md": README,
        }.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        (self.root / "docs").mkdir()
        self.assertEqual(self.run_script(), (0, ""))

    def run_script(self, *options: str) -> tuple[int, str]:
        command = [sys.executable, SCRIPT, "--root", self.root, *options]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.returncode, result.stderr

    def change(self, file: str, old: str, new: str) -> None:
        text = (self.root / file).read_text()
        self.assertIn(old, text)
        (self.root / file).write_text(text.replace(old, new))

    def standing(self, old: str, new: str) -> None:
        self.change("tests/architectures/standing.toml", old, new)

    def refuses(self, *words: str) -> None:
        """--check and the writing itself name the file and say each of these, and the page stays as it is."""
        before = (self.root / "docs/architectures.md").read_text()
        for options in (["--check"], []):
            status, said = self.run_script(*options)
            self.assertEqual(status, 1)
            for word in ("standing.toml", *words):
                self.assertIn(word, said)
        self.assertEqual((self.root / "docs/architectures.md").read_text(), before)

    def test_what_was_written_is_as_it_should_be(self):
        self.assertEqual(self.run_script("--check"), (0, ""))
        self.assertIn("`AForCausalLM`", (self.root / "README.md").read_text())

    def test_a_page_that_differs_is_told_with_the_command_that_mends_it(self):
        self.change("docs/architectures.md", "audio", "sound")
        status, said = self.run_script("--check")
        self.assertEqual(status, 1)
        for word in ("-| `DForCausalLM` | `d` | sound |", "docs/architectures.md", "run scripts/write-architectures"):
            self.assertIn(word, said)
        self.assertEqual(self.run_script(), (0, ""))
        self.assertEqual(self.run_script("--check"), (0, ""))

    def test_a_readme_that_differs_is_told(self):
        self.change("README.md", "`AForCausalLM`", "`ZForCausalLM`")
        status, said = self.run_script("--check")
        self.assertEqual(status, 1)
        self.assertIn("README.md", said)

    def test_a_readme_without_markers_is_told(self):
        self.change("README.md", "<!-- architectures: end -->", "")
        status, said = self.run_script("--check")
        self.assertEqual(status, 1)
        self.assertIn("README.md: it must have", said)

    def test_a_class_of_which_nothing_is_said(self):
        self.standing('DForCausalLM = { never = "audio" }\n', "")
        self.refuses("DForCausalLM: nothing is said of it")

    def test_a_class_that_the_library_has_not(self):
        self.standing("DForCausalLM", "EForCausalLM")
        self.refuses("EForCausalLM: the library has no such class", "DForCausalLM: nothing is said of it")

    def test_an_encoder_that_runs_and_is_said_not_to(self):
        self.standing("[model_types]", "[encoders]\nEModel = 'a row'\n\n[model_types]")
        self.assertEqual(self.run_script()[0], 0)
        self.assertIn("`EModel` does not run: a row.", (self.root / "docs/architectures.md").read_text())
        self.standing("EModel", "AForCausalLM")
        self.refuses("AForCausalLM: generator/families/a.toml runs it; take the line out")

    def test_a_class_that_runs_and_never_will(self):
        self.standing("DForCausalLM", "AForCausalLM = { never = 'images' }\nDForCausalLM")
        self.refuses("AForCausalLM: generator/families/a.toml runs it; take the line out")

    def test_a_class_that_runs_and_waits_for_a_part(self):
        self.change("generator/families/a.toml", '"AForCausalLM"', '"AForCausalLM", "BForCausalLM"')
        self.refuses("BForCausalLM: generator/families/a.toml runs it; take the line out")

    def test_a_part_that_is_not_explained(self):
        self.standing('["experts", "row"]', '["experts", "row", "images"]')
        self.refuses("BForCausalLM: the part 'images' is not explained")

    def test_a_part_for_which_nothing_waits(self):
        self.standing('row = "A row."', 'row = "A row."\nimages = "Pixels."')
        self.refuses("the part 'images' is explained and no class waits for it")

    def test_a_row_that_no_note_tells(self):
        self.standing(', note = "the row"', "")
        self.refuses("BForCausalLM: the note must say which row")

    def test_a_class_that_waits_and_never_runs(self):
        self.standing('{ never = "audio" }', '{ never = "audio", waits = ["experts"] }')
        self.refuses("DForCausalLM: it waits and never runs")

    def test_a_class_that_neither_waits_nor_never_runs(self):
        self.standing('{ never = "audio" }', '{ note = "audio" }')
        self.refuses("DForCausalLM: neither waits nor never is said")

    def test_a_family_beside_other_parts(self):
        self.standing('["family"]', '["family", "experts"]')
        self.refuses("CForCausalLM: what waits for another part needs its family, too")

    def test_a_key_that_there_is_not(self):
        self.standing('{ never = "audio" }', '{ never = "audio", why = "sound" }')
        self.refuses("DForCausalLM: 'why' is no key")

    def test_a_model_type_that_the_family_does_not_take(self):
        self.change("tests/architectures/classes.toml", '["a"]', '["a", "a2"]')
        self.refuses("a2: nothing is said of this model type", "generator/families/a.toml takes a alone")
        self.standing("[model_types]", '[model_types]\na2 = { note = "as a" }')
        self.assertEqual(self.run_script(), (0, ""))
        self.assertIn("| `a2` | `AForCausalLM` | as a |", (self.root / "docs/architectures.md").read_text())

    def test_a_family_that_the_library_lacks_stands_in_a_section_of_its_own(self):
        (self.root / "generator/families/z.toml").write_text('architectures = ["ZModelLM"]\nmodel_type = "z"\n')
        self.assertEqual(self.run_script(), (0, ""))
        runs, lacked = (self.root / "docs/architectures.md").read_text().split("## What runs that the library lacks")
        self.assertNotIn("ZModelLM", runs)
        self.assertIn("| `ZModelLM` | `z` | [z](../generator/families/z.toml) |", lacked)
        self.assertIn("`AForCausalLM`, `ZModelLM`", (self.root / "README.md").read_text())

    def test_a_class_in_two_families(self):
        (self.root / "generator/families/z.toml").write_text(FAMILY)
        status, said = self.run_script("--check")
        self.assertEqual(status, 1)
        self.assertIn("generator/families/z.toml: AForCausalLM is in generator/families/a.toml too", said)

    def test_a_family_that_came_leaves_what_waits_by_the_command_alone(self):
        (self.root / "generator/families/c.toml").write_text('architectures = ["CForCausalLM"]\nmodel_type = "c"\n')
        status, said = self.run_script("--check")
        self.assertEqual(status, 1)
        self.assertIn("CForCausalLM: generator/families/c.toml runs it; scripts/write-architectures takes", said)
        self.assertEqual(self.run_script(), (0, ""))
        self.assertNotIn("CForCausalLM", (self.root / "tests/architectures/standing.toml").read_text())
        self.assertEqual(self.run_script("--check"), (0, ""))


if __name__ == "__main__":
    unittest.main()
