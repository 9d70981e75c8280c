"""Each collector on a real log and a real priorityd: what is in the ledger is a naive sum, whatever happened."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import pathlib
import random
import subprocess
import sys
import unittest


import writers
from priorityd_collect.main import main
from site_of_tests import ENVIRONMENT, Cluster, binary, kill, shared_site

HERE = pathlib.Path(__file__).parent
SEED = 20261122
# Rounds in which two collectors at once are killed.
KILLS = {"pbs": 3}


def naive_sum() -> dict[str, float]:
    output = subprocess.run(
        [sys.executable, HERE / "naive_sum.py", writers.TRACE], capture_output=True, text=True, check=True
    )
    return {user: float(seconds) for user, seconds in (line.split() for line in output.stdout.splitlines())}


class LedgerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = shared_site()
        cls.trace = writers.jobs()
        cls.runs = [job for job in cls.trace if job.end > job.start]
        cls.want = naive_sum()

    def cluster(self, name: str) -> Cluster:
        return self.site.add_cluster(name, dict.fromkeys(sorted({job.user for job in self.trace}), "a"))

    def check_ledger(self, cluster: Cluster) -> None:
        self.assertEqual(cluster.seconds(), self.want)
        self.assertEqual(cluster.jobs(), len(self.runs))

    def collect_through_kills(self, name: str, text: str, *arguments: object) -> None:
        """Two collectors at once, both killed at random moments, again and again; then once to the end, and once more."""
        cluster = self.cluster(name)
        log = cluster.folder / "log"
        log.write_text(text)
        command = [*arguments, log, "--batch-size", 10, "--map-account", "*="]
        chance = random.Random(f"{SEED} {name}")
        total = sum(self.want.values())
        for _ in range(KILLS.get(name, 1)):
            both = [cluster.start(*command) for _ in range(2)]
            cluster.await_recorded(min(0.95, cluster.recorded() / total + chance.uniform(0.01, 0.3)) * total)
            kill(both)
        self.assertGreater(cluster.recorded(), 0)
        type(self).cut_short += cluster.recorded() < total
        status, out, err = cluster.run(*command)
        self.assertEqual((status, err), (0, ""))
        self.check_ledger(cluster)
        status, out, err = cluster.run(*command)
        self.assertEqual((status, err), (0, ""))
        count = self.records_of(name)
        self.assertTrue(out.startswith(f"0 accepted, {count} duplicate, 0 rejected"), out)
        self.check_ledger(cluster)

    def records_of(self, name: str) -> int:
        """A run is a record; of `runs` each job has two, but for those of a second."""
        return sum(2 if name == "runs" and job.end - job.start > 1 else 1 for job in self.runs)

    cut_short = 0

    def test_every_log_is_recorded_exactly_once_through_kills(self):
        form = pathlib.Path(self.site.folder) / "form.toml"
        form.write_text(writers.FORM)
        with gzip.open(writers.TRACE, "rt") as trace:
            swf = trace.read()
        logs = {
            "sacct": (writers.sacct(self.trace), "sacct"),
            "jobcomp": (writers.jobcomp(self.trace), "jobcomp"),
            "pbs": (writers.pbs(self.trace), "pbs"),
            "condor": (writers.condor(self.trace), "condor"),
            "runs": (writers.condor_runs(self.trace), "condor", "--runs-since", "1990-01-01"),
            "sge": (writers.sge(self.trace), "sge"),
            "lsf": (writers.lsf(self.trace), "lsf"),
            "csv": (writers.table(self.trace), "csv", "--form", form),
            "swf": (swf, "swf"),
        }
        for name, (text, *arguments) in logs.items():
            with self.subTest(name):
                self.collect_through_kills(name, text, *arguments)
        self.assertGreater(self.cut_short, 0, "no kill came before the end")

    def test_jobcomp_and_sacct_of_one_cluster_count_a_job_once(self):
        cluster = self.cluster("both")
        (cluster.folder / "sacct").write_text(writers.sacct(self.trace).replace(",energy=7,mem=4G", ""))
        (cluster.folder / "jobcomp").write_text(writers.jobcomp(self.trace))
        self.assertEqual(cluster.run("sacct", "sacct")[0], 0)
        status, out, _ = cluster.run("jobcomp", "jobcomp")
        self.assertEqual((status, out.split(";")[0]), (0, f"0 accepted, {len(self.runs)} duplicate, 0 rejected"))
        self.check_ledger(cluster)

    def test_what_prioctl_import_sacct_has_recorded_is_known(self):
        cluster = self.cluster("prioctl")
        log = cluster.folder / "sacct"
        log.write_text(writers.sacct(self.trace))
        command = [
            binary("client/prioctl"),
            "import",
            "sacct",
            log,
            "--server",
            self.site.address,
            "--cluster",
            cluster.name,
        ]
        subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True)
        status, out, _ = cluster.run("sacct", log)
        self.assertEqual((status, out.split(";")[0]), (0, f"0 accepted, {len(self.runs)} duplicate, 0 rejected"))
        self.check_ledger(cluster)

    def test_a_log_that_grows_and_rotates_is_followed_through_a_kill(self):
        cluster = self.cluster("follow")
        log = cluster.folder / "accounting"
        lines = writers.pbs(self.trace).splitlines(keepends=True)
        third = len(lines) // 3
        log.write_text("".join(lines[:third]))
        ends = [job for job in self.runs if f"E;{job.number}.pbs;" in "".join(lines[:third])]
        command = ["pbs", log, "--follow", "--since", "mark"]
        follower = cluster.start(*command)
        cluster.await_recorded(sum(job.cpus * (job.end - job.start) for job in ends))
        with open(log, "a") as file:
            file.writelines(lines[third : 2 * third])
        log.rename(cluster.folder / "accounting.1")
        log.write_text("".join(lines[2 * third : -1]) + lines[-1][:-20])
        kill([follower])
        self.assertEqual(cluster.run("pbs", cluster.folder / "accounting.1")[0], 0)
        follower = cluster.start(*command)
        with open(log, "a") as file:
            file.write(lines[-1][-20:])
        cluster.await_recorded(sum(self.want.values()))
        follower.terminate()
        out, err = follower.communicate()
        self.assertEqual((follower.returncode, err), (0, ""))
        self.check_ledger(cluster)

    def test_what_is_rejected_is_reported_and_written_down_and_can_be_sent_when_the_reason_is_gone(self):
        some = {user: "a" for user in sorted({job.user for job in self.trace}) if user != "u2"}
        cluster = self.site.add_cluster("rejected", some)
        log = cluster.folder / "log"
        log.write_text(writers.pbs(self.trace) + "12/31/1993 00:00:00;E;9.pbs;user=u1 start=soon end=2\n")
        status, out, err = cluster.run("pbs", log)
        lost = [job for job in self.runs if job.user == "u2"]
        self.assertEqual(status, 3)
        self.assertIn(f"{len(lost) + 1} rejected", out)
        self.assertIn("log:", err)
        self.assertIn("rejected: UNKNOWN_USER: user: ", err)
        rejected = [json.loads(line) for line in (cluster.folder / "rejected-pbs.jsonl").read_text().splitlines()]
        self.assertEqual(len(rejected), len(lost) + 1)
        self.assertIn({"u2"}, [{one["record"]["user"] for one in rejected if "record" in one}])
        self.assertEqual(
            [one["why"] for one in rejected if "line" in one], ["start: got 'soon', want a number, 0 or more"]
        )
        self.site.add_cluster("rejected", some | {"u2": "a"})
        self.assertEqual(
            cluster.run("pbs", log)[1].split(";")[0],
            f"{len(lost)} accepted, {len(self.runs) - len(lost)} duplicate, 1 rejected",
        )
        self.check_ledger(cluster)

    def test_a_dry_run_says_what_would_be_recorded_and_records_nothing(self):
        cluster = self.cluster("dry")
        (cluster.folder / "log").write_text(writers.pbs(self.trace) + "junk\n")
        status, out, err = cluster.run("pbs", "log", "--dry_run")
        self.assertEqual(status, 3)
        self.assertIn("log:", err)
        hours = sum(self.want.values()) / 3600
        want = f"would record {len(self.runs)} records; left out: "
        self.assertTrue(out.startswith(want), out)
        self.assertIn(f"\ncpu: {hours:.6g} hours", out)
        self.assertIn("1 cannot be read", out)
        output = cluster.run("pbs", "log", "--dry-run", "--json")[1].splitlines()
        self.assertEqual(sum(json.loads(line)["tres"]["cpu"] > 0 for line in output), len(self.runs))
        self.assertEqual(cluster.seconds(), {})
        command = [binary("client/prioctl"), "record", "-", "--server", self.site.address, "--cluster", cluster.name]
        subprocess.run(command, input="\n".join(output), text=True, check=True, capture_output=True)
        self.check_ledger(cluster)

    def test_a_command_line_or_file_that_is_wrong_says_how(self):
        for arguments, status, want in [
            (("pbs", "nowhere"), 1, "nowhere: got no file that can be read, want one"),
            (("pbs",), 2, "the following arguments are required: FILE"),
            (("pbs", "log", "--batch-size", "0"), 2, "--batch-size: got 0, want 1 to 100000"),
            (("pbs", "log", "--map-user", "ann"), 2, "--map-user: got 'ann', want FROM=TO"),
            (("pbs", "-", "--follow"), 2, "--follow: got no FILE, want one to follow"),
            (("sacct", "--dry-run", "--since", "yesterday"), 1, "--since: got 'yesterday', want a time such as"),
            (
                ("sacct", "--dry-run", "--program", "/no/sacct", "--since", "1d"),
                1,
                "/no/sacct: No such file or directory",
            ),
        ]:
            with self.subTest(arguments=arguments):
                got, output = self.in_this_process(arguments)
                self.assertEqual(got, status, output)
                self.assertIn(want, output)

    def in_this_process(self, arguments: tuple[str, ...]) -> tuple[object, str]:
        output = io.StringIO()
        with contextlib.redirect_stderr(output):
            try:
                return main(list(arguments)), output.getvalue()
            except SystemExit as end:
                return end.code, output.getvalue()


if __name__ == "__main__":
    unittest.main()
