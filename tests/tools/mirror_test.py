"""Every .cc has its header and its test, or an exception with a reason."""

import unittest

from seeded_tree import ROOT, SeededTree

FILE = "tests/mirror_exceptions.txt"


class MirrorTest(SeededTree):
    def setUp(self):
        super().setUp()
        for name in ["server/slurm/hostlist.cc", "server/slurm/hostlist.h", "tests/server/slurm/hostlist_test.cc", FILE]:
            self.write(name)

    def test_the_tests_mirror_the_tree(self):
        self.assert_finds_nothing("mirror.py", tree=ROOT)

    def test_a_file_with_header_and_test_is_in_order(self):
        self.assert_finds_nothing("mirror.py")

    def test_a_property_test_is_a_test(self):
        (self.tree / "tests/server/slurm/hostlist_test.cc").rename(
            self.tree / "tests/server/slurm/hostlist_property_test.cc")
        self.assert_finds_nothing("mirror.py")

    def test_a_file_without_its_header_is_found(self):
        (self.tree / "server/slurm/hostlist.h").unlink()
        self.assert_finds("server/slurm/hostlist.cc:1: no header", "mirror.py")

    def test_a_file_without_its_test_is_found(self):
        self.write("server/slurm/name.cc")
        self.write("server/slurm/name.h")
        self.assert_finds("server/slurm/name.cc:1: no test", "mirror.py")

    def test_a_folder_without_tests_is_found(self):
        (self.tree / "tests/server/slurm/hostlist_test.cc").unlink()
        self.write(FILE, "test | server/slurm/hostlist.cc | server/slurm/hostlist.h | seen elsewhere")
        self.assert_finds("server/slurm: no test in tests/server/slurm", "mirror.py")

    def test_an_exception_with_a_reason_holds(self):
        self.write("server/slurm/main.cc")
        self.write(FILE, "header | server/*/main.cc | | an entry point",
                   "test | server/slurm/main.cc | tests/server/slurm/hostlist_test.cc | tested as a process")
        self.assert_finds_nothing("mirror.py")

    def test_an_exception_without_a_reason_is_found(self):
        self.write("server/slurm/main.cc")
        self.write(FILE, "header | server/slurm/main.cc | |")
        self.assert_finds(f"{FILE}:1: want `header | FILES", "mirror.py")

    def test_an_exception_that_nothing_needs_is_found(self):
        self.write(FILE, "header | server/slurm/hostlist.cc | | it has none")
        self.assert_finds(f"{FILE}:1: nothing needs it", "mirror.py")

    def test_pruning_leaves_the_exceptions_that_are_needed(self):
        self.write("server/slurm/main.cc")
        needed = "test | server/slurm/main.cc | tests/server/slurm/hostlist_test.cc | tested there"
        self.write(FILE, "# Exceptions", "header | server/slurm/hostlist.cc server/slurm/main.cc | | why", needed,
                   "test | server/slurm/hostlist.cc | tests/server/slurm/hostlist_test.cc | tested there")
        self.assert_finds_nothing("mirror.py", "--prune")
        self.assertEqual((self.tree / FILE).read_text(encoding="utf-8").splitlines(),
                         ["# Exceptions", "header | server/slurm/main.cc | | why", needed])
        self.assert_finds_nothing("mirror.py")

    def test_what_is_missing_is_listed(self):
        self.write("server/slurm/name.cc")
        self.assertEqual(self.run_tool("mirror.py", "--missing"),
                         (0, "header | server/slurm/name.cc | |\ntest | server/slurm/name.cc | |\n"))

    def test_a_test_that_is_not_there_is_found(self):
        self.write("server/slurm/name.cc")
        self.write("server/slurm/name.h")
        self.write(FILE, "test | server/slurm/name.cc | tests/server/slurm/gone_test.cc | tested there")
        self.assert_finds(f"{FILE}:1: tests/server/slurm/gone_test.cc is not there", "mirror.py")

    def test_an_untested_file_says_so(self):
        self.write("server/slurm/name.cc")
        self.write("server/slurm/name.h")
        self.write(FILE, "test | server/slurm/name.cc | | it is short")
        self.assert_finds(f"{FILE}:1: name the tests", "mirror.py")


if __name__ == "__main__":
    unittest.main()
