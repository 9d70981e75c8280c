"""The sent and the answered batches of a stream of usage records; no I/O."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import grpc

from priorityd import v1
from priorityd.errors import PriorityError

#: Batches in flight at once. The service reads further ahead, so that it can always write its answers
#: while we write.
MAX_IN_FLIGHT = 4


@dataclass
class _Batch:
    request: v1.StreamUsageRequest
    sent: bool = False  # On the present stream.
    answer: v1.RecordUsageResponse | None = None


class UsageBook:
    """Batches in the order given; the first has no acknowledgement."""

    def __init__(self) -> None:
        """Begin without batches."""
        self._batches: deque[_Batch] = deque()
        self._last_id = 0

    def __len__(self) -> int:
        """The number of batches without acknowledgement, or that wait for an earlier one."""
        return len(self._batches)

    def add(self, request: v1.RecordUsageRequest) -> None:
        """Take a batch to send."""
        self._last_id += 1
        self._batches.append(_Batch(v1.StreamUsageRequest(batch_id=self._last_id, batch=request)))

    def first(self) -> v1.StreamUsageRequest:
        """The oldest batch. REQUIRES: a batch is left."""
        return self._batches[0].request

    def unsent(self) -> list[v1.StreamUsageRequest]:
        """The batches to send on the present stream; they count as sent from now on."""
        unsent = [batch for batch in self._batches if not batch.sent and batch.answer is None]
        for batch in unsent:
            batch.sent = True
        return [batch.request for batch in unsent]

    def lost(self) -> None:
        """The stream has ended: every batch must be sent again."""
        for batch in self._batches:
            batch.sent = False

    def take(self, response: v1.StreamUsageResponse) -> list[v1.RecordUsageResponse] | None:
        """Take an acknowledgement; return the answered batches, in the order sent. None: it is a repetition."""
        for batch in self._batches:
            if batch.request.batch_id == response.batch_id:
                break
        else:
            if 0 < response.batch_id <= self._last_id:
                return None
            raise _wrong(f"got an answer to batch {response.batch_id}, want one that was sent")
        got, want = len(response.results.results), len(batch.request.batch.records)
        if got != want:
            raise _wrong(f"batch {response.batch_id}: got {got} results, want {want}")
        batch.answer = response.results
        answered = []
        while self._batches and self._batches[0].answer is not None:
            answer = self._batches.popleft().answer
            assert answer is not None
            answered.append(answer)
        return answered


def _wrong(what: str) -> PriorityError:
    return PriorityError(grpc.StatusCode.INTERNAL, f"StreamUsage: {what}")
