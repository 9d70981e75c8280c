"""What each reader makes of the lines that documents and public logs show."""

from __future__ import annotations

import pathlib
import tempfile
import unittest
import zoneinfo
from collections.abc import Iterable

from priorityd import v1
from priorityd_collect import items
from priorityd_collect.items import Entry, Fault, Item, LeftOut, Line, Lost, Reader
from priorityd_collect.records import seconds_of
from priorityd_collect.sources.jobcomp import JobcompReader
from priorityd_collect.sources.pbs import PbsOptions, PbsReader
from priorityd_collect.sources.sacct import SacctReader
from priorityd_collect.sources.swf import SwfReader
from priorityd_collect.sources.table import TableReader, read_form

DATA = pathlib.Path(__file__).parent / "data"
UTC = zoneinfo.ZoneInfo("UTC")
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")


def read(reader: Reader, lines: Iterable[str]) -> list[Item]:
    found: list[Item] = []
    for number, text in enumerate(lines, 1):
        try:
            found += reader(Line(f"log:{number}", text))
        except Fault as fault:
            found.append(fault.at(f"log:{number}", text))
    return found + list(reader(None))


def records(found: Iterable[Item]) -> list[v1.UsageRecord]:
    return [item.record for item in found if isinstance(item, Entry)]


def faults(found: Iterable[Item]) -> list[str]:
    return [str(item) for item in found if isinstance(item, Fault)]


def brief(record: v1.UsageRecord) -> tuple[object, ...]:
    names = (record.record_id, record.user, record.account, record.partition)
    return (*names, record.start_time.seconds, record.end_time.seconds, dict(record.tres))


class PbsTest(unittest.TestCase):
    def logged(self, **options) -> list[Item]:
        return read(PbsReader(PbsOptions("pbs", UTC, **options)), (DATA / "pbs.txt").read_text().splitlines())

    def test_documented_logs_charge_what_was_allocated(self):
        self.assertEqual(
            [brief(record) for record in records(self.logged())],
            [
                ("407.ign1.zeta2.org@1118088366", "guest", "", "batch", 1118088366, 1118088437, {"cpu": 1, "node": 1}),
                (
                    "6.edge.ccr.buffalo.edu@1261425023",
                    "anonuser",
                    "",
                    "ccr",
                    1261425023,
                    1261427220,
                    {"cpu": 32, "node": 4},
                ),
                (
                    "6464684.anonhost@1415589841",
                    "anonuser",
                    "anonaccount",
                    "default",
                    1415589841,
                    1415599191,
                    {"cpu": 4, "node": 1, "mem": 1993},
                ),
                ("2994.pbs@1453766281", "anonuser", "", "workq", 1453766281, 1453766437, {"cpu": 65, "node": 5}),
                ("2995.pbs@1453766281", "anonuser", "", "anonq", 1453766281, 1453766437, {"cpu": 12, "node": 2}),
                ("45.master@1491390307", "anonuser", "", "short", 1491390307, 1491390413, {"cpu": 4, "node": 2}),
                (
                    "88.tr@1567567582",
                    "dummy",
                    "",
                    "workq",
                    1567567582,
                    1567567647,
                    {"cpu": 1, "node": 1, "mem": 850, "gres/gpu": 1},
                ),
                (
                    "2281981.casper-pbs@1770866202",
                    "anonuser",
                    "SCSG0001",
                    "htc",
                    1770866202,
                    1770866207,
                    {"cpu": 2, "node": 2, "mem": 20480},
                ),
            ],
        )

    def test_what_ends_no_run_is_left_out(self):
        self.assertEqual(sum(isinstance(item, LeftOut) for item in self.logged()), 3)

    def test_what_was_used_is_charged_where_that_is_wanted(self):
        used = {record.job_id: record for record in records(self.logged(used=True))}["6464684.anonhost"]
        self.assertEqual(used.end_time.seconds - used.start_time.seconds, 2 * 3600 + 35 * 60 + 49)
        self.assertAlmostEqual(used.tres["cpu"], (10 * 3600 + 16 * 60 + 36) / 9349)
        self.assertAlmostEqual(used.tres["mem"], 167864 / 1024)

    def test_a_run_that_was_rerun_is_a_record_of_its_own(self):
        message = "user=a start={} exec_host=n1/0 Resource_List.ncpus=1"
        log = [
            f"04/05/2017 12:00:10;R;1.s;{message.format(1491393600)}",
            f"04/05/2017 13:00:00;E;1.s;{message.format(1491393700)}",
        ]
        self.assertEqual(
            [(r.record_id, r.end_time.seconds) for r in records(read(PbsReader(PbsOptions("pbs", UTC)), log))],
            [("1.s@1491393600", 1491393610), ("1.s@1491393700", 1491397200)],
        )

    def test_the_time_of_a_line_is_of_the_zone(self):
        log = ["07/01/2017 12:00:00;E;1.s;user=a start=1498890000 Resource_List.ncpus=1"]
        (record,) = records(read(PbsReader(PbsOptions("pbs", BERLIN)), log))
        self.assertEqual(record.end_time.seconds, 1498903200)  # 10:00 UTC

    def test_chunks_are_multiplied(self):
        for resources, want in [
            ("Resource_List.select=2:ncpus=4:mem=8gb:ngpus=2+1:ncpus=2", {"cpu": 10, "mem": 16384, "gres/gpu": 4}),
            ("Resource_List.select=ncpus=3:mem=1gb", {"cpu": 3, "mem": 1024}),
            ("Resource_List.nodes=2:ppn=8:gpus=1", {"cpu": 16, "gres/gpu": 2}),
            ("Resource_List.nodes=3", {"cpu": 3}),
            (
                "Resource_List.ncpus=6 Resource_List.mem=4194304kb Resource_List.nodect=2",
                {"cpu": 6, "mem": 4096, "node": 2},
            ),
            ("exec_vnode=(n1:ncpus=2:ngpus=1+n1[1]:ncpus=1)+(n2:ncpus=2)", {"cpu": 5, "node": 3, "gres/gpu": 1}),
        ]:
            with self.subTest(resources=resources):
                log = [f"07/01/2017 12:00:00;E;1.s;user=a start=100 end=200 {resources}"]
                (record,) = records(read(PbsReader(PbsOptions("pbs", UTC)), log))
                self.assertEqual(dict(record.tres), want)

    def test_what_cannot_be_read_says_where_and_why(self):
        for log, want in [
            ("garbage", "log:1: line: got 'garbage', want MM/DD/YYYY HH:MM:SS;TYPE;JOB;NAME=VALUE ..."),
            ("07/01/2017 12:00:00;E;1.s;user=a start=x", "log:1: start: got 'x', want a number, 0 or more"),
            ("07/01/2017 12:00:00;E;1.s;user=a user=b start=1", "log:1: user: got it twice, 'a' and 'b', want it once"),
            (
                "07/01/2017 12:00:00;E;1.s;user=a start=1 end=2 Resource_List.mem=lots",
                "log:1: Resource_List.mem: got 'lots', want a size such as 4gb or 850mb",
            ),
        ]:
            with self.subTest(log=log):
                self.assertEqual(faults(read(PbsReader(PbsOptions("pbs", UTC)), [log])), [want])


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
        for name, want in (("none", "none"), ("Unknown", "Unknown"), ("invalid", "invalid"), ("(null)", ""), ("N/A", "")):
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
        self.assertEqual([(one.job_id, one.user, one.account) for one in records(found)], [("1", "a", "b"), ("2", "a", "b")])
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


