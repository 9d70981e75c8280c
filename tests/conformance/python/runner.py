"""Runs cases of conformance on the Python client: reads tasks, lines of JSON, and writes an outcome for each."""

from __future__ import annotations

import json
import sys
from typing import Any

import tasks

import priorityd
from priorityd import v1


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)


def run(task: dict[str, Any]) -> dict[str, Any]:
    outcome = tasks.new_outcome()
    try:
        with priorityd.Client(tasks.options(task, outcome)) as client:
            call(client, task, outcome)
    except priorityd.PriorityError as error:
        tasks.report(error, outcome)
    return outcome


def call(client: priorityd.Client, task: dict[str, Any], outcome: dict[str, Any]) -> None:
    match task["call"]:
        case "RankJobs":
            client.priority.RankJobs(v1.RankJobsRequest(tracked=v1.TrackedQueue()))
        case "RecordUsage":
            tasks.answered(client.priority.RecordUsage(v1.RecordUsageRequest(records=tasks.records(task))), outcome)
        case "Recalculate":
            client.admin.Recalculate(v1.RecalculateRequest())
        case "RebuildUsage":
            for _ in client.admin.RebuildUsage(v1.RebuildUsageRequest(cluster=task["cluster"], validate_only=True)):
                pass
        case "GetStatus":
            client.admin.GetStatus(v1.GetStatusRequest())
        case "AllShares":
            shares = client.all_shares(v1.ListSharesRequest(page_size=task["page_size"]))
            outcome["rows"] = len(shares.shares)
        case "UsageBatcher":
            batch(client, task, outcome)
        case "Spool":
            spool(client, task, outcome)
        case "RankingWatch":
            watch(client, task, outcome)
        case "Serving":
            assert client.serving()


def batch(client: priorityd.Client, task: dict[str, Any], outcome: dict[str, Any]) -> None:
    batcher = client.usage_batcher(task["batch_size"], on_batch=lambda _, answer: tasks.answered(answer, outcome))
    try:
        try:
            for record in tasks.records(task):
                batcher.add(record)
            batcher.flush()
        except priorityd.PriorityError:
            if not task["flush_again"]:
                raise
            batcher.flush()
    finally:
        batcher.close()


def spool(client: priorityd.Client, task: dict[str, Any], outcome: dict[str, Any]) -> None:
    batcher = client.usage_batcher(
        task["batch_size"], task["max_kept"], lambda _, answer: tasks.answered(answer, outcome)
    )
    try:
        for record in tasks.records(task):
            try:
                batcher.add(record)
            except priorityd.SpoolFull:
                outcome["full"] = True
                break
            except priorityd.PriorityError:
                pass
        for attempt in reversed(range(tasks.FLUSHES)):
            try:
                return batcher.flush()
            except priorityd.PriorityError:
                if not attempt:
                    raise
    finally:
        batcher.close()


def watch(client: priorityd.Client, task: dict[str, Any], outcome: dict[str, Any]) -> None:
    with client.watch_ranking(tasks.watch_request(task), tasks.reconnect(task)) as updates:
        for update in updates:
            if tasks.reached(update, task, outcome):
                return


if __name__ == "__main__":
    main()
