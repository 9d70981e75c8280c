"""Accounting logs of OpenPBS, PBS Professional and Torque."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from priorityd_collect.items import UNUSED, Entry, Fault, Item, LeftOut, Line, Lost, unexpected
from priorityd_collect.quantities import Zone, duration, end_after, megabytes, moment_of, number
from priorityd_collect.records import Run, record_of, unnamed
from priorityd_collect.sources.pbs_resources import allocated

EVENT = LeftOut("events that end no run")
PARENT = LeftOut("array jobs, whose subjobs have records of their own")
WITHOUT_START = "that used something without a start"
WITHOUT_SIZE = "without a size: no CPUs in exec_vnode, exec_host or Resource_List"
_NOT_USED = "whose CPUs are charged as allocated: no resources_used.cput"
_GPUS = re.compile(r"Resource_List\.\w*(gpu|accelerator)\w*", re.IGNORECASE)
#: `4[].server`: the job array itself.
_PARENT = re.compile(r"\d+\[\](\..*)?")

#: The logs of a folder such as server_priv/accounting, also compressed ones.
FILES = re.compile(r"\d{8}(\.gz)?")
#: The end of a job, and of a run of a job that runs again.
_ENDS = "ER"
#: PS and PE, of provisioning, have two letters.
_TYPE = re.compile(r"[A-Za-z]{1,2}")
_FIELD = re.compile(r'([A-Za-z_][\w.\-]*)=("[^"]*"|\S*)')
_CHARGES = ("user", "account", "group", "project", "queue", "start", "end", "exec_host", "exec_vnode")


@dataclass(frozen=True)
class PbsOptions:
    """The amounts of a record that are charged, and the account to charge."""

    source: str
    zone: Zone
    #: Charge the allocation, or the usage of it.
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
            yield self._item(line)

    def _item(self, line: Line) -> Item:
        text = line.text
        parts = text.split(";", 3)
        if len(parts) != 4 or not _TYPE.fullmatch(parts[1]):
            raise unexpected("line", text, "MM/DD/YYYY HH:MM:SS;TYPE;JOB;NAME=VALUE ...")
        time, kind, job, message = parts
        if kind not in tuple(_ENDS):
            return EVENT
        if _PARENT.fullmatch(job):
            return PARENT
        fields = _fields(message)
        if fields.get("start", "0") == "0":
            return Lost(WITHOUT_START, line.place, text) if _has_run(fields) else UNUSED
        end = fields.get("end", "")
        begin = number(fields["start"], "start")
        run = Run(job, begin, number(end, "end") if end else self._logged(time, begin), fields.get("user", ""))
        if run.end < run.start:
            raise unexpected("end", end or time, "start or later")
        return self._recorded(line, run, fields) if run.end > run.start else UNUSED

    def _recorded(self, line: Line, run: Run, fields: dict[str, str]) -> Item:
        run.account = fields.get(self._options.account, "")
        run.partition = fields.get("queue", "")
        tres = allocated(fields)
        lost = _charge_used(run, fields, tres) if self._options.used else ""
        if "cpu" not in tres:
            return Lost(WITHOUT_SIZE, line.place, line.text)
        run.tres = tres
        lost = lost or _uncharged_gpus(fields, tres) or unnamed(run)
        return Entry(line.place, record_of(run, self._options.source), lost)

    def _logged(self, time: str, start: float) -> float:
        zone = self._options.zone
        return end_after(start, moment_of(time, "%m/%d/%Y %H:%M:%S", zone, "time of the line"), zone)


def _fields(message: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in _FIELD.findall(message):
        value = value.strip('"')
        if name in _CHARGES and found.get(name, value) != value:
            raise Fault(f"{name}: got it twice, {found[name][:40]!r} and {value[:40]!r}, want it once")
        found[name] = value
    return found


def _uncharged_gpus(fields: dict[str, str], tres: dict[str, float]) -> str:
    """Accelerators under a name that the site chose."""
    for name, value in fields.items() if "gres/gpu" not in tres else ():
        if _GPUS.fullmatch(name) and value.isdecimal() and int(value[:15]) > 0:
            return f"whose GPUs are not charged: they are requested by {name}"
    return ""


def _has_run(fields: dict[str, str]) -> bool:
    wall = fields.get("resources_used.walltime", "")
    return bool(wall) and duration(wall, "resources_used.walltime") > 0


def _charge_used(run: Run, fields: dict[str, str], tres: dict[str, float]) -> str:
    """Replace the allocation by the usage: elapsed time, busy CPUs, peak memory.

    Return the loss.
    """
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
    return "" if cpu_time else _NOT_USED
