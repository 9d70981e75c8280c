"""A release is checked, set, tagged and noted on a scratch clone, and refused where something is missing."""

import pathlib
import re
import shutil
import subprocess
import unittest

from seeded_tree import ROOT, SeededTree

CHANGELOG = """# Changelog

## [Unreleased]

## [0.2.0] - 2026-11-25

### Breaking
- A flag is gone.

## [0.1.0] - 2026-11-22

- The first.
"""
PROTO = 'syntax = "proto3"; package a.v1; message Job { string id = 1; }'
PROTO_WITHOUT_FIELD = 'syntax = "proto3"; package a.v1; message Job {}'
CHART = "client/kubernetes/charts/priorityd-kubernetes/Chart.yaml"
PYTHON = "client/python/pyproject.toml"
COLLECTORS = "client/collectors/pyproject.toml"

# A file that is committed with this text, and why there is no release.
REFUSALS = [
    ("CHANGELOG.md", CHANGELOG.replace("0.2.0", "0.1.9"), "CHANGELOG.md: got 0.1.9 as the newest release, want 0.2.0"),
    ("CHANGELOG.md", CHANGELOG.replace(" - 2026-11-25", ""), "CHANGELOG.md: got 0.2.0 as the newest release"),
    ("CHANGELOG.md", CHANGELOG.replace("## [Unreleased]", "## [Unreleased]\n\n- New."), "got entries under Unreleased"),
    ("CHANGELOG.md", CHANGELOG.replace("## [Unreleased]", ""), "got no section Unreleased"),
    ("CHANGELOG.md", CHANGELOG.replace("- A flag is gone.", "- A flag.\n" * 80), "got 81 lines for 0.2.0, want 80"),
    ("VERSION", "0.3.0\n", "VERSION: got 0.3.0, want 0.2.0 or an earlier one"),
    ("proto/a.proto", PROTO_WITHOUT_FIELD, "tools/check: failed"),
]


class ReleaseTest(SeededTree):
    def setUp(self):
        super().setUp()
        self.write("CHANGELOG.md", CHANGELOG)
        self.write("VERSION", "0.1.0")
        self.write("proto/a.proto", PROTO)
        self.write(CHART, "apiVersion: v2", "version: 0.1.0", 'kubeVersion: ">=1.36.0-0"')
        self.write(PYTHON, 'version = "0.1.0"', 'dependencies = ["grpcio"]')
        self.write(COLLECTORS, 'version = "0.1.0"', 'dependencies = ["priorityd==0.1.0", "tqdm"]')
        self.write(".gitignore", "/.cache/", "__pycache__/")
        for tool in ("release", "check", "proto_breaking.py"):
            (self.tree / "tools").mkdir(exist_ok=True)
            shutil.copy(ROOT / "tools" / tool, self.tree / "tools" / tool)
        self.assertEqual(self.run_tool("proto_breaking.py", "--keep"), (0, ""))
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "A Releaser")
        self.git("config", "user.email", "releaser@example.org")
        self.commit("First")

    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.tree, check=True, stdout=subprocess.PIPE, text=True).stdout

    def commit(self, subject):
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", subject)

    def release(self, *arguments):
        """(exit status, output and errors)."""
        done = subprocess.run([self.tree / "tools/release", "--steps", "proto", *arguments], cwd=pathlib.Path("/"),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def assert_refused(self, why, *arguments):
        before = self.git("rev-parse", "HEAD")
        status, output = self.release(*arguments)
        self.assertEqual(status, 1, output)
        self.assertIn(why, output)
        self.assertEqual((self.git("tag"), self.git("rev-parse", "HEAD")), ("", before))

    def test_a_release_is_set_tagged_and_noted(self):
        self.write("proto/a.proto", PROTO.replace("id = 1;", "id = 1; string host = 2;"))
        self.commit("Add a field")
        status, output = self.release("0.2.0")
        self.assertEqual(status, 0, output)
        self.assertEqual((self.tree / "VERSION").read_text(encoding="utf-8"), "0.2.0\n")
        self.assertIn("\nversion: 0.2.0\nkubeVersion", (self.tree / CHART).read_text(encoding="utf-8"))
        self.assertIn('version = "0.2.0"\n', (self.tree / PYTHON).read_text(encoding="utf-8"))
        self.assertEqual((self.tree / COLLECTORS).read_text(encoding="utf-8").splitlines(),
                         ['version = "0.2.0"', 'dependencies = ["priorityd==0.2.0", "tqdm"]'])
        self.assertEqual(self.git("tag"), "client/go/v0.2.0\nv0.2.0\n")
        for tag in ("v0.2.0", "client/go/v0.2.0"):
            self.assertEqual(self.git("cat-file", "-t", tag), "tag\n")
            self.assertEqual(self.git("tag", "--list", tag, "--format=%(contents)").rstrip(),
                             "priorityd 0.2.0\n\n### Breaking\n- A flag is gone.")
        self.assertEqual((self.tree / ".cache/release/0.2.0/notes.md").read_text(encoding="utf-8"),
                         "### Breaking\n- A flag is gone.\n")
        self.assertEqual(self.git("log", "-1", "--format=%s", "v0.2.0"), "Release 0.2.0\n")
        self.assertEqual(self.git("status", "--porcelain"), "")
        # The field that the release has is kept.
        self.write("proto/a.proto", PROTO)
        self.assert_finds("message a.v1.Job: field 2", "proto_breaking.py")

    def test_a_release_that_is_set_already_is_no_commit(self):
        self.write("VERSION", "0.2.0")
        self.write(CHART, "version: 0.2.0")
        self.write(PYTHON, 'version = "0.2.0"')
        self.write(COLLECTORS, 'version = "0.2.0"')
        self.commit("Prepare")
        self.assertEqual(self.release("0.2.0")[0], 0)
        self.assertEqual(self.git("log", "-1", "--format=%s", "v0.2.0"), "Prepare\n")

    def test_a_dry_run_prints_the_notes_and_changes_nothing(self):
        before = self.git("rev-parse", "HEAD")
        status, output = self.release("--dry-run", "0.2.0")
        self.assertEqual(status, 0, output)
        self.assertRegex(output, re.compile(r"tag v0\.2\.0 and client/go/v0\.2\.0 with these notes:\n\n### Breaking\n- A flag is gone\.$", re.M))
        self.assertEqual((self.git("tag"), self.git("rev-parse", "HEAD")), ("", before))
        self.assertEqual((self.git("status", "--porcelain"), (self.tree / ".cache").exists()), ("", False))

    def test_what_is_missing_is_named(self):
        for name, text, why in REFUSALS:
            with self.subTest(why=why):
                before = (self.tree / name).read_text(encoding="utf-8")
                (self.tree / name).write_text(text, encoding="utf-8")
                self.commit("Breach")
                self.assert_refused(why, "0.2.0")
                (self.tree / name).write_text(before, encoding="utf-8")
                self.commit("Back")

    def test_a_release_is_of_main_without_changes(self):
        self.assert_refused('N: got "two", want three numbers', "two")
        self.write("VERSION", "0.1.1")
        self.assert_refused("got uncommitted changes", "0.2.0")
        self.git("checkout", "--quiet", "VERSION")
        self.git("checkout", "--quiet", "-b", "change")
        self.assert_refused("got branch change, want main", "0.2.0")

    def test_a_release_is_made_once(self):
        self.assertEqual(self.release("0.2.0")[0], 0)
        status, output = self.release("0.2.0")
        self.assertEqual(status, 1)
        self.assertIn("got tag v0.2.0, want a new release", output)


if __name__ == "__main__":
    unittest.main()