class JobcompTest(unittest.TestCase):
    def test_a_line_of_a_real_cluster(self):
        found = read(JobcompReader("sacct", BERLIN), (DATA / "jobcomp.txt").read_text().splitlines())
        (record,) = records(found)
        want = {"cpu": 16, "mem": 240000, "node": 1, "gres/gpu": 1, "gres/gpu:a100": 1}
        self.assertEqual(
            brief(record), ("2293679@1736631916", "anon04h", "anon0", "a100", 1736631916, 1736631918, want)
        )
        self.assertEqual((record.billing, record.qos), (16, "normal"))

    def test_the_name_of_a_job_charges_nobody_else(self):
        (line,) = (DATA / "jobcomp.txt").read_text().splitlines()
        for forged in ("Name=x UserId=root(0)", "Name=x JobState=COMPLETED Partition=p ProcCnt=1"):
            found = read(JobcompReader("sacct", UTC), [line.replace("Name=run.sh", forged)])
            self.assertIn("got it twice, want it once", faults(found)[0])

    def test_a_job_that_never_started_is_left_out(self):
        (line,) = (DATA / "jobcomp.txt").read_text().splitlines()
        line = line.replace("StartTime=2025-01-11T22:45:16", "StartTime=Unknown")
        self.assertEqual(read(JobcompReader("sacct", UTC), [line]), [items.UNUSED])


