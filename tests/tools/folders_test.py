"""Folders that differ on disk, in LAYERS and in CONTRIBUTING.md are found."""

import unittest

from seeded_tree import SeededTree
from rules import folders


class FoldersTest(SeededTree):
    def setUp(self):
        super().setUp()
        self.write("CONTRIBUTING.md", "| `engine/slurm/words/` | readers of Slurm's files |")
        self.write("engine/slurm/words/hostlist.h", "namespace priorityd::slurm {")

    def test_a_folder_that_layers_does_not_know_is_found(self):
        self.write("server/attic/chest.h", "")
        self.assert_breach("server/attic: not in LAYERS", folders)

    def test_a_folder_of_layers_that_is_gone_is_found(self):
        self.assert_breach("server/usage is in LAYERS and not on disk", folders)

    def test_a_folder_without_a_line_is_found(self):
        self.write("server/usage/counters.h", "")
        self.assert_breach("no line for server/usage/", folders)

    def test_a_top_folder_without_a_line_is_found(self):
        self.write("attic/chest.txt", "")
        self.assert_breach("no line for attic/", folders)

    def test_a_line_without_a_folder_is_found(self):
        self.write("CONTRIBUTING.md", "| `server/import/` | what an import changes |")
        self.assert_breach("CONTRIBUTING.md:1: server/import/ is not on disk", folders)

    def test_a_line_without_a_description_is_found(self):
        self.write("CONTRIBUTING.md", "| `engine/slurm/words/` |  |")
        self.assert_breach("CONTRIBUTING.md:1: engine/slurm/words/ has no description", folders)

    def test_another_order_than_that_of_layers_is_found(self):
        self.write("CONTRIBUTING.md", "| `engine/priority/site/` | the mathematics |", "| `engine/slurm/words/` | readers |")
        self.assert_breach("CONTRIBUTING.md:1: the table's order is not that of LAYERS", folders)

    def test_a_namespace_of_another_name_is_found(self):
        self.write("engine/slurm/words/hostlist.h", "namespace priorityd::hosts {")
        self.assert_breach("hostlist.h:1: got namespace priorityd::hosts, want priorityd::slurm", folders)


if __name__ == "__main__":
    unittest.main()
