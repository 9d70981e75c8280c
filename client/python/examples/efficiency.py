"""A site factor service: users who leave CPUs unused get less priority, those who use them more.

It reads the finished jobs of the ledger with their CPU times, as `prioctl seff` shows them, and gives each pending
job points between -N and N, with a sentence for its user. docs/site-factor.md says how to turn it on.
"""

from __future__ import annotations

import argparse
import dataclasses
import logging
import math
import re
import sys
import threading
import time
from collections.abc import Iterable
from concurrent import futures

import grpc

import priorityd
from priorityd import credentials, v1
from priorityd.v1 import site_factor_service_pb2_grpc

_UNITS = {"m": 60.0, "h": 3600.0, "d": 86400.0}
_UNFINISHED = ("RUNNING", "SUSPENDED")
_MOST_CLUSTERS = 100
#: The rest of the caller's timeout in which to answer that nothing has been read yet.
_MARGIN = 0.5
#: The time to wait for the ledger if the caller has no timeout.
_PATIENCE = 5.0
#: The pause before the next attempt to read a ledger that has never been read.
_RETRY = 5.0
_log = logging.getLogger("efficiency")


@dataclasses.dataclass(frozen=True)
class Rules:
    """The rules that turn efficiency into points; times in seconds."""

    most_points: int = 200
    #: Between these parts of the CPUs a user gets 0 points.
    low: float = 0.5
    high: float = 0.8
    window: float = 14 * 86400.0
    half_life: float = 7 * 86400.0
    #: CPU-seconds, with their decay, below which a user has too little data for points.
    least: float = 3600.0
    #: Whether each account has its points, instead of each user.
    by_account: bool = False

    def points(self, efficiency: float) -> int:
        """-N at 0, 0 between low and high, N at 1, and linear between."""
        if efficiency < self.low:
            return -round(self.most_points * (self.low - efficiency) / self.low)
        if efficiency > self.high:
            return round(self.most_points * min(1.0, (efficiency - self.high) / (1 - self.high)))
        return 0


@dataclasses.dataclass(frozen=True)
class Run:
    """A finished run of a job: the CPU-seconds that it held and used."""

    owner: str
    end: float
    held: float
    used: float


@dataclasses.dataclass
class Sums:
    """Decayed CPU-seconds of one owner."""

    held: float = 0.0
    used: float = 0.0


@dataclasses.dataclass
class _Parts:
    """The records of a run, added up."""

    start: float
    #: The begin of the first record: later than the start if records of the run are missing.
    begin: float
    end: float
    owner: str = ""
    held: float = 0.0
    job: v1.JobAccounting | None = None

    def add(self, row: v1.LedgerRecord, rules: Rules) -> None:
        record = row.record
        begin, end = _seconds(record.start_time), _seconds(record.end_time)
        self.owner = row.account if rules.by_account else record.user
        self.held += record.tres.get("cpu", 0.0) * (end - begin)
        self.end = max(self.end, end, _seconds(record.job.end_time))
        if record.HasField("job"):
            self.job = record.job

    def run(self) -> Run | None:
        """The whole run; None if it has not ended, or CPU-seconds are missing."""
        if self.job is None or not self.job.HasField("total_cpu") or self.job.state in _UNFINISHED:
            return None
        if self.held <= 0 or self.begin > self.start:
            return None
        return Run(self.owner, self.end, self.held, _seconds(self.job.total_cpu))


def runs_of(records: Iterable[v1.LedgerRecord], rules: Rules) -> list[Run]:
    """The finished runs with a CPU time, of records in the order of their end.

    Each record adds what it held; the CPU time is that of the last one with accounting, since the run's start. A record
    without accounting continues the run that ends where it begins.
    """
    jobs: dict[tuple[str, str], list[_Parts]] = {}
    for row in records:
        if row.record.job_id:
            _parts_of(row.record, jobs.setdefault((row.record.source, row.record.job_id), [])).add(row, rules)
    found = (parts.run() for runs in jobs.values() for parts in runs)
    return [run for run in found if run is not None]


