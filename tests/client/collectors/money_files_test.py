"""Prices as they are written in the book, and exports that replace a file as a whole; no service is asked."""

from __future__ import annotations

import errno
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from priorityd_collect.items import Fault
from priorityd_money import focus
from priorityd_money.price_book import read_price_book
from site_of_tests import ENVIRONMENT, PATIENCE


class MoneyFilesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_an_export_that_fails_leaves_the_earlier_file(self):
        path = self.folder / "whole.csv"
        path.write_text("earlier")
        link = self.folder / "link.csv"
        link.symlink_to(path)
        good = dict.fromkeys(focus.COLUMNS)
        for one in (path, link):
            with self.assertRaises(KeyError):
                focus.write_csv(str(one), [good, {}])
        self.assertEqual((path.read_text(), list(self.folder.glob("*.part"))), ("earlier", []))
        focus.write_csv(str(link), [good])
        self.assertEqual(path.read_bytes().count(b"\r\n"), 2)
        self.assertTrue(link.is_symlink())

    def test_an_export_that_is_not_on_the_disk_replaces_no_file(self):
        path = self.folder / "whole.csv"
        path.write_text("earlier")
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with mock.patch("os.fsync", side_effect=full), self.assertRaises(Fault) as fault:
            focus.write_csv(str(path), [dict.fromkeys(focus.COLUMNS)])
        self.assertEqual(str(fault.exception), f"--output {path}: No space left on device")
        self.assertEqual([(one.name, one.read_text()) for one in self.folder.iterdir()], [("whole.csv", "earlier")])

    def test_the_folder_of_an_export_is_synced_after_it(self):
        path = self.folder / "whole.csv"
        synced = []

        def fsync(descriptor: int) -> None:
            synced.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), path.exists()))

        with mock.patch("os.fsync", fsync):
            focus.write_csv(str(path), [])
        self.assertEqual(synced, [(False, False), (True, True)])

    def test_an_export_can_be_a_pipe(self):
        command = [sys.executable, "-c", "from priorityd_money.focus import *; write_csv('/dev/stdout', [])"]
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, timeout=PATIENCE, check=True)
        self.assertEqual(done.stdout.decode().strip(), ",".join(focus.COLUMNS))

    def test_a_price_of_minus_0_is_0(self):
        path = self.folder / "prices.toml"
        path.write_text('currency="EUR"\n[[price]]\ntres="cpu"\nper_hour=-0.0\n')
        self.assertEqual(f"{read_price_book(str(path)).prices[0].per_hour:f}", "0")


if __name__ == "__main__":
    unittest.main()
