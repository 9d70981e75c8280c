"""What the programs report of texts of others."""

from __future__ import annotations

import contextlib
import io
import unittest

import priorityd_allocations.main
import priorityd_collect.main
import priorityd_events.main
import priorityd_money.main
import priorityd_sync.main

PROGRAMS = {
    "priorityd-allocations": priorityd_allocations.main,
    "priorityd-collect": priorityd_collect.main,
    "priorityd-events": priorityd_events.main,
    "priorityd-money": priorityd_money.main,
    "priorityd-sync": priorityd_sync.main,
}


class ReportsTest(unittest.TestCase):
    def test_no_text_controls_the_terminal(self):
        for name, program in PROGRAMS.items():
            with self.subTest(name), contextlib.redirect_stderr(io.StringIO()) as printed:
                program._report("account \x1b[2J\x9b7m\u202eb")
                self.assertEqual(printed.getvalue(), rf"{name}: account \x1b[2J\x9b7m\u202eb" + "\n")


if __name__ == "__main__":
    unittest.main()
