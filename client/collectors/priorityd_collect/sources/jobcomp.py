"""The log of Slurm's jobcomp/filetxt, for sites without slurmdbd."""

from __future__ import annotations

import re
from collections.abc import Iterator

from priorityd_collect.items import UNUSED, Entry, Fault, Item, Line, Lost, Notice, unexpected
from priorityd_collect.quantities import Zone, end_after, moment, name_of, number, says_nothing
from priorityd_collect.records import Run, record_of, unnamed
from priorityd_collect.sources import gres
from priorityd_collect.sources.sacct import UNKNOWN_NODES, set_allocated

# In the order of the log. The user chooses a job's name and folder: they may have any text.
_FIELDS = (
    "JobId UserId GroupId Name JobState Partition TimeLimit StartTime EndTime NodeList NodeCnt ProcCnt WorkDir "
    "ReservationName Tres Gres Account QOS WcKey Cluster SubmitTime EligibleTime DerivedExitCode ExitCode"
).split()
WITHOUT_SIZE = "without a size: no Tres, and ProcCnt is 0"
NO_GPUS = Notice("GPUs are not in the input where a line has neither the field Tres nor Gres")
_NEEDED = ("UserId", "StartTime", "EndTime", "ProcCnt")
_FIELD = re.compile(r"(?:^| )(" + "|".join(_FIELDS) + r")=")


class JobcompReader:
    """Reads one log."""

    def __init__(self, source: str, zone: Zone) -> None:
        """Make records of a source; the zone is that of its times."""
        self._source = source
        self._zone = zone
        self._noticed = False

    def __call__(self, line: Line | None) -> Iterator[Item]:
        """Read the next line."""
        if line is not None and line.text.strip():
            row = _fields(line.text)
            if not self._noticed and not {"Tres", "Gres"} & set(row):
                self._noticed = True
                yield NO_GPUS
            yield self._item(line, row)

    def _item(self, line: Line, row: dict[str, str]) -> Item:
        times = [row[name] for name in ("StartTime", "EndTime")]
        if any(says_nothing(text) for text in times):
            return UNUSED
        start, end = (
            moment(text, self._zone, name) for text, name in zip(times, ("StartTime", "EndTime"), strict=True)
        )
        end = end_after(start, end, self._zone)
        if end <= start:
            return UNUSED
        run = Run(row["JobId"], start, end, row["UserId"].partition("(")[0], name_of(row, "Account"))
        run.partition, run.qos = name_of(row, "Partition"), _said(row, "QOS")
        set_allocated(run, _said(row, "Tres"))
        if not run.tres and run.billing is None:
            run.tres = _counted(row)
            if not run.tres.get("cpu"):
                return Lost(WITHOUT_SIZE, line.place, line.text)
        asked = {} if _said(row, "Tres") else gres.asked(_said(row, "Gres"), run.tres.get("node"), "Gres")
        run.tres = {**run.tres, **(asked or {})}
        return Entry(line.place, record_of(run, self._source), UNKNOWN_NODES if asked is None else unnamed(run))


def _counted(row: dict[str, str]) -> dict[str, float]:
    found = {"cpu": number(row["ProcCnt"], "ProcCnt")}
    if "NodeCnt" in row:
        found["node"] = number(row["NodeCnt"], "NodeCnt")
    return found


def _said(row: dict[str, str], name: str) -> str:
    text = row.get(name, "")
    return "" if says_nothing(text) else text


def _fields(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    matches = list(_FIELD.finditer(text))
    ends = [match.start() for match in matches[1:]] + [len(text)]
    for match, end in zip(matches, ends, strict=True):
        if match[1] in found:
            raise Fault(f"{match[1]}: got it twice, want it once: the name or folder of a job may forge it")
        found[match[1]] = text[match.end() : end]
    if not found.get("JobId", "").isdigit():
        raise unexpected("JobId", text, "a line of jobcomp/filetxt, JobId=NUMBER UserId=NAME(UID) ...")
    missing = next((name for name in _NEEDED if name not in found), "")
    if missing:
        raise Fault(f"got no field {missing}, want a line of jobcomp/filetxt, with all of its fields")
    return found