def _parts_of(record: v1.UsageRecord, runs: list[_Parts]) -> _Parts:
    """The run of a record among those of its job; a new one if none has its start."""
    begin, has_job = _seconds(record.start_time), record.HasField("job")
    start = _seconds(record.job.start_time) if record.job.HasField("start_time") else begin
    for parts in runs:
        if parts.start == start or (not has_job and parts.end == begin):
            return parts
    runs.append(_Parts(start, begin, start))
    return runs[-1]


def sums_of(runs: Iterable[Run], rules: Rules, now: float) -> dict[str, Sums]:
    """By owner. A run that ended a half-life ago counts half, and one before the window not at all."""
    sums: dict[str, Sums] = {}
    for run in runs:
        if run.owner and now - rules.window < run.end <= now:
            weight = 0.5 ** ((now - run.end) / rules.half_life)
            owner = sums.setdefault(run.owner, Sums())
            owner.held += weight * run.held
            owner.used += weight * run.used
    return sums


def judgement(owner: str, sums: Sums | None, rules: Rules) -> tuple[int, str]:
    """The points of an owner, and why, as a sentence for users."""
    days = f"{rules.window / 86400:g} days"
    if sums is None or sums.held < rules.least:
        least = f"{rules.least / 3600:g} h of CPU time"
        return 0, f"jobs of {owner} that ended in the last {days} held less than {least}: 0 points"
    efficiency = sums.used / sums.held
    points = rules.points(efficiency)
    return points, (
        f"jobs of {owner} used {100 * efficiency:.0f}% of their CPUs in the last {days}: "
        f"{points:+d} of at most {rules.most_points} points"
    )


class Ledger:
    """The sums of one cluster, read again by a thread of its own after each `refresh` seconds."""

    def __init__(self, client: priorityd.Client, cluster: str, rules: Rules, refresh: float) -> None:
        """Begin to read."""
        self._client = client
        self._cluster = cluster
        self._rules = rules
        self._refresh = refresh
        self._sums: dict[str, Sums] = {}
        self._read = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def sums(self, patience: float) -> dict[str, Sums] | None:
        """The sums that were read last; waits for the first; None = they were not read yet."""
        return self._sums if self._read.wait(patience) else None

    def _run(self) -> None:
        while True:
            try:
                now = time.time()
                self._sums = sums_of(runs_of(self._records(now), self._rules), self._rules, now)
                self._read.set()
            except priorityd.PriorityError as error:
                # Points of old sums are better than none.
                _log.warning("%s: %s", self._cluster, error)
            time.sleep(self._refresh if self._read.is_set() else min(self._refresh, _RETRY))

    def _records(self, now: float) -> Iterable[v1.LedgerRecord]:
        # With those without accounting: they have a part of what a run held.
        request = v1.ListUsageRecordsRequest(cluster=self._cluster, page_size=10_000)
        request.ended_from.FromNanoseconds(int((now - self._rules.window) * 1e9))
        for page in priorityd.pages(self._client.priority.ListUsageRecords, request):
            yield from page.records


class Efficiency(site_factor_service_pb2_grpc.SiteFactorServiceServicer):
    """Answers priorityd."""

    def __init__(self, client: priorityd.Client, rules: Rules, refresh: float) -> None:
        """Read the ledgers of those clusters that ask."""
        self._client = client
        self._rules = rules
        self._refresh = refresh
        self._ledgers: dict[str, Ledger] = {}
        self._lock = threading.Lock()

    def GetSiteFactors(  # noqa: N802
        self, request: v1.GetSiteFactorsRequest, context: grpc.ServicerContext
    ) -> v1.GetSiteFactorsResponse:
        """Points for each job; 0 for owners without data, so that old points do not stay."""
        ledger = self._ledger_of(request.cluster)
        if ledger is None:
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, f"cluster: got more than {_MOST_CLUSTERS} of them")
        sums = ledger.sums(max(0.0, (context.time_remaining() or _PATIENCE) - _MARGIN))
        if sums is None:
            context.abort(grpc.StatusCode.UNAVAILABLE, f"the ledger of {request.cluster} has not been read yet")
        response = v1.GetSiteFactorsResponse()
        for job in request.jobs:
            owner = job.account if self._rules.by_account else job.user
            points, why = judgement(owner, sums.get(owner), self._rules)
            reason = why if request.explains else ""
            response.site_factors.append(v1.SiteFactor(job_id=job.job_id, site_factor=points, reason=reason))
        return response

    def _ledger_of(self, cluster: str) -> Ledger | None:
        with self._lock:
            if cluster not in self._ledgers and len(self._ledgers) < _MOST_CLUSTERS:
                self._ledgers[cluster] = Ledger(self._client, cluster, self._rules, self._refresh)
            return self._ledgers.get(cluster)


