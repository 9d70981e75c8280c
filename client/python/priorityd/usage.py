"""Sends usage records to the service."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import grpc

from priorityd import v1
from priorityd.connection import Connection
from priorityd.errors import Deadline, PriorityError, SpoolFull
from priorityd.options import with_cluster
from priorityd.retry import Attempts, is_proof_expired, is_rate_limited, is_transient, reconnect_wait
from priorityd.usage_book import MAX_IN_FLIGHT, UsageBook
from priorityd.v1.priority_service_pb2_grpc import PriorityServiceStub

OnAnswer = Callable[[v1.RecordUsageResponse], None]
OnBatch = Callable[[int, v1.RecordUsageResponse], None]

_MOST_OF_BATCH = 100_000


class _Open:
    """One open stream."""

    def __init__(self, stub: PriorityServiceStub) -> None:
        self.requests: queue.SimpleQueue[v1.StreamUsageRequest | None] = queue.SimpleQueue()
        requests: Iterator[Any] = iter(self.requests.get, None)
        self.stream: Any = stub.StreamUsage(requests)
        self.proved = False

    def read(self, deadline: Deadline) -> v1.StreamUsageResponse:
        try:
            response: v1.StreamUsageResponse = next(self.stream)
        except StopIteration:
            message = "StreamUsage: the service ended the stream"
            raise PriorityError(grpc.StatusCode.UNAVAILABLE, message) from None
        except PriorityError as error:
            if deadline.left() == 0:
                raise PriorityError(grpc.StatusCode.DEADLINE_EXCEEDED, "StreamUsage: no answer in time") from error
            raise
        return response

    def close(self) -> None:
        self.requests.put(None)
        self.stream.cancel()


class UsageStream:
    """Sends batches of usage records over one stream, several in flight at once.

    It opens the stream on first use. When the stream breaks, or the service reports that it is busy or
    stopping, it opens another one by the client's RetryPolicy and sends the unacknowledged batches again:
    no record is lost, and none counts twice. It does the same with the current token when the token of a
    stream has expired. With a service that has no StreamUsage it calls RecordUsage. Not thread-safe.
    """

    def __init__(self, connection: Connection, on_answer: OnAnswer) -> None:
        """Call on_answer for each acknowledged batch, in the order sent."""
        self._connection = connection
        self._stub = PriorityServiceStub(connection)
        self._on_answer = on_answer
        self._book = UsageBook()
        self._open: _Open | None = None
        self._unary = False
        self._progress = False
        self._interrupted = threading.Event()

    def send(self, batch: v1.RecordUsageRequest) -> None:
        """Send a batch; wait for an acknowledgement first if MAX_IN_FLIGHT batches have none.

        After an error the batch is kept, as are all without acknowledgement: flush sends them again.
        """
        self._book.add(with_cluster(batch, self._connection.options.cluster))
        self._drive(MAX_IN_FLIGHT - 1)

    def flush(self) -> None:
        """Wait until every batch is acknowledged. Its records are durable then."""
        self._drive(0)

    def interrupt(self) -> None:
        """End the send or flush that runs, or else the next one, from another thread.

        It raises, unless it is done at that moment, and keeps the unacknowledged batches.
        """
        self._interrupted.set()
        stream = self._open
        if stream is not None:
            stream.stream.cancel()

    def forget_interrupt(self) -> None:
        """Let the next send or flush run although interrupt was called; REQUIRES: none runs."""
        if self._interrupted.is_set():
            self._interrupted.clear()
            self._end()

    def close(self) -> None:
        """End the stream, without waiting for batches in flight."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _drive(self, left: int) -> None:
        """Send, and wait until at most `left` batches have no acknowledgement."""
        try:
            self._try_until(left)
        finally:
            self.forget_interrupt()

    def _check_interrupt(self) -> None:
        if self._interrupted.is_set():
            raise PriorityError(grpc.StatusCode.CANCELLED, "StreamUsage: interrupted")

    def _try_until(self, left: int) -> None:
        options = self._connection.options
        attempts, deadline = Attempts(options.retry), Deadline(options.deadline)
        while True:
            self._progress = False
            try:
                self._check_interrupt()
                return self._drive_once(left, deadline)
            except PriorityError as error:
                expired = self._lose(error)
                if self._interrupted.is_set():
                    raise
                wait, bound = 0.0, options.deadline
                if not expired and self._progress and is_transient(error):
                    wait = reconnect_wait(options.retry, error)
                elif not expired:
                    wait, bound = attempts.next(error), deadline.left()
                    self._connection.notices.retry(error, is_rate_limited(error))
                if wait >= bound:
                    raise
                if expired or self._progress:  # A new count of attempts.
                    attempts, deadline = Attempts(options.retry), Deadline(wait + options.deadline)
            self._interrupted.wait(wait)

    def _drive_once(self, left: int, deadline: Deadline) -> None:
        if not self._unary:
            try:
                return self._exchange(left, deadline)
            except PriorityError as error:
                if error.code != grpc.StatusCode.UNIMPLEMENTED:
                    raise
                self._lose(error)
                self._unary = True
        while self._book:
            self._check_interrupt()
            first = self._book.first()
            answer = self._stub.RecordUsage(first.batch)
            self._take(v1.StreamUsageResponse(batch_id=first.batch_id, results=answer))

    def _exchange(self, left: int, deadline: Deadline) -> None:
        unsent = self._book.unsent()
        if self._open is None and unsent:
            self._open = _Open(self._stub)
        if self._open is None:
            return
        for request in unsent:
            self._open.requests.put(request)
        if len(self._book) > left:
            self._read(self._open, left, deadline)

    def _read(self, stream: _Open, left: int, deadline: Deadline) -> None:
        timer = threading.Timer(deadline.left(), stream.stream.cancel)
        timer.start()
        try:
            self._check_interrupt()  # Of one that came before the stream was open.
            while len(self._book) > left:
                response = stream.read(deadline)
                stream.proved = True
                self._take(response)
        finally:
            timer.cancel()

    def _take(self, response: v1.StreamUsageResponse) -> None:
        answered = self._book.take(response)
        if answered is None:
            return
        self._progress = True
        for answer in answered:
            self._on_answer(answer)

    def _lose(self, error: PriorityError) -> bool:
        """End the stream after an error; whether its token has expired since it was opened."""
        expired = self._open is not None and self._open.proved and is_proof_expired(error)
        self._end()
        return expired

    def _end(self) -> None:
        """End the stream; what was not acknowledged is sent again."""
        self.close()
        self._book.lost()


