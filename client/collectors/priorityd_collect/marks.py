"""High-water marks, kept in priorityd's ledger: the time before which everything is recorded.

A mark is a record of the collector's own source that charges nothing: it ends a microsecond before the marked
time, has billing 0 and is charged to an account itself. A mark stays true, so of several collectors' marks the
latest counts. A lost mark costs only time, because a record that is sent again counts once.
"""

from __future__ import annotations

import math
import time

import grpc

import priorityd
from priorityd import v1
from priorityd_collect.items import Fault
from priorityd_collect.records import Run, record_of, seconds_of, timestamp

_DAY = 86400.0
# The first interval with a mark is enough; the mark of an old log is as old as the log.
_WINDOWS = (2 * _DAY, 60 * _DAY, math.inf)
_MICROSECOND = 1e-6


class Marks:
    """The marks of one name, such as that of the source."""

    def __init__(self, client: priorityd.Client, source: str, name: str, account: str) -> None:
        """Charge the marks to an account that exists, such as root."""
        self._client = client
        self._source = source
        self._job = f"mark:{name}"
        self._account = account

    def latest(self) -> float:
        """The latest mark in seconds since 1970; 0 = none."""
        now = time.time()
        for window in _WINDOWS:
            found = max((seconds_of(row.job_end_time) for row in self._rows(now - window, now + 60)), default=0.0)
            if found:
                return found
        return 0.0

    def write(self, at: float) -> str:
        """Write a mark; return the reason of a rejection, if any."""
        at = math.floor(min(at, time.time()))
        run = Run(self._job, at - _MICROSECOND, at, account=self._account, billing=0, record_id=f"{self._job}@{at}")
        request = v1.RecordUsageRequest(records=[record_of(run, self._source)])
        answer = self._client.priority.RecordUsage(request)
        return str(answer.results[0].message)

    def _rows(self, since: float, until: float) -> list[v1.UsageReportRow]:
        request = v1.ReportUsageRequest(
            start_time=timestamp(max(0.0, since)),
            end_time=timestamp(until),
            group_by=[v1.REPORT_GROUPING_JOB],
            accounts=[self._account],
            job_ids=[self._job],
        )
        try:
            return list(self._client.priority.ReportUsage(request).rows)
        except priorityd.PriorityError as error:
            if error.code != grpc.StatusCode.PERMISSION_DENIED:
                raise
            raise Fault(
                f"--since mark: {error}; give the collector the role dashboard too, or say --since TIME"
            ) from error
