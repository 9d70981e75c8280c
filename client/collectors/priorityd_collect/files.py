"""Files: small ones whole, large ones line by line, logs as they grow and rotate; every line within a bound."""

from __future__ import annotations

import gzip
import os
import pathlib
import re
import sys
import tempfile
import tomllib
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, cast

from priorityd.credentials import one_line
from priorityd.errors import PriorityError
from priorityd_collect.items import Fault, Idle, Item, Line, Notice, Reader

MAX_LINE_BYTES = 1 << 20
_SMALL_BYTES = 1 << 20
#: The exceptions of a gzip file that is cut off, damaged, or not gzip.
_DAMAGES = (EOFError, zlib.error, gzip.BadGzipFile)
#: A folder has a log for each day; only the last ones still grow.
_MOST_OPEN = 8

Waits = Callable[[], bool]
Progress = Callable[[int], None]


def read_small(path: str) -> str:
    """Read a configuration file."""
    try:
        with open(path, "rb") as file:
            return read_text(file, path, _SMALL_BYTES)
    except OSError as error:
        raise Fault(f"{path}: {error.strerror}") from error


def read_toml(path: str, number: Callable[[str], Any] = float) -> dict[str, Any]:
    """Read a configuration file in TOML; `number` makes a value of the text of a number with a fraction."""
    try:
        return tomllib.loads(read_small(path), parse_float=number)
    # Of a whole number of thousands of digits a ValueError, of an exponent without bound an ArithmeticError.
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise Fault(f"{path}: got {error}, want TOML") from None


def read_token(path: str) -> str:
    """Read a file with the one line of a token."""
    token = read_small(path).strip()
    if not token:
        raise Fault(f"{path}: got no token, want one")
    return sent_in_header(path, token)


def sent_in_header(what: str, secret: str) -> str:
    """Return a secret that a header can have; otherwise a Fault names `what` and says nothing of it."""
    try:
        return one_line(what, secret)
    except PriorityError as error:
        raise Fault(error.message) from None


def read_text(file: IO[bytes], path: str, most: int) -> str:
    """Read the rest of a file, of at most so many bytes, compressed ones after decompression."""
    try:
        content = file.read(most + 1)
    except _DAMAGES as error:
        raise Fault(f"{path}: {_damage(error)}") from None
    if len(content) > most:
        raise Fault(f"{path}: got more than {most} bytes, want at most that many")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Fault(f"{path}: byte {error.start}: got no UTF-8, want UTF-8") from None


def replace_file(path: str, text: str) -> None:
    """Replace a file atomically, and write it to disk; after an OSError, as of a full disk, the old one is there."""
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
    sync_folder(folder)


def sync_folder(folder: str) -> None:
    """Write a folder to disk: only then is a file that was renamed in it there after a power failure."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _damage(error: Exception) -> str:
    return f"got {error}, want a whole file of gzip"


class Tail:
    """One file, or a program's output, read line by line from its beginning."""

    def __init__(self, name: str, stream: IO[bytes], read: Reader, whole_lines: bool) -> None:
        """Give lines to a reader; with whole_lines a last line without an end is incomplete, and is read later."""
        self.name = name
        self.number = 0
        #: The fault of a compressed file, once no more of it can be read; empty = none.
        self.damage = ""
        self._stream = stream
        self._read = read
        self._whole_lines = whole_lines
        self._kept = b""
        self._too_long = False

    def items(self, final: bool) -> Iterator[Item]:
        """The items of the present lines; `final`: no more lines will follow."""
        while part := self._next():
            yield from self._part(part)
        if final and self.damage:
            yield Fault(self.damage, self.name)
            self._kept = b""  # A part of a line is no line.
        if final:
            yield from self._end()

    def moved(self) -> int:
        """The number of bytes read from the file on disk, before decompression."""
        raw = getattr(self._stream, "fileobj", self._stream)
        return cast(int, raw.tell())

    def status(self) -> os.stat_result:
        """The present state of the file on disk."""
        return os.fstat(self._stream.fileno())

    def identity(self) -> tuple[int, int, int]:
        """The file's device and inode, and the number of bytes read."""
        status = self.status()
        return status.st_dev, status.st_ino, self.moved()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _next(self) -> bytes:
        """The next line, or a part of one; empty = none at present, or none that can be read."""
        try:
            return self._stream.readline(MAX_LINE_BYTES)
        except _DAMAGES as error:
            self.damage = _damage(error)
            return b""

    def _part(self, part: bytes) -> Iterator[Item]:
        if not part.endswith(b"\n"):
            self._keep(part)
            return
        whole, self._kept = self._kept + part, b""
        self.number += 1
        if self._too_long or len(whole) > MAX_LINE_BYTES:
            self._too_long = False
            yield self._fault(f"got a line of more than {MAX_LINE_BYTES} bytes, want a shorter one", whole)
            return
        yield from self._line(whole)

    def _keep(self, part: bytes) -> None:
        if self._too_long or len(self._kept) + len(part) > MAX_LINE_BYTES:
            self._too_long, self._kept = True, self._kept[:1000]
        else:
            self._kept += part

    def _line(self, whole: bytes) -> Iterator[Item]:
        # A line may have a command or a path in any encoding, which charges nothing; `record_of` refuses names.
        text = whole.decode("utf-8-sig" if self.number == 1 else "utf-8", errors="replace").rstrip("\r\n")
        place = f"{self.name}:{self.number}"
        yield from with_place(self._read(Line(place, text)), place, text)

    def _end(self) -> Iterator[Item]:
        if self._kept and not self._whole_lines:
            yield from self._part(b"\n")
        elif self._kept:
            yield Fault("got a last line without an end, want it whole; it is read once it is complete", *self._last())
        yield from with_place(self._read(None), self.name, "")

    def _last(self) -> tuple[str, str]:
        return f"{self.name}:{self.number + 1}", self._kept.decode(errors="replace")[:1000]

    def _fault(self, message: str, line: bytes) -> Fault:
        return Fault(message, f"{self.name}:{self.number}", line[:1000].decode(errors="replace"))


