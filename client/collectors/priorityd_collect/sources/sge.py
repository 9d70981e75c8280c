"""The accounting file of Grid Engine.

As accounting(5) of Sun Grid Engine 6.x, Son of Grid Engine 8.1 and Univa Grid Engine 8.x has it, and as the JSON lines
that Grid Engine 9 (Open Cluster Scheduler) writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from priorityd_collect.items import UNUSED, Entry, Fault, Item, LeftOut, Line, Lost, unexpected
from priorityd_collect.quantities import count, megabytes, number
from priorityd_collect.records import Run, record_of, unnamed

#: In the order of the file; later versions append more.
_FIELDS = (
    "qname hostname group owner job_name job_number account priority submission_time start_time end_time failed "
    "exit_status ru_wallclock ru_utime ru_stime ru_maxrss ru_ixrss ru_ismrss ru_idrss ru_isrss ru_minflt ru_majflt "
    "ru_nswap ru_inblock ru_oublock ru_msgsnd ru_msgrcv ru_nsignals ru_nvcsw ru_nivcsw project department granted_pe "
    "slots task_number cpu mem io category iow pe_taskid maxvmem"
).split()
#: Univa Grid Engine writes milliseconds: in seconds this is the year 5138, in milliseconds 1973. Grid Engine 9.0.1 and
#: later write microseconds: in milliseconds that is the year 5138, in microseconds 1973.
_MILLISECONDS_FROM, _MICROSECONDS_FROM = 1e11, 1e14
_PER_JOB = "/job"
#: The fields that are read of JSON.
_REQUIRED = ("job_number", "task_number", "start_time", "end_time", "slots", "owner", "qname")
_OPTIONAL = ("account", "department", "group", "project", "pe_taskid", "category")
_NUMBER = re.compile(r"-?\d+(\.\d*)?([eE][+-]?\d+)?")
_GPU = re.compile(r"gpu", re.IGNORECASE)

PART = LeftOut("tasks of parallel jobs, which the records of their jobs have in them")
WITHOUT_SLOTS = "without slots"
_UNCHARGED = "whose GPUs are not charged: no --resource names the resource with which they are requested"


@dataclass(frozen=True)
class Resource:
    """The TRES that a requested resource is charged as, for each slot or once for the job."""

    tres: str
    by_slot: bool = True


@dataclass(frozen=True)
class SgeOptions:
    """The settings for charging records, with the account to charge."""

    source: str
    #: The field that names the account.
    account: str = "project"
    resources: Mapping[str, Resource] | None = None


def read_resources(texts: list[str]) -> dict[str, Resource]:
    """Read `NAME=TRES` and `NAME=TRES/job`."""
    found = {}
    for text in texts:
        name, equals, tres = text.partition("=")
        by_slot = not tres.endswith(_PER_JOB)
        tres = tres.removesuffix(_PER_JOB)
        if not (name and equals and tres):
            raise unexpected("--resource", text, "NAME=TRES or NAME=TRES/job, for example gpu=gres/gpu")
        found[name] = Resource(tres, by_slot)
    return found


class SgeReader:
    """Reads one accounting file."""

    def __init__(self, options: SgeOptions) -> None:
        """Read by these options."""
        self._options = options

    def __call__(self, line: Line | None) -> Iterator[Item]:
        """Read the next line; comments and lines of at most one character are no records."""
        if line is not None and len(line.text.strip()) > 1 and not line.text.startswith("#"):
            yield self._item(line)

    def _item(self, line: Line) -> Item:
        row = _object(line.text) if line.text.startswith("{") else _row(line.text)
        if row["pe_taskid"] not in ("", "NONE"):
            return PART
        start, end = _moment(row, "start_time"), _moment(row, "end_time")
        if not start or start == end:
            return UNUSED
        if end < start:
            raise unexpected("end_time", row["end_time"], "start_time or later")
        slots = count(row["slots"], "slots")
        if not slots:
            return Lost(WITHOUT_SLOTS, line.place, line.text)
        task = count(row["task_number"], "task_number")
        run = Run(row["job_number"] + (f".{task}" if task else ""), start, end, _said(row, "owner"))
        run.account, run.partition = _said(row, self._options.account), _said(row, "qname")
        run.tres = {"cpu": float(slots)}
        lost = self._charge_resources(run, row["category"], slots)
        return Entry(line.place, record_of(run, self._options.source), lost or unnamed(run))

    def _charge_resources(self, run: Run, category: str, slots: int) -> str:
        """Charge the resources of --resource; return the loss."""
        lost, tres = "", dict(run.tres)
        for name, value in _requested(category):
            resource = (self._options.resources or {}).get(name)
            if resource is not None:
                read = megabytes if resource.tres == "mem" else number
                amount = read(value, f"category: {name}") * (slots if resource.by_slot else 1)
                tres[resource.tres] = tres.get(resource.tres, 0.0) + amount
            elif _GPU.search(name):
                lost = _UNCHARGED
        run.tres = tres
        return lost


def _row(text: str) -> dict[str, str]:
    cells = text.split(":")
    if len(cells) < len(_FIELDS):
        raise Fault(f"got {len(cells)} fields between colons, want {len(_FIELDS)} or more, as accounting(5) has them")
    row = dict(zip(_FIELDS, cells, strict=False))
    # A colon in an earlier text field would shift these fields.
    for name in ("job_number", "slots", "task_number"):
        count(row[name], name)
    for name in ("ru_wallclock", "iow", "maxvmem"):
        if not _NUMBER.fullmatch(row[name]):
            raise unexpected(name, row[name], "a number: the fields of accounting(5), without colons in them")
    return row


def _object(text: str) -> dict[str, str]:
    """The fields of JSON; those that the job does not have are missing there."""
    try:
        values = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        raise unexpected("line", text, "a JSON object, as Grid Engine 9 writes it") from None
    row = dict.fromkeys(_OPTIONAL, "NONE")
    for name in (*_REQUIRED, *_OPTIONAL):
        value = values.get(name, row.get(name))
        if not isinstance(value, str):
            raise unexpected(name, json.dumps(value), "a text or a number")
        row[name] = value
    return row


def _said(row: Mapping[str, str], name: str) -> str:
    return "" if row[name] == "NONE" else row[name]


def _moment(row: Mapping[str, str], name: str) -> float:
    """Seconds since 1970; 0 = never."""
    found = number(row[name], name)
    if found >= _MICROSECONDS_FROM:
        return found / 1_000_000
    return found / 1000 if found >= _MILLISECONDS_FROM else found


def _requested(category: str) -> Iterator[tuple[str, str]]:
    """Hard requests of `-U dept -l gpu=1,h_vmem=2G -pe mpi 8`."""
    words = category.split()
    soft = False
    for word, after in zip(words, [*words[1:], ""], strict=True):
        soft = (soft or word == "-soft") and word != "-hard"
        for request in after.split(",") if word == "-l" and not soft else ():
            name, _, value = request.partition("=")
            yield name, value
