"""Usage records on their way to the service, of asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from priorityd import usage, v1
from priorityd.connection import Connection
from priorityd.errors import PriorityError
from priorityd.usage import OnAnswer, OnBatch, Spool


class UsageStream:
    """As priorityd.UsageStream, which it drives on a thread of its own.

    grpc.aio forgets why a stream ended while it was written to, so that whoever uses it cannot tell a
    service that restarts from one that refuses.
    """

    def __init__(self, connection: Connection, on_answer: OnAnswer) -> None:
        """Tell on_answer, on the event loop, each batch once it is acknowledged, in the order sent."""
        self._on_answer = on_answer
        self._answers: list[v1.RecordUsageResponse] = []
        self._stream = usage.UsageStream(connection, self._answers.append)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="priorityd-usage")
        self._turn = asyncio.Lock()

    async def send(self, batch: v1.RecordUsageRequest) -> None:
        """Send a batch; wait for an acknowledgement first if MAX_IN_FLIGHT batches have none.

        After an error the batch is kept, as are all without acknowledgement: flush sends them again. So
        it is where the task is cancelled.
        """
        await self._run(lambda: self._stream.send(batch))

    async def flush(self) -> None:
        """Wait until every batch is acknowledged. Its records are durable then."""
        await self._run(self._stream.flush)

    def close(self) -> None:
        """End the stream, without waiting for what is on its way."""
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
                raise
            finally:
                self._tell()

    def _tell(self) -> None:
        answers = self._answers[:]
        self._answers.clear()
        for answer in answers:
            self._on_answer(answer)


class UsageBatcher:
    """As priorityd.UsageBatcher; one task at a time."""

    def __init__(
        self, connection: Connection, batch_size: int = 1000, max_kept: int = 0, on_batch: OnBatch | None = None
    ) -> None:
        """Keep at most max_kept records that are not known to be durable; on_batch is told each batch."""
        self._spool = Spool(batch_size, max_kept)
        self._on_batch = on_batch
        self._stream = UsageStream(connection, self._take)

    async def add(self, record: v1.UsageRecord) -> None:
        """Add a record; send the batch when that is full, and wait while several are on their way.

        With SpoolFull the record was not taken; with any other error it was, and is kept.
        """
        batch = self._spool.add(record)
        if batch is not None:
            await self._stream.send(batch)

    async def flush(self) -> None:
        """Send what is waiting, and wait until everything is answered: only then is it durable."""
        batch = self._spool.rest()
        if batch is not None:
            await self._stream.send(batch)
        await self._stream.flush()

    @property
    def kept(self) -> int:
        """How many records were added and not answered."""
        return self._spool.kept

    def close(self) -> None:
        """End the stream. What was not flushed may be lost."""
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
