"""LSF's lsb.acct, as lsb.acct(5) of LSF 5 to 10.1 has it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from priorityd_collect.items import UNUSED, Entry, Fault, Item, LeftOut, Line, Lost, unexpected
from priorityd_collect.quantities import count, number
from priorityd_collect.records import Run, record_of, unnamed

OTHER = LeftOut("records of other kinds than JOB_FINISH")
WITHOUT_HOSTS = "without execution hosts"
RESIZED = "that were resized: they are charged by the slots that they had in the end"
_GPUS_UNREAD = (
    "whose GPUs cannot be read: the fields before the effective resource requirement are not those of lsb.acct(5)"
)

#: A quoted text, in which a quote is doubled, or a number.
_FIELD = re.compile(r'\s*("(?:[^"]|"")*"|[^\s"]+)(?=\s|$)')
_HOST = re.compile(r"(?:(\d{1,7})\*)?(.+)")
_GPUS = re.compile(r"\bngpus_physical=(\d+(?:\.\d*)?)(?:/(host|task|job))?")
_FINISH = "JOB_FINISH"
#: The numbers of getrusage(2).
_RUSAGE = 19
#: The fields of a host in hostRusage: its name, mem, swap, utime, stime.
_HOST_RUSAGE = 5
#: From idx to lastResizeTime, and from there to the submission's own fields.
_TO_LAST_RESIZE, _TO_EXTENSION = 21, 3


class _Fields:
    """The fields of a record, one after the other."""

    def __init__(self, text: str) -> None:
        """Split a record into its fields."""
        self._fields: list[str] = []
        self._next = 0
        end = 0
        text = text.rstrip()
        while end < len(text):
            match = _FIELD.match(text, end)
            if match is None:
                raise unexpected(
                    "line", text[end:], 'fields of lsb.acct between blanks, texts in quotes, "" for a quote'
                )
            self._fields.append(match[1])
            end = match.end()

    def left(self) -> int:
        return len(self._fields) - self._next

    def skip(self, how_many: int) -> None:
        self._next += how_many

    def text(self, what: str) -> str:
        if self._next >= len(self._fields):
            raise Fault(f"{what}: got the end of the record, want the fields of lsb.acct(5)")
        field = self._fields[self._next]
        self._next += 1
        return field[1:-1].replace('""', '"') if field.startswith('"') else field

    def whole(self, what: str) -> int:
        return count(self.text(what), what)

    def texts(self, what: str) -> list[str]:
        """The fields that follow their number."""
        found = self.whole(what)
        if found > self.left():
            raise unexpected(what, found, f"at most the {self.left()} fields that follow")
        return [self.text(what) for _ in range(found)]


class LsfReader:
    """Reads one file."""

    def __init__(self, source: str) -> None:
        """Make records of a source."""
        self._source = source

    def __call__(self, line: Line | None) -> Iterator[Item]:
        """Read the next line."""
        if line is not None and line.text.strip() and not line.text.startswith("#"):
            yield self._item(line)

    def _item(self, line: Line) -> Item:
        fields = _Fields(line.text)
        if fields.text("event type") != _FINISH:
            return OTHER
        fields.skip(1)  # The version.
        end, job = fields.whole("event time"), fields.whole("jobId")
        fields.skip(6)  # userId to termTime.
        start = fields.whole("startTime")
        run = Run(str(job), start, end, fields.text("userName"), partition=fields.text("queue"))
        fields.skip(9)  # resReq to jobFile.
        fields.texts("numAskedHosts")
        hosts = fields.texts("numExHosts")
        fields.skip(4 + _RUSAGE + 1)  # jStatus to command, then mailUser behind the usage.
        run.account = fields.text("projectName")
        fields.skip(4)  # exitStatus to timeEvent.
        index = fields.whole("idx")
        run.job += f"[{index}]" if index else ""
        if not start or start == end:
            return UNUSED
        if end < start:
            raise unexpected("event time", end, "startTime or later")
        if not hosts:
            return Lost(WITHOUT_HOSTS, line.place, line.text)
        return self._entry(line, run, hosts, fields)

    def _entry(self, line: Line, run: Run, hosts: list[str], fields: _Fields) -> Item:
        last_resize = _last_resize(fields)
        requirement, slots_of = _runtime(fields)
        slots, nodes = _allocated(slots_of if _names(slots_of) == _names(hosts) else hosts)
        run.tres = {"cpu": float(slots), "node": float(nodes)}
        lost = RESIZED if last_resize > run.start else ""
        gpus = _gpus(requirement or "", slots, nodes)
        if gpus:
            run.tres = {**run.tres, "gres/gpu": gpus}
        elif requirement is None and _GPUS.search(line.text):
            lost = lost or _GPUS_UNREAD
        return Entry(line.place, record_of(run, self._source), lost or unnamed(run))


def _last_resize(fields: _Fields) -> int:
    """lastResizeTime; 0 where the version has none."""
    fields.skip(_TO_LAST_RESIZE - 1)
    return fields.whole("lastResizeTime") if fields.left() > 0 else 0


def _runtime(fields: _Fields) -> tuple[str | None, list[str]]:
    """The effective resource requirement and the hosts of the slots; None and [] where the version has none."""
    try:
        fields.skip(_TO_EXTENSION - 1)
        fields.skip(2 * fields.whole("submitExtNum"))
        fields.skip(_HOST_RUSAGE * fields.whole("numHostRusage"))
        fields.skip(3)  # options3, runLimit, avgMem.
        requirement = fields.text("effectiveResReq")
    except Fault:
        return None, []
    if requirement and "[" not in requirement:
        return None, []
    try:
        fields.skip(11)  # srcCluster to subcwd.
        fields.skip(2 * fields.whole("num_network") + 6)  # The networks, then affinity to gflops.
        return requirement, fields.texts("numAllocSlots")
    except Fault:
        return requirement, []


def _allocated(hosts: list[str]) -> tuple[int, int]:
    """Slots and nodes of `16*host1`, `host2` and `host2`; a host without a number has one slot."""
    return sum(int(_host(host)[1] or 1) for host in hosts), len(_names(hosts))


def _names(hosts: list[str]) -> set[str]:
    return {_host(host)[2] for host in hosts}


def _host(text: str) -> re.Match[str]:
    match = _HOST.fullmatch(text)
    if not match:
        raise unexpected("host", text, "NAME or SLOTS*NAME")
    return match


def _gpus(requirement: str, slots: int, nodes: int) -> float:
    """The GPUs of a requirement, whose amount is for each host unless it names the task or the job."""
    match = _GPUS.search(requirement)
    if not match:
        return 0.0
    times = {"task": slots, "job": 1}.get(match[2] or "", nodes)
    return number(match[1], "effectiveResReq") * times
