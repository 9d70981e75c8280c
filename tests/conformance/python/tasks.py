"""The tasks and outcomes of both Python runners; task.go has the fields."""

from __future__ import annotations

from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

import priorityd
from priorityd import credentials, v1

RECORDS_BEGIN = 1_700_000_000
RECORD_SECONDS = 10
# An unreachable service returns within so many.
FLUSHES = 100


def new_outcome() -> dict[str, Any]:
    return {
        "code": "OK",
        "answered": 0,
        "notices": 0,
        "top": [],
        "ineligible": [],
        "rows": 0,
        "full": False,
        "violations": [],
    }


def options(task: dict[str, Any], outcome: dict[str, Any]) -> priorityd.Options:
    def notice(_: priorityd.PriorityError) -> None:
        outcome["notices"] += 1

    authorize = credentials.token_file(task["token_file"]) if task["token_file"] else None
    if task["munge_socket"]:
        authorize = credentials.munge(task["munge_socket"])
    tls = credentials.tls_files(task["ca"], task["certificate"], task["key"]) if task["ca"] else None
    return priorityd.Options(
        address=task["address"],
        cluster=task["cluster"],
        deadline=task["deadline_ms"] / 1000,
        retry=priorityd.RetryPolicy(
            task["max_attempts"], task["initial_backoff_ms"] / 1000, task["max_backoff_ms"] / 1000
        ),
        keepalive_time=task["keepalive_ms"] / 1000,
        keepalive_timeout=task["keepalive_ms"] / 1000,
        credentials=tls,
        authorize=authorize,
        on_rate_limited=notice,
    )


def reconnect(task: dict[str, Any]) -> priorityd.RetryPolicy:
    return priorityd.RetryPolicy(max_attempts=60, initial_backoff=task["initial_backoff_ms"] / 1000)


def report(error: priorityd.PriorityError, outcome: dict[str, Any]) -> None:
    violations = [violation.field for violation in error.violations]
    outcome.update(code=error.code.name, message=str(error), reason=error.reason, violations=violations)


def records(task: dict[str, Any]) -> list[v1.UsageRecord]:
    return [_record(task["user"], i) for i in range(task["records"])]


def _record(user: str, i: int) -> v1.UsageRecord:
    begin = RECORDS_BEGIN + RECORD_SECONDS * i
    return v1.UsageRecord(
        source=user,
        record_id=str(i),
        user=user,
        account="a",
        start_time=Timestamp(seconds=begin),
        end_time=Timestamp(seconds=begin + RECORD_SECONDS),
        tres={"cpu": 1 + i % 7},
    )


def answered(answer: v1.RecordUsageResponse, outcome: dict[str, Any]) -> None:
    outcome["answered"] += answer.accepted + answer.duplicates


def watch_request(task: dict[str, Any]) -> v1.WatchRankingRequest:
    return v1.WatchRankingRequest(users=[task["user"]], limit=task["limit"], ineligible=task["ineligible"])


def reached(update: priorityd.RankingUpdate, task: dict[str, Any], outcome: dict[str, Any]) -> bool:
    outcome["top"] = [row.job_id for row in update.top]
    outcome["ineligible"] = [job.job_id for job in update.ineligible]
    until = [task["until"] or [], task["until_ineligible"] or []]
    return bool([outcome["top"], outcome["ineligible"]] == until)
