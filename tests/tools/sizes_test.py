"""No file is too long, and no function."""

import shutil
import unittest

from seeded_tree import ROOT, SeededTree


def function(name, lines):
    return [f"int {name}() {{", *["  ;"] * (lines - 3), "  return 0;", "}"]


class SizesTest(SeededTree):
    def test_no_file_of_the_tree_is_too_long(self):
        self.assert_finds_nothing("sizes.py", tree=ROOT)

    def test_a_long_file_is_found(self):
        for name in ["server/a.cc", "proto/a.proto", "tools/a.py", "storage/migrations/a.sql"]:
            with self.subTest(name=name):
                self.setUp()
                self.write(name, *["//"] * 401)
                self.assert_finds(f"{name}:401: 401 lines", "sizes.py")

    def test_a_long_script_without_a_suffix_is_found(self):
        self.write("tools/check", "#!/bin/sh", *["#"] * 400)
        self.assert_finds("tools/check:401: 401 lines", "sizes.py")

    def test_a_file_of_the_greatest_length_is_in_order(self):
        self.write("server/a.cc", *["//"] * 400)
        self.assert_finds_nothing("sizes.py")


@unittest.skipUnless(shutil.which("ctags"), "universal-ctags is not installed: tools/packages-check")
class FunctionSizesTest(SeededTree):
    def test_no_function_of_the_tree_is_too_long(self):
        self.assert_finds_nothing("sizes.py", "--functions", tree=ROOT)

    def test_a_long_function_is_found(self):
        lines = [line for n in range(9) for line in function(f"Short{n}", 4)]
        self.write("server/a.cc", *lines, *function("Long", 61))
        self.assert_finds("server/a.cc:37: Long has 61 lines", "sizes.py", "--functions")

    def test_functions_that_grow_are_found(self):
        self.write("server/a.cc", *function("A", 8), *function("B", 8), *function("C", 20))
        self.assert_finds("functions: median 8 lines, at most 7", "sizes.py", "--functions")
        self.assert_finds("functions: p90 20 lines, at most 19", "sizes.py", "--functions")


if __name__ == "__main__":
    unittest.main()
