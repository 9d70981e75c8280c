"""HTCondor's history of jobs and of their runs: its files, and what `condor_history -long` prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from priorityd import v1
from priorityd_collect.accounting import seconds
from priorityd_collect.items import UNUSED, Entry, Fault, Item, LeftOut, Line, unexpected
from priorityd_collect.records import Run, record_of, timestamp

_ATTRIBUTE = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*)")
_NUMBER = re.compile(r"-?\d+(\.\d*)?([eE][+-]?\d{1,2})?")
_MOST_ATTRIBUTES = 5000
#: JobUniverse of scheduler, grid and local: no shadow, which writes of each run, runs these.
_WITHOUT_SHADOW = (7, 9, 12)
#: JobStatus.
_REMOVED, _COMPLETED = 3, 4
_HIGHEST_CODE = 65535
#: The end of an ad in a file of the history of runs; its first word says what the ad is of, by default the run.
_END_OF_RUN = re.compile(r"\*\*\* (?:([A-Z_]+) )?ClusterId ?=.*?(?:CurrentTime=(\d+))?")
_RUN = "EPOCH"
Ad = dict[str, str]

BY_RUNS = LeftOut("that are charged by their runs")
WHOLE = LeftOut("runs of jobs that are charged whole")
NO_RUN = LeftOut("ads that are not of a run's end")


@dataclass(frozen=True)
class CondorOptions:
    """How ads become records."""

    source: str
    #: The attribute that says who is charged.
    user: str = "Owner"
    #: Jobs that first started since then, in seconds since 1970, are charged by their runs; None = no job is.
    runs_since: float | None = None


class CondorReader:
    """Reads ads, which a line `*** ...` (files) or an empty line (condor_history) ends.

    Which of the two histories charges a job follows from the job alone, its first start and its universe, so that
    both may be read, in any order, and each run counts once.
    """

    def __init__(self, options: CondorOptions) -> None:
        """Make records of a source."""
        self._options = options
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
            raise Fault("got a last ad without a line *** behind it, want it whole; it is read when it is", first)
        try:
            yield self._item(ad, first, banner)
        except Fault as fault:
            raise fault.at(first, f"ClusterId = {ad.get('clusterid')}, ProcId = {ad.get('procid')}") from None

    def _item(self, ad: Ad, place: str, banner: str) -> Item:
        if banner.startswith("*** Offset"):
            return self._job(ad, place)
        end = _END_OF_RUN.fullmatch(banner)
        if banner.startswith("***") and not end:
            raise unexpected("end of the ad", banner, "*** Offset = ... or *** EPOCH ClusterId=...")
        kind = (end[1] if end else "") or _string(ad, "EpochAdType")
        if not end and not kind and "epochwritedate" not in ad:
            return self._job(ad, place)
        if kind and kind.upper() != _RUN:
            return NO_RUN
        return self._run(ad, place, float(end[2] or 0) if end else 0.0)

    def _job(self, ad: Ad, place: str) -> Item:
        wall = _number(ad, "RemoteWallClockTime")
        end = _number(ad, "CompletionDate") or _number(ad, "EnteredCurrentStatus")
        if not wall or not end:
            return UNUSED
        if self._is_by_runs(ad):
            return BY_RUNS
        return self._entry(ad, place, Run(_job_id(ad), end - wall, end))

    def _run(self, ad: Ad, place: str, written: float) -> Item:
        if self._options.runs_since is None:
            raise unexpected("ad", "one of a run", "the history of jobs; --runs-since TIME charges jobs by their runs")
        if not self._is_by_runs(ad):
            return WHOLE
        job, number = _job_id(ad), _run_number(ad)
        start = _number(ad, "ShadowBday") or _number(ad, "JobCurrentStartDate")
        end = _number(ad, "EpochWriteDate") or written
        if not start or not end:
            raise unexpected("ad of a run", "neither its start nor its end", "ShadowBday and EpochWriteDate")
        if end <= start:
            return UNUSED
        return self._entry(ad, place, Run(job, start, end, record_id=f"{job}#{number}"))

    def _is_by_runs(self, ad: Ad) -> bool:
        since = self._options.runs_since
        if since is None or _number(ad, "JobUniverse") in _WITHOUT_SHADOW:
            return False
        started = _number(ad, "JobStartDate")
        if not started:
            raise unexpected("JobStartDate", "nothing", "when the job first started")
        return started >= since

    def _entry(self, ad: Ad, place: str, run: Run) -> Entry:
        run.record_id = run.record_id or run.job
        run.user, run.account, run.tres = _string(ad, self._options.user), _account(ad), _tres(ad)
        run.told = _told(ad, run)
        return Entry(place, record_of(run, self._options.source))


def _told(ad: Ad, run: Run) -> v1.JobAccounting | None:
    """What it asked for; how it ended and what it used are of a job that is charged whole."""
    told = v1.JobAccounting()
    submitted = _number(ad, "QDate")
    if submitted:
        told.submit_time.CopyFrom(timestamp(min(submitted, run.start)))
    for name, tres, attribute in (("req_cpus", "cpu", "RequestCpus"), ("req_mem", "mem", "RequestMemory")):
        asked = _number(ad, attribute)
        if asked and asked != run.tres.get(tres):
            setattr(told, name, asked)
    if run.record_id == run.job:
        _set_end(ad, told)
    return told if told.ByteSize() else None


def _set_end(ad: Ad, told: v1.JobAccounting) -> None:
    code, signal = _number(ad, "ExitCode"), _number(ad, "ExitSignal")
    if "exitcode" in ad and code <= _HIGHEST_CODE:
        told.exit_code = int(code)
    if "exitsignal" in ad and signal <= _HIGHEST_CODE:
        told.exit_signal = int(signal)
    status = _number(ad, "JobStatus")
    if status == _COMPLETED:
        told.state = "FAILED" if code or signal else "COMPLETED"
    elif status == _REMOVED:
        told.state = "CANCELLED"
    if "remoteusercpu" in ad:
        told.total_cpu.CopyFrom(seconds(_number(ad, "RemoteUserCpu") + _number(ad, "RemoteSysCpu")))
    if "residentsetsize" in ad:
        told.max_rss = _number(ad, "ResidentSetSize") / 1024


def _job_id(ad: Ad) -> str:
    job = f"{_whole(ad, 'ClusterId')}.{_whole(ad, 'ProcId')}"
    return _string(ad, "GlobalJobId") or f"{job}@{_whole(ad, 'QDate')}"


def _run_number(ad: Ad) -> int:
    """From 0; in a file the ad itself has the number of shadows that were started for the job."""
    if "runinstanceid" in ad:
        return int(_whole(ad, "RunInstanceId"))
    return int(_whole(ad, "NumShadowStarts")) - 1


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
