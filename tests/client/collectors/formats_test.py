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

    def test_a_run_into_the_hour_that_the_clock_repeats_has_its_length(self):
        # 2026-10-25: at 03:00 CEST (01:00 UTC) clocks go back to 02:00 CET. The run is from 02:50 CEST to 02:10 CET.
        log = ["10/25/2026 02:10:00;R;1.s;user=a start=1792889400 Resource_List.ncpus=1"]
        (record,) = records(read(PbsReader(PbsOptions("pbs", BERLIN)), log))
        self.assertEqual(record.end_time.seconds, 1792889400 + 20 * 60)

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
            (
                "exec_host=n1/0*3+n2/0*2 exec_vnode=(n1[0]:ncpus=2:ngpus=1+n1[1]:ncpus=1)+(n2[0]:ncpus=2)",
                {"cpu": 5, "node": 2, "gres/gpu": 1},
            ),
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

    def test_a_run_into_the_hour_that_the_clock_repeats_has_its_length(self):
        (line,) = (DATA / "jobcomp.txt").read_text().splitlines()
        line = line.replace("2025-01-11T22:45:16", "2026-10-25T02:50:00").replace(
            "2025-01-11T22:45:18", "2026-10-25T02:10:00"
        )
        (record,) = records(read(JobcompReader("sacct", BERLIN), [line]))
        self.assertEqual((record.start_time.seconds, record.end_time.seconds), (1792889400, 1792889400 + 20 * 60))
        self.assertEqual(read(JobcompReader("sacct", UTC), [line]), [items.UNUSED])

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
        twice = ["id;host;who;project;from;wall;cores;ram;gpus;cores", "7;h1;amy;chem;01.07.2026 12:00:00;10;4;1;0;8"]
        found = faults(read(TableReader("csv", self.form(self.FORM)), twice))
        self.assertIn("got the column 'cores' twice, want it once", found[0])
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


if __name__ == "__main__":
    unittest.main()
