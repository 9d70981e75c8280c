"""VERSION is the newest release of CHANGELOG.md."""

import re
import unittest

from seeded_tree import ROOT

CHART = "client/kubernetes/charts/priorityd-kubernetes/Chart.yaml"
PYTHON = ("client/python/pyproject.toml", "client/collectors/pyproject.toml")
HEADING = re.compile(r"^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)


class VersionTest(unittest.TestCase):
    def test_the_newest_release_of_the_changelog_is_the_version(self):
        headings = HEADING.findall((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
        self.assertEqual(headings[0], ("Unreleased", ""))
        version, date = headings[1]
        self.assertTrue(date)
        self.assertEqual((ROOT / "VERSION").read_text(encoding="utf-8"), version + "\n")

    def test_the_chart_has_the_version(self):
        version = (ROOT / "VERSION").read_text(encoding="utf-8")
        self.assertIn(f"\nversion: {version}", (ROOT / CHART).read_text(encoding="utf-8"))

    def test_the_python_packages_have_the_version(self):
        version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
        for project in PYTHON:
            self.assertIn(f'\nversion = "{version}"\n', (ROOT / project).read_text(encoding="utf-8"))
        self.assertIn(f'"priorityd=={version}"', (ROOT / PYTHON[1]).read_text(encoding="utf-8"))

    def test_a_release_has_eighty_lines_at_most(self):
        text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        newest = text.split("\n## [")[2].rstrip().splitlines()
        self.assertLessEqual(len(newest), 80)
        self.assertLessEqual(max(map(len, newest)), 120)

    def test_no_other_file_states_the_version(self):
        version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
        for folder in ["server", "engine", "client", "storage", "proto", "deploy"]:
            for path in (ROOT / folder).rglob("*"):
                if path.suffix in (".h", ".cc", ".proto", ".bzl", "") and "node_modules" not in path.parts:
                    if path.is_file():
                        self.assertNotIn(f'"{version}"', path.read_text(encoding="utf-8"), path)


if __name__ == "__main__":
    unittest.main()
