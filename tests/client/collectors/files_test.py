"""Lines of files: bounds, ends that are missing, logs that grow, rotate and are cut off; and names that are mapped."""

from __future__ import annotations

import gzip
import os
import pathlib
import re
import tempfile
import unittest
from collections.abc import Callable, Iterator
from unittest import mock

from priorityd import v1
from priorityd_collect import files
from priorityd_collect.files import Logs, expand
from priorityd_collect.items import Entry, Fault, Idle, Item, LeftOut, Line
from priorityd_collect.mapping import Mapping, read_mapping
from priorityd_collect.sources.sge import SgeOptions, SgeReader


def echo(line: Line | None) -> Iterator[Item]:
    """Each line as what is left out."""
    if line is not None:
        yield LeftOut(line.text)


class TokenTest(unittest.TestCase):
    def test_a_token_that_no_header_can_have_is_refused_and_not_repeated(self):
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "token"
        for text, want in [
            ("secret\nb\n", "got 2 lines, want one"),
            ("secret\u00fc", "got a character that is not printable ASCII, want none"),
            ("\n", "got no token, want one"),
        ]:
            file.write_text(text)
            with self.assertRaises(Fault) as fault:
                files.read_token(str(file))
            self.assertEqual(str(fault.exception), f"{file}: {want}")
        file.write_text("secret\n")
        self.assertEqual(files.read_token(str(file)), "secret")


class ReplacedFileTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def synced_after(self, write: Callable[[], object], path: pathlib.Path) -> list[tuple[bool, bool]]:
        """Of each fsync: whether it was of the folder, and whether the file was in place then."""
        found = []

        def fsync(descriptor: int) -> None:
            of_folder = os.path.sameopenfile(descriptor, folder)
            found.append((of_folder, path.exists() and "new" in path.read_text()))

        folder = os.open(self.folder, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        with mock.patch("os.fsync", fsync):
            write()
        return found

    def test_the_folder_of_a_replaced_file_is_synced_after_the_file(self):
        path = self.folder / "file"
        path.write_text("old")
        self.assertEqual(
            self.synced_after(lambda: files.replace_file(str(path), "new"), path), [(False, False), (True, True)]
        )

    def test_a_disk_that_fails_leaves_the_old_file(self):
        path = self.folder / "file"
        path.write_text("old")
        with mock.patch("os.fsync", side_effect=OSError), self.assertRaises(OSError):
            files.replace_file(str(path), "new")
        self.assertEqual([(one.name, one.read_text()) for one in self.folder.iterdir()], [("file", "old")])


class LogsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.log = self.folder / "log"

    def logs(self, *paths: pathlib.Path, whole: bool = True) -> Logs:
        return Logs([str(path) for path in paths or [self.log]], lambda: echo, re.compile(r"\d{8}(\.gz)?"), whole)

    def read(self, *paths: pathlib.Path, whole: bool = True) -> list[str]:
        found = self.logs(*paths, whole=whole).items(lambda count: None)
        return [item.why if isinstance(item, LeftOut) else str(item) for item in found]

    def follow(self, *steps: Callable[[], object], paths: tuple[pathlib.Path, ...] = ()) -> list[str]:
        """The lines that follow, with a step done each time that none is left."""
        left = list(steps)

        def waits() -> bool:
            if left:
                left.pop(0)()
                return True
            return False

        found = self.logs(*paths).follow(waits)
        return [item.why if isinstance(item, LeftOut) else str(item) for item in found if not isinstance(item, Idle)]

    def append(self, text: str, path: pathlib.Path | None = None) -> Callable[[], object]:
        def write() -> None:
            with open(path or self.log, "a") as file:
                file.write(text)

        return write

    def opened(self) -> int:
        """The number of open files of the folder."""
        links = (os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd"))
        return sum(link.startswith(str(self.folder)) for link in links)

    def test_a_line_over_the_bound_is_reported_and_the_next_one_read(self):
        long = "x" * (files.MAX_LINE_BYTES + 1)
        self.log.write_text(f"a\n{long}\n{long}{long}\nb\n")
        want = f"got a line of more than {files.MAX_LINE_BYTES} bytes, want a shorter one"
        self.assertEqual(self.read(), ["a", f"{self.log}:2: {want}", f"{self.log}:3: {want}", "b"])

    def test_what_is_no_utf8_is_replaced(self):
        self.log.write_bytes(b"\xef\xbb\xbfa\nb\xff\nc\r\n")
        self.assertEqual(self.read(), ["a", "b\ufffd", "c"])

    def test_a_name_that_is_no_utf8_is_refused_and_other_texts_may_be_in_any_encoding(self):
        cells = "workq n1 chem {} {} 7 sge 0 10 20 30".split(" ")
        row = ":".join([*cells, *["0"] * 20, "NONE", "dept", "NONE", "4", *["0"] * 4, "{}", "0", "NONE", "0"])
        names = [(b"amy", b"J\xfcrgen", b"-U \xe4"), (b"J\xfcrgen", b"job", b"NONE")]
        self.log.write_bytes(b"".join(row.encode().replace(b"{}", b"%b") % one + b"\n" for one in names))
        logs = Logs([str(self.log)], lambda: SgeReader(SgeOptions("sge")), None, True)
        entry, fault = logs.items(lambda count: None)
        self.assertIsInstance(entry, Entry)
        self.assertEqual(str(fault), f"{self.log}:2: user: got 'J\ufffdrgen', want UTF-8")

    def test_a_last_line_without_an_end_is_left_for_later_only_where_lines_are_being_written(self):
        self.log.write_text("a\nb")
        self.assertEqual(self.read(whole=False), ["a", "b"])
        self.assertEqual(self.read()[0], "a")
        self.assertIn("log:2: got a last line without an end", self.read()[1])

    def test_a_folder_stands_for_its_logs_in_the_order_of_days_compressed_ones_too(self):
        (self.folder / "20260102").write_text("b\n")
        (self.folder / "20260101.gz").write_bytes(gzip.compress(b"a\n"))
        (self.folder / "README").write_text("no\n")
        self.assertEqual(self.read(self.folder), ["a", "b"])
        with self.assertRaisesRegex(Fault, "got a folder, want a file"):
            expand([str(self.folder)], None)

    def test_the_bytes_that_are_read_add_up_to_the_size(self):
        self.log.write_text("line\n" * 1234)
        progress: list[int] = []
        logs = self.logs()
        for _ in logs.items(progress.append):
            pass
        self.assertEqual(sum(progress), logs.size())

    def test_a_log_that_grows_is_followed_line_by_whole_line(self):
        self.log.write_text("a\nb")
        self.assertEqual(self.follow(self.append("c\nd"), self.append("\n")), ["a", "bc", "d"])

    def test_a_log_that_is_renamed_is_read_to_its_end_and_then_the_new_one(self):
        self.log.write_text("a\n")

        def rotate() -> None:
            self.append("b\n")()
            os.rename(self.log, self.folder / "log.1")
            self.append("c\n")()

        self.assertEqual(self.follow(rotate, lambda: None, self.append("d\n")), ["a", "b", "c", "d"])

    def test_a_log_that_is_cut_off_is_read_from_its_beginning(self):
        self.log.write_text("aaaa\nbbbb\n")
        self.assertEqual(self.follow(lambda: self.log.write_text("c\n"), lambda: None), ["aaaa", "bbbb", "c"])

    def test_the_log_of_the_next_day_is_found(self):
        (self.folder / "20260101").write_text("a\n")
        more = self.append("b\n", self.folder / "20260102")
        late = self.append("c\n", self.folder / "20260101")
        self.assertEqual(self.follow(more, late, paths=(self.folder,)), ["a", "b", "c"])

    def test_a_log_that_is_moved_away_from_its_folder_is_read_to_its_end_and_closed(self):
        day, opened = self.folder / "20260101", []
        day.write_text("a\n")

        def move() -> None:
            self.append("b\n", day)()
            os.rename(day, self.folder / "old")

        self.assertEqual(self.follow(move, lambda: opened.append(self.opened()), paths=(self.folder,)), ["a", "b"])
        self.assertEqual(opened, [0])

    def test_a_file_of_gzip_that_is_not_whole_is_reported_after_the_lines_before_the_damage(self):
        whole = gzip.compress("".join(f"line {number}\n" for number in range(1000)).encode())
        day = self.folder / "20260101.gz"
        wants = "want a whole file of gzip"
        for damaged, found in [
            (whole[:-10], f"^{day}: got .*, {wants}$"),
            (whole[:40] + bytes(40) + whole[80:], f"^{day}: got .*, {wants}$"),
            (whole[:-4] + bytes(4), f"^{day}: got .*, {wants}$"),
            (b"no gzip", f"^{day}: got Not a gzipped file.*, {wants}$"),
        ]:
            day.write_bytes(damaged)
            for whole_lines in (False, True):
                *lines, fault = self.read(day, whole=whole_lines)
                self.assertRegex(fault, found)
                self.assertEqual(lines, [f"line {number}" for number in range(len(lines))])

    def test_a_file_of_gzip_that_is_being_written_is_followed_until_it_is_whole(self):
        whole = gzip.compress(b"".join(b"%032x\n" % (number**5) for number in range(1000)))
        day, opened = self.folder / "20260101.gz", []
        day.write_bytes(whole[:2000])

        def complete() -> None:
            opened.append(self.opened())
            day.write_bytes(whole)

        found = self.follow(lambda: None, complete, lambda: None, paths=(self.folder,))
        notices = [text for text in found if text.startswith("Notice")]
        self.assertRegex(notices[0], f"{day}: got .*, want a whole file of gzip; it is read again once it has changed")
        self.assertEqual((len(notices), opened), (1, [0]))
        self.assertEqual(found[-1000:], [f"{number**5:032x}" for number in range(1000)])

    def test_years_of_logs_are_followed_with_few_files_open_and_an_old_one_that_changes_is_read_again(self):
        days = [self.folder / f"2026{day:04}" for day in range(40)]
        for day in days:
            day.write_text(f"{day.name}\n")
        opened = []

        def count() -> None:
            opened.append(self.opened())
            self.append("late\n", days[0])()

        names = [day.name for day in days]
        self.assertEqual(self.follow(count, paths=(self.folder,)), [*names, names[0], "late"])
        self.assertLessEqual(max(opened), 8)


class MappingTest(unittest.TestCase):
    def test_names_are_mapped_and_amounts_of_one_name_added(self):
        mapping = Mapping()
        for kind, item in [("user", "a@x.org=a"), ("partition", "*="), ("tres", "gpus=gres/gpu"), ("tres", "node=")]:
            mapping.add(kind, item)
        record = v1.UsageRecord(
            user="a@x.org", account="b", partition="q", tres={"gpus": 1, "gres/gpu": 2, "node": 3, "cpu": 4}
        )
        want = v1.UsageRecord(user="a", account="b", tres={"gres/gpu": 3, "cpu": 4})
        self.assertEqual(mapping.apply(record), want)

    def test_a_file_of_names_says_what_is_wrong_with_it(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            for text, want in [
                ("[users]\na='b'", "got 'users'"),
                ("[user]\na=1", "user.a: got '1'"),
                ("x", "want TOML"),
            ]:
                file.seek(0)
                file.truncate()
                file.write(text)
                file.flush()
                with self.subTest(text=text), self.assertRaisesRegex(Fault, want):
                    read_mapping(file.name)


if __name__ == "__main__":
    unittest.main()