def main(arguments: list[str] | None = None) -> int:
    """Serve until stopped."""
    options = _parse(arguments)
    logging.basicConfig(format="%(name)s: %(message)s")
    rules = Rules(
        options.points, options.low, options.high, options.window, options.half_life, options.least * 3600, options.by
    )
    authorize = credentials.token_file(options.token_file) if options.token_file else credentials.automatic()
    with priorityd.Client(priorityd.Options(options.server, deadline=300.0, authorize=authorize)) as client:
        server = grpc.server(futures.ThreadPoolExecutor(8))
        service = Efficiency(client, rules, options.refresh)
        site_factor_service_pb2_grpc.add_SiteFactorServiceServicer_to_server(service, server)
        host, _, port = options.listen.rpartition(":")
        bound = server.add_insecure_port(options.listen)
        server.start()
        print(f"efficiency: listening on {host}:{bound if port == '0' else port}", flush=True)
        server.wait_for_termination()
    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="efficiency", description=__doc__, allow_abbrev=False)
    parser.add_argument("--listen", default="127.0.0.1:7413", metavar="HOST:PORT")
    parser.add_argument("--server", default="127.0.0.1:7411", metavar="ADDRESS[,ADDRESS...]", help="of priorityd")
    parser.add_argument("--token-file", default="", metavar="FILE", help="proves to priorityd who reads its ledger")
    parser.add_argument("--points", type=int, default=200, metavar="N", help="at most so many, up or down")
    parser.add_argument("--low", type=float, default=0.5, metavar="PART", help="a lower efficiency costs points")
    parser.add_argument("--high", type=float, default=0.8, metavar="PART", help="a higher efficiency gives points")
    parser.add_argument(
        "--window", type=_span, default=14 * 86400.0, metavar="SPAN", help="14d; older jobs are left out"
    )
    parser.add_argument("--half-life", type=_span, default=7 * 86400.0, metavar="SPAN", help="7d")
    parser.add_argument("--least", type=float, default=1.0, metavar="CPU-HOURS", help="without so many: 0 points")
    parser.add_argument("--refresh", type=_span, default=600.0, metavar="SPAN", help="10m; reads the ledger so often")
    parser.add_argument("--by", choices=("user", "account"), default="user", help="whose jobs are added up")
    options = parser.parse_args(arguments)
    options.by = options.by == "account"
    if not 0 <= options.points <= 1_000_000:
        parser.error(f"--points: got {options.points}, want 0 to 1000000")
    if not 0 < options.low <= options.high < 1:
        parser.error(f"--low, --high: got {options.low} and {options.high}, want 0 < low <= high < 1")
    if not 0 <= options.least < math.inf:
        parser.error(f"--least: got {options.least}, want 0 or more")
    return options


def _span(text: str) -> float:
    match = re.fullmatch(r"(\d{1,6})([mhd])", text)
    if not match or not int(match[1]):
        raise argparse.ArgumentTypeError(f"got {text!r}, want for example 30m, 12h or 14d")
    return int(match[1]) * _UNITS[match[2]]


def _seconds(time_: object) -> float:
    return float(getattr(time_, "seconds", 0)) + getattr(time_, "nanos", 0) / 1e9


if __name__ == "__main__":
    sys.exit(main())
