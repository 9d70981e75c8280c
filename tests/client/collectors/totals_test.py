"""What each reader charges of a history with arrays, runs that are run again, suspended, cancelled, parallel and running jobs.

Against two other sums: of the history itself, and of the lines of the log, added up as awk would.
"""

from __future__ import annotations

import calendar
import collections
import pathlib
import re
import tempfile
import time
import unittest
from collections.abc import Callable, Iterator
from typing import Any

import histories
from formats_test import UTC, read, records
from losses_test import Answers, losses
from priorityd_collect.items import Fault, Item, Lost, Notice, Reader
from priorityd_collect.sources.condor import CondorOptions, CondorReader
from priorityd_collect.sources.jobcomp import JobcompReader
from priorityd_collect.sources.lsf import LsfReader
from priorityd_collect.sources.pbs import PbsOptions, PbsReader
from priorityd_collect.sources.sacct import SacctReader
from priorityd_collect.sources.sge import SgeOptions, SgeReader, read_resources
from priorityd_collect.sources.swf import SwfReader
from priorityd_collect.sources.table import TableReader, read_form

#: User, CPU-seconds, GPU-seconds.
Sums = Iterator[tuple[str, int, int]]
FORM = """
[columns]
job = "number"
user = "who"
start = "from"
end = "to"
[tres]
cpu = "cores"
"gres/gpu" = { column = "gpus", empty = 0 }
"""


def of(pattern: str, line: str) -> int:
    """The sum of all numbers behind the pattern."""
    return sum(int(text) for text in re.findall(pattern + r"(\d+)", line))


def seconds(text: str, form: str) -> int:
    return calendar.timegm(time.strptime(text, form))


def sacct(lines: list[str]) -> Sums:
    for line in lines[1:]:
        cells = line.split("|")
        if "." not in cells[1] and cells[4].isdigit() and cells[5].isdigit():
            hours, minutes, rest = (int(text) for text in cells[6].split(":"))
            length = int(cells[5]) - int(cells[4]) - hours * 3600 - minutes * 60 - rest
            yield cells[2], of("cpu=", cells[7]) * length, of("gpu=", cells[7]) * length


def jobcomp(lines: list[str]) -> Sums:
    for line in lines:
        row = dict(word.split("=", 1) for word in line.split())
        if row["StartTime"] != "Unknown":
            start, end = (seconds(row[name], "%Y-%m-%dT%H:%M:%S") for name in ("StartTime", "EndTime"))
            gpus = of("Gres=gpu:", line) * int(row["NodeCnt"])
            yield row["UserId"].split("(")[0], int(row["ProcCnt"]) * (end - start), gpus * (end - start)


def pbs(lines: list[str]) -> Sums:
    for line in lines:
        at, kind, job, message = line.split(";")
        if kind in "ER" and "[]" not in job:
            length = (of(" end=", message) or seconds(at, "%m/%d/%Y %H:%M:%S")) - of(" start=", message)
            vnodes = re.search(r"exec_vnode=(\S*)", message)[1]  # type: ignore[index]
            user = re.search(r"user=(\w+)", message)[1]  # type: ignore[index]
            yield user, of("ncpus=", vnodes) * length, of("ngpus=", vnodes) * length


def sge(lines: list[str]) -> Sums:
    for line in lines:
        cells = line.split(":")
        if line[0] != "#" and cells[41] == "NONE":
            length = int(cells[10][:10]) - int(cells[9][:10])
            yield cells[3], int(cells[34]) * length, of("gpu=", cells[39]) * int(cells[34]) * length


def sge_json(lines: list[str]) -> Sums:
    for line in lines:
        if '"pe_taskid"' not in line:
            length = of('"end_time":', line) // 10**6 - of('"start_time":', line) // 10**6
            slots = of('"slots":', line)
            user = line.split('"owner":"')[1].split('"')[0]
            yield user, slots * length, of("gpu=", line) * slots * length


def lsf(lines: list[str]) -> Sums:
    for line in lines:
        words = line.split(" ")
        if words[0] == '"JOB_FINISH"' and words[10] != "0":
            length = int(words[2]) - int(words[10])
            # Each host is there twice: where it ran, and where it had slots.
            slots = sum(int(text) for text in re.findall(r'"(\d+)\*', line)) // 2
            yield words[11].strip('"'), slots * length, of("ngpus_physical=", line) * length


def condor(lines: list[str]) -> Sums:
    for text in "\n".join(lines).split("***")[:-1]:
        ad = {name: value.strip('"') for name, _, value in (line.partition(" = ") for line in text.splitlines())}
        held = int(float(ad["RemoteWallClockTime"])) * int(ad["MaxHosts"])
        yield ad["Owner"], int(ad["CpusProvisioned"]) * held, int(ad.get("GPUsProvisioned", 0)) * held


