"""Scripts of tools/ fail where they are called with what they cannot use, rather than find nothing to do."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


class ScriptsTest(unittest.TestCase):
    def test_a_list_of_packages_that_does_not_exist_is_refused(self):
        done = run(ROOT / "tools/install-packages", "package")
        self.assertEqual(done.returncode, 2)
        self.assertIn('install-packages: got "package", want lists of packages packages-build', done.stderr)

    def test_tidy_without_a_branch_main_does_not_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tools").mkdir()
            shutil.copy(ROOT / "tools/tidy", root / "tools/tidy")
            git = ["git", "-C", root, "-c", "user.name=a", "-c", "user.email=a@example.org"]
            run(*git, "init", "--initial-branch=other")
            self.assertEqual(run(*git, "commit", "--allow-empty", "--message=a").returncode, 0)
            done = run(root / "tools/tidy")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "tidy: got no branch main, want it, --all or files\n")
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
