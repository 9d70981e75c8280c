"""The conversion of a job's run to a usage record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from google.protobuf.timestamp_pb2 import Timestamp

from priorityd import v1
from priorityd_collect.items import unexpected
from priorityd_collect.quantities import dated


@dataclass
class Run:
    """The resources of a job from a start to an end, in seconds since 1970."""

    job: str
    start: float
    end: float
    user: str = ""
    account: str = ""
    partition: str = ""
    qos: str = ""
    tres: Mapping[str, float] = field(default_factory=dict)
    billing: float | None = None
    #: Unique among all records of the source; empty = the job's id with the second of its start, which
    #: is also what `prioctl import sacct` gives.
    record_id: str = ""
    #: The job's accounting beside its charge; None = none.
    accounting: v1.JobAccounting | None = None


def record_of(run: Run, source: str) -> v1.UsageRecord:
    """The usage record; a run always gives the same one. A Fault for a name that is not in UTF-8 in the log."""
    for what in ("job", "record_id", "user", "account", "partition", "qos"):
        if "\ufffd" in getattr(run, what):
            raise unexpected(what, getattr(run, what), "UTF-8")
    return v1.UsageRecord(
        source=source,
        record_id=run.record_id or f"{run.job}@{int(run.start)}",
        job_id=run.job,
        user=run.user,
        account=run.account,
        partition=run.partition,
        qos=run.qos,
        start_time=timestamp(run.start),
        end_time=timestamp(run.end),
        tres=run.tres,
        billing=run.billing,
        job=run.accounting,
    )


def unnamed(run: Run) -> str:
    """The loss of a run whose log names no user."""
    return "" if run.user else "without a user: they are charged to their account alone"


def timestamp(seconds: float) -> Timestamp:
    """Cut to microseconds, as the service does."""
    micros = round(dated(seconds, "time", f"{seconds:.0f} seconds since 1970") * 1_000_000)
    return Timestamp(seconds=micros // 1_000_000, nanos=micros % 1_000_000 * 1000)


def seconds_of(time: Timestamp) -> float:
    """Seconds since 1970."""
    return time.seconds + time.nanos / 1e9
