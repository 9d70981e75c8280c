"""HTCondor's history of jobs and of their runs: its files, and the output of `condor_history -long`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from priorityd import v1
from priorityd_collect.accounting import seconds
from priorityd_collect.items import UNUSED, Entry, Fault, Item, LeftOut, Line, Lost, unexpected
from priorityd_collect.records import Run, record_of, timestamp

_ATTRIBUTE = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*)")
_NUMBER = re.compile(r"-?\d+(\.\d*)?([eE][+-]?\d{1,2})?")
_MOST_ATTRIBUTES = 5000
#: JobUniverse of scheduler, grid and local: their jobs have no shadow, so no history of runs.
_WITHOUT_SHADOW = (7, 9, 12)
#: JobUniverse of jobs on several machines at once.
_PARALLEL = 11
#: JobStatus.
_REMOVED, _COMPLETED = 3, 4
_HIGHEST_CODE = 65535
#: The end of an ad in a file of the history of runs; its first word is the kind of the ad, by default the run.
_END_OF_RUN = re.compile(r"\*\*\* (?:([A-Z_]+) )?ClusterId ?=.*?(?:CurrentTime=(\d+))?")
_RUN = "EPOCH"
Ad = dict[str, str]

BY_RUNS = LeftOut("that are charged by their runs")
WHOLE = LeftOut("runs of jobs that are charged whole")
NO_RUN = LeftOut("ads that are not of a run's end")
CLUSTER = LeftOut("ads of clusters, whose jobs have ads of their own")
WITHOUT_SIZE = "without a size: no CPUs, or of a parallel job no machines, that are a number"
WITHOUT_TIME = "that started, without a RemoteWallClockTime"
WITHOUT_END = "without an end: neither CompletionDate nor EnteredCurrentStatus"


@dataclass(frozen=True)
class CondorOptions:
    """The settings for the conversion of ads to records."""

    source: str
    #: The attribute that names the user to charge.
    user: str = "Owner"
    #: Jobs that first started since then, in seconds since 1970, are charged by their runs; None = no job is.
    runs_since: float | None = None


class CondorReader:
    """Reads ads, which a line `*** ...` (files) or an empty line (condor_history) ends.

    The job's first start and its universe decide which of the two histories charges it, so both may be read, in
    any order, and each run counts once.
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
            raise fault.at(first, _named(ad)) from None

    def _item(self, ad: Ad, place: str, banner: str) -> Item:
        if banner.startswith("*** Offset") or banner.strip() == "***":
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
        if ad.get("procid") == "-1":
            return CLUSTER
        wall = _number(ad, "RemoteWallClockTime")
        end = _number(ad, "CompletionDate") or _number(ad, "EnteredCurrentStatus")
        if not wall:
            started = "remotewallclocktime" not in ad and _number(ad, "JobStartDate")
            return Lost(WITHOUT_TIME, place, _named(ad)) if started else UNUSED
        if not end:
            return Lost(WITHOUT_END, place, _named(ad))
        if self._is_by_runs(ad):
            return BY_RUNS
        return self._recorded(ad, place, Run(_job_id(ad), end - wall, end))

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
        return self._recorded(ad, place, Run(job, start, end, record_id=f"{job}#{number}"))

    def _is_by_runs(self, ad: Ad) -> bool:
        since = self._options.runs_since
        if since is None or _number(ad, "JobUniverse") in _WITHOUT_SHADOW:
            return False
        started = _number(ad, "JobStartDate")
        if not started:
            raise unexpected("JobStartDate", "nothing", "when the job first started")
        return started >= since

    def _recorded(self, ad: Ad, place: str, run: Run) -> Item:
        run.record_id = run.record_id or run.job
        run.user, run.account = _string(ad, self._options.user), _account(ad)
        if not run.user:
            raise unexpected(
                self._options.user, ad.get(self._options.user.lower(), "nothing"), "who is charged, in quotes"
            )
        run.tres, lost = _tres(ad)
        if not run.tres:
            return Lost(WITHOUT_SIZE, place, _named(ad))
        run.accounting = _accounting(ad, run)
        return Entry(place, record_of(run, self._options.source), lost)


def _accounting(ad: Ad, run: Run) -> v1.JobAccounting | None:
    """The job's request; its end and its usage only if the job is charged whole."""
    accounting = v1.JobAccounting()
    submitted = _number_or_zero(ad, "QDate")
    if submitted:
        accounting.submit_time.CopyFrom(timestamp(min(submitted, run.start)))
    for name, tres, attribute in (("req_cpus", "cpu", "RequestCpus"), ("req_mem", "mem", "RequestMemory")):
        asked = _number_or_zero(ad, attribute)
        if asked and asked != run.tres.get(tres):
            setattr(accounting, name, asked)
    if run.record_id == run.job:
        _set_end(ad, accounting)
    return accounting if accounting.ByteSize() else None


