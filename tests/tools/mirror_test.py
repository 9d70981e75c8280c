"""A .cc without a header, pure code without a test and a folder without tests are found."""

import unittest

from seeded_tree import SeededTree
from rules import mirror


class MirrorTest(SeededTree):
    def setUp(self):
        super().setUp()
        for name in ["engine/plan/plan.cc", "engine/plan/plan.h", "tests/engine/plan/plan_test.cc"]:
            self.write(name)

    def test_a_file_with_header_and_test_is_in_order(self):
        self.assert_no_breach(mirror)

    def test_a_property_test_is_a_test(self):
        (self.tree / "tests/engine/plan/plan_test.cc").rename(self.tree / "tests/engine/plan/plan_property_test.cc")
        self.assert_no_breach(mirror)

    def test_a_file_without_a_header_is_found(self):
        (self.tree / "engine/plan/plan.h").unlink()
        self.assert_breach("engine/plan/plan.cc:1: no header", mirror)

    def test_a_file_may_define_what_a_header_of_its_folder_declares(self):
        self.write("client/prioctl/queue/plan.cc", '#include "client/prioctl/text/table.h"')
        self.write("tests/client/prioctl/queue/plan_test.cc")
        self.assert_breach("client/prioctl/queue/plan.cc:1: no header", mirror)
        self.write("client/prioctl/queue/plan.cc", '#include "client/prioctl/queue/commands.h"')
        self.assert_no_breach(mirror)

    def test_an_entry_point_needs_no_header(self):
        self.write("server/main.cc")
        self.write("tests/server/flags_test.cc")
        self.assert_no_breach(mirror)

    def test_pure_code_without_a_test_is_found(self):
        self.write("engine/plan/profile.cc")
        self.write("engine/plan/profile.h")
        self.assert_breach("engine/plan/profile.cc:1: no tests/engine/plan/profile_test.cc", mirror)

    def test_a_part_of_a_tested_file_is_tested_with_it(self):
        self.write("engine/plan/plan.cc", '#include "engine/plan/profile.h"')
        self.write("engine/plan/profile.h", '#include "engine/plan/step.h"')
        for name in ["engine/plan/profile.cc", "engine/plan/step.cc", "engine/plan/step.h"]:
            self.write(name)
        self.assert_no_breach(mirror)

    def test_a_part_is_of_the_same_folder(self):
        self.write("engine/plan/plan.cc", '#include "engine/slurm/words/numbers.h"')
        self.write("engine/slurm/words/numbers.cc")
        self.write("engine/slurm/words/numbers.h")
        self.write("tests/engine/slurm/words/hostlist_test.cc")
        self.assert_breach("engine/slurm/words/numbers.cc:1: no tests/", mirror)

    def test_other_code_needs_tests_of_its_folder(self):
        self.write("server/usage/validation.cc")
        self.write("server/usage/validation.h")
        self.assert_breach("server/usage: no test in tests/server/usage", mirror)
        self.write("tests/server/usage/record_usage_test.cc")
        self.assert_no_breach(mirror)


if __name__ == "__main__":
    unittest.main()
