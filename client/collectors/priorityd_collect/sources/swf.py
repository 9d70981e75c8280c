"""Traces in the Standard Workload Format of the Parallel Workloads Archive."""

from __future__ import annotations

import re
from collections.abc import Iterator

from priorityd_collect.items import UNUSED, Entry, Fault, Item, LeftOut, Line, Lost, unexpected
from priorityd_collect.quantities import number
from priorityd_collect.records import Run, record_of

_FIELDS = 18
WITHOUT_TIME = "whose run time is not known (-1)"
WITHOUT_SIZE = "whose processors are not known (-1)"
WITHOUT_SUBMISSION = "whose submit time is not known (-1)"
WITHOUT_WAIT = "whose wait is not known (-1): they are dated by their submission"
#: The status of a job that was cancelled, perhaps before it started.
_CANCELLED = "5"
#: The statuses of one part of a job that was stopped and resumed; the job's own line is the sum of its parts.
_PARTS = ("2", "3", "4")
PART = LeftOut("partial executions, which the lines of their jobs have in them")
_START = re.compile(r";\s*UnixStartTime:\s*(\d{1,11})\s*")  # Until the year 5138.
_FORM = "want the 18 numbers of a job: its number, submit, wait, run, processors, ..."


class SwfReader:
    """Reads one trace. Users and groups are numbers there: user 7 of group 2 is charged as u7 of g2."""

    def __init__(self, source: str) -> None:
        """Make records of a source."""
        self._source = source
        self._begin: float | None = None

    def __call__(self, line: Line | None) -> Iterator[Item]:
        """Read the next line."""
        if line is None or not line.text.strip():
            return
        if line.text.lstrip().startswith(";"):
            match = _START.fullmatch(line.text.strip())
            self._begin = float(match[1]) if match else self._begin
            return
        yield self._item(line)

    def _item(self, line: Line) -> Item:
        cells = line.text.split()
        if len(cells) != _FIELDS:
            raise Fault(f"got {len(cells)} fields, {_FORM}")
        if cells[10] in _PARTS:
            return PART
        if self._begin is None:
            raise Fault("got no UnixStartTime in the heading, want one to date the jobs")
        job, submit, wait, run, processors = (_field(cell) for cell in cells[:5])
        processors = processors or _field(cells[7])
        if not run:
            return (
                UNUSED if _is_known(cells[3]) or cells[10] == _CANCELLED else Lost(WITHOUT_TIME, line.place, line.text)
            )
        if not _is_known(cells[1]):
            return Lost(WITHOUT_SUBMISSION, line.place, line.text)
        if not processors:
            return Lost(WITHOUT_SIZE, line.place, line.text)
        start = self._begin + submit + wait
        found = Run(cells[0], start, start + run, "u" + cells[11], "g" + cells[12], tres={"cpu": processors})
        if not job:
            raise unexpected("job", cells[0], "its number")
        memory = _field(cells[6])  # Of each processor, in KB.
        if memory:
            found.tres = {**found.tres, "mem": memory * processors / 1024}
        return Entry(line.place, record_of(found, self._source), "" if _is_known(cells[2]) else WITHOUT_WAIT)


def _field(text: str) -> float:
    """The field's number; 0 for -1, which means unknown."""
    return number(text, "field") if _is_known(text) else 0.0


def _is_known(text: str) -> bool:
    return not re.fullmatch(r"-1(\.0*)?", text)
