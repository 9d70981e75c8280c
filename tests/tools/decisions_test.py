"""Each decision has a status and a line in the index, under its title."""

import re
import unittest

from seeded_tree import ROOT

FOLDER = ROOT / "docs/adr"
STATUS = re.compile(r"^Status: (accepted|superseded by \[ADR \d+\]|rejected|proposed)", re.MULTILINE)
ROW = re.compile(r"^\| (\d+) \| \[(.+)\]\((\S+\.md)\) \|$", re.MULTILINE)
COLUMNS = 100


class DecisionsTest(unittest.TestCase):
    def setUp(self):
        self.decisions = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("[0-9]*.md")}

    def test_the_index_lists_each_decision_once_under_its_title(self):
        listed = {name: f"# {number}. {title}" for number, title, name in
                  ROW.findall((FOLDER / "README.md").read_text(encoding="utf-8"))}
        self.assertTrue(listed)
        self.assertEqual(listed, {name: text.split("\n", 1)[0] for name, text in self.decisions.items()})

    def test_the_title_has_the_number_of_the_file(self):
        for name, text in self.decisions.items():
            self.assertTrue(text.startswith(f"# {int(name[:4])}. "), name)

    def test_a_decision_has_a_status_below_its_title(self):
        for name, text in self.decisions.items():
            self.assertRegex(text.split("\n\n")[1], STATUS, name)

    def test_lines_are_wrapped(self):
        for name, text in self.decisions.items():
            long = [line for line in text.splitlines() if len(line) > COLUMNS and not line.startswith("# ")]
            self.assertEqual(long, [], name)


if __name__ == "__main__":
    unittest.main()
