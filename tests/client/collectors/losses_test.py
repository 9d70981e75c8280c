"""What cannot be read in whole or in part: never 0, 1 or nothing in silence, but a fault of its line or a loss with a name."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
from typing import Any

import formats_test
from formats_test import UTC, faults, read, records
from priorityd_collect import items
from priorityd_collect.items import Entry, Item, LeftOut, Lost
from priorityd_collect.main import main
from priorityd_collect.quantities import slurm_tres
from priorityd_collect.sources import condor, gres, jobcomp, pbs, sacct, swf, table
from priorityd_collect.sources.prometheus import Prometheus, Queries


# The C++ reader's test reads the same.
SACCT_RESOURCES = pathlib.Path(__file__).parents[2] / "testdata" / "sacct_resources.txt"


def losses(found: list[Item]) -> list[str]:
    return [item.why if isinstance(item, Lost) else item.lost for item in found if isinstance(item, Lost | Entry)]


def left_out(found: list[Item]) -> list[LeftOut]:
    return [item for item in found if isinstance(item, LeftOut)]


class PbsTest(unittest.TestCase):
    ARRAY = (
        "11/15/2017 01:23:49;B;4[].srv;user=ann queue=workq start=1510709029 array_indices=1-2 Resource_List.ncpus=8",
        "11/15/2017 02:23:50;E;4[1].srv;user=ann queue=workq start=1510709029 exec_host=n1/0*8 exec_vnode=(n1:ncpus=8) end=1510712629",
        "11/15/2017 02:23:51;E;4[2].srv;user=ann queue=workq start=1510709029 exec_host=n2/0*8 exec_vnode=(n2:ncpus=8) end=1510712629",
        "11/15/2017 02:23:58;E;4[].srv;user=ann queue=workq start=1510709029 array_indices=1-2 Resource_List.ncpus=8 end=1510712638",
    )

    def read(self, *lines: str, used: bool = False) -> list[Item]:
        return read(pbs.PbsReader(pbs.PbsOptions("pbs", UTC, used)), lines)

    def line(self, fields: str) -> str:
        return f"07/01/2017 12:00:00;E;1.s;user=a {fields}"

    def test_the_record_of_an_array_is_no_run_beside_those_of_its_subjobs(self):
        found = self.read(*self.ARRAY, self.ARRAY[3].replace("4[].srv", "4[]").replace(";E;", ";R;"))
        self.assertEqual([record.job_id for record in records(found)], ["4[1].srv", "4[2].srv"])
        self.assertEqual(left_out(found), [pbs.EVENT, pbs.PARENT, pbs.PARENT])

    def test_events_of_two_letters_end_no_run(self):
        found = self.read(
            "07/01/2017 12:00:00;PS;1.s;user=a", "07/01/2017 12:00:00;PE;1.s;user=a", "07/01/2017 12:00:00;ER;1.s;"
        )
        self.assertEqual(found, [pbs.EVENT, pbs.EVENT, pbs.EVENT])

    def test_a_run_without_a_size_is_lost_and_no_cpu_is_made_up(self):
        for fields in ("", "exec_host=n1", "exec_vnode=(n1:mem=1gb)", "Resource_List.mem=1gb Resource_List.nodect=1"):
            self.assertEqual(losses(self.read(self.line(f"start=1 end=2 {fields}"))), [pbs.WITHOUT_SIZE])

    def test_torques_procs_and_size_are_cpus(self):
        for fields in ("Resource_List.procs=16", "Resource_List.size=16", "Resource_List.procs=16 exec_host=n1/0-15"):
            self.assertEqual(records(self.read(self.line(f"start=1 end=2 {fields}")))[0].tres["cpu"], 16)

    def test_a_run_without_a_start_is_lost_where_it_used_something(self):
        found = self.read(self.line("resources_used.walltime=01:00:00"), self.line("resources_used.walltime=00:00:00"))
        self.assertEqual((losses(found), left_out(found)), ([pbs.WITHOUT_START], [items.UNUSED]))

    def test_what_was_used_cannot_be_charged_without_the_time_of_the_cpus(self):
        line = self.line("start=1 end=9 Resource_List.ncpus=2 resources_used.walltime=4")
        self.assertIn("no resources_used.cput", losses(self.read(line, used=True))[0])
        self.assertEqual(losses(self.read(line + " resources_used.cput=0", used=True)), [""])

    def test_accelerators_under_other_names_and_a_run_without_a_user_are_losses(self):
        size = "start=1 end=2 exec_host=n1/0"
        for fields, want in [
            (
                "Resource_List.naccelerators=2",
                "whose GPUs are not charged: they are requested by Resource_List.naccelerators",
            ),
            ("Resource_List.ngpus=0 Resource_List.gpu_type=1g Resource_List.ngpus_old=0", ""),
            ("Resource_List.ngpus=1 Resource_List.my_gpus=1", ""),
        ]:
            self.assertEqual(losses(self.read(self.line(f"{size} {fields}"))), [want])
        (nobody,) = self.read(self.line(f"account=a {size}").replace("user=a", ""))
        self.assertEqual(nobody.lost, "without a user: they are charged to their account alone")

    def test_slots_that_are_none_and_an_end_before_the_start_are_faults(self):
        for fields, want in [
            ("start=1 end=2 exec_host=n1/x", "exec_host: got 'x', want slots as 0, 0-3 or 0*4"),
            ("start=1 end=2 exec_host=n1/3-0", "exec_host: got '3-0', want 1 to 10000000"),
            ("start=1 end=2 exec_host=n1/0*99999999", "exec_host: got '0*99999999', want 1 to 10000000"),
            (
                "start=1 end=2 Resource_List.nodes=99999999:ppn=1",
                "Resource_List: got '99999999:ppn=1', want 1 to 10000000",
            ),
            ("start=3 end=2 exec_host=n1/0", "end: got '2', want start or later"),
        ]:
            with self.subTest(fields=fields):
                self.assertIn(want, faults(self.read(self.line(fields)))[0])


class GresTest(unittest.TestCase):
    def test_allocated_counts_are_those_of_the_job(self):
        for text, want in [
            ("gpu:2", {"gres/gpu": 2}),
            ("gpu", {"gres/gpu": 1}),
            ("gpu:tesla:2,craynetwork:1", {"gres/gpu": 2, "gres/gpu:tesla": 2, "gres/craynetwork": 1}),
            ("gpu:tesla:1(IDX:0),gpu:kepler:3(IDX:1,3-4)", {"gres/gpu": 4, "gres/gpu:tesla": 1, "gres/gpu:kepler": 3}),
            ("gpu:a100", {"gres/gpu": 1, "gres/gpu:a100": 1}),
            ("gres:gpu:2,bandwidth:4k", {"gres/gpu": 2, "gres/bandwidth": 4096}),
            ("7696487:2", {"gres/gpu": 2}),
            ("gpu:0", {}),
            ("(null)", {}),
        ]:
            with self.subTest(text=text):
                self.assertEqual(gres.allocated(text, "AllocGRES"), want)
        for text in ("gpu:x:y", "gpu:a:b:2", "PER_NODE:gpu:2", ":2"):
            with self.subTest(text=text), self.assertRaisesRegex(items.Fault, "AllocGRES: got"):
                gres.allocated(text, "AllocGRES")

    def test_requested_counts_are_those_of_a_node(self):
        self.assertEqual(gres.asked("gpu:2", 3, "ReqGRES"), {"gres/gpu": 6})
        self.assertEqual(gres.asked("PER_NODE:gpu:a100:2", 3, "ReqGRES"), {"gres/gpu": 6, "gres/gpu:a100": 6})
        self.assertEqual(gres.asked("PER_JOB:gpu:2", None, "ReqGRES"), {"gres/gpu": 2})
        self.assertIsNone(gres.asked("gpu:2", None, "ReqGRES"))
        self.assertEqual(gres.asked("", None, "ReqGRES"), {})


class SlurmTest(unittest.TestCase):
    def sacct(self, columns: str, *rows: str) -> list[Item]:
        heading = f"JobIDRaw|User|Account|Start|End|{columns}"
        return read(sacct.SacctReader("sacct", UTC), [heading, *(f"7|a|a|100|200|{row}" for row in rows)])

    def test_every_column_that_has_resources_is_read_as_import_sacct_reads_it(self):
        lines = [line for line in SACCT_RESOURCES.read_text().splitlines() if line and not line.startswith("#")]
        self.assertGreater(len(lines), 60)
        for columns, row, want in zip(*[iter(lines)] * 3, strict=True):
            with self.subTest(columns=columns, row=row):
                found = self.sacct(columns, row)
                self.assertEqual(len(faults(found)), want == "error")
                self.assertEqual(losses(found) == [sacct.WITHOUT_SIZE], want == "lost")
                self.assertEqual(losses(found) == [sacct.UNKNOWN_NODES], want.endswith("+"))
                self.assertEqual(len(records(found)), want not in ("error", "lost"))
                for record in records(found):
                    resources = {**record.tres, **({"billing": record.billing} if record.HasField("billing") else {})}
                    self.assertEqual(resources, slurm_tres(want.removesuffix("+")))

    def test_requested_gpus_of_unknown_nodes_are_a_loss(self):
        self.assertEqual(losses(self.sacct("AllocCPUS|ReqGRES", "1|gpu:2")), [sacct.UNKNOWN_NODES])

    def test_a_heading_without_gpus_is_said_once(self):
        self.assertEqual(self.sacct("AllocCPUS", "1", "2").count(sacct.NO_GPUS), 1)
        self.assertNotIn(sacct.NO_GPUS, self.sacct("AllocCPUS|AllocGRES", "1|"))

    def test_a_run_without_a_size_is_lost(self):
        for columns, row in [("AllocTRES", ""), ("State", "COMPLETED"), ("AllocCPUS|NNodes", "0|0")]:
            self.assertEqual(losses(self.sacct(columns, row)), [sacct.WITHOUT_SIZE])

    def test_more_suspended_than_there_is_is_a_fault_as_of_import_sacct(self):
        found = self.sacct("Suspended|AllocTRES", "00:01:40|cpu=1", "00:01:41|cpu=1")
        self.assertEqual(len(records(found)), 1)
        self.assertIn("Suspended: got '00:01:41', want 0 to 100 seconds, from its start to its end", faults(found)[0])

    def test_a_word_that_is_no_tres_is_a_fault(self):
        for text in ("cpu=1,gpu:2", "cpu=", "=1"):
            self.assertIn("TRES: got", faults(self.sacct("AllocTRES", text))[0])

    def jobcomp(self, tail: str, *more: str) -> list[Item]:
        start = "JobId=7 UserId=a(1) GroupId=g(1) Name=n JobState=COMPLETED Partition=p TimeLimit=1 StartTime=100 EndTime=200"
        return read(jobcomp.JobcompReader("sacct", UTC), [f"{start} NodeList=n[1-2] {text}" for text in (tail, *more)])

    def test_gres_of_old_jobcomp_is_for_each_node(self):
        head = "NodeCnt=2 ProcCnt=4 WorkDir=/w ReservationName="
        for text, want in [
            (f"{head} Gres=gpu:2 Account=a", {"cpu": 4, "node": 2, "gres/gpu": 4}),
            (f"{head} Gres= Account=a", {"cpu": 4, "node": 2}),
            (f"{head} Tres=cpu=4,gres/gpu=1 Account=a", {"cpu": 4, "gres/gpu": 1}),
            ("ProcCnt=4 WorkDir=/w", {"cpu": 4}),
        ]:
            self.assertEqual(dict(records(self.jobcomp(text))[0].tres), want)

    def test_jobcomp_without_gpus_says_so_once_and_without_processors_is_lost(self):
        found = self.jobcomp("NodeCnt=1 ProcCnt=0 WorkDir=/w", "NodeCnt=1 ProcCnt=1 WorkDir=/w")
        self.assertEqual(found.count(jobcomp.NO_GPUS), 1)
        self.assertEqual(losses(found), [jobcomp.WITHOUT_SIZE, ""])


class CondorLossesTest(unittest.TestCase):
    AD = {"ClusterId": "1", "ProcId": "0", "QDate": "900", "Owner": '"amy"', "RemoteWallClockTime": "100.0"}
    AD |= {"CompletionDate": "2000", "RequestCpus": "2", "JobStartDate": "1000"}

    def read(self, **changes: str | None) -> list[Item]:
        ad = [f"{name} = {value}" for name, value in (self.AD | changes).items() if value is not None]
        return read(condor.CondorReader(condor.CondorOptions("condor")), [*ad, "*** Offset = 0 ClusterId = 1"])

    def test_what_charges_and_is_no_number_is_lost_and_no_cpu_is_made_up(self):
        for changes, want in [
            ({"RequestCpus": None}, condor.WITHOUT_SIZE),
            ({"RequestCpus": "ifthenelse(a, 1, 2)"}, condor.WITHOUT_SIZE),
            ({"JobUniverse": "11"}, condor.WITHOUT_SIZE),
            ({"RemoteWallClockTime": None}, condor.WITHOUT_TIME),
            ({"CompletionDate": "0"}, condor.WITHOUT_END),
            ({"RequestMemory": "a + b"}, "without mem: RequestMemory is an expression"),
            ({"RequestGPUs": "a"}, "without gres/gpu: RequestGPUs is an expression"),
            ({"RequestGPUs": "undefined", "RequestMemory": "0"}, ""),
        ]:
            with self.subTest(changes=changes):
                self.assertEqual(losses(self.read(**changes)), [want])

    def test_times_and_names_that_cannot_be_read_are_faults(self):
        for changes, want in [
            ({"RemoteWallClockTime": "a - b"}, "RemoteWallClockTime: got 'a - b', want a number, 0 or more"),
            ({"CompletionDate": "-5"}, "CompletionDate: got '-5', want a number, 0 or more"),
            ({"Owner": None}, "Owner: got 'nothing', want who is charged"),
        ]:
            with self.subTest(changes=changes):
                self.assertIn(want, faults(self.read(**changes))[0])

    def test_an_ad_may_end_with_asterisks_alone(self):
        ad = [f"{name} = {value}" for name, value in self.AD.items()]
        found = read(condor.CondorReader(condor.CondorOptions("condor")), [*ad, "***", *ad, "***"])
        self.assertEqual(len(records(found)), 2)

    def test_a_cluster_is_no_job_and_a_parallel_job_has_its_machines(self):
        self.assertEqual(self.read(ProcId="-1"), [condor.CLUSTER])
        (record,) = records(self.read(JobUniverse="11", MinHosts="3", MaxHosts="3", RequestMemory="10"))
        self.assertEqual(dict(record.tres), {"cpu": 6, "node": 3, "mem": 30})


class SwfTest(unittest.TestCase):
    def read(self, *jobs: str) -> list[Item]:
        return read(swf.SwfReader("swf"), ["; UnixStartTime: 1000", *jobs])

    def job(self, wait: str = "0", run: str = "10", cpus: str = "2", status: str = "1", job: str = "4") -> str:
        return f"{job} 5 {wait} {run} {cpus} -1 -1 -1 -1 -1 {status} 2 1 -1 -1 -1 -1 -1"

    def test_what_is_not_known_is_a_loss(self):
        for job, want in [
            (self.job(run="-1"), swf.WITHOUT_TIME),
            (self.job(cpus="-1"), swf.WITHOUT_SIZE),
            (self.job(wait="-1"), swf.WITHOUT_WAIT),
            (self.job(wait="-1.0"), swf.WITHOUT_WAIT),
            (self.job(), ""),
        ]:
            self.assertEqual(losses(self.read(job)), [want])
        self.assertEqual(self.read(self.job(run="0"), self.job(run="-1", status="5")), [items.UNUSED, items.UNUSED])

    def test_a_comment_may_stand_behind_blanks(self):
        self.assertEqual(
            len(records(read(swf.SwfReader("swf"), ["  ; UnixStartTime: 1000 ", self.job(), "\t; end"]))), 1
        )

    def test_parts_of_a_job_are_in_its_own_line(self):
        parts = [self.job(wait="-1", run="4", status="2"), self.job(wait="3", run="6", status="3")]
        found = self.read(self.job(), *parts, self.job(job="5"))
        self.assertEqual([record.job_id for record in records(found)], ["4", "5"])
        self.assertEqual(left_out(found), [swf.PART, swf.PART])


class TableLossesTest(unittest.TestCase):
    FORM = formats_test.TableTest.FORM
    HEADING = "id;host;who;project;from;wall;cores;ram;gpus"

    def form(self, text: str) -> table.TableForm:
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "form.toml"
        path.write_text(text)
        return table.read_form(str(path), UTC)

    def read(self, row: str, form: str = FORM) -> list[Item]:
        return read(table.TableReader("csv", self.form(form)), [self.HEADING, row])

    def test_an_empty_cell_is_no_amount_unless_the_form_says_so(self):
        row = "7;h1;amy;chem;01.07.2026 12:00:00;10;4;2.5;"
        (entry,) = self.read(row)
        self.assertEqual(entry.lost, "without gres/gpu: empty cells")
        self.assertNotIn("gres/gpu", entry.record.tres)
        (entry,) = self.read(row, self.FORM.replace('"gpus"', '{ column = "gpus", empty = 0 }'))
        self.assertEqual((entry.lost, entry.record.tres["gres/gpu"]), ("", 0))
        self.assertEqual(losses(self.read("7;h1;amy;chem;01.07.2026 12:00:00;10;;;")), [table.WITHOUT_SIZE])

    def test_an_empty_user_is_a_loss_where_the_form_has_users(self):
        (entry,) = self.read("7;h1;;chem;01.07.2026 12:00:00;10;4;2.5;0")
        self.assertEqual(entry.lost, "without a user: they are charged to their account alone")
        (entry,) = self.read("7;h1;;chem;01.07.2026 12:00:00;10;4;2.5;0", self.FORM.replace('user = "who"', ""))
        self.assertEqual(entry.lost, "")

    def test_a_row_that_is_known_by_nothing_and_one_without_a_duration(self):
        self.assertIn("record_id: got '', want", faults(self.read("7;;amy;chem;01.07.2026 12:00:00;10;1;1;1"))[0])
        self.assertEqual(self.read("7;h1;amy;chem;01.07.2026 12:00:00;;1;1;1"), [items.RUNNING])

    def test_a_form_without_amounts_is_refused(self):
        with self.assertRaisesRegex(items.Fault, "tres: got none"):
            self.form("[columns]\nstart='a'\nend='e'\njob='b'\nuser='u'")


class Answers(Prometheus):
    """A Prometheus whose answer is the test's."""

    def __init__(self, series: list[dict[str, Any]], warnings: list[str], labels: dict[str, str]) -> None:
        super().__init__("http://p", Queries(300, 0, labels, {"cpu": "q"}), "prometheus")
        self._all, self._warnings = series, warnings

    def _ask(self, _: str, __: str, begin: int, end: int) -> dict[str, Any]:
        series = [
            {**one, "values": [[at, value] for at, value in one["values"] if begin * 300 <= at < end * 300]}
            for one in self._all
        ]
        return {"data": {"result": series}, "warnings": self._warnings}


