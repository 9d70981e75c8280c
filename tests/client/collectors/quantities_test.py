"""What amounts, TRES and times of a log are read as."""

from __future__ import annotations

import os
import unittest
import unittest.mock

from priorityd_collect import quantities
from priorityd_collect.items import Fault


class QuantitiesTest(unittest.TestCase):
    def test_amounts(self):
        for text, want in [
            ("10485760kb", 10240),
            ("850mb", 850),
            ("10GB", 10240),
            ("1048576", 1),
            ("131072w", 1),
            ("4tb", 4 << 20),
        ]:
            self.assertEqual(quantities.megabytes(text, "mem"), want)
        for text, want in [("1-02:03:04", 93784), ("19:23:4", 69784), ("03:04", 184), ("4", 4), ("100:00:00", 360000)]:
            self.assertEqual(quantities.duration(text, "time"), want)
        for text in ["", "-1", "1e999", "nan", "inf", "9" * 50, "1 2"]:
            with self.assertRaises(Fault):
                quantities.number(text, "n")

    def test_each_tres_is_given_once(self):
        self.assertEqual(quantities.slurm_tres("cpu=4,mem=2G"), {"cpu": 4, "mem": 2048})
        with self.assertRaisesRegex(Fault, "cpu=4,cpu=5.*want cpu once"):
            quantities.slurm_tres("cpu=4,cpu=5")

    def test_a_word_that_is_no_time_of_since_is_refused_with_both_forms(self):
        with self.assertRaisesRegex(Fault, "--since: got 'yesterdy', want a time such as .*, or an age such as 7d"):
            quantities.since("yesterdy", quantities.checked_zone("UTC"))
        self.assertEqual(quantities.since("1793536200", quantities.checked_zone("UTC")), 1793536200)

    def test_times_without_a_zone_are_of_tz_of_the_environment(self):
        noon, utc = "2026-11-01T12:30:00", 1793536200
        for tz, hours in [("Europe/Berlin", 1), (":Europe/Berlin", 1), ("", 0), (":", 0), ("Asia/Tokyo", 9)]:
            with self.subTest(tz=tz), unittest.mock.patch.dict(os.environ, {"TZ": tz}):
                self.assertEqual(quantities.moment(noon, quantities.checked_zone(""), "t"), utc - 3600 * hours)
                self.assertEqual(quantities.moment(noon, quantities.checked_zone("UTC"), "t"), utc)
        for tz in ["Mars/Base", "../x", "/nosuch/zone"]:
            with self.subTest(tz=tz), unittest.mock.patch.dict(os.environ, {"TZ": tz}):
                with self.assertRaisesRegex(Fault, f"TZ of the environment: got '{tz}'"):
                    quantities.checked_zone("")


if __name__ == "__main__":
    unittest.main()
