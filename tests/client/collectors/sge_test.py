"""Grid Engine's accounting files, as accounting(5) and public reports show them."""

from __future__ import annotations

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

from formats_test import DATA, brief, faults, read, records
from priorityd_collect import items
from priorityd_collect.items import Entry, Fault, Item, LeftOut, Lost
from priorityd_collect.main import main
from priorityd_collect.sources.sge import PART, SgeOptions, SgeReader, read_resources


def fields(**changes: object) -> list[str]:
    """The 45 fields of version 6.2."""
    names = (
        "qname hostname group owner job_name job_number account priority submission_time start_time end_time".split()
    )
    row: dict[str, object] = dict.fromkeys(names, 0) | {
        "qname": "all.q",
        "hostname": "n1",
        "group": "g",
        "owner": "amy",
    }
    row |= {"job_name": "a", "job_number": 7, "account": "sge", "failed": 0, "exit_status": 0, "ru_wallclock": 100}
    row |= {f"ru_{number}": 0 for number in range(17)}
    row |= {"project": "chem", "department": "defaultdepartment", "granted_pe": "NONE", "slots": 1, "task_number": 0}
    row |= {"cpu": "0.0", "mem": "0.0", "io": "0.0", "category": "-U dept", "iow": "0.0", "pe_taskid": "NONE"}
    row |= {"maxvmem": "0.0", "arid": 0, "ar_submission_time": 0, "start_time": 1000, "end_time": 1100}
    return [str(value) for value in (row | changes).values()]