class UsageBatcher:
    """Gathers records and sends every `batch_size` of them over a UsageStream.

    After an error the unanswered records are kept: the next add or flush sends them again. The service counts
    each once, by its record_id. As a context manager it flushes at the end of a block that raises nothing.
    Not thread-safe.
    """

    def __init__(
        self, connection: Connection, batch_size: int = 1000, max_kept: int = 0, on_batch: OnBatch | None = None
    ) -> None:
        """Keep at most max_kept records that are not known to be durable (0 = the greater of 100,000 and five batches).

        on_batch is called for each answered batch, in order, with the number of its first record (the first record
        added is 0) and the answer.
        """
        self._batch_size = batch_size
        self._spool = Spool(batch_size, max_kept)
        self._on_batch = on_batch
        self._stream = UsageStream(connection, self._take)

    def add(self, record: v1.UsageRecord) -> None:
        """Add a record; send the batch when it is full, and wait while MAX_IN_FLIGHT batches are in flight.

        With SpoolFull the record was not taken; with any other error it was, and is kept.
        """
        batch = self._spool.add(record)
        if batch is not None:
            self._stream.send(batch)

    def flush(self) -> None:
        """Send the waiting records, and wait until all are answered: only then are they durable."""
        batch = self._spool.rest()
        if batch is not None:
            self._stream.send(batch)
        self._stream.flush()

    @property
    def kept(self) -> int:
        """The number of records that were added and not answered."""
        return self._spool.kept

    def close(self) -> None:
        """End the stream. Records that were not flushed may be lost."""
        self._stream.close()

    def __enter__(self) -> UsageBatcher:
        """Flush and close at the end of the block."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Flush, unless the block raised; close."""
        try:
            if kind is None:
                self.flush()
        finally:
            self.close()

    def _take(self, answer: v1.RecordUsageResponse) -> None:
        first = self._spool.answered(len(answer.results))
        if self._on_batch is not None:
            self._on_batch(first, answer)


class Spool:
    """The records of an incomplete batch, and the number of unanswered ones; no I/O."""

    def __init__(self, batch_size: int, max_kept: int) -> None:
        """Begin without records."""
        if not 1 <= batch_size <= _MOST_OF_BATCH:
            raise ValueError(f"batch_size: got {batch_size}, want 1 to {_MOST_OF_BATCH}")
        least = batch_size * (MAX_IN_FLIGHT + 1)
        if max_kept and max_kept < least:
            raise ValueError(f"max_kept: got {max_kept}, want at least {least}")
        self._batch_size = batch_size
        self._max_kept = max_kept or max(_MOST_OF_BATCH, least)
        self._pending: list[v1.UsageRecord] = []
        self._answered = 0
        self.kept = 0

    def add(self, record: v1.UsageRecord) -> v1.RecordUsageRequest | None:
        """Take a record; return the batch if the record completes it."""
        if self.kept >= self._max_kept:
            raise SpoolFull(f"got {self.kept} unanswered records, want fewer: flush")
        self.kept += 1
        self._pending.append(record)
        return self.rest() if len(self._pending) >= self._batch_size else None

    def rest(self) -> v1.RecordUsageRequest | None:
        """The waiting records as a batch; None = none."""
        pending, self._pending = self._pending, []
        return v1.RecordUsageRequest(records=pending) if pending else None

    def answered(self, count: int) -> int:
        """Count so many more answered records; return the number of the first of them."""
        first = self._answered
        self._answered += count
        self.kept -= count
        return first
