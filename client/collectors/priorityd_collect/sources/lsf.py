"""LSF's lsb.acct, as lsb.acct(5) of LSF 5 to 10.1 has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from priorityd_collect.items import UNUSED, Entry, Fault, Item, LeftOut, Line, Lost, unexpected
from priorityd_collect.quantities import count, number
from priorityd_collect.records import Run, record_of, unnamed

OTHER = LeftOut("records of other kinds than JOB_FINISH and JOB_RESIZE")
RESIZE = LeftOut("JOB_RESIZE records, which the records of their jobs have in them")
WITHOUT_HOSTS = "without execution hosts"
RESIZED = (
    "that were resized, without a JOB_RESIZE record of each size: they are charged by the slots they had in the end"
)
_GPUS_UNREAD = (
    "whose GPUs cannot be read: the fields before the effective resource requirement are not those of lsb.acct(5)"
)

#: A quoted text, in which a quote is doubled, or a number.
_FIELD = re.compile(r'\s*("(?:[^"]|"")*"|[^\s"]+)(?=\s|$)')
_HOST = re.compile(r"(?:(\d{1,7})\*)?(.+)")
_GPUS = re.compile(r"\bngpus_physical=(\d+(?:\.\d*)?)(?:/(host|task|job))?")
_FINISH, _RESIZE = "JOB_FINISH", "JOB_RESIZE"
#: Sizes of jobs that have not finished; the oldest ones beyond are forgotten, and their jobs are RESIZED.
_MOST_SIZES = 100_000
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


@dataclass(frozen=True)
class _Size:
    """The allocation of a job from a time to another, before it was resized."""

    start: int
    end: int
    slots: int
    nodes: int


class _Sizes:
    """The earlier sizes of jobs that have not finished; a run is a job's id and its start."""

    def __init__(self) -> None:
        """Keep none."""
        self._of: dict[tuple[str, int], list[_Size]] = {}
        self._kept = 0

    def add(self, run: tuple[str, int], size: _Size) -> None:
        self._of.setdefault(run, []).append(size)
        self._kept += 1
        while self._kept > _MOST_SIZES:
            self._kept -= len(self._of.pop(next(iter(self._of))))

    def take(self, run: tuple[str, int], until: int) -> list[_Size] | None:
        """The sizes from the start of the run until a time, one after the other; None if there is a gap."""
        kept = self._of.pop(run, [])
        self._kept -= len(kept)
        sizes = sorted(set(kept), key=lambda size: size.start)
        ends = [run[1], *(size.end for size in sizes)]
        starts = [*(size.start for size in sizes), until]
        return [size for size in sizes if size.start < size.end] if ends == starts else None


class LsfReader:
    """Reads one file."""

    def __init__(self, source: str) -> None:
        """Make records of a source."""
        self._source = source
        self._sizes = _Sizes()

    def __call__(self, line: Line | None) -> Iterator[Item]:
        """Read the next line."""
        if line is not None and line.text.strip() and not line.text.startswith("#"):
            yield from self._items(line)

    def _items(self, line: Line) -> Iterator[Item]:
        fields = _Fields(line.text)
        kind = fields.text("event type")
        fields.skip(1)  # The version.
        if kind == _FINISH:
            yield from self._finished(line, fields)
        elif kind == _RESIZE:
            self._keep(fields)
            yield RESIZE
        else:
            yield OTHER

    def _keep(self, fields: _Fields) -> None:
        """Keep the size that the job of a JOB_RESIZE record had before."""
        end, job, index = fields.whole("event time"), fields.whole("jobId"), fields.whole("idx")
        start = fields.whole("startTime")
        fields.skip(3)  # userId, userName, resizeType.
        last = fields.whole("lastResizeTime")
        hosts = fields.texts("numExecHosts")
        fields.texts("numResizeHosts")
        slots_of = fields.texts("numAllocSlots") if fields.left() > 0 else []
        if end < last:
            raise unexpected("event time", end, "lastResizeTime or later")
        self._sizes.add((_name(job, index), start), _Size(last, end, *_size(hosts, slots_of)))

    def _finished(self, line: Line, fields: _Fields) -> Iterator[Item]:
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
        run.job = _name(job, fields.whole("idx"))
        if not start or start == end:
            yield UNUSED
        elif end < start:
            raise unexpected("event time", end, "startTime or later")
        elif not hosts:
            yield Lost(WITHOUT_HOSTS, line.place, line.text)
        else:
            yield from self._entries(line, run, hosts, fields)

    def _entries(self, line: Line, run: Run, hosts: list[str], fields: _Fields) -> Iterator[Item]:
        """A record for each size that the job had; its last size from the start if an earlier one is unknown."""
        begin, end = int(run.start), int(run.end)
        last_resize = max(_last_resize(fields), begin)
        requirement, slots_of = _runtime(fields)
        earlier = self._sizes.take((run.job, begin), last_resize)
        lost = RESIZED if earlier is None else ""
        last = _Size(begin if earlier is None else last_resize, end, *_size(hosts, slots_of))
        if requirement is None and _GPUS.search(line.text):
            lost = lost or _GPUS_UNREAD
        for size in [*(earlier or []), last]:
            run.start, run.end = size.start, size.end
            run.tres = {"cpu": float(size.slots), "node": float(size.nodes)}
            gpus = _gpus(requirement or "", size.slots, size.nodes)
            if gpus:
                run.tres = {**run.tres, "gres/gpu": gpus}
            yield Entry(line.place, record_of(run, self._source), lost or unnamed(run))


def _name(job: int, index: int) -> str:
    return f"{job}[{index}]" if index else f"{job}"


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


def _size(hosts: list[str], slots_of: list[str]) -> tuple[int, int]:
    """Slots and nodes: of the allocated slots, where they are known, else of the hosts."""
    return _allocated(slots_of if _names(slots_of) == _names(hosts) else hosts)


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
