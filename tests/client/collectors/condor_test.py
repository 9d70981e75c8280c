"""HTCondor's two histories, as its documents have them."""

from __future__ import annotations

import unittest

from formats_test import DATA, brief, faults, read, records
from priorityd import v1
from priorityd_collect import items
from priorityd_collect.items import Fault, Item, LeftOut, Line
from priorityd_collect.sources.condor import BY_RUNS, NO_RUN, WHOLE, CondorOptions, CondorReader


class CondorTest(unittest.TestCase):
    WANT = [
        (
            "ap40.example.org#163807.0#1790948000",
            "anon",
            "group_physics.hep",
            "",
            1790965049 - 542,
            1790965049,
            {"cpu": 2, "node": 1, "mem": 4096},
        ),
        (
            "ap40.example.org#163808.3#1790948000",
            "anon",
            "group_physics.hep",
            "",
            1790949720 - 110,
            1790949720,
            {"cpu": 8, "node": 1, "mem": 16384, "gres/gpu": 1},
        ),
    ]

    def test_a_history_file_and_condor_history_make_the_same_records(self):
        lines = (DATA / "condor.txt").read_text().splitlines()
        printed = ["" if line.startswith("***") else line for line in lines]
        for form in (lines, printed):
            found = read(CondorReader(CondorOptions("condor")), form)
            self.assertEqual([brief(record) for record in records(found)], self.WANT)
            self.assertEqual([item for item in found if isinstance(item, LeftOut)], [items.UNUSED])

    def test_a_job_has_its_request_and_its_end(self):
        ads = """ClusterId = 1
ProcId = 2
GlobalJobId = "h#1.2#1000"
QDate = 1000
CompletionDate = 5000
RemoteWallClockTime = 3600
JobStatus = 4
ExitCode = 3
RemoteUserCpu = 1800.5
RemoteSysCpu = 0.25
ResidentSetSize = 2560
CpusProvisioned = 2
RequestCpus = 1
MemoryProvisioned = 128
RequestMemory = 128
Owner = "amy"
"""
        (record,) = records(read(CondorReader(CondorOptions("condor")), ads.splitlines()))
        self.assertEqual(
            record.job,
            v1.JobAccounting(
                state="FAILED",
                exit_code=3,
                submit_time={"seconds": 1000},
                total_cpu={"seconds": 1800, "nanos": 750_000_000},
                max_rss=2.5,
                req_cpus=1,
            ),
        )

    def test_a_run_has_the_request_of_its_job_only(self):
        for record in records(read(self.by_runs(0), self.epochs())):
            self.assertEqual(record.job.submit_time.seconds, 1790948000)
            self.assertFalse(record.job.HasField("total_cpu"))
            self.assertEqual(record.job.state, "")

    JOB = "ap40.example.org#163807.0#1790948000"
    RUNS = [
        (JOB + "#0", "anon", "group_physics.hep", "", 1790964400, 1790964558, {"cpu": 2, "node": 1, "mem": 4096}),
        (JOB + "#1", "anon", "group_physics.hep", "", 1790964665, 1790965049, {"cpu": 8, "node": 1, "mem": 4096}),
    ]

    def epochs(self) -> list[str]:
        return (DATA / "condor_epochs.txt").read_text().splitlines()

    def by_runs(self, since: float) -> CondorReader:
        return CondorReader(CondorOptions("condor", runs_since=since))

    def test_each_run_is_a_record_with_what_it_was_given(self):
        found = read(self.by_runs(0), self.epochs())
        self.assertEqual([brief(record) for record in records(found)], self.RUNS)
        self.assertEqual([record.job_id for record in records(found)], [self.JOB, self.JOB])
        self.assertEqual([item for item in found if isinstance(item, LeftOut)], [NO_RUN, NO_RUN])
        self.assertEqual(faults(found), [])

    def test_condor_history_prints_runs_without_lines_between(self):
        printed = ["" if line.startswith("***") else line for line in self.epochs()]
        # condor_history does not print the end of the last ad, which has this line.
        printed.insert(-1, "EpochWriteDate = 1790965049")
        for number, line in enumerate(printed):
            if line.startswith("NumShadowStarts"):
                printed[number] += f"\nRunInstanceId = {int(line[-1]) - 1}"
            if line.startswith("InputPluginResultList"):
                printed[number] += '\nEpochAdType = "INPUT"'
        found = read(self.by_runs(0), "\n".join(printed).split("\n"))
        self.assertEqual([brief(record) for record in records(found)], self.RUNS)

    def test_a_job_is_charged_by_its_runs_or_whole_whatever_is_read(self):
        whole = (DATA / "condor.txt").read_text().splitlines()
        whole.insert(whole.index("QDate = 1790948000") + 1, "JobStartDate = 1790964400")
        whole = [
            line.replace("RequestMemory = ifthenelse", "JobStartDate = 1790949000\nX = ifthenelse") for line in whole
        ]
        lines = "\n".join([*whole, *self.epochs(), *whole]).split("\n")
        started = 1790964400
        found = read(self.by_runs(started), lines)
        self.assertEqual([brief(record) for record in records(found)], [self.WANT[1], *self.RUNS, self.WANT[1]])
        self.assertEqual(found.count(BY_RUNS), 2)
        found = read(self.by_runs(started + 1), lines)
        self.assertEqual([brief(record) for record in records(found)], [*self.WANT, *self.WANT])
        self.assertEqual(found.count(WHOLE), 2)

    def test_a_job_without_shadow_is_charged_whole(self):
        lines = (DATA / "condor.txt").read_text().replace("JobUniverse = 5", "JobUniverse = 12").splitlines()
        found = read(self.by_runs(0), lines[: lines.index("ClusterId = 163808")])
        self.assertEqual([brief(record) for record in records(found)], self.WANT[:1])

    def test_runs_that_nobody_asked_for_are_no_jobs(self):
        found = read(CondorReader(CondorOptions("condor")), self.epochs())
        self.assertEqual(records(found), [])
        self.assertIn("--runs-since TIME charges jobs by their runs", faults(found)[0])

    def test_an_end_that_is_of_neither_history_is_refused(self):
        lines = (DATA / "condor.txt").read_text().replace("*** Offset = 0 ", "*** Slot ").splitlines()
        self.assertIn("end of the ad: got '*** Slot", faults(read(CondorReader(CondorOptions("condor")), lines))[0])

    def test_an_ad_that_is_being_written_is_left_for_later(self):
        lines = (DATA / "condor.txt").read_text().splitlines()[:-1]
        found: list[Item] = []
        reader = CondorReader(CondorOptions("condor"))
        for line in lines:
            found += reader(Line("log", line))
        with self.assertRaisesRegex(Fault, "want it whole"):
            list(reader(None))
        self.assertEqual(len(records(found)), 2)


if __name__ == "__main__":
    unittest.main()