def table(lines: list[str]) -> Sums:
    for number, who, start, end, cores, gpus in (line.split(",") for line in lines[1:]):
        if number and start and end:
            yield who, int(cores) * (int(end) - int(start)), int(gpus or 0) * (int(end) - int(start))


def swf(lines: list[str]) -> Sums:
    for fields in (line.split() for line in lines[1:]):
        if fields[10] in "015" and fields[3] != "-1":
            yield "u" + fields[11], int(fields[3]) * int(fields[4]), 0


class TotalsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.jobs = histories.history("20261125")
        self.found: list[Item] = []

    def check(self, reader: Reader, text: str, lines_sum: Callable[[list[str]], Sums], **how: bool) -> None:
        """`without_suspended`: the log has that; `gpus_by_slot` and `no_gpus`: what it says of GPUs."""
        lines = text.splitlines()
        self.found = read(reader, lines)
        self.assertEqual([item for item in self.found if isinstance(item, Fault | Lost | Notice)], [])
        self.assertEqual(set(losses(self.found)), {""})
        cpus, gpus = collections.Counter[str](), collections.Counter[str]()
        for user, of_cpus, of_gpus in lines_sum(lines):
            cpus[user] += of_cpus
            gpus[user] += of_gpus
        got = {name: self.charged(name) for name in ("cpu", "gres/gpu")}
        self.assertEqual(got, {"cpu": +cpus, "gres/gpu": +gpus})
        subtracted = how.get("without_suspended", False)
        self.assertEqual(got["cpu"], histories.truth(self.jobs, lambda job: job.cpus, subtracted))
        times = 0 if how.get("no_gpus") else 1
        by_slot = how.get("gpus_by_slot", False)
        want = histories.truth(self.jobs, lambda job: job.gpus * times * (job.cpus if by_slot else 1), subtracted)
        self.assertEqual(got["gres/gpu"], want)
        ids = [record.record_id for record in records(self.found)]
        self.assertEqual(len(ids), len(set(ids)), "two records of the same id")

    def charged(self, tres: str) -> dict[str, float]:
        sums = collections.Counter[str]()
        for record in records(self.found):
            nanoseconds = record.end_time.ToNanoseconds() - record.start_time.ToNanoseconds()
            sums[record.user] += round(record.tres[tres]) * nanoseconds // 10**9
        return dict(+sums)

    def test_sacct(self) -> None:
        self.check(SacctReader("sacct", UTC), histories.sacct(self.jobs), sacct, without_suspended=True)

    def test_jobcomp(self) -> None:
        self.check(JobcompReader("sacct", UTC), histories.jobcomp(self.jobs), jobcomp)

    def test_pbs(self) -> None:
        self.check(PbsReader(PbsOptions("pbs", UTC)), histories.pbs(self.jobs), pbs)

    def test_sge_in_seconds_and_in_milliseconds(self) -> None:
        for scale in (1, 1000):
            reader = SgeReader(SgeOptions("sge", "project", read_resources(["gpu=gres/gpu"])))
            self.check(reader, histories.sge(self.jobs, scale), sge, gpus_by_slot=True)

    def test_sge_9_in_json(self) -> None:
        reader = SgeReader(SgeOptions("sge", "project", read_resources(["gpu=gres/gpu"])))
        self.check(reader, histories.sge_json(self.jobs), sge_json, gpus_by_slot=True)

    def test_lsf_with_jobs_that_were_resized(self) -> None:
        text, want = histories.lsf_resized("20261126")
        self.found = read(LsfReader("lsf"), text.splitlines())
        self.assertEqual(set(losses(self.found)), {""})
        self.assertEqual(self.charged("cpu"), want)
        ids = [record.record_id for record in records(self.found)]
        self.assertEqual((len(ids), len(set(ids))), (text.count("\n") + 1,) * 2)

    def test_lsf(self) -> None:
        self.check(LsfReader("lsf"), histories.lsf(self.jobs), lsf)

    def test_condor(self) -> None:
        self.check(CondorReader(CondorOptions("condor")), histories.condor(self.jobs), condor)

    def test_csv(self) -> None:
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "form.toml"
        path.write_text(FORM)
        self.check(TableReader("csv", read_form(str(path), UTC)), histories.table(self.jobs), table)

    def test_swf(self) -> None:
        self.check(SwfReader("swf"), histories.swf(self.jobs), swf, no_gpus=True)

    def test_prometheus(self) -> None:
        values = {user: [[300 * step, str(step % 7)] for step in range(1, 1200)] for user in ("u1", "u2")}
        series: list[dict[str, Any]] = [{"metric": {"u": user}, "values": steps} for user, steps in values.items()]
        self.found = list(Answers(series, [], {"user": "u"}).items(0, 1199 * 300))
        want = {user: sum(300 * int(value) for _, value in steps) for user, steps in values.items()}
        self.assertEqual(self.charged("cpu"), want)


if __name__ == "__main__":
    unittest.main()
