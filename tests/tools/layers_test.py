"""The layering holds, and each of its checks can fail."""

import unittest

from seeded_tree import ROOT, SeededTree

SEEDS = [
    ("server/priority/policy.h", '#include "storage/database.h"'),
    ("server/priority/policy.h", '#include "priority/v1/job.pb.h"'),
    ("server/priority/policy.h", "#include <pqxx/pqxx>"),
    ("server/priority/policy.h", "#include <thread>"),
    ("server/explanation/explanation.h", '#include "absl/time/clock.h"'),
    ("server/slurm/hostlist.cc", "#include <spdlog/spdlog.h>"),
    ("storage/database.cc", '#include "server/priority/policy.h"'),
    ("server/usage/usage_recorder.cc", '#include "server/rpc/status.h"'),
    ("server/queue/state/queue_state.cc", '#include "server/queue/replication/tracked_queues.h"'),
    ("client/client.cc", '#include "server/priority/policy.h"'),
    ("client/client.cc", '#include "client/prioctl/table.h"'),
    ("storage/BUILD", 'deps = ["//server/priority:policy"]'),
    ("client/BUILD", 'deps = ["//storage"]'),
]


class LayersTest(SeededTree):
    def test_the_tree_follows_its_arrows(self):
        self.assert_finds_nothing("layers.py", tree=ROOT)

    def test_an_arrow_against_the_table_is_found(self):
        for name, line in SEEDS:
            with self.subTest(name=name, line=line):
                self.setUp()
                self.write(name, line)
                self.assert_finds(f"{name}:1: ", "layers.py")

    def test_a_dependency_without_an_include_is_found(self):
        self.write("server/slurm/BUILD", 'deps = ["//server/priority"]')
        self.assert_finds("server/slurm/BUILD:1: no file of server/slurm includes server/priority", "layers.py")

    def test_an_include_without_a_dependency_is_found(self):
        self.write("server/slurm/BUILD", "")
        self.write("server/slurm/tres_list.h", '#include "server/priority/tres.h"')
        self.assert_finds("server/slurm includes server/priority and does not depend on it", "layers.py")

    def test_an_arrow_of_the_table_that_nothing_uses_is_found(self):
        self.write("server/slurm/hostlist.cc", "")
        self.assert_finds("server/slurm does not use server/priority", "layers.py")

    def test_a_cycle_in_the_table_is_found(self):
        table = (ROOT / "tools/layers.py").read_text(encoding="utf-8")
        upward = table.replace('"server/priority": []', '"server/priority": ["server/rpc"]')
        self.assertNotEqual(upward, table)
        self.write("tools/layers.py", upward)
        self.write("tools/house.py", (ROOT / "tools/house.py").read_text(encoding="utf-8"))
        status, output = self.run_tool(self.tree / "tools/layers.py")
        self.assertEqual(status, 1)
        self.assertIn("server/rpc does not stand below server/priority", output)


if __name__ == "__main__":
    unittest.main()
