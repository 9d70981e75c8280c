"""A small tree with breaches in it, for the tests of what finds them."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3"  # Debian's, which finds the modules of Debian's packages
sys.path.insert(0, str(ROOT / "tools"))  # Import this module before those of tools/rules.


class SeededTree(unittest.TestCase):
    def setUp(self):
        self.tree = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.tree)

    def write(self, name, *lines):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def assert_breach(self, breach, rule):
        """A module of tools/rules finds this in the tree."""
        found = "\n".join(rule.breaches(self.tree))
        self.assertIn(breach, found)

    def assert_no_breach(self, rule):
        self.assertEqual(list(rule.breaches(self.tree)), [])

    def run_tool(self, tool, *arguments, tree=None):
        """(exit status, standard output) of a tool over the tree."""
        done = subprocess.run(
            [PYTHON, str(ROOT / "tools" / tool), *arguments, str(tree or self.tree)],
            stdout=subprocess.PIPE, text=True, check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        return done.returncode, done.stdout

    def assert_finds(self, breach, tool, *arguments):
        status, output = self.run_tool(tool, *arguments)
        self.assertEqual(status, 1, output)
        self.assertIn(breach, output)

    def assert_finds_nothing(self, tool, *arguments, tree=None):
        self.assertEqual(self.run_tool(tool, *arguments, tree=tree), (0, ""))
