"""Runs cases of conformance on the Python client for asyncio; see runner.py."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import tasks

import priorityd
from priorityd import aio, v1


async def main() -> None:
    for line in sys.stdin:
        print(json.dumps(await run(json.loads(line))), flush=True)


async def run(task: dict[str, Any]) -> dict[str, Any]:
    outcome = tasks.new_outcome()
    try:
        async with aio.Client(tasks.options(task, outcome)) as client:
            await call(client, task, outcome)
    except priorityd.PriorityError as error:
        tasks.report(error, outcome)
    return outcome


async def call(client: aio.Client, task: dict[str, Any], outcome: dict[str, Any]) -> None:
    match task["call"]:
        case "RankJobs":
            await client.priority.RankJobs(v1.RankJobsRequest(tracked=v1.TrackedQueue()))
        case "RecordUsage":
            request = v1.RecordUsageRequest(records=tasks.records(task))
            tasks.answered(await client.priority.RecordUsage(request), outcome)
        case "Recalculate":
            await client.admin.Recalculate(v1.RecalculateRequest())
        case "RebuildUsage":
            rebuild = v1.RebuildUsageRequest(cluster=task["cluster"], validate_only=True)
            async for _ in client.admin.RebuildUsage(rebuild):
                pass
        case "GetStatus":
            await client.admin.GetStatus(v1.GetStatusRequest())
        case "AllShares":
            shares = await client.all_shares(v1.ListSharesRequest(page_size=task["page_size"]))
            outcome["rows"] = len(shares.shares)
        case "UsageBatcher":
            await batch(client, task, outcome)
        case "Spool":
            await spool(client, task, outcome)
        case "RankingWatch":
            await watch(client, task, outcome)
        case "Serving":
            assert await client.serving()


async def batch(client: aio.Client, task: dict[str, Any], outcome: dict[str, Any]) -> None:
    batcher = client.usage_batcher(task["batch_size"], on_batch=lambda _, answer: tasks.answered(answer, outcome))
    try:
        try:
            for record in tasks.records(task):
                await batcher.add(record)
            await batcher.flush()
        except priorityd.PriorityError:
            if not task["flush_again"]:
                raise
            await batcher.flush()
    finally:
        batcher.close()


async def spool(client: aio.Client, task: dict[str, Any], outcome: dict[str, Any]) -> None:
    batcher = client.usage_batcher(
        task["batch_size"], task["max_kept"], lambda _, answer: tasks.answered(answer, outcome)
    )
    try:
        for record in tasks.records(task):
            try:
                await batcher.add(record)
            except priorityd.SpoolFull:
                outcome["full"] = True
                break
            except priorityd.PriorityError:
                pass
        for attempt in reversed(range(tasks.FLUSHES)):
            try:
                return await batcher.flush()
            except priorityd.PriorityError:
                if not attempt:
                    raise
    finally:
        batcher.close()


async def watch(client: aio.Client, task: dict[str, Any], outcome: dict[str, Any]) -> None:
    async with client.watch_ranking(tasks.watch_request(task), tasks.reconnect(task)) as updates:
        async for update in updates:
            if tasks.reached(update, task, outcome):
                return


if __name__ == "__main__":
    asyncio.run(main())
