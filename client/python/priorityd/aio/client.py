"""A connection to priorityd, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from priorityd import connection as threads
from priorityd import v1
from priorityd.aio.connection import Connection
from priorityd.aio.usage import UsageBatcher, UsageStream
from priorityd.aio.watch import RankingWatch
from priorityd.errors import PriorityError
from priorityd.forecasts import Forecasts, parts
from priorityd.options import Options, options_of
from priorityd.pages import LIST_ATTEMPTS, Shares, async_pages
from priorityd.retry import RECONNECT, RetryPolicy
from priorityd.usage import OnAnswer, OnBatch
from priorityd.v1.admin_service_pb2_grpc import AdminServiceStub
from priorityd.v1.priority_service_pb2_grpc import PriorityServiceStub

if TYPE_CHECKING:
    from priorityd.v1.admin_service_pb2_grpc import AdminServiceAsyncStub
    from priorityd.v1.priority_service_pb2_grpc import PriorityServiceAsyncStub


class Client:
    """Like priorityd.Client, for one event loop: each call is awaited. Make it in the running loop."""

    def __init__(self, options: Options | str = "127.0.0.1:7411") -> None:
        """Take options, or an address alone."""
        self._connection = Connection(options_of(options))
        self._streams: threads.Connection | None = None  # Of UsageStreams.
        channel: Any = self._connection
        self.priority = cast("PriorityServiceAsyncStub", PriorityServiceStub(channel))
        self.admin = cast("AdminServiceAsyncStub", AdminServiceStub(channel))

    def usage_batcher(self, batch_size: int = 1000, max_kept: int = 0, on_batch: OnBatch | None = None) -> UsageBatcher:
        """Send usage records in batches; see UsageBatcher."""
        return UsageBatcher(self._for_streams(), batch_size, max_kept, on_batch)

    def usage_stream(self, on_answer: OnAnswer) -> UsageStream:
        """Send batches that the caller forms; see UsageStream."""
        return UsageStream(self._for_streams(), on_answer)

    def watch_ranking(
        self,
        request: v1.WatchRankingRequest,
        reconnect: RetryPolicy = RECONNECT,
        on_lost: Callable[[PriorityError], None] = lambda error: None,
    ) -> RankingWatch:
        """Follow the top of the start order; see RankingWatch."""
        return RankingWatch(self._connection, request, reconnect, on_lost)

    async def all_shares(self, request: v1.ListSharesRequest) -> v1.ListSharesResponse:
        """Every page of ListShares in one answer, all of one snapshot.

        It starts again when a new snapshot is published before the last page; ABORTED when that happens too often.
        """
        for attempt in range(1, LIST_ATTEMPTS + 1):
            shares = Shares()
            try:
                async for page in async_pages(self.priority.ListShares, request):
                    shares.add(page)
                break
            except PriorityError as error:
                if error.code != grpc.StatusCode.ABORTED or attempt == LIST_ATTEMPTS:
                    raise
        return shares.all

    async def all_forecasts(self, request: v1.ForecastStartsRequest) -> v1.ForecastStartsResponse:
        """ForecastStarts for any number of job_ids, by as many calls as they need.

        Without ids, for at most 10,000 jobs. Score and as_of are those of the last call.
        """
        forecasts = Forecasts()
        for part in parts(request):
            forecasts.add(await self.priority.ForecastStarts(part))
        return forecasts.all

    async def serving(self, service: str = "") -> bool:
        """Ask whether the service takes calls (gRPC's health protocol), once; see priorityd.Client."""
        health: Any = health_pb2_grpc.HealthStub(cast(Any, self._connection))
        answer = await health.Check(health_pb2.HealthCheckRequest(service=service))
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    async def close(self) -> None:
        """End the connections, and every call that is open. Such a call and later ones raise CLIENT_CLOSED."""
        await self._connection.close()
        if self._streams is not None:
            await asyncio.to_thread(self._streams.close)

    def _for_streams(self) -> threads.Connection:
        if self._streams is None:
            self._streams = threads.Connection(self._connection.options)
            if self._connection.closed:
                self._streams.close()
        return self._streams

    async def __aenter__(self) -> Client:
        """Close at the end of the block."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close."""
        await self.close()
