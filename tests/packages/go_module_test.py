#!/usr/bin/env python3
"""The Go module, as `go get` takes it from a proxy that tools/build-packages wrote, against a real priorityd."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/packages")]
from packaging import checkout, go_module  # noqa: E402
from running_site import environment, output, site  # noqa: E402

# Bazel runs tests without HOME, by which Go finds its cache.
os.environ.setdefault("HOME", os.path.expanduser("~"))
# It runs them where what it built is.
PRIORITYD, PRIOCTL = (pathlib.Path(name).resolve() for name in ("server/priorityd", "client/prioctl"))
GO = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
LEAST_GO = (1, 26)


def go_is_there():
    version = re.search(r"go(\d+)\.(\d+)", output(GO, "version")[1]) if GO else None
    return bool(version) and tuple(map(int, version.groups())) >= LEAST_GO


def of_docs():
    """The Go example of docs/clients.md, and what it prints."""
    section = (ROOT / "docs/clients.md").read_text(encoding="utf-8").partition("\n## Go\n")[2]
    return [re.search(rf"^```{kind}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)[1] for kind in ("go", "text")]


@unittest.skipUnless(go_is_there(), "needs Go 1.26")
class GoModuleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="go-module")
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        go_module.fill(self.work / "proxy", checkout.epoch())
        # Modules of others come from the cache, which is a proxy's folder too, or from their own.
        cache = output(GO, "env", "GOMODCACHE")[1].strip()
        self.go = {**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": "-modcacherw", "GONOSUMDB": go_module.MODULE,
                   "GOPROXY": f"file://{self.work}/proxy,file://{cache}/cache/download,{output(GO, 'env', 'GOPROXY')[1].strip()}",
                   "GOMODCACHE": str(self.work / "modules")}
        self.program = self.work / "program"
        self.program.mkdir()

    def succeeds(self, *command):
        status, text = output(*command, cwd=self.program, env=self.go)
        self.assertEqual(status, 0, text)
        return text

    def test_go_get_finds_it_and_a_program_runs_on_it(self):
        program, printed = of_docs()
        (self.program / "main.go").write_text(program, encoding="utf-8")
        self.succeeds(GO, "mod", "init", "example.org/program")
        self.succeeds(ROOT / "tools/again", GO, "get", go_module.MODULE)  # The newest.
        self.assertIn(f"{go_module.MODULE} {go_module.version()}", (self.program / "go.mod").read_text(encoding="utf-8"))
        self.succeeds(ROOT / "tools/again", GO, "mod", "tidy")
        self.succeeds(GO, "mod", "verify")
        self.succeeds(GO, "build", "-o", "program", ".")
        with site(PRIORITYD, PRIOCTL) as address:
            done = subprocess.run([self.program / "program"], env=environment(address), check=True, text=True, stdout=subprocess.PIPE)
        self.assertEqual(done.stdout, printed)

    def test_the_module_has_its_license_and_no_other_module(self):
        names = [name for name, _ in go_module.files()]
        self.assertIn("LICENSE", names)
        self.assertEqual([name for name in names if name.endswith("go.mod")], ["go.mod"])


if __name__ == "__main__":
    unittest.main()