def with_place(items: Iterator[Item], place: str, text: str) -> Iterator[Item]:
    """Add the place to faults, which the reader does not know; later lines are read after a fault."""
    try:
        yield from items
    except Fault as fault:
        yield fault.at(place, text)


def open_log(path: str) -> IO[bytes]:
    """Open a file, also one compressed with gzip; `-` is standard input."""
    if path == "-":
        return sys.stdin.buffer
    try:
        if path.endswith(".gz"):
            return cast(IO[bytes], gzip.open(path, "rb"))
        return open(path, "rb")
    except OSError as error:
        raise Fault(f"{path}: {error.strerror}") from error


def expand(paths: list[str], names: re.Pattern[str] | None) -> list[str]:
    """Files, and the files of folders whose names match, in the order of their names."""
    found = []
    for path in paths:
        if not os.path.isdir(path):
            found.append(path)
            continue
        if names is None:
            raise Fault(f"{path}: got a folder, want a file")
        found += sorted(str(one) for one in pathlib.Path(path).iterdir() if names.fullmatch(one.name))
    return found


class Logs:
    """Files that are read to their ends, one after the other."""

    def __init__(
        self, paths: list[str], make: Callable[[], Reader], names: re.Pattern[str] | None, whole: bool
    ) -> None:
        """Read each file with its own reader."""
        self._paths = paths
        self._make = make
        self._names = names
        self._whole = whole
        self._done: dict[str, tuple[int, int, int]] = {}

    def size(self) -> int:
        """Bytes in all; 0 = unknown."""
        paths = expand(self._paths, self._names)
        return 0 if "-" in paths else sum(os.path.getsize(path) for path in paths if os.path.exists(path))

    def items(self, progress: Progress) -> Iterator[Item]:
        """All items of the files; `progress` gets the number of bytes read since its last call."""
        for path in expand(self._paths, self._names):
            tail = self._tail(path)
            moved = 0
            for item in tail.items(final=True):
                yield item
                if path != "-" and tail.number % 100 == 0:
                    now = tail.moved()
                    progress(now - moved)
                    moved = now
            if path != "-":
                progress(tail.moved() - moved)
            tail.close()

    def follow(self, waits: Waits) -> Iterator[Item]:
        """Items without end, as files grow, rotate, are truncated and vanish; `waits` waits a moment: False = end."""
        tails: dict[str, Tail] = {}
        try:
            while True:
                yield from self._look(tails)
                yield Idle()
                if not waits():
                    return
        finally:
            for tail in tails.values():
                tail.close()

    def _look(self, tails: dict[str, Tail]) -> Iterator[Item]:
        """New items of the matching files; only the last few files stay open."""
        paths = expand(self._paths, self._names)
        for path in [path for path in tails if path not in paths]:
            yield from tails[path].items(final=True)  # Lines written before the file was moved away.
            tails.pop(path).close()
        for place, path in enumerate(paths):
            if path not in tails and not self._is_done(path):
                tails[path] = self._tail(path)
            if path not in tails:
                continue
            yield from self._news(path, tails)
            if path in tails and place < len(paths) - _MOST_OPEN:
                self._done[path] = tails[path].identity()
                tails.pop(path).close()

    def _news(self, path: str, tails: dict[str, Tail]) -> Iterator[Item]:
        tail = tails[path]
        before = tail.status()
        yield from tail.items(final=False)
        if tail.damage:
            yield Notice(f"{path}: {tail.damage}; it is read again once it has changed")
            self._done[path] = before.st_dev, before.st_ino, before.st_size
            tails.pop(path).close()
        elif self._rotated(path, tail):
            yield from tail.items(final=True)  # Lines written between the two reads.
            tails.pop(path).close()

    def _is_done(self, path: str) -> bool:
        """Whether the file is absent or unchanged since it was read; a changed one is read again from its beginning."""
        try:
            now = os.stat(path)
            return (now.st_dev, now.st_ino, now.st_size) == self._done.get(path)
        except OSError:
            return True

    def _tail(self, path: str) -> Tail:
        return Tail("standard input" if path == "-" else path, open_log(path), self._make(), self._whole)

    def _rotated(self, path: str, tail: Tail) -> bool:
        """Whether the path now has another file, none, or a truncated one."""
        try:
            now = os.stat(path)
        except OSError:
            return True
        device, inode, moved = tail.identity()
        return (now.st_dev, now.st_ino) != (device, inode) or now.st_size < moved
