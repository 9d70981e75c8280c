"""The example of a site factor service by efficiency, and its points on a real priorityd."""

from __future__ import annotations

import importlib.util
import random
import re
import subprocess
import sys
import threading
import time
import unittest
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from priorityd import v1
from priorityd.v1 import site_factor_service_pb2_grpc
from site_of_tests import ENVIRONMENT, PATIENCE, ROOT, shared_site

PROGRAM = ROOT / "client" / "python" / "examples" / "efficiency.py"
HEADING = "JobIDRaw|User|Account|Partition|QOS|Start|End|Suspended|AllocTRES|State|ExitCode|TotalCPU"
DAY = 86400


def program() -> Any:
    """The example as a module."""
    spec = importlib.util.spec_from_file_location("efficiency", PROGRAM)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["efficiency"] = module
    spec.loader.exec_module(module)
    return module


efficiency = program()


def record(
    job: str, user: str, cpus: float, begin: int, end: int, used: float | None, state: str = "COMPLETED", start: int = 0
) -> Any:
    """A record of an interval; with `used`, of a run since `start`, which is `begin` by default."""
    sent = v1.UsageRecord(source="s", job_id=job, user=user, tres={"cpu": cpus})
    sent.start_time.CopyFrom(Timestamp(seconds=begin))
    sent.end_time.CopyFrom(Timestamp(seconds=end))
    if used is not None:
        sent.job.CopyFrom(v1.JobAccounting(state=state, total_cpu=Duration(seconds=int(used))))
        sent.job.start_time.CopyFrom(Timestamp(seconds=start or begin))
        sent.job.end_time.CopyFrom(Timestamp(seconds=end))
    return v1.LedgerRecord(record=sent, account="acct-" + user)


