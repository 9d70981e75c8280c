"""Functions of unnamed namespaces that take each other's calls are found."""

import shutil
import unittest

from seeded_tree import SeededTree
from rules import names

# Parameters of two functions of one name in two files, and whether a call of one may bind to the other.
PAIRS = [
    ("int seconds", "double minutes", True),
    ("size_t row", "bool is_set", True),
    ("const std::string& name", "absl::string_view name", True),
    ("const char* name, int x", "const std::string& name, int64_t y = 7", True),
    ("int a", "int a, int b", False),
    ("int a", "const std::string& a", False),
    ("const Job& job", "const Row& row", False),
    ("const std::map<std::string, int>& a", "const Row& row", False),
    # The compiler itself reports one function twice.
    ("int seconds", "int minutes", False),
]


@unittest.skipUnless(shutil.which("ctags"), "universal-ctags is not installed: tools/packages-check")
class NamesTest(SeededTree):
    def define(self, path, name, parameters, namespace="namespace {"):
        self.write(path, "namespace priorityd {", namespace, f"int {name}({parameters}) {{ return 1; }}", "}", "}")

    def setUp(self):
        super().setUp()
        self.write("server/BUILD", 'load("//tools:together.bzl", "cc_library")')

    def test_parameters_that_take_the_same_arguments_are_found(self):
        for one, other, is_breach in PAIRS:
            with self.subTest(one=one, other=other):
                self.define("server/a.cc", "At", one)
                self.define("server/b.cc", "At", other)
                if is_breach:
                    self.assert_breach("server/a.cc:3: a call of At(", names)
                else:
                    self.assert_no_breach(names)

    def test_other_names_folders_and_namespaces_are_in_order(self):
        self.define("server/a.cc", "At", "int x")
        self.define("server/b.cc", "Of", "double x")
        self.define("server/c.cc", "At", "double x", namespace="namespace named {")
        self.define("engine/d.cc", "At", "double x")
        self.assert_no_breach(names)

    def test_files_that_are_compiled_by_themselves_are_in_order(self):
        self.write("server/BUILD", "cc_library(")
        self.define("server/a.cc", "At", "int x")
        self.define("server/b.cc", "At", "double x")
        self.assert_no_breach(names)


if __name__ == "__main__":
    unittest.main()