def _set_end(ad: Ad, accounting: v1.JobAccounting) -> None:
    code, signal = _number_or_zero(ad, "ExitCode"), _number_or_zero(ad, "ExitSignal")
    if "exitcode" in ad and code <= _HIGHEST_CODE:
        accounting.exit_code = int(code)
    if "exitsignal" in ad and signal <= _HIGHEST_CODE:
        accounting.exit_signal = int(signal)
    status = _number_or_zero(ad, "JobStatus")
    if status == _COMPLETED:
        accounting.state = "FAILED" if code or signal else "COMPLETED"
    elif status == _REMOVED:
        accounting.state = "CANCELLED"
    if "remoteusercpu" in ad:
        accounting.total_cpu.CopyFrom(
            seconds(_number_or_zero(ad, "RemoteUserCpu") + _number_or_zero(ad, "RemoteSysCpu"))
        )
    if "residentsetsize" in ad:
        accounting.max_rss = _number_or_zero(ad, "ResidentSetSize") / 1024


def _job_id(ad: Ad) -> str:
    job = f"{_whole(ad, 'ClusterId')}.{_whole(ad, 'ProcId')}"
    return _string(ad, "GlobalJobId") or f"{job}@{_whole(ad, 'QDate')}"


def _run_number(ad: Ad) -> int:
    """The run's number, from 0; an ad in a file has the number of shadows that were started for the job."""
    if "runinstanceid" in ad:
        return int(_whole(ad, "RunInstanceId"))
    return int(_whole(ad, "NumShadowStarts")) - 1


def _named(ad: Ad) -> str:
    return f"ClusterId = {ad.get('clusterid')}, ProcId = {ad.get('procid')}"


def _tres(ad: Ad) -> tuple[dict[str, float], str]:
    """The provisioned resources, else the requested ones, and the loss; memory in MiB, as HTCondor has it.

    Empty without CPUs. An ad has the amounts of one machine; parallel jobs have several machines.
    """
    cpus = _amount(ad, "CpusProvisioned", "RequestCpus")
    machines = 1.0 if _number(ad, "JobUniverse") != _PARALLEL else _amount(ad, "MaxHosts", "MinHosts")
    if not cpus or not machines:
        return {}, ""
    found, lost = {"cpu": cpus * machines, "node": machines}, []
    for tres, names in (
        ("mem", ("MemoryProvisioned", "RequestMemory")),
        ("gres/gpu", ("GPUsProvisioned", "RequestGPUs")),
    ):
        amount = _amount(ad, *names)
        if amount:
            found[tres] = amount * machines
        elif amount is None and any(_is_stated(ad, name) for name in names):
            lost.append(f"{tres}: {names[1]} is an expression")
    return found, f"without {', '.join(lost)}" if lost else ""


def _is_stated(ad: Ad, name: str) -> bool:
    return ad.get(name.lower(), "undefined").lower() != "undefined"


def _amount(ad: Ad, *names: str) -> float | None:
    """The first attribute that is a number; None = missing, or an expression."""
    found = (float(text) for name in names if _NUMBER.fullmatch(text := ad.get(name.lower(), "")) and len(text) < 40)
    return next((amount for amount in found if amount >= 0), None)


def _account(ad: Ad) -> str:
    group = _string(ad, "AcctGroup")
    return group or _string(ad, "AccountingGroup").rpartition(".")[0]


def _string(ad: Ad, name: str) -> str:
    text = ad.get(name.lower(), "")
    return text[1:-1].replace('\\"', '"') if len(text) > 1 and text[0] == text[-1] == '"' else ""


def _number(ad: Ad, name: str) -> float:
    """The attribute as a number; 0 = the ad has none."""
    found = _amount(ad, name)
    if found is None and _is_stated(ad, name):
        raise unexpected(name, ad[name.lower()], "a number, 0 or more")
    return found or 0.0


def _number_or_zero(ad: Ad, name: str) -> float:
    """The attribute as a number; 0 = the ad has none, or an expression. For attributes that charge nothing."""
    return _amount(ad, name) or 0.0


def _whole(ad: Ad, name: str) -> str:
    text = ad.get(name.lower(), "")
    if not re.fullmatch(r"\d{1,15}", text):
        raise unexpected(name, text or "nothing", "a whole number")
    return text
