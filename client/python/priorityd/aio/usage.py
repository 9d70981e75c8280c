"""Sends usage records to the service, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from priorityd import usage, v1
from priorityd.connection import Connection
from priorityd.errors import PriorityError
from priorityd.usage import OnAnswer, OnBatch, Spool


class UsageStream:
    """Like priorityd.UsageStream, which it drives on its own thread.

    grpc.aio loses the status of a stream that ends during a write, so its caller cannot distinguish a
    service that restarts from one that refuses.
    """

    def __init__(self, connection: Connection, on_answer: OnAnswer) -> None:
        """Call on_answer, on the event loop, for each acknowledged batch, in the order sent."""
        self._on_answer = on_answer
        self._answers: list[v1.RecordUsageResponse] = []
        self._stream = usage.UsageStream(connection, self._answers.append)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="priorityd-usage")
        self._turn = asyncio.Lock()

    async def send(self, batch: v1.RecordUsageRequest) -> None:
        """Send a batch; wait for an acknowledgement first if MAX_IN_FLIGHT batches have none.

        After an error, or if the task is cancelled, every batch without acknowledgement is kept, this one too:
        flush sends them again.
        """
        await self._run(lambda: self._stream.send(batch))

    async def flush(self) -> None:
        """Wait until every batch is acknowledged. Its records are durable then."""
        await self._run(self._stream.flush)

    def close(self) -> None:
        """End the stream, without waiting for batches in flight."""
        self._stream.interrupt()
        self._thread.submit(self._stream.close)
        self._thread.shutdown(wait=False)

    async def _run(self, work: Callable[[], None]) -> None:
        async with self._turn:
            done = asyncio.get_running_loop().run_in_executor(self._thread, work)
            try:
                await asyncio.shield(done)
            except asyncio.CancelledError:
                self._stream.interrupt()
                try:
                    await done
                except PriorityError:
                    pass
                self._stream.forget_interrupt()
                raise
            finally:
                self._deliver()

    def _deliver(self) -> None:
        answers = self._answers[:]
        self._answers.clear()
        for answer in answers:
            self._on_answer(answer)


class UsageBatcher:
    """Like priorityd.UsageBatcher; one task at a time."""

    def __init__(
        self, connection: Connection, batch_size: int = 1000, max_kept: int = 0, on_batch: OnBatch | None = None
    ) -> None:
        """Keep at most max_kept records that are not known to be durable; call on_batch for each answered batch."""
        self._spool = Spool(batch_size, max_kept)
        self._on_batch = on_batch
        self._stream = UsageStream(connection, self._take)

    async def add(self, record: v1.UsageRecord) -> None:
        """Add a record; send the batch when it is full, and wait while MAX_IN_FLIGHT batches are in flight.

        With SpoolFull the record was not taken; with any other error it was, and is kept.
        """
        batch = self._spool.add(record)
        if batch is not None:
            await self._stream.send(batch)

    async def flush(self) -> None:
        """Send the waiting records, and wait until all are answered: only then are they durable."""
        batch = self._spool.rest()
        if batch is not None:
            await self._stream.send(batch)
        await self._stream.flush()

    @property
    def kept(self) -> int:
        """The number of records that were added and not answered."""
        return self._spool.kept

    def close(self) -> None:
        """End the stream. Records that were not flushed may be lost."""
        self._stream.close()

    async def __aenter__(self) -> UsageBatcher:
        """Flush and close at the end of the block."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Flush, unless the block raised; close."""
        try:
            if kind is None:
                await self.flush()
        finally:
            self.close()

    def _take(self, answer: v1.RecordUsageResponse) -> None:
        first = self._spool.answered(len(answer.results))
        if self._on_batch is not None:
            self._on_batch(first, answer)
