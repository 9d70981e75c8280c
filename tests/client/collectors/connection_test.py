"""The options of the connection that every collector has."""

from __future__ import annotations

import argparse
import unittest

from priorityd_collect.connection import add_options, client_options
from priorityd_collect.items import Fault


class ConnectionTest(unittest.TestCase):
    def test_an_option_that_no_call_can_have_is_named(self):
        parser = argparse.ArgumentParser()
        add_options(parser)
        for option, value in [
            *(("--timeout", text) for text in ("0", "-1", "nan", "inf", "1e10")),
            *(("--server", text) for text in ("", "host:1,", ",host:1", "host:1, ,host:2")),
        ]:
            with self.subTest(option=option, value=value), self.assertRaisesRegex(Fault, f"^{option}: got .*, want "):
                client_options(parser.parse_args([f"{option}={value}"]))
        found = client_options(parser.parse_args(["--timeout=1e9", "--server=host:1,host:2"]))
        self.assertEqual((found.deadline, found.address), (1e9, "host:1,host:2"))


if __name__ == "__main__":
    unittest.main()
