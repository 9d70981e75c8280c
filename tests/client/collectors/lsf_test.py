"""LSF's lsb.acct, as lsb.acct(5) and public reports show it."""

from __future__ import annotations

import unittest
import unittest.mock

from formats_test import DATA, brief, faults, read, records
from priorityd_collect import items
from priorityd_collect.items import Item, LeftOut, Lost
from priorityd_collect.sources.lsf import OTHER, RESIZE, RESIZED, LsfReader


class LsfTest(unittest.TestCase):
    def read(self, *lines: str) -> list[Item]:
        return read(LsfReader("lsf"), lines)

    def lines(self) -> list[str]:
        return (DATA / "lsf.txt").read_text().splitlines()

    def line(self, *changes: tuple[str, str]) -> str:
        """The last one, of 10.1, with other fields."""
        text = self.lines()[-1]
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return text

    def test_lines_of_versions_5_to_10_charge_the_slots(self):
        found = self.read(*self.lines())
        one = {"cpu": 1, "node": 1}
        self.assertEqual(
            [brief(record) for record in records(found)],
            [
                ("699195@1089406862", "anon1", "default", "8nm", 1089406862, 1089407406, one),
                ("7610@1527326746", "lsfadmin", "default", "normal", 1527326746, 1527327585, one),
                ("386@1644826546", "anon3", "default", "sender", 1644826546, 1644826549, one),
            ],
        )
        # That of 7.06 ended in the second of its start.
        self.assertEqual([item for item in found if isinstance(item, LeftOut)], [items.UNUSED])

    HOST = '1 "ip-10-30-66-253.eu-west-1.compute.internal"'

    def test_hosts_are_counted_where_each_slot_has_one_and_where_they_are_shortened(self):
        for hosts in ('5 "a" "a" "b" "b" "b"', '2 "2*a" "3*b"', '3 "a" "a" "3*b"'):
            (record,) = records(self.read(self.line((self.HOST, hosts))))
            self.assertEqual(dict(record.tres), {"cpu": 5, "node": 2})

    def test_hosts_that_were_asked_for_move_the_fields_behind_them(self):
        line = self.line(('.386" 0 ' + self.HOST, '.386" 3 "a" "b" "c" 2 "a" "b"'))
        self.assertEqual(dict(records(self.read(line))[0].tres), {"cpu": 2, "node": 2})

    def test_slots_that_were_allocated_go_before_those_that_run_tasks(self):
        line = self.line(("0.00 " + self.HOST, '0.00 1 "16*ip-10-30-66-253.eu-west-1.compute.internal"'))
        self.assertEqual(records(self.read(line))[0].tres["cpu"], 16)

    def test_texts_have_quotes_and_blanks_in_them(self):
        line = self.line(('"/bin/sleep 3"', '"sh -c ""sleep 3; echo 64 """" 7"""'))
        self.assertEqual(brief(records(self.read(line))[0])[0], "386@1644826546")

    def test_an_element_of_an_array_is_a_job_of_its_own(self):
        line = self.line(('"default" 0 1 "" "" 0 2048', '"default" 0 1 "" "" 12 2048'))
        self.assertEqual(records(self.read(line))[0].job_id, "386[12]")

    def test_gpus_are_those_of_the_effective_requirement_for_each_host_or_task(self):
        for text, hosts, want in [
            ("rusage[mem=1.00,ngpus_physical=2.00]", '2 "4*a" "4*b"', 4),
            ("rusage[ngpus_physical=1.00/task]", '2 "4*a" "4*b"', 8),
            ("rusage[ngpus_physical=3.00/job]", '2 "4*a" "4*b"', 3),
        ]:
            line = self.line(("order[r15s:pg] ", "order[r15s:pg] " + text), (self.HOST, hosts))
            self.assertEqual(records(self.read(line))[0].tres["gres/gpu"], want)
        usage = self.line(
            ('1033 "0" 0 -1', '1033 "0" 1 "h" 1 2 3 4 -1'), ("order[r15s:pg] ", "rusage[ngpus_physical=2.00]")
        )
        self.assertEqual(records(self.read(usage))[0].tres["gres/gpu"], 2)

    def test_gpus_that_cannot_be_found_are_a_loss(self):
        old = self.lines()[0].replace('"8nm" ""', '"8nm" "rusage[ngpus_physical=1.00]"')
        (entry,) = self.read(old)
        self.assertIn("whose GPUs cannot be read", entry.lost)

    #: Of 4 slots until the second after the start, then of one slot.
    GREW = (
        '"JOB_RESIZE" "10.108" 1644826547 386 0 1644826546 1 "anon3" 1 1644826546 2 "a" "b" 1 "b" 2 "2*a" "2*b" 1 "b"'
    )
    LAST_RESIZE = ('5136 "" 1644826546', '5136 "" 1644826547')

    def test_a_job_that_never_started_and_other_records_are_left_out(self):
        pending = self.line((" 1644826546 ", " 0 "), (self.HOST, "0"))
        found = self.read(pending, self.GREW, '"EVENT_ADRSV_FINISH" "10.1" 1')
        self.assertEqual(found, [items.UNUSED, RESIZE, OTHER])

    def test_a_job_that_was_resized_has_a_record_for_each_size(self):
        gpus = ("order[r15s:pg] ", "rusage[ngpus_physical=2.00] ")
        found = self.read(self.GREW, self.line(self.LAST_RESIZE, gpus))
        self.assertEqual(
            [brief(record) for record in records(found)],
            [
                (
                    "386@1644826546",
                    "anon3",
                    "default",
                    "sender",
                    1644826546,
                    1644826547,
                    {"cpu": 4, "node": 2, "gres/gpu": 4},
                ),
                (
                    "386@1644826547",
                    "anon3",
                    "default",
                    "sender",
                    1644826547,
                    1644826549,
                    {"cpu": 1, "node": 1, "gres/gpu": 2},
                ),
            ],
        )

    def test_a_size_that_is_missing_is_a_loss_and_one_that_is_there_twice_is_not(self):
        missing = self.GREW.replace('1 "anon3" 1 1644826546', '1 "anon3" 1 1644826547')
        for line in (missing, self.GREW.replace("386 0", "387 0"), self.GREW.replace("386 0", "386 5")):
            (entry,) = self.read(line, self.line(self.LAST_RESIZE))[1:]
            self.assertEqual((entry.lost, entry.record.start_time.seconds), (RESIZED, 1644826546))
        twice = self.read(self.GREW, self.GREW, self.line(self.LAST_RESIZE))
        self.assertEqual([entry.lost for entry in twice[2:]], ["", ""])

    def test_sizes_of_jobs_that_never_finish_are_kept_up_to_a_bound(self):
        with unittest.mock.patch("priorityd_collect.sources.lsf._MOST_SIZES", 10):
            others = [self.GREW.replace("386 0", f"{job} 0") for job in range(1000, 1010)]
            (entry,) = self.read(self.GREW, *others, self.line(self.LAST_RESIZE))[11:]
            self.assertEqual(entry.lost, RESIZED)
            self.assertEqual(len(self.read(self.GREW, *others[1:], self.line(self.LAST_RESIZE))[10:]), 2)

    def test_what_is_not_known_is_a_loss(self):
        (lost,) = self.read(self.line((self.HOST, "0")))
        self.assertEqual((type(lost), lost.why), (Lost, "without execution hosts"))
        (resized,) = self.read(self.line(('5136 "" 1644826546', '5136 "" 1644826548')))
        self.assertEqual(resized.lost, RESIZED)

    def test_what_cannot_be_read_says_so(self):
        for line, want in [
            (
                self.line(("1644826549 386", "1644826549x 386")),
                "log:1: event time: got '1644826549x', want a whole number",
            ),
            (self.line(('" 0 1 "ip', '" 0 9999 "ip')), "log:1: numExHosts: got '9999', want at most the "),
            (
                self.line(("1644826549 386", "1644826540 386")),
                "log:1: event time: got '1644826540', want startTime or later",
            ),
            (" ".join(self.lines()[0].split()[:22]), "log:1: numAskedHosts: got the end of the record"),
            (self.lines()[0][:-1], "log:1: line: got "),
            (
                self.GREW.replace("1644826547 386", "1644826545 386"),
                "log:1: event time: got '1644826545', want lastRes",
            ),
            (" ".join(self.GREW.split()[:11]), "log:1: numExecHosts: got '2', want at most the 0 fields that follow"),
        ]:
            with self.subTest(want=want):
                self.assertTrue(faults(self.read(line))[0].startswith(want), faults(self.read(line)))


if __name__ == "__main__":
    unittest.main()