class PointsTest(unittest.TestCase):
    def test_points_are_neutral_in_the_middle_and_linear_to_at_most_n(self):
        rules = efficiency.Rules(most_points=200, low=0.5, high=0.8)
        for part, want in ((0, -200), (0.25, -100), (0.31, -76), (0.5, 0), (0.65, 0), (0.8, 0), (0.9, 100), (1, 200)):
            self.assertEqual(rules.points(part), want)
        # Hyper-threads can use more CPU time than the CPUs that were counted.
        self.assertEqual(rules.points(1.9), 200)
        points = [rules.points(n / 1000) for n in range(2000)]
        self.assertEqual(points, sorted(points))

    def test_sums_are_those_of_a_naive_loop(self):
        chance, now = random.Random("sums"), 1_000_000_000.0
        rules = efficiency.Rules()
        runs = [
            efficiency.Run(chance.choice("abc"), now - chance.uniform(-DAY, 20 * DAY), held, chance.uniform(0, held))
            for held in (chance.uniform(1, 1e6) for _ in range(500))
        ]
        got = efficiency.sums_of(runs, rules, now)
        for owner in "abc":
            own = [run for run in runs if run.owner == owner and 0 <= now - run.end < 14 * DAY]
            self.assertAlmostEqual(got[owner].held, sum(r.held * 2 ** (-(now - r.end) / (7 * DAY)) for r in own), 3)
            self.assertAlmostEqual(got[owner].used, sum(r.used * 2 ** (-(now - r.end) / (7 * DAY)) for r in own), 3)

    def test_a_run_counts_once_and_only_when_it_ended(self):
        rows = [
            record("1", "amy", 2, 100, 200, 50, "RUNNING"),
            record("1", "amy", 2, 200, 300, 80, start=100),  # The same run, later.
            record("2", "amy", 1, 100, 200, 50, "RUNNING"),
            record("3", "ben", 0, 100, 200, 50),
        ]
        rows[3].record.tres.clear()
        self.assertEqual(efficiency.runs_of(rows, efficiency.Rules()), [efficiency.Run("amy", 300.0, 400.0, 80.0)])
        accounts = efficiency.runs_of(rows, efficiency.Rules(by_account=True))
        self.assertEqual([run.owner for run in accounts], ["acct-amy"])

    def test_a_run_held_what_all_its_records_held(self):
        rules, hour = efficiency.Rules(), 3600
        # 64 CPUs for an hour, 8 for the next, 1 for the last: 73 CPU-hours, all of them used.
        parts = [
            record("1", "amy", 64, hour, 2 * hour, 64 * hour, "RUNNING"),
            record("1", "amy", 8, 2 * hour, 3 * hour, None),
            record("1", "amy", 1, 3 * hour, 4 * hour, 73 * hour, start=hour),
        ]
        self.assertEqual(
            efficiency.runs_of(parts, rules), [efficiency.Run("amy", 4.0 * hour, 73.0 * hour, 73.0 * hour)]
        )
        # The first hour was before the window: what the run held is not known.
        self.assertEqual(efficiency.runs_of(parts[1:], rules), [])
        # A requeued job has another run.
        again = record("1", "amy", 2, 5 * hour, 6 * hour, hour)
        self.assertEqual(
            efficiency.runs_of([*parts, again], rules)[1:], [efficiency.Run("amy", 6.0 * hour, 2.0 * hour, hour)]
        )

    def test_an_owner_without_data_has_0_points_and_a_sentence(self):
        few = efficiency.Sums(held=3599, used=0)
        for sums in (None, few):
            self.assertEqual(
                efficiency.judgement("cat", sums, efficiency.Rules()),
                (0, "jobs of cat that ended in the last 14 days held less than 1 h of CPU time: 0 points"),
            )

    def test_a_wrong_option_is_refused(self):
        for wrong in (["--low", "0.9"], ["--high", "1"], ["--points", "-1"], ["--window", "2w"], ["--half-life", "0d"]):
            done = subprocess.run([sys.executable, PROGRAM, *wrong], env=ENVIRONMENT, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn("got ", done.stderr)


class ServiceTest(unittest.TestCase):
    USERS = {"amy": "chem", "ben": "phys", "cat": "phys"}

    def start(self, *options: str) -> str:
        command = [sys.executable, PROGRAM, "--listen", "127.0.0.1:0", "--server", self.site.address, *options]
        process = subprocess.Popen(list(map(str, command)), env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        assert process.stdout is not None
        found = re.search(r"listening on (\S+)", process.stdout.readline())
        assert found is not None
        threading.Thread(target=process.stdout.read, daemon=True).start()
        return found[1]

    def setUp(self):
        self.site = shared_site()
        address = self.start("--points", "200", "--refresh", "10m")
        self.cluster = self.site.add_cluster(
            "efficient",
            self.USERS,
            more=f"PriorityType=priority/multifactor\nPrioritySiteFactorPlugin={address}\n"
            "PrioritySiteFactorParameters=timeout=60s\n",
        )
        end = int(time.time()) - 100
        # 2 CPUs for 10 hours: amy uses 31 % of them, ben 96 %; the jobs end at once, so the decay cancels.
        rows = [
            f"{job}|{user}|{self.USERS[user]}|p||{end - 36000}|{end}|00:00:00|cpu=2,node=1|COMPLETED|0:0|{used}"
            for job, user, used in (("1", "amy", "06:12:00"), ("2", "ben", "19:12:00"))
        ]
        (self.cluster.folder / "sacct").write_text("\n".join([HEADING, *rows]) + "\n")
        status, _, err = self.cluster.run("sacct", "sacct")
        self.assertEqual(status, 0, err)
        jobs = [v1.Job(job_id=user, user=user, tres={"cpu": 1}) for user in self.USERS]
        self.site.client.priority.UpdateJobs(v1.UpdateJobsRequest(cluster="efficient", upserts=jobs))
        self.address = address

    def points(self) -> dict[str, float]:
        tracked = v1.RankJobsRequest(cluster="efficient", tracked=v1.TrackedQueue(), view=v1.RANK_VIEW_FULL)
        return {row.job_id: row.contributions.site for row in self.site.client.priority.RankJobs(tracked).ranked}

    def sentences(self, job_id: str) -> str:
        request = v1.ExplainPriorityRequest(cluster="efficient", tracked=v1.TrackedQueue(), job_id=job_id)
        return " ".join(self.site.client.priority.ExplainPriority(request).sentences)

    def test_efficiency_moves_jobs_and_explain_says_why(self):
        self.site.client.admin.Recalculate(v1.RecalculateRequest(cluster="efficient"))
        want = {"amy": -76.0, "ben": 160.0, "cat": 0.0}
        end = time.monotonic() + PATIENCE
        while self.points() != want:
            self.assertLess(time.monotonic(), end, f"got {self.points()}, want {want}")
            time.sleep(0.1)
        with grpc.insecure_channel(self.address) as channel:
            stub = site_factor_service_pb2_grpc.SiteFactorServiceStub(channel)
            jobs = [v1.Job(job_id="7", user="amy"), v1.Job(job_id="8", user="stranger")]
            request = v1.GetSiteFactorsRequest(cluster="efficient", jobs=jobs)
            answer = stub.GetSiteFactors(request, timeout=60)
            self.assertEqual(
                [(one.job_id, one.site_factor, one.reason) for one in answer.site_factors][0], ("7", -76, "")
            )
            request.explains = True
            reasons = [one.reason for one in stub.GetSiteFactors(request, timeout=60).site_factors]
        why = "jobs of amy used 31% of their CPUs in the last 14 days: -76 of at most 200 points"
        self.assertEqual(reasons[0], why)
        self.assertIn("jobs of stranger", reasons[1])
        while f"The service's reason: {why}." not in self.sentences("amy"):
            self.assertLess(time.monotonic(), end, self.sentences("amy"))
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
