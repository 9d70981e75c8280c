"""The layering holds, and each of its checks can fail."""

import unittest
from unittest import mock

from seeded_tree import SeededTree
from rules import layers

SEEDS = [
    ("engine/priority/site/policy.h", '#include "storage/database/database.h"'),
    ("engine/priority/site/policy.h", '#include "priority/v1/job.pb.h"'),
    ("engine/priority/site/policy.h", "#include <pqxx/pqxx>"),
    ("engine/priority/site/policy.h", "#include <thread>"),
    ("engine/explanation/explanation.h", '#include "absl/time/clock.h"'),
    ("engine/slurm/words/hostlist.cc", "#include <spdlog/spdlog.h>"),
    ("storage/database/database.cc", '#include "engine/priority/site/policy.h"'),
    ("server/usage/usage_recorder.cc", '#include "server/transport/status.h"'),
    ("server/queue/state/queue_state.cc", '#include "server/queue/replication/tracked_queues.h"'),
    ("client/client.cc", '#include "engine/priority/site/policy.h"'),
    ("client/client.cc", '#include "client/prioctl/table.h"'),
    ("storage/ledger/BUILD", 'deps = ["//engine/priority/site:policy"]'),
    ("client/BUILD", 'deps = ["//storage/database"]'),
]


class LayersTest(SeededTree):
    def test_an_arrow_against_the_table_is_found(self):
        for name, line in SEEDS:
            with self.subTest(name=name, line=line):
                self.setUp()
                self.write(name, line)
                self.assert_breach(f"{name}:1: ", layers)

    def test_a_dependency_without_an_include_is_found(self):
        self.write("engine/slurm/words/BUILD", 'deps = ["//engine/errors"]')
        self.assert_breach("engine/slurm/words/BUILD:1: no file of engine/slurm/words includes engine/errors", layers)

    def test_an_include_without_a_dependency_is_found(self):
        self.write("engine/slurm/words/BUILD", "")
        self.write("engine/slurm/words/tres_list.h", '#include "engine/errors/violations.h"')
        self.assert_breach("engine/slurm/words includes engine/errors and does not depend on it", layers)

    def test_an_arrow_of_the_table_that_nothing_uses_is_found(self):
        self.write("engine/slurm/words/hostlist.cc", "")
        self.assert_breach("engine/slurm/words does not use engine/errors", layers)

    def test_a_cycle_in_the_table_is_found(self):
        with mock.patch.dict(layers.LAYERS, {"engine/errors": ["server/transport"]}):
            self.assert_breach("server/transport does not stand below engine/errors", layers)


if __name__ == "__main__":
    unittest.main()
