"""Collectors that ask programs or a Prometheus: from the mark in the ledger on, each record exactly once."""

from __future__ import annotations

import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.request

import writers
from site_of_tests import PATIENCE, Cluster, free_port, kill, shared_site

DAY = 86400
# Prints the jobs of the table $JOBS that ran between --starttime and --endtime, as sacct does; fails after
# half of a table where a file `broken` is there.
SACCT = r"""#!/usr/bin/python3
import calendar, os, sys, time
def asked(name):
    return calendar.timegm(time.strptime(sys.argv[sys.argv.index(name) + 1], "%Y-%m-%dT%H:%M:%S"))
assert {"--duplicates", "--allocations", "--allusers"} <= set(sys.argv) and os.environ["SLURM_TIME_FORMAT"] == "%s"
since, until, here = asked("--starttime"), asked("--endtime"), os.path.dirname(sys.argv[0])
with open(here + "/asked", "a") as file:
    print(since, until, file=file)
print(sys.argv[sys.argv.index("--format") + 1].replace(",", "|"))
rows = [line for line in open(here + "/jobs") if since <= int(line.split("|")[6]) and int(line.split("|")[5]) < until]
for number, row in enumerate(rows):
    if os.path.exists(here + "/broken") and number > len(rows) // 2:
        sys.exit("sacct: error: slurmdbd: Connection refused")
    print(row, end="")
"""
# States that slurmctld has as many records for slurmdbd as the file `queue` says; fails without.
SDIAG = r"""#!/usr/bin/python3
import os, sys
print("Server thread count:  1\nAgent queue size:     9\nDBD Agent queue size: " + open(os.path.dirname(sys.argv[0]) + "/queue").read())
"""
CONDOR_HISTORY = r"""#!/usr/bin/python3
import os, re, sys
runs = sys.argv[1] == "-epochs"
assert sys.argv[1 + runs] == "-long" and sys.argv[2 + runs] == "-constraint"
at = "EpochWriteDate" if runs else "EnteredCurrentStatus"
since = int(re.fullmatch(at + r" >= (\d+)", sys.argv[3 + runs])[1])
for ad in open(os.path.dirname(sys.argv[0]) + ("/epochs" if runs else "/ads")).read().split("\n\n"):
    if ad.strip() and int(re.search(at + r" = (\d+)", ad)[1]) >= since:
        print(ad + "\n")
"""


def users() -> dict[str, str]:
    return {"amy": "a", "ben": "b"}


def program(folder: pathlib.Path, name: str, text: str) -> str:
    """A folder with a program, to come first in PATH."""
    place = folder / "bin"
    place.mkdir(exist_ok=True)
    (place / name).write_text(text)
    (place / name).chmod(0o755)
    return str(place)


class PolledTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = shared_site()
        cls.now = int(time.time()) - 10

    def job_row(self, number: int, start: int, end: int) -> str:
        user = "amy" if number % 2 else "ben"
        charged = f"{number}|{user}|{users()[user]}|p||{start}|{end}|00:00:00|cpu={number},node=1|{number}|1"
        return f"{charged}|{start}|{start}|01:00:00|COMPLETED|0:0|00:01.5|cpu=1|n1\n"

    def sums(self, rows: list[str]) -> dict[str, float]:
        found: dict[str, float] = {}
        for row in set(rows):
            cells = row.split("|")
            found[cells[1]] = found.get(cells[1], 0.0) + float(cells[9]) * (int(cells[6]) - int(cells[5]))
        return found

    def test_sacct_is_asked_from_the_mark_on_and_what_came_late_is_found(self):
        cluster = self.site.add_cluster("asked", users())
        path = program(cluster.folder, "sacct", SACCT)
        jobs = pathlib.Path(path) / "jobs"
        rows = [
            self.job_row(n, self.now - 10 * DAY + 9000 * n, self.now - 10 * DAY + 9000 * n + 40_000)
            for n in range(1, 80)
        ]
        jobs.write_text("".join(rows))
        status, _, err = cluster.run("sacct", path=path)
        self.assertEqual(status, 1)
        self.assertIn("--since mark: got no mark of the source sacct, want --since TIME the first time", err)
        self.assertEqual(cluster.run("sacct", "--since", "12d", path=path)[0], 0)
        self.assertEqual(cluster.seconds(), self.sums(rows))
        (pathlib.Path(path) / "asked").unlink()
        late = self.job_row(100, self.now - 9000, self.now - 5000)
        jobs.write_text("".join([*rows, late]))
        status, out, _ = cluster.run("sacct", path=path)
        self.assertEqual((status, out[:11]), (0, "1 accepted,"))
        self.assertEqual(cluster.seconds(), self.sums([*rows, late]))
        first = int((pathlib.Path(path) / "asked").read_text().split()[0])
        self.assertLess(abs(first - (time.time() - DAY)), 3600)  # A day before the mark: --overlap.

    def test_a_sacct_that_fails_leaves_the_mark_where_everything_is_recorded(self):
        cluster = self.site.add_cluster("broken", users())
        path = program(cluster.folder, "sacct", SACCT)
        rows = [
            self.job_row(n, self.now - 5 * DAY + 5000 * n, self.now - 5 * DAY + 5000 * n + 1000) for n in range(1, 80)
        ]
        (pathlib.Path(path) / "jobs").write_text("".join(rows))
        (pathlib.Path(path) / "broken").touch()
        status, _, err = cluster.run("sacct", "--since", "7d", path=path)
        self.assertEqual(status, 1)
        self.assertIn("sacct: ended with 1: sacct: error: slurmdbd: Connection refused", err)
        os.unlink(pathlib.Path(path) / "broken")
        # The first day had no job, so it did not fail, and has a mark.
        self.assertEqual(cluster.run("sacct", "--overlap", "1s", path=path)[0], 0)
        self.assertEqual(cluster.seconds(), self.sums(rows))

    def test_no_mark_hides_what_slurmctld_has_to_send_after_an_outage_of_slurmdbd(self):
        cluster = self.site.add_cluster("outage", users())
        path = program(cluster.folder, "sacct", SACCT)
        program(cluster.folder, "sdiag", SDIAG)
        jobs, queue = pathlib.Path(path) / "jobs", pathlib.Path(path) / "queue"
        rows = [
            self.job_row(1, self.now - 4 * DAY - 9000, self.now - 4 * DAY),
            self.job_row(2, self.now - 99, self.now),
        ]
        (pathlib.Path(path) / "broken").touch()
        # The days before have a mark, and that of the first job fails.
        jobs.write_text(rows[0] * 3)
        self.assertEqual(cluster.run("sacct", "--since", "7d", path=path)[0], 1)
        os.unlink(pathlib.Path(path) / "broken")
        jobs.write_text("".join(rows))
        for size in ("3", ""):  # Records in the queue, and a slurmctld that does not run.
            queue.write_text(size) if size else queue.unlink()
            status, _, err = cluster.run("sacct", path=path)
            self.assertEqual(status, 0)
            wants = "no mark is written: " + ("slurmctld has 3 records for slurmdbd" if size else "sdiag: ended with 1")
            self.assertIn(wants, err)
        rows.append(self.job_row(3, self.now - 3 * DAY, self.now - 2 * DAY))
        jobs.write_text("".join(rows))
        queue.write_text("0")
        status, out, err = cluster.run("sacct", path=path)
        self.assertEqual((status, out[:11], err), (0, "1 accepted,", ""))
        self.assertEqual(cluster.seconds(), self.sums(rows))
        (pathlib.Path(path) / "asked").unlink()
        self.assertEqual(cluster.run("sacct", path=path)[0], 0)
        first = int((pathlib.Path(path) / "asked").read_text().split()[0])
        self.assertLess(abs(first - (time.time() - DAY)), 3600)  # From the mark on.

    def test_two_at_once_that_are_killed_count_each_job_once(self):
        cluster = self.site.add_cluster("twosacct", users())
        path = program(cluster.folder, "sacct", SACCT)
        rows = [
            self.job_row(n, self.now - 6 * DAY + 500 * n, self.now - 6 * DAY + 500 * n + 30_000) for n in range(1, 900)
        ]
        (pathlib.Path(path) / "jobs").write_text("".join(rows))
        total = sum(self.sums(rows).values())
        chance = random.Random("two")
        command = ["sacct", "--since", "7d", "--batch-size", "20"]
        both = [cluster.start(*command, path=path) for _ in range(2)]
        cluster.await_recorded(chance.uniform(0.05, 0.5) * total)
        kill(both)
        self.assertEqual(cluster.run("sacct", "--overlap", "2d", "--since", "7d", path=path)[0], 0)
        self.assertEqual(cluster.seconds(), self.sums(rows))

    def test_condor_history_is_asked_from_the_mark_on(self):
        cluster = self.site.add_cluster("history", users())
        path = program(cluster.folder, "condor_history", CONDOR_HISTORY)
        ads = pathlib.Path(path) / "ads"
        trace = [writers.Job(n, self.now - 3 * DAY + n, self.now - 3 * DAY + 1000 * n, 2, "amy") for n in range(1, 50)]
        text = writers.condor(trace).replace("*** Offset = 0 ", "#").replace("CompletionDate", "EnteredCurrentStatus")
        ads.write_text("".join(line if line[0] != "#" else "\n" for line in text.splitlines(keepends=True)))
        self.assertEqual(cluster.run("condor", "--since", "4d", path=path)[0], 0)
        status, out, _ = cluster.run("condor", path=path)
        self.assertEqual((status, out[:12]), (0, "0 accepted, "))
        self.assertEqual(cluster.seconds(), {"amy": float(sum(2 * (job.end - job.start) for job in trace))})

    def test_condor_history_is_asked_for_runs_where_jobs_are_charged_by_them(self):
        cluster = self.site.add_cluster("epochs", users())
        path = program(cluster.folder, "condor_history", CONDOR_HISTORY)
        begin = self.now - 3 * DAY
        trace = [writers.Job(n, begin + n, begin + 1000 * n, 2, "amy") for n in range(2, 50)]
        text = writers.condor_runs(trace).replace("CompletionDate", "EnteredCurrentStatus")
        ads = re.sub(r"\*\*\* .*", "", text).split("\n\n")
        for name, attribute in (("epochs", "EpochWriteDate"), ("ads", "EnteredCurrentStatus")):
            (pathlib.Path(path) / name).write_text("\n\n".join(ad for ad in ads if attribute in ad))
        whole, by_runs = trace[:20], trace[20:]
        command = ["condor", "--runs-since", by_runs[0].start]
        status, out, err = cluster.run(*command, "--since", "4d", path=path)
        self.assertEqual((status, err), (0, ""))
        count = len(whole) + 2 * len(by_runs)
        self.assertTrue(out.startswith(f"{count} accepted, 0 duplicate, 0 rejected"), out)
        status, out, _ = cluster.run(*command, path=path)
        self.assertEqual((status, out[:12]), (0, "0 accepted, "))
        self.assertEqual(cluster.seconds(), {"amy": float(sum(2 * (job.end - job.start) for job in trace))})