class SgeTest(unittest.TestCase):
    def read(self, *lines: str, account: str = "project", resources: tuple[str, ...] = ()) -> list[Item]:
        return read(SgeReader(SgeOptions("sge", account, read_resources(list(resources)))), lines)

    def row(self, **changes: object) -> str:
        return ":".join(fields(**changes))

    def test_lines_of_real_clusters_charge_the_slots(self):
        found = self.read(*(DATA / "sge.txt").read_text().splitlines())
        self.assertEqual(
            [brief(record) for record in records(found)],
            [
                ("2779793@1167562126", "anon1", "other", "all.q", 1167562126, 1167567604, {"cpu": 1}),
                ("8070699@1311868559", "anon2", "", "compute.q", 1311868559, 1311875460, {"cpu": 1}),
                ("3@1514125093", "anon3", "", "node.q", 1514125093, 1514125792, {"cpu": 1}),
            ],
        )
        # Of one no host ever began, the other ended in the second of its start.
        self.assertEqual([item for item in found if isinstance(item, LeftOut)], [items.UNUSED, items.UNUSED])

    def test_univas_milliseconds_and_further_fields_are_read(self):
        line = (
            self.row(start_time=1514125093123, end_time=1514125792623, slots=8) + ":job_class:NONE:0:0:submit_host:/cwd"
        )
        (record,) = records(self.read(line))
        self.assertEqual(record.record_id, "7@1514125093")
        self.assertEqual(record.start_time.nanos, 123_000_000)
        self.assertEqual(record.end_time.ToNanoseconds() - record.start_time.ToNanoseconds(), 699_500_000_000)
        self.assertEqual(record.tres["cpu"], 8)

    #: The fields and their order are those of Grid Engine 9.0's qmaster, in seconds.
    JSON = {  # noqa: RUF012
        "job_number": 7, "task_number": 0, "start_time": 1514125093, "end_time": 1514125792, "owner": "amy", "group": "g",
        "account": "sge", "qname": "all.q", "hostname": "n1", "project": "chem", "department": "dep", "slots": 8,
        "job_name": "a:b", "priority": 0, "submission_time": 1514125000, "category": "-U dep -l gpu=1", "failed": 0,
        "exit_status": 0, "ru_wallclock": 699, "ru_utime": 0.5, "wallclock": 699.5, "cpu": 1.0, "maxvmem": 0.0,
    }  # fmt: skip

    def test_json_of_grid_engine_9_charges_the_same(self):
        (record,) = records(self.read(json.dumps(self.JSON), resources=("gpu=gres/gpu",)))
        want = {"cpu": 8, "gres/gpu": 8}
        self.assertEqual(brief(record), ("7@1514125093", "amy", "chem", "all.q", 1514125093, 1514125792, want))

    def test_jsons_microseconds_and_missing_fields_are_read(self):
        later = self.JSON | {"start_time": 1514125093123456, "end_time": 1514125792623456, "task_number": 3}
        del later["project"], later["category"]
        (record,) = records(self.read(json.dumps(later)))
        self.assertEqual((record.record_id, record.account), ("7.3@1514125093", ""))
        self.assertEqual(record.start_time.nanos, 123_456_000)
        part = json.dumps(later | {"pe_taskid": "1.n1"})
        never = json.dumps(later | {"start_time": 0})
        self.assertEqual(self.read(part, never), [PART, items.UNUSED])

    def test_tasks_of_a_tightly_integrated_job_are_in_its_own_record(self):
        parts = [self.row(pe_taskid=f"{n}.n{n}", submission_time=0, slots=8) for n in (1, 2)]
        found = self.read(*parts, self.row(granted_pe="mpi", slots=8), self.row(job_number=8, pe_taskid=""))
        self.assertEqual([(r.job_id, r.tres["cpu"]) for r in records(found)], [("7", 8), ("8", 1)])
        self.assertEqual([item for item in found if isinstance(item, LeftOut)], [PART, PART])

    def test_each_task_of_an_array_and_each_run_is_a_record(self):
        rescheduled = self.row(task_number=2, start_time=1000, end_time=1050, failed=25)
        found = self.read(self.row(task_number=1), rescheduled, self.row(task_number=2, start_time=2000, end_time=2010))
        self.assertEqual([record.record_id for record in records(found)], ["7.1@1000", "7.2@1000", "7.2@2000"])

    def test_the_account_is_of_the_field_that_is_named(self):
        line = self.row(project="NONE", department="dep")
        for name, want in [("project", ""), ("department", "dep"), ("group", "g"), ("account", "sge")]:
            self.assertEqual(records(self.read(line, account=name))[0].account, want)

    def test_requested_resources_are_charged_for_each_slot_or_once(self):
        line = self.row(slots=4, category="-soft -l gpu=9 -hard -l h_vmem=2G,gpu=1,disk=5 -pe smp 4")
        (record,) = records(self.read(line, resources=("gpu=gres/gpu", "h_vmem=mem", "disk=bb/local/job")))
        self.assertEqual(dict(record.tres), {"cpu": 4, "gres/gpu": 4, "mem": 8192, "bb/local": 5})

    def test_gpus_that_nothing_charges_are_a_loss(self):
        (entry,) = self.read(self.row(category="-l ngpus=1"))
        self.assertIsInstance(entry, Entry)
        self.assertEqual(
            entry.lost, "whose GPUs are not charged: no --resource names the resource with which they are requested"
        )

    def test_a_run_without_slots_is_a_loss(self):
        (lost,) = self.read(self.row(slots=0))
        self.assertEqual((type(lost), lost.why, lost.place), (Lost, "without slots", "log:1"))

    def test_what_cannot_be_read_says_so(self):
        for line, want in [
            ("a:b", "log:1: got 2 fields between colons, want 43 or more, as accounting(5) has them"),
            (self.row(start_time="soon"), "log:1: start_time: got 'soon', want a number, 0 or more"),
            (self.row(start_time=2000), "log:1: end_time: got '1100', want start_time or later"),
            (self.row(slots="all"), "log:1: slots: got 'all', want a whole number"),
            (self.row(job_name="a:b"), "log:1: job_number: got 'b', want a whole number"),
            (self.row(category="-l a=b:c"), "log:1: iow: got 'c', want a number"),
            ('{"job_number": 7}', "log:1: task_number: got 'null', want a text or a number"),
            (
                '{"job_number": 7,',
                "log:1: line: got '{\"job_number\": 7,', want a JSON object, as Grid Engine 9 writes it",
            ),
            (json.dumps(self.JSON | {"slots": "all"}), "log:1: slots: got 'all', want a whole number"),
            (json.dumps(self.JSON | {"slots": [1]}), "log:1: slots: got '[\"1\"]', want a text or a number"),
            (json.dumps(self.JSON | {"project": None}), "log:1: project: got 'null', want a text or a number"),
        ]:
            with self.subTest(line=line):
                self.assertTrue(faults(self.read(line))[0].startswith(want), faults(self.read(line)))
        for text in ("gpu", "=mem", "gpu=", "gpu=/job"):
            with self.assertRaisesRegex(Fault, "--resource: got"):
                read_resources([text])


class CommandTest(unittest.TestCase):
    """Grid Engine's and LSF's files through the command, without a service."""

    def run_main(self, kind: str, text: str, *options: str) -> tuple[int, list[str], str]:
        log = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "log"
        log.write_text(text)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([kind, str(log), "--dry-run", "--json", *options])
        return status, out.getvalue().splitlines(), err.getvalue()

    def test_options_and_mapped_names_hold(self):
        text = ":".join(fields(category="-l gpu=2", department="dep")) + "\n"
        options = (
            "--resource",
            "gpu=gres/gpu",
            "--account-from",
            "department",
            "--map-user",
            "amy=bob",
            "--source",
            "cell",
        )
        status, (line,), _ = self.run_main("sge", text, *options)
        got = json.loads(line)
        self.assertEqual((status, got["source"], got["user"], got["account"]), (0, "cell", "bob", "dep"))
        self.assertEqual(got["tres"], {"cpu": 1, "gres/gpu": 2})

    def test_a_last_line_without_an_end_is_being_written(self):
        for kind in ("sge", "lsf"):
            lines = (DATA / f"{kind}.txt").read_text()
            self.assertEqual(self.run_main(kind, lines)[0], 0)
            status, records, err = self.run_main(kind, lines[:-1])
            self.assertEqual((status, len(records)), (3, 2))
            self.assertIn("got a last line without an end, want it whole", err)


if __name__ == "__main__":
    unittest.main()
