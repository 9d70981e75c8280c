"""What the reader of sacct makes of lines that sacct prints, and of odd ones."""

from __future__ import annotations

import unittest
import zoneinfo

from formats_test import BERLIN, UTC, faults, read, records
from priorityd import v1
from priorityd_collect import items
from priorityd_collect.items import Item
from priorityd_collect.sources.sacct import SacctReader


class SacctTest(unittest.TestCase):
    HEADING = "JobIDRaw|User|Account|Partition|QOS|Start|End|Suspended|AllocTRES"

    def read(self, *rows: str, heading: str = HEADING, zone=UTC) -> list[Item]:
        return read(SacctReader("sacct", zone), [heading, *rows])

    def test_a_job_is_what_prioctl_import_sacct_makes_of_it(self):
        row = "7|amy|chem|main|normal|2026-11-20T13:00:00|2026-11-20T14:00:00|00:10:00|billing=9,cpu=4,energy=5,gres/gpu=1,mem=62.50G,node=1"
        (record,) = records(self.read(row))
        self.assertEqual(
            record,
            v1.UsageRecord(
                source="sacct",
                record_id="7@1795179600",
                job_id="7",
                user="amy",
                account="chem",
                partition="main",
                qos="normal",
                start_time={"seconds": 1795179600},
                end_time={"seconds": 1795179600 + 3000},
                tres={"cpu": 4, "gres/gpu": 1, "mem": 64000, "node": 1},
                billing=9,
            ),
        )

    #: The rows of tests/client/slurm/tables/job_accounting_test.cc.
    TOLD_HEADING = "JobIDRaw|User|Account|Submit|Eligible|Start|End|Timelimit|State|ExitCode|TotalCPU|MaxRSS|ReqTRES|AllocTRES|NodeList"
    TOLD = (
        "7|ann|chem|2026-11-22T15:00:00|2026-11-22T15:30:00|2026-11-22T16:00:00|2026-11-22T17:00:00|1-00:00:00|OUT_OF_MEMORY|0:125|1-02:03:04||cpu=3,mem=4G,node=1|cpu=4,mem=4G,node=1|n[1-2]",
        "7.batch||chem|2026-11-22T16:00:00|2026-11-22T16:00:00|2026-11-22T16:00:00|2026-11-22T17:00:00||OUT_OF_MEMORY|0:125|00:01.500|1536K||cpu=4|n1",
        "7.0||chem|2026-11-22T16:00:00|2026-11-22T16:00:00|2026-11-22T16:00:00|2026-11-22T17:00:00||COMPLETED|0:0|00:00:01|2.5M||cpu=4|n1",
        "8|ann|chem|2026-11-22T15:00:00|Unknown|2026-11-22T16:00:00|2026-11-22T17:00:00|UNLIMITED|SPECIAL_EXIT|1:0|03:04.567||cpu=4|cpu=4|None assigned",
        "8.batch||chem|2026-11-22T16:00:00|2026-11-22T16:00:00|2026-11-22T16:00:00|2026-11-22T17:00:00||FAILED|1:0|03:04.567|1G||cpu=4|n1",
    )

    def test_what_sacct_prints_of_a_job_is_reported_with_the_highest_of_its_steps(self):
        first, second = records(self.read(*self.TOLD, heading=self.TOLD_HEADING))
        self.assertEqual(
            first.job,
            v1.JobAccounting(
                state="OUT_OF_MEMORY",
                exit_code=0,
                exit_signal=125,
                submit_time={"seconds": 1795363200 - 3600},
                eligible_time={"seconds": 1795363200 - 1800},
                time_limit={"seconds": 86400},
                total_cpu={"seconds": 86400 + 2 * 3600 + 3 * 60 + 4},
                max_rss=2.5,
                req_cpus=3,
                node_list="n[1-2]",
            ),
        )
        self.assertEqual(
            second.job,
            v1.JobAccounting(
                exit_code=1,
                exit_signal=0,
                submit_time={"seconds": 1795363200 - 3600},
                time_limit={"seconds": 315_576_000_000},
                total_cpu={"seconds": 184, "nanos": 567_000_000},
                max_rss=1024,
            ),
        )

    def test_slurms_words_for_no_nodes_are_no_node_list(self):
        for none in ("", "None assigned", "NONE ASSIGNED", "None", "(null)", "N/A", "n/a"):
            (record,) = records(self.read(self.TOLD[3].replace("None assigned", none), heading=self.TOLD_HEADING))
            self.assertEqual(record.job.node_list, "", none)

    def test_a_cpu_time_that_is_none_is_a_fault_of_its_line_alone(self):
        found = self.read(self.TOLD[3].replace("03:04.567", "03:04.x"), self.TOLD[0], heading=self.TOLD_HEADING)
        self.assertEqual(len(records(found)), 1)
        self.assertIn("TotalCPU: got '03:04.x', want a time such as 01:02.345", str(faults(found)))

    def test_a_name_may_be_one_of_slurms_words_for_nothing(self):
        head = "JobIDRaw|User|Account|Partition|QOS|Start|End|AllocTRES"
        for name, want in (
            ("none", "none"),
            ("Unknown", "Unknown"),
            ("invalid", "invalid"),
            ("(null)", ""),
            ("N/A", ""),
        ):
            with self.subTest(name=name):
                (record,) = records(self.read(f"1|{name}|{name}|{name}|q|100|200|cpu=1", heading=head))
                self.assertEqual((record.user, record.account, record.partition), (want, want, want))

    def test_a_time_that_no_calendar_has_is_a_fault_of_its_line_alone(self):
        long = "9" * 20 + "-00:00:00"
        head = "JobIDRaw|User|Account|Start|End|AllocTRES|Timelimit|TotalCPU"
        for start, end, limit, used, want in (
            ("100", "200", long, "", f"Timelimit: got '{long}', want at most 315576000000 seconds"),
            ("100", "200", "", long, f"TotalCPU: got '{long}', want at most 315576000000 seconds"),
            ("999999999999999", "99999999999999", "", "", "Start: got '999999999999999', want a time"),
            ("9999-12-31T23:59:59", "9999-12-31T23:59:58", "", "", "want a time before 9999-01-01"),
        ):
            with self.subTest(want=want):
                found = self.read(
                    f"1|a|a|{start}|{end}|cpu=1|{limit}|{used}",
                    "2|a|a|100|200|cpu=1||",
                    heading=head,
                    zone=zoneinfo.ZoneInfo("America/New_York"),
                )
                self.assertEqual([record.job_id for record in records(found)], ["2"])
                self.assertIn(want, str(faults(found)))

    def test_each_of_several_files_in_one_has_its_own_columns(self):
        found = self.read("1|a|b|100|200|cpu=1", "JobIDRaw|Account|User|Start|End|AllocTRES", "2|b|a|100|200|cpu=1",
                          heading="JobIDRaw|User|Account|Start|End|AllocTRES")  # fmt: skip
        self.assertEqual(
            [(one.job_id, one.user, one.account) for one in records(found)], [("1", "a", "b"), ("2", "a", "b")]
        )
        self.assertEqual(faults(found), [])

    def test_a_suspended_job_is_reported_to_end_when_it_ended(self):
        heading = self.HEADING + "|State"
        row = "7|a|a|p|q|2026-11-20T13:00:00|2026-11-20T14:00:00|00:10:00|cpu=1|CANCELLED by 7"
        (record,) = records(self.read(row, heading=heading))
        self.assertEqual(record.job.state, "CANCELLED")
        self.assertEqual(record.job.end_time.seconds - record.end_time.seconds, 600)

    def test_steps_and_what_has_used_nothing_yet_are_left_out(self):
        found = self.read(
            "1|amy|a|p|q|2026-11-20T13:00:00|Unknown||cpu=1",
            "2|amy|a|p|q|Unknown|2026-11-20T13:00:00||",
            "3|amy|a|p|q|None|None||",
            "4.batch||a|||2026-11-20T13:00:00|2026-11-20T14:00:00||cpu=1",
        )
        self.assertEqual(
            [item.why for item in found],
            [items.RUNNING.why, items.UNUSED.why, items.UNUSED.why, "steps, which the rows of their jobs have in them"],
        )

    def test_each_run_of_a_requeued_job_and_each_task_of_an_array_is_a_record(self):
        found = self.read("7|a|a|p|q|100|200||cpu=1", "7|a|a|p|q|300|500||cpu=1", "8|a|a|p|q|100|200||cpu=1")
        self.assertEqual([record.record_id for record in records(found)], ["7@100", "7@300", "8@100"])

    def test_times_are_of_the_zone_also_where_clocks_change(self):
        for text, want in [
            ("2026-07-01T12:00:00", 1782900000),
            ("2026-01-01T12:00:00", 1767265200),
            ("2026-10-25T02:30:00", 1792888200),  # The first of the two.
            ("2026-07-01T12:00:00+00:00", 1782907200),
            ("1782907200", 1782907200),
        ]:
            with self.subTest(text=text):
                (record,) = records(self.read(f"1|a|a|p|q|{text}|{want + 60}||cpu=1", zone=BERLIN))
                self.assertEqual(record.start_time.seconds, want)

    def test_counts_stand_in_where_there_is_no_alloctres(self):
        (record,) = records(self.read("1|a|a|100|200|8|2", heading="JobID|User|Account|Start|End|NCPUS|NNodes"))
        self.assertEqual(dict(record.tres), {"cpu": 8, "node": 2})

    def test_what_cannot_be_read_says_so(self):
        for heading, row, want in [
            ("JobID|User|Start|End", "1|a|100|200", "log:1: got no column account"),
            (self.HEADING, "1|a|a|p|q|yesterday|200||cpu=1", "log:2: Start: got 'yesterday', want a time such as"),
            (self.HEADING, "1|a|a", "log:2: got 3 columns, want 9"),
            (self.HEADING, "1|a|a|p|q|100|200|soon|cpu=1", "log:2: Suspended: got 'soon', want a time such as"),
            (self.HEADING, "1|a|a|p|q|100|200||cpu=many", "log:2: cpu: got 'many', want a number, 0 or more"),
        ]:
            with self.subTest(row=row):
                self.assertTrue(faults(self.read(row, heading=heading))[0].startswith(want))


