"""The top of the start order, kept up to date, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import grpc

from priorityd import v1
from priorityd.aio.connection import Connection
from priorityd.errors import PriorityError
from priorityd.retry import RECONNECT, RetryPolicy, is_rate_limited
from priorityd.top import Top, WatchPatience
from priorityd.v1.priority_service_pb2_grpc import PriorityServiceStub
from priorityd.watch import RankingUpdate


class RankingWatch:
    """Like priorityd.RankingWatch: ``async for update in watch``. It ends with the task, or with the block."""

    def __init__(
        self,
        connection: Connection,
        request: v1.WatchRankingRequest,
        reconnect: RetryPolicy = RECONNECT,
        on_lost: Callable[[PriorityError], None] = lambda error: None,
    ) -> None:
        """Call on_lost with the reason each time that a watch which had answers has lost the service."""
        self._connection = connection
        self._stub: Any = PriorityServiceStub(connection)  # type: ignore[arg-type]
        self._request = request
        self._reconnect = reconnect
        self._on_lost = on_lost
        self._top = Top()
        self._answers = 0  # The answers of the present stream that were consistent.
        self._stream: Any = None

    @property
    def ranked(self) -> Sequence[v1.RankedJob]:
        """The top as of the last answer, in start order."""
        return self._top.ranked

    @property
    def ineligible(self) -> Sequence[v1.IneligibleJob]:
        """The jobs that cannot start, as of the last answer, if the request asks for them."""
        return self._top.ineligible

    async def __aiter__(self) -> AsyncIterator[RankingUpdate]:
        """Watch until a permanent error."""
        patience = WatchPatience(self._connection.options.retry, self._reconnect)
        try:
            while True:
                try:
                    async for update in self._watch_once():
                        yield update
                except PriorityError as error:
                    wait, lost = patience.after(self._answers, error)
                    self._report(error, lost)
                    await asyncio.sleep(wait)
        finally:
            self.close()

    def _report(self, error: PriorityError, lost: bool) -> None:
        if lost:
            self._on_lost(error)
        else:
            self._connection.notices.retry(error, is_rate_limited(error))

    async def _watch_once(self) -> AsyncIterator[RankingUpdate]:
        self._answers = 0
        self._stream = self._stub.WatchRanking(self._request)
        try:
            async for answer in self._stream:
                self._top.apply(answer)
                self._answers += 1
                yield RankingUpdate(answer, self._top.ranked, self._top.ineligible)
        finally:
            self.close()
        raise PriorityError(grpc.StatusCode.UNAVAILABLE, "WatchRanking: the service ended the watch")

    def close(self) -> None:
        """End the stream."""
        if self._stream is not None:
            self._stream.cancel()
            self._stream = None

    async def __aenter__(self) -> RankingWatch:
        """Close at the end of the block."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close."""
        self.close()
