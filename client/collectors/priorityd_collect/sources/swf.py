"""Traces in the Standard Workload Format of the Parallel Workloads Archive."""

from __future__ import annotations

import re
from collections.abc import Iterator

from priorityd_collect.items import UNUSED, Entry, Fault, Item, Line, unexpected
from priorityd_collect.quantities import number
from priorityd_collect.records import Run, record_of

_FIELDS = 18
_START = re.compile(r";\s*UnixStartTime:\s*(\d+)\s*")
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
        if line.text.startswith(";"):
            match = _START.fullmatch(line.text)
            self._begin = float(match[1]) if match else self._begin
            return
        yield self._item(line)

    def _item(self, line: Line) -> Item:
        cells = line.text.split()
        if len(cells) != _FIELDS:
            raise Fault(f"got {len(cells)} fields, {_FORM}")
        if self._begin is None:
            raise Fault("got no UnixStartTime in the heading, want one to date the jobs")
        job, submit, wait, run, processors = (_field(cell) for cell in cells[:5])
        processors = processors or _field(cells[7])
        if not run or not processors:
            return UNUSED
        start = self._begin + submit + wait
        found = Run(cells[0], start, start + run, "u" + cells[11], "g" + cells[12], tres={"cpu": processors})
        if not job:
            raise unexpected("job", cells[0], "its number")
        memory = _field(cells[6])  # Of each processor, in KB.
        if memory:
            found.tres = {**found.tres, "mem": memory * processors / 1024}
        return Entry(line.place, record_of(found, self._source))


def _field(text: str) -> float:
    """0 for -1, which says that it is not known."""
    return 0.0 if text == "-1" else number(text, "field")