class PrometheusLossesTest(unittest.TestCase):
    def answers(self, series: list[dict[str, Any]]) -> Answers:
        return Answers(series, ["partial"], {"user": "u", "account": "a"})

    def test_values_that_are_no_amounts_labels_that_are_not_there_and_warnings_are_said(self):
        values = [[300, "NaN"], [600, "+Inf"], [900, "-1"], [1200, "0"], [1500, "2"]]
        series = [{"metric": {"u": "amy", "a": "x"}, "values": values}, {"metric": {"a": "x"}, "values": [[300, "1"]]}]
        found = [item for item in self.answers(series).items(0, 1500) if not isinstance(item, items.Reached)]
        why = "values of cpu that are no amounts, such as NaN"
        self.assertEqual(losses(found), [why, why, why, "without the label of their user", ""])
        self.assertEqual(found[0], items.Notice("tres.cpu: Prometheus warns: partial"))


class StrictTest(unittest.TestCase):
    LOG = (
        "07/01/2017 12:00:00;E;1.s;user=a start=1 end=2 Resource_List.ncpus=1\n"
        "07/01/2017 12:00:00;E;2.s;user=a start=1 end=2\n"
        "07/01/2017 12:00:00;E;3.s;user=a start=1 end=2\n"
    )

    def run_main(self, *options: str) -> tuple[int, str, str]:
        log = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "log"
        log.write_text(self.LOG)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.chdir(log.parent), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            self.assertEqual(os.listdir("."), ["log"])
            return main(["pbs", "log", "--dry-run", *options]), out.getvalue(), err.getvalue()

    def test_losses_are_counted_with_the_place_of_the_first_one(self):
        status, out, err = self.run_main()
        self.assertEqual((status, err), (0, ""))
        self.assertTrue(
            out.startswith(f"would record 1 records; lost: 2 {pbs.WITHOUT_SIZE} (first log:2); 0 cannot be"), out
        )

    def test_strict_makes_each_loss_a_failure(self):
        status, out, err = self.run_main("--strict")
        self.assertEqual(status, 3)
        self.assertTrue(out.startswith("would record 1 records; 2 cannot be read"), out)
        self.assertIn(f"log:3: --strict: {pbs.WITHOUT_SIZE}", err)

    def test_records_that_are_lost_in_part_are_not_printed_for_programs_with_strict(self):
        self.LOG = self.LOG.splitlines(True)[0] + self.LOG.splitlines(True)[0].replace("1.s", "2.s")
        self.assertEqual(len(self.run_main("--json", "--strict")[1].splitlines()), 2)
        used = ("--amounts", "used", "--json")
        self.LOG = self.LOG.replace("ncpus=1", "ncpus=1 resources_used.walltime=1")
        self.assertEqual([json.loads(line)["jobId"] for line in self.run_main(*used)[1].splitlines()], ["1.s", "2.s"])
        self.assertEqual(self.run_main(*used, "--strict")[:2], (3, ""))


if __name__ == "__main__":
    unittest.main()
