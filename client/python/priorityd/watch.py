"""The top of the start order, kept up to date."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import grpc

from priorityd import v1
from priorityd.connection import Connection
from priorityd.errors import PriorityError
from priorityd.retry import RECONNECT, RetryPolicy, is_rate_limited
from priorityd.top import Top, WatchPatience
from priorityd.v1.priority_service_pb2_grpc import PriorityServiceStub


@dataclass(frozen=True)
class RankingUpdate:
    """One answer of a watch, and the resulting top."""

    #: As the service sent it.
    answer: v1.WatchRankingResponse
    #: In start order.
    top: Sequence[v1.RankedJob]
    #: Jobs that cannot start, if the request asks for them, by job_id.
    ineligible: Sequence[v1.IneligibleJob] = ()


class RankingWatch:
    """The top of the start order: ``for update in watch`` is every change of it.

    Until the first answer, transient errors are retried by the client's RetryPolicy; after it, by
    `reconnect`, counted from the last answer. A watch whose token has expired is opened again with the
    current token. A change that does not fit the state before it restarts the watch with the whole top.
    close, from any thread, ends it. Iterate over it once.
    """

    def __init__(
        self,
        connection: Connection,
        request: v1.WatchRankingRequest,
        reconnect: RetryPolicy = RECONNECT,
        on_lost: Callable[[PriorityError], None] = lambda error: None,
    ) -> None:
        """Call on_lost with the reason each time that a watch which had answers has lost the service."""
        self._connection = connection
        self._stub = PriorityServiceStub(connection)
        self._request = request
        self._reconnect = reconnect
        self._on_lost = on_lost
        self._top = Top()
        self._answers = 0  # The answers of the present stream that were consistent.
        self._stream: Any = None
        self._closed = threading.Event()

    @property
    def ranked(self) -> Sequence[v1.RankedJob]:
        """The top as of the last answer, in start order. Thread-safe."""
        return self._top.ranked

    @property
    def ineligible(self) -> Sequence[v1.IneligibleJob]:
        """The jobs that cannot start, as of the last answer, if the request asks for them. Thread-safe."""
        return self._top.ineligible

    def __iter__(self) -> Iterator[RankingUpdate]:
        """Watch until close, or until a permanent error."""
        patience = WatchPatience(self._connection.options.retry, self._reconnect)
        try:
            while not self._closed.is_set():
                try:
                    yield from self._watch_once()
                except PriorityError as error:
                    if self._closed.is_set():
                        return
                    wait, lost = patience.after(self._answers, error)
                    self._report(error, lost)
                    self._closed.wait(wait)
        finally:
            self.close()

    def _report(self, error: PriorityError, lost: bool) -> None:
        if lost:
            self._on_lost(error)
        else:
            self._connection.notices.retry(error, is_rate_limited(error))

    def _watch_once(self) -> Iterator[RankingUpdate]:
        self._answers = 0
        self._stream = self._stub.WatchRanking(self._request)
        try:
            for answer in self._stream:
                self._top.apply(answer)
                self._answers += 1
                yield RankingUpdate(answer, self._top.ranked, self._top.ineligible)
        finally:
            self._stream.cancel()
        raise PriorityError(grpc.StatusCode.UNAVAILABLE, "WatchRanking: the service ended the watch")

    def close(self) -> None:
        """End the watch soon."""
        self._closed.set()
        if self._stream is not None:
            self._stream.cancel()

    def __enter__(self) -> RankingWatch:
        """Close at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()
