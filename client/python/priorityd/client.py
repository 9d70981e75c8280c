"""A connection to priorityd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from priorityd import v1
from priorityd.connection import Connection
from priorityd.errors import PriorityError
from priorityd.forecasts import Forecasts, parts
from priorityd.options import Options, options_of
from priorityd.pages import LIST_ATTEMPTS, Shares, pages
from priorityd.retry import RECONNECT, RetryPolicy
from priorityd.usage import OnAnswer, OnBatch, UsageBatcher, UsageStream
from priorityd.v1.admin_service_pb2_grpc import AdminServiceStub
from priorityd.v1.priority_service_pb2_grpc import PriorityServiceStub
from priorityd.watch import RankingWatch


class Client:
    """A connection to priorityd. It connects on first use, and again when the connection is lost.

    ``priority`` and ``admin`` have the calls of the two services; each takes and returns messages of
    priorityd.v1, retries transient errors where that is harmless, and raises a PriorityError.
    Thread-safe. A context manager: leaving the block closes it.
    """

    def __init__(self, options: Options | str = "127.0.0.1:7411") -> None:
        """Take options, or an address alone."""
        self._connection = Connection(options_of(options))
        self.priority = PriorityServiceStub(self._connection)
        self.admin = AdminServiceStub(self._connection)

    def usage_batcher(self, batch_size: int = 1000, max_kept: int = 0, on_batch: OnBatch | None = None) -> UsageBatcher:
        """Send usage records in batches; see UsageBatcher."""
        return UsageBatcher(self._connection, batch_size, max_kept, on_batch)

    def usage_stream(self, on_answer: OnAnswer) -> UsageStream:
        """Send batches that the caller forms; see UsageStream."""
        return UsageStream(self._connection, on_answer)

    def watch_ranking(
        self,
        request: v1.WatchRankingRequest,
        reconnect: RetryPolicy = RECONNECT,
        on_lost: Callable[[PriorityError], None] = lambda error: None,
    ) -> RankingWatch:
        """Follow the top of the start order; see RankingWatch."""
        return RankingWatch(self._connection, request, reconnect, on_lost)

    def all_shares(self, request: v1.ListSharesRequest) -> v1.ListSharesResponse:
        """Every page of ListShares in one answer, all of one snapshot.

        It starts again when a new snapshot is published before the last page; ABORTED when that happens too often.
        """
        for attempt in range(1, LIST_ATTEMPTS + 1):
            shares = Shares()
            try:
                for page in pages(self.priority.ListShares, request):
                    shares.add(page)
                break
            except PriorityError as error:
                if error.code != grpc.StatusCode.ABORTED or attempt == LIST_ATTEMPTS:
                    raise
        return shares.all

    def all_forecasts(self, request: v1.ForecastStartsRequest) -> v1.ForecastStartsResponse:
        """ForecastStarts for any number of job_ids, by as many calls as they need.

        Without ids, for at most 10,000 jobs. Score and as_of are those of the last call.
        """
        forecasts = Forecasts()
        for part in parts(request):
            forecasts.add(self.priority.ForecastStarts(part))
        return forecasts.all

    def serving(self, service: str = "") -> bool:
        """Ask whether the service takes calls (gRPC's health protocol), once.

        Empty is all of priorityd; with ``priorityd.recording`` it asks whether usage is being written.
        """
        health: Any = health_pb2_grpc.HealthStub(self._connection)
        answer = health.Check(health_pb2.HealthCheckRequest(service=service))
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    def close(self) -> None:
        """End the connections, and every call that is open. Such a call and later ones raise CLIENT_CLOSED."""
        self._connection.close()

    def __enter__(self) -> Client:
        """Close at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()
