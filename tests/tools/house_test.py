"""The tree keeps every rule of the house, and the command prints and counts what breaks one."""

import shutil
import subprocess
import unittest

from seeded_tree import PYTHON, ROOT, SeededTree


class HouseTest(SeededTree):
    def house(self, *arguments):
        done = subprocess.run([PYTHON, str(ROOT / "tools/house"), *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    @unittest.skipUnless(shutil.which("ctags"), "universal-ctags is not installed: tools/packages-check")
    def test_the_tree_keeps_every_rule(self):
        self.assertEqual(self.house(), (0, "", ""))

    def test_a_breach_is_printed(self):
        self.write("tests/a_test.cc", "for (int x : Answer(1).rows()) {}")
        status, output, _ = self.house(f"--root={self.tree}", "loops", "casts")
        self.assertEqual(status, 1)
        self.assertTrue(output.startswith("tests/a_test.cc:1: "), output)

    def test_a_rule_that_does_not_exist_is_refused(self):
        self.assertEqual(self.house("lops"), (2, "", 'house: got "lops", want a rule; --help lists them\n'))

    def test_each_rule_has_a_line_of_help_and_a_test(self):
        status, output, _ = self.house("--help")
        self.assertEqual(status, 0)
        for path in (ROOT / "tools/rules").glob("*.py"):
            if path.stem not in ("tree", "tower"):
                self.assertIn(f"\n  {path.stem}", output)
                self.assertTrue((ROOT / f"tests/tools/{path.stem}_test.py").is_file(), path.stem)


if __name__ == "__main__":
    unittest.main()
