"""How a job's run becomes a usage record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from google.protobuf.timestamp_pb2 import Timestamp

from priorityd import v1


@dataclass
class Run:
    """What a job was given from a start to an end, in seconds since 1970."""

    job: str
    start: float
    end: float
    user: str = ""
    account: str = ""
    partition: str = ""
    qos: str = ""
    tres: Mapping[str, float] = field(default_factory=dict)
    billing: float | None = None
    #: Unique among all records of the source; empty = the job with the second of its start, which
    #: is also what `prioctl import sacct` gives.
    record_id: str = ""
    #: What is told of the job beside its charge; None = nothing.
    told: v1.JobAccounting | None = None


def record_of(run: Run, source: str) -> v1.UsageRecord:
    """The record, the same whenever and wherever it is made."""
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
        job=run.told,
    )


def unnamed(run: Run) -> str:
    """What is lost of a run whose log does not say whose it is."""
    return "" if run.user else "without a user: they are charged to their account alone"


def timestamp(seconds: float) -> Timestamp:
    """Cut to microseconds, as the service does."""
    micros = round(seconds * 1_000_000)
    return Timestamp(seconds=micros // 1_000_000, nanos=micros % 1_000_000 * 1000)


def seconds_of(time: Timestamp) -> float:
    """Seconds since 1970."""
    return time.seconds + time.nanos / 1e9
