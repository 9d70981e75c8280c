#!/usr/bin/env python3
"""libpriorityd-dev, as programs outside of the checkout use it: by CMake and by pkg-config, against a real priorityd."""

import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/packages")]
from packaging import checkout, cpp_library  # noqa: E402
from running_site import environment, output, site  # noqa: E402

# Bazel runs tests where what it built is.
ARCHIVE, PRIORITYD, PRIOCTL = (pathlib.Path(name).resolve() for name in (
    "client/libpriorityd-client.a", "server/priorityd", "client/prioctl"))
EXAMPLE = ROOT / "tests/conformance/cpp/example.cc"


def printed_by_docs():
    """What docs/clients.md says that the example prints."""
    section = (ROOT / "docs/clients.md").read_text(encoding="utf-8").partition("\n## C++\n")[2]
    return re.search(r"^```text\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)[1]


class CppLibraryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="libpriorityd-dev")
        cls.addClassCleanup(folder.cleanup)
        cls.work = pathlib.Path(folder.name)
        cls.usr = cls.work / "unpacked/usr"
        cpp_library.fill(cls.usr, ARCHIVE)

    def succeeds(self, *command, **more):
        status, text = output(*command, **more)
        self.assertEqual(status, 0, text)
        return text

    def flags(self, what):
        path = self.usr / "lib" / cpp_library.multiarch() / "pkgconfig"
        return self.succeeds("pkg-config", what, "priorityd-client", env={**checkout.ENVIRONMENT, "PKG_CONFIG_PATH": str(path)}).split()

    def test_a_cmake_project_outside_of_the_checkout_uses_it(self):
        build = self.work / "cmake"
        self.succeeds("cmake", "-S", ROOT / "tests/packages/cpp", "-B", build, f"-DCMAKE_PREFIX_PATH={self.usr}", f"-DEXAMPLE={EXAMPLE}")
        self.succeeds("cmake", "--build", build)
        with site(PRIORITYD, PRIOCTL) as address:
            self.assertEqual(self.succeeds(build / "outside", env=environment(address)), printed_by_docs())

    def test_cmake_takes_its_series_and_no_other(self):
        series = checkout.VERSION.rpartition(".")[0]
        for version, taken in ((series, True), (checkout.VERSION, True), (f"{series}.999", False), (f"{series}9", False), ("0.1", False),
                               ("99.0", False)):
            project = self.work / version
            project.mkdir()
            (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(other CXX)\n"
                                                    f"find_package(priorityd {version} REQUIRED)\n", encoding="utf-8")
            status, text = output("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.usr}")
            self.assertEqual(status == 0, taken, text)
            if not taken:
                self.assertRegex(text, rf"priorityd-config.cmake, version: {re.escape(checkout.VERSION)}")

    def test_a_shared_library_can_have_it_inside(self):
        plugin = self.work / "plugin.so"
        self.succeeds("c++", "-std=c++20", "-fPIC", "-shared", EXAMPLE, *self.flags("--cflags"), "-Wl,--no-undefined", "-o", plugin,
                      *self.flags("--libs"))

    def test_every_header_compiles_as_c_plus_plus_17_without_the_checkout(self):
        headers = sorted(path.relative_to(self.usr / "include") for path in (self.usr / "include").rglob("*.h"))
        self.assertIn(pathlib.Path("priorityd/priority/v1/site_factor_service.grpc.pb.h"), headers)
        source = self.work / "all.cc"
        source.write_text("".join(f"#include <{path}>\n" for path in headers), encoding="utf-8")
        text = self.succeeds("c++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-H", source, *self.flags("--cflags"), cwd=self.work)
        self.assertNotIn(str(ROOT), text)


if __name__ == "__main__":
    unittest.main()
