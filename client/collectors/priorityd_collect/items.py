"""The items that a source yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from priorityd import v1


@dataclass(frozen=True)
class Line:
    """A line of a file or of a program's output, without its end."""

    #: ``accounting/20261122:17``, as errors call it.
    place: str
    text: str


@dataclass(frozen=True)
class Entry:
    """A record, and where it was found."""

    place: str
    record: v1.UsageRecord
    #: The part of the usage that the record lacks, for example `whose GPUs cannot be read`; empty = none.
    lost: str = ""


@dataclass(frozen=True)
class LeftOut:
    """A line that correctly gives no record, such as a step or a running job."""

    why: str


@dataclass(frozen=True)
class Lost:
    """A run that is not recorded because its line lacks a field that a record needs; --strict rejects it."""

    why: str
    place: str
    text: str = ""


@dataclass(frozen=True)
class Notice:
    """A remark about a whole log; it is printed once."""

    text: str


@dataclass(frozen=True)
class Reached:
    """Every run that ended before `time` (seconds since 1970; 0 = the latest end of a record) has been yielded."""

    time: float = 0.0


@dataclass(frozen=True)
class Idle:
    """A followed log has no further line at present."""


class Fault(Exception):
    """A line that cannot be read: its place, the text found and the text wanted."""

    def __init__(self, message: str, place: str = "", text: str = "") -> None:
        """Make a fault; `at` adds the place later."""
        super().__init__(message)
        self.message = message
        self.place = place
        self.text = text

    def at(self, place: str, text: str) -> Fault:
        """Add the place."""
        return Fault(self.message, self.place or place, self.text or text)

    def __str__(self) -> str:
        """The fault in one line."""
        return f"{self.place}: {self.message}" if self.place else self.message


Item = Entry | LeftOut | Lost | Notice | Reached | Idle | Fault

#: Reads the lines of one file, in their order; None is its end.
Reader = Callable[[Line | None], Iterator[Item]]

RUNNING = LeftOut("still running")
UNUSED = LeftOut("that used nothing")


def unexpected(what: str, got: object, want: str) -> Fault:
    """`what: got X, want Y`."""
    return Fault(f"{what}: got {_cut(str(got))!r}, want {want}")


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
