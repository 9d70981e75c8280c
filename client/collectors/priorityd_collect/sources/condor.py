"""HTCondor's history: its files, and what `condor_history -long` prints."""

from __future__ import annotations

import re
from collections.abc import Iterator

from priorityd_collect.items import UNUSED, Entry, Fault, Item, Line, unexpected
from priorityd_collect.records import Run, record_of

_ATTRIBUTE = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*)")
_NUMBER = re.compile(r"-?\d+(\.\d*)?([eE][+-]?\d{1,2})?")
_MOST_ATTRIBUTES = 5000
Ad = dict[str, str]


class CondorReader:
    """Reads ads, which a line `*** ...` (files) or an empty line (condor_history) ends."""

    def __init__(self, source: str, user: str = "Owner") -> None:
        """Make records of a source; the user is in that attribute."""
        self._source = source
        self._user = user.lower()
        self._ad: Ad = {}
        self._first = ""
        self._banners = False

    def __call__(self, line: Line | None) -> Iterator[Item]:
        """Read the next line."""
        if line is None or not line.text.strip() or line.text.startswith("***"):
            self._banners |= line is not None and line.text.startswith("***")
            yield from self._end(line.text if line else "")
            return
        match = _ATTRIBUTE.fullmatch(line.text)
        if not match:
            raise unexpected("line", line.text, "ATTRIBUTE = VALUE, as condor_history -long prints it")
        self._first = self._first or line.place
        self._ad[match[1].lower()] = match[2]
        if len(self._ad) > _MOST_ATTRIBUTES:
            raise Fault(f"got an ad of more than {_MOST_ATTRIBUTES} attributes, want one job's")

    def _end(self, banner: str) -> Iterator[Item]:
        ad, first, self._ad, self._first = self._ad, self._first, {}, ""
        if not ad:
            return
        if self._banners and not banner:
            raise Fault("got a last ad without a line *** Offset after it, want it whole; it is read when it is", first)
        try:
            yield self._item(ad, first, banner)
        except Fault as fault:
            raise fault.at(first, f"ClusterId = {ad.get('clusterid')}, ProcId = {ad.get('procid')}") from None

    def _item(self, ad: Ad, place: str, banner: str) -> Item:
        if banner.startswith("***") and not banner.startswith("*** Offset"):
            raise unexpected(
                "end of the ad", banner, "*** Offset = ..., the history of jobs and not that of their runs"
            )
        wall = _number(ad, "RemoteWallClockTime")
        end = _number(ad, "CompletionDate") or _number(ad, "EnteredCurrentStatus")
        if not wall or not end:
            return UNUSED
        job = f"{_whole(ad, 'ClusterId')}.{_whole(ad, 'ProcId')}"
        name = _string(ad, "GlobalJobId") or f"{job}@{_whole(ad, 'QDate')}"
        run = Run(name, end - wall, end, _string(ad, self._user), _account(ad), record_id=name)
        run.tres = _tres(ad)
        return Entry(place, record_of(run, self._source))


def _tres(ad: Ad) -> dict[str, float]:
    """What was provisioned, else what was asked for; memory in MiB, as HTCondor has it."""
    found = {"cpu": _number(ad, "CpusProvisioned") or _number(ad, "RequestCpus") or 1.0, "node": 1.0}
    for tres, names in (
        ("mem", ("MemoryProvisioned", "RequestMemory")),
        ("gres/gpu", ("GPUsProvisioned", "RequestGPUs")),
    ):
        amount = _number(ad, names[0]) or _number(ad, names[1])
        if amount:
            found[tres] = amount
    return found


def _account(ad: Ad) -> str:
    group = _string(ad, "AcctGroup")
    return group or _string(ad, "AccountingGroup").rpartition(".")[0]


def _string(ad: Ad, name: str) -> str:
    text = ad.get(name.lower(), "")
    return text[1:-1].replace('\\"', '"') if len(text) > 1 and text[0] == text[-1] == '"' else ""


def _number(ad: Ad, name: str) -> float:
    """0 where it is not there, or an expression."""
    text = ad.get(name.lower(), "")
    return max(0.0, float(text)) if _NUMBER.fullmatch(text) and len(text) < 40 else 0.0


def _whole(ad: Ad, name: str) -> str:
    text = ad.get(name.lower(), "")
    if not re.fullmatch(r"\d{1,15}", text):
        raise unexpected(name, text or "nothing", "a whole number")
    return text
