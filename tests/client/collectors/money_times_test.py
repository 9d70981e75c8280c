"""Which times priorityd-money refuses, and that it prints them as they were written; no service is asked."""

from __future__ import annotations

import contextlib
import io
import pathlib
import tempfile
import unittest

from priorityd_money import main

BOOK = """
currency = "EUR"
time_zone = "Europe/Berlin"
[[price]]
tres = "cpu"
per_hour = 0.02
"""


class MoneyTimesTest(unittest.TestCase):
    def error(self, verb: str, begin: str, end: str) -> str:
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "prices.toml").write_text(BOOK)
        output = ["--output", str(folder / "focus.csv")] if verb == "focus" else []
        where = ["--server", "127.0.0.1:1", "--prices", str(folder / "prices.toml"), *output]
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(main.main([verb, *where, "--from", begin, "--to", end]), 1)
        return errors.getvalue().removeprefix("priorityd-money: ").rstrip("\n")

    def test_a_time_that_cannot_be_is_printed_as_it_was_written(self):
        later = "want a time after --from, at most 10 years later"
        for begin, end, want in [
            ("2027-03-28T02:30:00", "2027-03-28T03:30:00", f"--to: got '2027-03-28T03:30:00', {later}"),  # A gap.
            ("2027-01-01", "2026-01-01", f"--to: got '2026-01-01', {later}"),
            ("2027-01-01", "2027-01-01", f"--to: got '2027-01-01', {later}"),
            ("2001-01-01", "2027-01-01", f"--to: got '2027-01-01', {later}"),
            ("20261001", "20261101", "--from: got '20261001', want a date such as 2026-10-01"),
            ("300000000000", "300000086400", "--from: got '300000000000', want a time before 9999-01-01"),
            ("0001-01-01", "2026-01-01", "--from: got '0001-01-01', want a time after 1970-01-01"),
        ]:
            for verb in ("statement", "focus"):
                with self.subTest(verb, begin=begin, end=end):
                    self.assertEqual(self.error(verb, begin, end), want)


if __name__ == "__main__":
    unittest.main()
