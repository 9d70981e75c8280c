"""How a client looks at the files of TLS; that a renewed certificate is shown is a case of conformance."""

from __future__ import annotations

import os
import pathlib
import tempfile
import unittest

from priorityd import credentials
from priorityd.connection import Connection, Link
from priorityd.options import Options
from priorityd.server import Server


class ServerTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("ca", "certificate", "key"):
            self.write(name, name)
        self.files = credentials.tls_files(*(str(self.folder / name) for name in ("ca", "certificate", "key")))
        self.made: list[object] = []
        self.server = Server(Options(credentials=self.files), self.make)

    def make(self, _: object) -> int:
        self.made.append(object())
        return len(self.made)

    def write(self, name: str, text: str) -> None:
        """Another file of that name, as renewals do."""
        (self.folder / "next").write_text(text)
        os.replace(self.folder / "next", self.folder / name)

    def test_a_link_is_kept_until_one_of_the_files_is_another(self):
        self.assertEqual([self.server.link(), self.server.link()], [1, 1])
        for number, name in enumerate(("key", "certificate", "ca"), start=2):
            self.write(name, f"the next {name}")
            self.assertEqual([self.server.link(), self.server.link()], [number, number])

    def test_a_file_that_is_not_there_at_the_moment_changes_nothing(self):
        (self.folder / "key").unlink()
        self.assertEqual(self.server.link(), 1)
        self.write("key", "another")
        self.assertEqual(self.server.link(), 2)

    def test_a_connection_that_nothing_uses_any_more_is_closed(self):
        connection = Connection(Options(address="127.0.0.1:1", credentials=self.files))
        used = connection.live()
        channel = used.channel
        self.write("ca", "another")
        self.assertIsNot(connection.live(), used)
        self.assertIsNotNone(channel.unary_unary("/none").future(b""))
        del used
        with self.assertRaises(ValueError):
            channel.unary_unary("/none").future(b"")
        connection.close()

    def test_what_is_still_used_of_an_older_link_ends_with_the_client(self):
        connection = Connection(Options(address="127.0.0.1:1", credentials=self.files))
        used = connection.live()
        self.write("ca", "another")
        connection.live()
        connection.close()
        with self.assertRaises(ValueError):
            used.channel.unary_unary("/none").future(b"")

    def test_without_files_there_is_one_link(self):
        connection = Connection(Options(address="127.0.0.1:1"))
        self.addCleanup(connection.close)
        self.assertIsInstance(connection.live(), Link)
        self.assertIs(connection.live(), connection.live())


if __name__ == "__main__":
    unittest.main()