@unittest.skipUnless(shutil.which("prometheus") and shutil.which("promtool"), "needs Debian's prometheus")
class PrometheusTest(unittest.TestCase):
    """A real Prometheus, with blocks that promtool has made."""

    STEP = 300
    QUERIES = """
        step = "5m"
        [labels]
        user = "user"
        account = "account"
        job = "pod"
        [tres]
        cpu = "sum by (user, account, pod) (avg_over_time(pod_cpu[5m]))"
        "gres/gpu" = "sum by (user, account, pod) (avg_over_time(pod_gpu[5m]))"
    """

    @classmethod
    def setUpClass(cls):
        cls.site = shared_site()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.begin = (int(time.time()) - 8 * 3600) // cls.STEP * cls.STEP
        cls.make_blocks()
        cls.url = cls.start()

    @classmethod
    def make_blocks(cls):
        """A pod of each user runs for hours of its own; the scrapes are a minute apart."""
        metrics = cls.folder / "metrics"
        lines = {name: [f"# TYPE {name} gauge"] for name in ("pod_cpu", "pod_gpu")}
        for name, factor in (("pod_cpu", 1.0), ("pod_gpu", 0.5)):
            for user, cpus, first, last in (("amy", 4, 0, 180), ("ben", 6, 60, 240)):
                labels = f'{{user="{user}",account="{users()[user]}",pod="pod-{user}"}}'
                lines[name] += [f"{name}{labels} {cpus * factor} {cls.begin + 60 * m}" for m in range(first, last)]
        metrics.write_text("\n".join(lines["pod_cpu"] + lines["pod_gpu"]) + "\n# EOF\n")
        making = ["promtool", "tsdb", "create-blocks-from", "openmetrics", metrics, cls.folder / "data"]
        subprocess.run(making, check=True, capture_output=True)

    @classmethod
    def start(cls) -> str:
        (cls.folder / "prometheus.yml").write_text("")
        address = f"127.0.0.1:{free_port()}"
        flags = [
            f"--web.listen-address={address}",
            f"--storage.tsdb.path={cls.folder}/data",
            "--storage.tsdb.retention.time=10y",
        ]
        command = ["prometheus", f"--config.file={cls.folder}/prometheus.yml", *flags]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.terminate)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                urllib.request.urlopen(f"http://{address}/-/ready", timeout=10).close()
                return f"http://{address}"
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def collect(self, cluster: Cluster, *arguments: object) -> tuple[int, str, str]:
        return cluster.run(*self.command(cluster), *arguments)

    def command(self, cluster: Cluster) -> list[object]:
        queries = cluster.folder / "queries.toml"
        queries.write_text(self.QUERIES)
        return ["prometheus", "--url", self.url, "--queries", queries, "--batch-size", 7]

    # A scrape at each minute of [first, last); a step's value is the mean over the scrapes in the five minutes
    # before its end, so of n whole steps with all scrapes the sum is cpus * n * 300. The first and last steps of a pod
    # have the mean of those scrapes that are there.
    def naive(self, factor: float) -> dict[str, float]:
        found = {}
        for user, cpus, first, last in (("amy", 4, 0, 180), ("ben", 6, 60, 240)):
            steps = {-(-(minute * 60) // self.STEP) for minute in range(first, last)}
            found[user] = cpus * factor * len(steps) * self.STEP
        return found

    def test_each_step_is_recorded_once_through_kills_and_from_the_mark_on(self):
        cluster = self.site.add_cluster("prometheus", users())
        since = ["--since", self.begin - 600]
        both = [cluster.start(*self.command(cluster), *since) for _ in range(2)]
        cluster.await_recorded(1000)
        kill(both)
        self.assertEqual(self.collect(cluster, *since)[0], 0)
        got, want = cluster.seconds(), self.naive(1.0)
        for user in want:
            self.assertAlmostEqual(got[user], want[user], delta=1e-3)
        gpus = cluster.seconds("gres/gpu")
        for user, seconds in self.naive(0.5).items():
            self.assertAlmostEqual(gpus[user], seconds, delta=1e-3)
        status, out, _ = self.collect(cluster)
        self.assertEqual((status, out[:12]), (0, "0 accepted, "))

    def test_a_query_that_is_wrong_says_how(self):
        cluster = self.site.add_cluster("wrongqueries", users())
        for change, want in [
            (("sum by (user, account, pod)", "sum by (oops"), "tres.cpu: "),
            (("(user, account, pod)", "(user, account, pod, __name__)"), ""),
            (('step = "5m"', 'step = "often"'), "step: got 'often', want a duration such as"),
            (('user = "user"', 'usr = "user"'), "labels: got 'usr, account, job', want user or account"),
        ]:
            with self.subTest(change=change):
                command = self.command(cluster)
                queries = cluster.folder / "queries.toml"
                queries.write_text(self.QUERIES.replace(*change, 1))
                status, _, err = cluster.run(*command, "--since", "1d")
                self.assertEqual(status, 1 if want else 0, err)
                self.assertIn(want, err)


if __name__ == "__main__":
    unittest.main()
