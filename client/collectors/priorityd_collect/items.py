"""What a source yields."""

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
    #: Which part of what was used is not in the record, for example `whose GPUs cannot be read`; empty = none.
    lost: str = ""


@dataclass(frozen=True)
class LeftOut:
    """Something that is rightly no record, such as a step or a job that still runs."""

    why: str


@dataclass(frozen=True)
class Lost:
    """A run that is not recorded, since its line does not say what a record needs; --strict rejects it."""

    why: str
    place: str
    text: str = ""


@dataclass(frozen=True)
class Notice:
    """What people should know of a whole log; it is printed once."""

    text: str


@dataclass(frozen=True)
class Reached:
    """Everything that ended before `time` (seconds since 1970; 0 = the latest end of a record) has been yielded."""

    time: float = 0.0


@dataclass(frozen=True)
class Idle:
    """A log that is followed has nothing more at the moment."""


class Fault(Exception):
    """What cannot be read, where, what was found and what is wanted."""

    def __init__(self, message: str, place: str = "", text: str = "") -> None:
        """Make one; the place is added by whoever knows it."""
        super().__init__(message)
        self.message = message
        self.place = place
        self.text = text

    def at(self, place: str, text: str) -> Fault:
        """Add where it is."""
        return Fault(self.message, self.place or place, self.text or text)

    def __str__(self) -> str:
        """Tell people in one line."""
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