class SwfTest(unittest.TestCase):
    def test_jobs_are_dated_by_the_heading(self):
        log = [
            "; UnixStartTime: 749458803",
            "    4     6269     -1  10927  128     -1    -1   -1     -1    -1 -1   2   1  -1 -1 -1 -1 -1",
        ]
        (record,) = records(read(SwfReader("swf"), log))
        self.assertEqual(brief(record), ("4@749465072", "u2", "g1", "", 749465072, 749475999, {"cpu": 128}))

    def test_a_job_without_a_submit_time_is_lost_and_a_time_beyond_the_calendar_is_a_fault(self):
        line = "4 {} 1 10 8 -1 -1 -1 -1 -1 1 2 1 -1 -1 -1 -1 -1"
        found = read(SwfReader("swf"), ["; UnixStartTime: 749458803", line.format("-1"), line.format("1e17")])
        self.assertEqual(records(found), [])
        (lost,) = [item for item in found if isinstance(item, Lost)]
        self.assertEqual(lost.why, "whose submit time is not known (-1)")
        self.assertIn("want a time before 9999-01-01", str(faults(found)))

    def test_a_trace_without_a_beginning_is_refused(self):
        log = ["4 6269 -1 10927 128 -1 -1 -1 -1 -1 -1 2 1 -1 -1 -1 -1 -1"]
        for beginning in ([], ["; UnixStartTime: 99999999999999"], ["; UnixStartTime: " + "9" * 400]):
            self.assertIn("UnixStartTime", faults(read(SwfReader("swf"), [*beginning, *log]))[0])


class TableTest(unittest.TestCase):
    FORM = """
        delimiter = ";"
        time_format = "%d.%m.%Y %H:%M:%S"
        time_zone = "Europe/Berlin"
        [columns]
        job = "id"
        record_id = "{host}-{id}"
        user = "who"
        account = "project"
        start = "from"
        duration = "wall"
        [tres]
        cpu = "cores"
        mem = { column = "ram", unit = "gb" }
        "gres/gpu" = "gpus"
    """

    def form(self, text: str):
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "form.toml"
        path.write_text(text)
        return read_form(str(path), UTC)

    def read(self, *rows: str) -> list[Item]:
        return read(TableReader("csv", self.form(self.FORM)), ["id;host;who;project;from;wall;cores;ram;gpus", *rows])

    def test_columns_are_what_the_form_says(self):
        (record,) = records(self.read('7;h1;amy;"chem;old";01.07.2026 12:00:00;1-00:00:10;4;2.5;0'))
        want = {"cpu": 4, "mem": 2560, "gres/gpu": 0}
        self.assertEqual(brief(record), ("h1-7", "amy", "chem;old", "", 1782900000, 1782900000 + 86410, want))

    def test_totals_are_charged_over_the_row_and_over_a_second_at_least(self):
        form = self.form("amounts='total'\n[columns]\njob='id'\nuser='who'\nstart='a'\nend='b'\n[tres]\nx='n'")
        for start, end, seconds in ((10.5, 12.75, 2.25), (10.5, 10.75, 1), (10.5, 10.5, 1)):
            (record,) = records(read(TableReader("csv", form), ["id,who,a,b,n", f"7,amy,{start},{end},900"]))
            self.assertEqual((seconds_of(record.start_time), seconds_of(record.end_time)), (start, start + seconds))
            self.assertEqual(record.tres, {"x": 900 / seconds})

    def test_what_cannot_be_read_says_so(self):
        for row, want in [
            ("7;h1;amy;chem;2026-07-01;10;4;1;0", "log:2: start: got '2026-07-01', want a time as %d.%m.%Y %H:%M:%S"),
            ("7;h1;amy;chem;01.07.2026 12:00:00;10;-4;1;0", "log:2: cpu: got '-4', want a number, 0 or more"),
            ("7;h1", "log:2: got 2 columns, want 9"),
        ]:
            self.assertEqual(faults(self.read(row)), [want])
        self.assertIn("got no column 'cores'", faults(read(TableReader("csv", self.form(self.FORM)), ["id;host"]))[0])

    def test_a_form_says_what_it_lacks(self):
        for text, want in [
            ("[columns]\nstart='a'\nend='b'\nuser='u'", "got neither job nor record_id"),
            ("[columns]\nstart='a'\njob='b'\nuser='u'", "want start, and one of end and duration"),
            ("[columns]\nstart='a'\nend='e'\njob='b'", "got neither user nor account"),
            ("[colums]\nstart='a'", "got 'colums'"),
            ("[columns]\nstart='a'\nend='e'\njob='b'\nuser='u'\n[tres]\nmem={column='m',unit='lb'}", "tres.mem"),
            ("amounts = 'sum'", "amounts: got 'sum', want held or total"),
            ("a = ", "want TOML"),
        ]:
            with self.subTest(text=text), self.assertRaisesRegex(Fault, want):
                self.form(text)


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
