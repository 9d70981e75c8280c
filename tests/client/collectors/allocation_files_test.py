"""Files of allocations are read exactly, and their faults are named by line, entry and field."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import pathlib
import random
import tempfile
import unittest

from priorityd_allocations.entries import MOST_ENTRIES, Reading, component, minutes, number
from priorityd_allocations.json_file import MOST_BYTES
from priorityd_allocations.main import main
from priorityd_allocations.waldur import read_waldur
from priorityd_collect.items import Fault

DATA = pathlib.Path(__file__).parent / "data"
CHEM = "0f1c2d3e4a5b46778899aabbccddeeff"


class ReadingTest(unittest.TestCase):
    """What needs no service."""

    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "file of allocations"

    def refused(self, form: str, text: str | bytes, *options: str) -> str:
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(["show", "--format", form, str(self.path), *options])
        self.assertEqual((status, out.getvalue()), (1, ""), err.getvalue())
        return err.getvalue()

    def test_a_fault_of_a_csv_names_its_line(self):
        for text, want in (
            ("Name,Colour\n", ":1: header: got 'Colour'"),
            ("Name,Amount,amount\n", ":1: header: got 'amount', want each column once"),
            ("Accounts,Amount\n", ":1: header: got no column Name"),
            ("", "got no header"),
            ("Name,Amount\na,1\nb\n", ":3: got 1 cells, want 2"),
            ("Name,Amount\na,1\n,2\n", ":3: Name: got none"),
            ("Name,Amount\na,1\nb,much\nc,1e3\n", ":4: Amount: got '1e3'"),
            ("Name,Amount\na,1\n\na,2\n", ":4: grant a: got it twice, the first at "),
            ('Name,Amount\n"a,1\n', "want CSV"),
            (b"Name\n\xff\n", "byte 5: got no UTF-8"),
        ):
            with self.subTest(text=text):
                self.assertIn(want, self.refused("csv", text))

    def test_a_fault_of_json_names_its_entry_and_field(self):
        resource = {"uuid": CHEM, "name": "n", "state": "OK", "backend_id": "a", "created": "2026-10-01", "limits": {}}
        allocation = {"id": 7, "status": "Active", "resource": "r", "allocation_attributes": []}
        hours = [{"allocation_attribute_type": name, "value": "1"} for name in ("slurm_account_name",) + ("Core Usage (Hours)",) * 2]  # fmt: skip  # noqa: E501
        for form, found, want in (
            ("waldur", "[{", "want JSON"),
            ("waldur", "[NaN]", "want JSON"),
            ("waldur", "[" * 100_000, "want JSON"),
            ("waldur", '[{"uuid": 1, "uuid": 2}]', "a field twice"),
            ("waldur", "{}", "want an array"),
            ("waldur", "[1]", "entry 1: got '1', want an object"),
            ("waldur", {"next": "https://x/?page=2", "results": []}, "got one page of several"),
            ("waldur", [{}], "entry 1 (): uuid: got no such field"),
            ("waldur", [{**resource, "state": "Fine"}], "entry 1 (n): state: got 'Fine'"),
            ("waldur", [resource, {**resource, "backend_id": None}], "entry 2 (n): backend_id: got none"),
            ("waldur", [{**resource, "backend_id": "a,root"}], "backend_id: got 'a,root', want one account"),
            ("waldur", [{**resource, "limits": {"cpu": "many"}}], "limits.cpu: got 'many', want a number"),
            ("waldur", [{**resource, "limits": {"cpu": True}}], "limits.cpu: got 'True', want a number"),
            ("waldur", [{**resource, "limits": {"cpu": -7}}], "limits.cpu: got '-7'"),
            ("waldur", [{**resource, "limits": {"cpu": 1}, "end_date": "soon"}], "end_date: got 'soon'"),
            ("coldfront", [{**allocation, "status": "Fine"}], "allocation 7: status: got 'Fine'"),
            ("coldfront", [{**allocation, "allocation_attributes": None}], "ask for ?allocation_attributes=true"),
            ("coldfront", [{**allocation, "allocation_attributes": hours}], "Core Usage (Hours): got it twice"),
            ("coldfront", [{**allocation, "id": "7"}], "id: got '7', want the number"),
        ):
            with self.subTest(found=str(found)[:99]):
                text = found if isinstance(found, str) else json.dumps(found)
                options = ("--component", "cpu=cpu:60") if form == "waldur" else ()
                self.assertIn(want, self.refused(form, text, *options))

    def test_a_name_in_the_file_cannot_add_a_line_to_the_commands(self):
        entries = json.loads((DATA / "waldur_allocations.json").read_text())
        for entry in entries:
            entry["name"] = "x\nprioctl grant revoke chem-2026\x1b[2J"
        self.path.write_text(json.dumps(entries))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(main(["show", "--format", "waldur", str(self.path)]), 0)
        self.assertIn("# skipped: ", out.getvalue())
        for line in out.getvalue().splitlines():
            self.assertRegex(line, r"^(prioctl grant create waldur-|# skipped: )")
            self.assertNotIn("\x1b", line)

    def test_a_compressed_file_that_is_cut_short_is_refused(self):
        self.path = self.path.with_suffix(".gz")
        short = gzip.compress(random.Random(1).randbytes(1000))[:-20]
        self.assertIn("want a whole file of gzip", self.refused("csv", short))

    def test_a_dump_whose_keys_lead_nowhere_is_refused(self):
        objects = json.loads((DATA / "coldfront_dump.json").read_text())
        for model in ("allocation.allocationstatuschoice", "allocation.allocationattributetype", "resource.resource"):
            with self.subTest(model=model):
                text = json.dumps([one for one in objects if one["model"] != model])
                self.assertIn(
                    f"want the number of an object of {model} in the same file", self.refused("coldfront", text)
                )

    def test_files_are_bounded(self):
        line = "n{},a,1\n"
        text = "Name,Accounts,Amount\n" + "".join(line.format(number) for number in range(MOST_ENTRIES + 1))
        self.assertIn(f"got more than {MOST_ENTRIES} entries", self.refused("csv", text))
        self.assertIn(f"got {MOST_ENTRIES + 1} objects", self.refused("waldur", json.dumps([{}] * (MOST_ENTRIES + 1))))
        self.assertIn("got more than", self.refused("csv", b" " * (MOST_BYTES + 1)))
        self.path = self.path.with_suffix(".gz")
        self.assertIn("got more than", self.refused("csv", gzip.compress(b" " * (MOST_BYTES + 1))))

    def test_amounts_are_exact(self):
        self.path.write_text(
            json.dumps(
                [{"uuid": CHEM, "state": "OK", "backend_id": "a", "created": "2026-10-01", "limits": {"cpu": 1}}]
            ).replace('"cpu": 1', '"cpu": 0.1000000000000000055')
        )
        name, unit = component("cpu=cpu:60000")
        found = read_waldur(Reading(str(self.path), "w-", "", {name: unit}))
        self.assertEqual(found.faults[0].message[:16], "limits.cpu: got ")  # 19 decimals are too many.
        self.assertEqual(minutes(number("0.1", ""), number("60000", ""), ""), "6000")
        self.assertEqual(minutes(number("12345678901234567890.123456789012345678", ""), number("60", ""), ""),
                         "740740734074074073407.40740734074074068")  # fmt: skip
        for text in ("cpu", "cpu=cpu", "=cpu:1", "cpu=:1", "cpu=cpu:0", "cpu=cpu:-1", "cpu=cpu:1e3"):
            with self.subTest(text=text), self.assertRaises(Fault):
                component(text)

    def test_a_wrong_command_line_is_refused(self):
        for arguments in (
            ["apply", "--format", "csv", "f", "--yes", "--dry-run"],
            ["apply", "--format", "csv", "f", "--revoke-missing"],
            ["show", "--format", "csv", "f", "--resource", "r"],
            ["show", "--format", "coldfront", "f", "--component", "cpu=cpu:1"],
            ["show", "f"],
        ):
            with (
                self.subTest(arguments=arguments),
                contextlib.redirect_stderr(io.StringIO()),
                self.assertRaises(SystemExit) as ended,
            ):
                main(arguments)
            self.assertEqual(ended.exception.code, 2)


if __name__ == "__main__":
    unittest.main()
