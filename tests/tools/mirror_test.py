"""Every .cc has its header and its test, or an exception with a reason."""

import unittest

from seeded_tree import ROOT, SeededTree

FILE = "tests/mirror_exceptions.txt"


class MirrorTest(SeededTree):
    def setUp(self):
        super().setUp()
        for name in ["engine/slurm/words/hostlist.cc", "engine/slurm/words/hostlist.h", "tests/engine/slurm/words/hostlist_test.cc", FILE]:
            self.write(name)

    def test_the_tests_mirror_the_tree(self):
        self.assert_finds_nothing("mirror.py", tree=ROOT)

    def test_a_file_with_header_and_test_is_in_order(self):
        self.assert_finds_nothing("mirror.py")

    def test_a_property_test_is_a_test(self):
        (self.tree / "tests/engine/slurm/words/hostlist_test.cc").rename(
            self.tree / "tests/engine/slurm/words/hostlist_property_test.cc")
        self.assert_finds_nothing("mirror.py")

    def test_a_file_without_its_header_is_found(self):
        (self.tree / "engine/slurm/words/hostlist.h").unlink()
        self.assert_finds("engine/slurm/words/hostlist.cc:1: no header", "mirror.py")

    def test_a_file_without_its_test_is_found(self):
        self.write("engine/slurm/words/name.cc")
        self.write("engine/slurm/words/name.h")
        self.assert_finds("engine/slurm/words/name.cc:1: no test", "mirror.py")

    def test_a_folder_without_tests_is_found(self):
        (self.tree / "tests/engine/slurm/words/hostlist_test.cc").unlink()
        self.write(FILE, "test | engine/slurm/words/hostlist.cc | engine/slurm/words/hostlist.h | seen elsewhere")
        self.assert_finds("engine/slurm/words: no test in tests/engine/slurm/words", "mirror.py")

    def test_an_exception_with_a_reason_holds(self):
        self.write("engine/slurm/words/main.cc")
        self.write(FILE, "header | engine/*/main.cc | | an entry point",
                   "test | engine/slurm/words/main.cc | tests/engine/slurm/words/hostlist_test.cc | tested as a process")
        self.assert_finds_nothing("mirror.py")

    def test_an_exception_without_a_reason_is_found(self):
        self.write("engine/slurm/words/main.cc")
        self.write(FILE, "header | engine/slurm/words/main.cc | |")
        self.assert_finds(f"{FILE}:1: want `header | FILES", "mirror.py")

    def test_an_exception_that_nothing_needs_is_found(self):
        self.write(FILE, "header | engine/slurm/words/hostlist.cc | | it has none")
        self.assert_finds(f"{FILE}:1: nothing needs it", "mirror.py")

    def test_pruning_leaves_the_exceptions_that_are_needed(self):
        self.write("engine/slurm/words/main.cc")
        needed = "test | engine/slurm/words/main.cc | tests/engine/slurm/words/hostlist_test.cc | tested there"
        self.write(FILE, "# Exceptions", "header | engine/slurm/words/hostlist.cc engine/slurm/words/main.cc | | why", needed,
                   "test | engine/slurm/words/hostlist.cc | tests/engine/slurm/words/hostlist_test.cc | tested there")
        self.assert_finds_nothing("mirror.py", "--prune")
        self.assertEqual((self.tree / FILE).read_text(encoding="utf-8").splitlines(),
                         ["# Exceptions", "header | engine/slurm/words/main.cc | | why", needed])
        self.assert_finds_nothing("mirror.py")

    def test_what_is_missing_is_listed(self):
        self.write("engine/slurm/words/name.cc")
        self.assertEqual(self.run_tool("mirror.py", "--missing"),
                         (0, "header | engine/slurm/words/name.cc | |\ntest | engine/slurm/words/name.cc | |\n"))

    def test_a_test_that_is_not_there_is_found(self):
        self.write("engine/slurm/words/name.cc")
        self.write("engine/slurm/words/name.h")
        self.write(FILE, "test | engine/slurm/words/name.cc | tests/engine/slurm/words/gone_test.cc | tested there")
        self.assert_finds(f"{FILE}:1: tests/engine/slurm/words/gone_test.cc is not there", "mirror.py")

    def test_an_untested_file_says_so(self):
        self.write("engine/slurm/words/name.cc")
        self.write("engine/slurm/words/name.h")
        self.write(FILE, "test | engine/slurm/words/name.cc | | it is short")
        self.assert_finds(f"{FILE}:1: name the tests", "mirror.py")


if __name__ == "__main__":
    unittest.main()
