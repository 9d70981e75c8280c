#!/usr/bin/env python3
"""What the packages hold, as far as seconds allow: units, users, the configuration file, lists of files."""

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
SYSTEMD = ROOT / "deploy/systemd"
DEBIAN = ROOT / "deploy/debian"
PRIORITYD = pathlib.Path("server/priorityd").resolve()  # Bazel runs tests where it is.
sys.path.insert(0, str(ROOT / "tools"))
from packaging import checkout, libraries, stage, twice  # noqa: E402

MOST_EXPOSED = 25  # In tenths: 2.5 of 10.


def units(kind="service"):
    return sorted(SYSTEMD.glob(f"*.{kind}"))


def output(*command, **more):
    done = subprocess.run(command, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    return done.returncode, done.stdout


def values(unit, name):
    """The values of a setting of a unit, in its order."""
    return re.findall(rf"^{name}=(.*)$", (SYSTEMD / unit).read_text(encoding="utf-8"), re.MULTILINE)


def calls_of(words):
    """The system calls that words of SystemCallFilter= name, those of @groups in groups too."""
    calls = set()
    for word in words:
        if word.startswith("@"):
            lines = output("systemd-analyze", "syscall-filter", "--no-pager", word)[1].splitlines()[1:]
            calls |= calls_of(line.strip() for line in lines if not line.strip().startswith("#"))
        else:
            calls.add(word)
    return calls


def permitted_calls(unit):
    """The first line is an allowlist; later ones add to it, or with ~ take from it."""
    calls = set()
    for line in values(unit, "SystemCallFilter"):
        named = calls_of(line.removeprefix("~").split())
        calls = calls - named if line.startswith("~") else calls | named
    return calls


class UnitTest(unittest.TestCase):
    def test_no_unit_is_exposed(self):
        for unit in units():
            status, text = output("systemd-analyze", "security", "--offline=yes", f"--threshold={MOST_EXPOSED}", unit)
            self.assertEqual(status, 0, text)

    def test_the_server_may_protect_calls_and_users(self):
        permitted = permitted_calls("priorityd.service")
        self.assertIn("setpriority", permitted)  # server/threads/background.cc
        self.assertNotIn("sched_setaffinity", permitted)
        families = values("priorityd.service", "RestrictAddressFamilies")[-1].split()
        self.assertIn("AF_NETLINK", families)  # server/http/peer_owner.cc

    def test_the_server_stops_before_systemd_kills_it(self):
        drain = int(re.search(r"--drain_seconds N \[(\d+)\]", output(PRIORITYD, "--help")[1])[1])
        supervisor = (ROOT / "storage/embedded_postgres/postgres_supervisor.cc").read_text(encoding="utf-8")
        postgres = int(re.search(r"kFastShutdownTimeout = absl::Seconds\((\d+)\)", supervisor)[1])
        self.assertGreater(int(values("priorityd.service", "TimeoutStopSec")[-1]), drain + postgres)

    def test_systemd_understands_every_line(self):
        with tempfile.TemporaryDirectory() as root:
            root = pathlib.Path(root)
            folder = root / "etc/systemd/system"
            folder.mkdir(parents=True)
            (root / "usr/bin").mkdir(parents=True)
            for name in ("priorityd", "priorityd-slurm", "priorityd-collect", "priorityd-kubernetes", "sh"):
                shutil.copy("/bin/true", root / "usr/bin" / name)
            (root / "bin").symlink_to("usr/bin")
            for unit in [*units(), *units("timer")]:
                shutil.copy(unit, folder / unit.name.replace("@.", "@pbs."))
            for unit in sorted(folder.iterdir()):
                status, text = output("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", f"--root={root}", unit)
                lines = [line for line in text.splitlines() if unit.name in line]
                self.assertEqual((status, lines), (0, []), text)

    def test_every_unit_is_in_a_package(self):
        lists = "".join(path.read_text(encoding="utf-8") for path in DEBIAN.glob("*.install"))
        lists += (ROOT / "tools/packaging/debian.py").read_text(encoding="utf-8")
        for unit in [*units(), *units("timer")]:
            self.assertIn(unit.name, lists)

    def test_lists_name_files_that_exist(self):
        for path in [*DEBIAN.glob("*.install"), *DEBIAN.glob("*.docs"), *DEBIAN.glob("*.examples")]:
            for line in path.read_text(encoding="utf-8").splitlines():
                source = line.split()[0]
                self.assertTrue(source.startswith("stage/") or list(ROOT.glob(source)), f"{path.name}: {source}")

    def test_files_of_deploy_that_the_documents_install_are_in_the_package(self):
        packed = set()
        for line in (DEBIAN / "priorityd.install").read_text(encoding="utf-8").splitlines():
            source, folder = line.split()
            if folder.startswith("usr/share/priorityd/"):
                packed |= {(path, "deploy/" + folder.removeprefix("usr/share/priorityd/")) for path in ROOT.glob(source)}
        installed = set()
        for page in sorted((ROOT / "docs").glob("*.md")):
            for word in re.findall(r"^ *install .*$|^deploy/\S+", page.read_text(encoding="utf-8"), re.MULTILINE):
                installed |= {path for name in re.findall(r"deploy/\S+", word) for path in ROOT.glob(name)}
        self.assertGreater(len(installed), 10)
        for path in sorted(installed):
            self.assertIn((path, str(path.parent.relative_to(ROOT))), packed)


class MemoryTest(unittest.TestCase):
    def limit(self, settings):
        """What the generator writes for a configuration file; nothing where the unit's own stays."""
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "priorityd.conf"
            config.write_text(settings, encoding="utf-8")
            status, text = output(SYSTEMD / "priorityd-memory-generator", folder, env={**os.environ, "PRIORITYD_CONFIG": str(config)})
            self.assertEqual((status, text), (0, ""))
            written = pathlib.Path(folder) / "priorityd.service.d/50-memory.conf"
            return written.read_text(encoding="utf-8") if written.exists() else ""

    def test_the_limit_follows_the_budget(self):
        def drop_in(mebibytes):
            return f"[Service]\nMemoryMax={mebibytes}M\n"

        # 1.25 * budget + 192 + 330 bytes * jobs + 1024, in MiB without a fraction.
        self.assertEqual(self.limit("memory_budget = 2048\n"), drop_in(int(2560 + 192 + 330 * 5_000_000 / 2**20 + 1024)))
        self.assertEqual(self.limit("max_all_tracked_jobs=100000\n"), drop_in(int(1280 + 192 + 330 * 100_000 / 2**20 + 1024)))
        self.assertEqual(self.limit("#memory_budget = 2048\ndata_dir = /d\n"), "")

    def test_the_units_own_limit_is_that_of_the_default_flags(self):
        own = re.search(r"^MemoryMax=(\d+)M$", (SYSTEMD / "priorityd.service").read_text(encoding="utf-8"), re.MULTILINE)[1]
        defaults = dict(re.findall(r"--(memory_budget|max_all_tracked_jobs) \w+ \[(\d+)\]", output(PRIORITYD, "--help")[1]))
        self.assertEqual(self.limit("".join(f"{name} = {value}\n" for name, value in defaults.items())),
                         f"[Service]\nMemoryMax={own}M\n")


class ConfigurationTest(unittest.TestCase):
    def setUp(self):
        self.text = stage.configuration(output(PRIORITYD, "--help", env={"COLUMNS": "100"})[1])

    def test_it_has_each_flag_once(self):
        flags = re.findall(r"^  --(\w+)", output(PRIORITYD, "--help")[1], re.MULTILINE)
        for flag in flags:
            found = re.findall(rf"^#?{flag}(?: =.*)?$", self.text, re.MULTILINE)
            self.assertEqual(len(found), 0 if flag in stage.NOT_SETTINGS else 1, flag)

    def test_the_server_takes_it(self):
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "priorityd.conf"
            config.write_text(self.text, encoding="utf-8")
            # A host of tests has no journald.
            command = (PRIORITYD, f"--config={config}", "--check_config", "--log_format=text")
            self.assertEqual(output(*command), (0, f"{config}: valid\n"))
            config.write_text(self.text + "lisen = x\n", encoding="utf-8")
            status, text = output(*command)
            self.assertEqual((status, text), (1, f"priorityd: {config}:{self.text.count(chr(10)) + 1}: got lisen, want a flag of "
                                                 "--help (see priorityd --help)\n"))
            config.write_text(self.text + "auth_file = /nowhere\n", encoding="utf-8")
            status, text = output(*command)
            self.assertEqual(status, 1)
            self.assertIn("--auth_file: ", text)
            config.write_text("database_url = postgres:/no/url\n", encoding="utf-8")
            self.assertEqual(output(*command), (1, f"priorityd: {config}:1: database_url: got text that is no PostgreSQL URL\n"))


class TwiceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.one, self.other = (pathlib.Path(folder.name) / name for name in ("one", "other"))
        for build in (self.one, self.other):
            build.mkdir()
            (build / "a.deb").write_text("same", encoding="utf-8")
            (build / "SHA256SUMS.asc").write_text(build.name, encoding="utf-8")

    def test_equal_builds_are_equal_whatever_their_signatures_are(self):
        self.assertEqual(twice.differences(self.one, self.other), [])
        twice.compare(self.one, self.other)

    def test_a_byte_that_differs_and_a_file_that_is_missing_are_named(self):
        (self.one / "b.deb").write_text("text", encoding="utf-8")
        (self.other / "b.deb").write_text("test", encoding="utf-8")
        (self.other / "c.deb").write_text("", encoding="utf-8")
        self.assertEqual(twice.differences(self.one, self.other), ["b.deb", "c.deb"])
        self.assertIn("c.deb: only one build has it", twice.explain(self.one, self.other, "c.deb"))
        self.assertIn("b.deb", twice.explain(self.one, self.other, "b.deb"))
        with self.assertRaisesRegex(checkout.Failed, "differ in b.deb, c.deb"):
            twice.compare(self.one, self.other)


class LibrariesTest(unittest.TestCase):
    def test_a_closed_set_of_libraries_is_seen_to_be_closed(self):
        found = libraries.of_program(PRIORITYD)
        self.assertEqual(libraries.unmet([PRIORITYD, *found]), [])
        without = [path for path in found if path.name != "libc.so.6"]
        self.assertIn((PRIORITYD.name, "libc.so.6"), libraries.unmet([PRIORITYD, *without]))

    def test_the_versions_that_a_file_needs_are_those_of_objdump(self):
        text = output("objdump", "-T", PRIORITYD)[1]
        versions = sorted(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([\d.]+)", text))
        self.assertEqual(libraries.lowest_glibc([PRIORITYD]), ".".join(map(str, versions[-1])))


if __name__ == "__main__":
    unittest.main()