class ClockThatGoesBackTest(unittest.TestCase):
    def run_of(self, elapsed: str, column: str = "Elapsed", zone: zoneinfo.ZoneInfo = BERLIN) -> list[Item]:
        heading = f"JobIDRaw|User|Account|Start|End|{column}|AllocTRES"
        row = f"6|ann|chem|2026-10-25T02:30:00|2026-10-25T02:10:00|{elapsed}|cpu=4"
        return read(SacctReader("s", zone), [heading, row])

    def test_the_elapsed_time_ends_a_run_in_which_the_clock_went_back(self):
        for elapsed, column in [("00:40:00", "Elapsed"), ("2400", "ElapsedRaw")]:
            [record] = records(self.run_of(elapsed, column))
            self.assertEqual(record.end_time.seconds - record.start_time.seconds, 2400)

    def test_another_end_before_its_start_is_rejected(self):
        for elapsed in ["", "00:00:00", "00:20:00", "05:00:00"]:
            with self.subTest(elapsed=elapsed):
                [fault] = faults(self.run_of(elapsed))
                self.assertIn("End: got '2026-10-25T02:10:00', want Start or later", fault)
        self.assertEqual(len(faults(self.run_of("00:40:00", zone=UTC))), 1)


if __name__ == "__main__":
    unittest.main()
