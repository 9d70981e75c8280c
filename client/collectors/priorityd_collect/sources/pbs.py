"""Accounting logs of OpenPBS, PBS Professional and Torque."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from priorityd_collect.items import UNUSED, Entry, Fault, Item, LeftOut, Line, unexpected
from priorityd_collect.quantities import Zone, duration, megabytes, moment_of, number
from priorityd_collect.records import Run, record_of
from priorityd_collect.sources.pbs_resources import allocated

EVENT = LeftOut("events that end no run")

#: The logs of a folder such as server_priv/accounting, also where they were compressed.
FILES = re.compile(r"\d{8}(\.gz)?")
#: The end of a job, and of a run of a job that runs again.
_ENDS = "ER"
_FIELD = re.compile(r'([A-Za-z_][\w.\-]*)=("[^"]*"|\S*)')
_CHARGES = ("user", "account", "group", "project", "queue", "start", "end", "exec_host", "exec_vnode")


@dataclass(frozen=True)
class PbsOptions:
    """What of a record is charged, and to whom."""

    source: str
    zone: Zone
    #: What the job was given, or what it used of it.
    used: bool = False
    #: The attribute that names the account: account, project or group.
    account: str = "account"


class PbsReader:
    """Reads one log."""

    def __init__(self, options: PbsOptions) -> None:
        """Read by these options."""
        self._options = options

    def __call__(self, line: Line | None) -> Iterator[Item]:
        """Read the next line."""
        if line is not None and line.text.strip():
            yield self._item(line.place, line.text)

    def _item(self, place: str, text: str) -> Item:
        parts = text.split(";", 3)
        if len(parts) != 4 or len(parts[1]) != 1:
            raise unexpected("line", text, "MM/DD/YYYY HH:MM:SS;TYPE;JOB;NAME=VALUE ...")
        time, kind, job, message = parts
        if kind not in _ENDS:
            return EVENT
        fields = _fields(message)
        if fields.get("start", "0") == "0":
            return UNUSED
        end = fields.get("end", "")
        begin = number(fields["start"], "start")
        run = Run(job, begin, number(end, "end") if end else self._logged(time), fields.get("user", ""))
        if run.end <= run.start:
            return UNUSED
        return self._entry(place, run, fields)

    def _entry(self, place: str, run: Run, fields: dict[str, str]) -> Entry:
        run.account = fields.get(self._options.account, "")
        run.partition = fields.get("queue", "")
        tres = allocated(fields)
        if self._options.used:
            _charge_used(run, fields, tres)
        run.tres = tres
        return Entry(place, record_of(run, self._options.source))

    def _logged(self, time: str) -> float:
        return moment_of(time, "%m/%d/%Y %H:%M:%S", self._options.zone, "time of the line")


def _fields(message: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in _FIELD.findall(message):
        value = value.strip('"')
        if name in _CHARGES and found.get(name, value) != value:
            raise Fault(f"{name}: got it twice, {found[name][:40]!r} and {value[:40]!r}, want it once")
        found[name] = value
    return found


def _charge_used(run: Run, fields: dict[str, str], tres: dict[str, float]) -> None:
    """Replace what was given by what was used: the wall time, the CPUs that were busy, the memory at its most."""
    wall = fields.get("resources_used.walltime", "")
    cpu_time = fields.get("resources_used.cput", "")
    memory = fields.get("resources_used.mem", "")
    if not wall:
        raise Fault("resources_used.walltime: got none, want one to charge what was used")
    seconds = duration(wall, "resources_used.walltime")
    run.end = run.start + seconds
    if cpu_time:
        tres["cpu"] = duration(cpu_time, "resources_used.cput") / seconds if seconds else 0.0
    if memory:
        tres["mem"] = megabytes(memory, "resources_used.mem")
