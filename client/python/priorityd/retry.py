"""When to try again after an error that may pass."""

from __future__ import annotations

import random
from dataclasses import dataclass

import grpc

from priorityd.errors import PriorityError


@dataclass(frozen=True)
class RetryPolicy:
    """How often to try, and how long to wait, in seconds. The defaults give up after 0.7 s at the latest."""

    #: Calls in all; 1 = never again.
    max_attempts: int = 4
    #: Before the second attempt; doubles for each further one. Half of a wait is random, so that many
    #: clients do not come back at the same moment.
    initial_backoff: float = 0.1
    #: No wait is longer, unless the service asks for it.
    max_backoff: float = 5.0


#: Of calls whose repetition may do harm.
ONCE = RetryPolicy(max_attempts=1)

#: Of a watch that had answers: long enough for the service to be restarted, about five minutes.
RECONNECT = RetryPolicy(max_attempts=60)


def is_transient(error: PriorityError) -> bool:
    """Whether the same call may succeed later.

    UNAVAILABLE; ABORTED, unless the snapshot that a page is of is gone or what the caller meant has
    changed; RESOURCE_EXHAUSTED that says when to come back (without that it is a size limit).
    """
    if error.code == grpc.StatusCode.ABORTED:
        return error.reason not in ("SNAPSHOT_GONE", "ETAG_MISMATCH", "POLICY_VERSION_MISMATCH")
    if error.code == grpc.StatusCode.RESOURCE_EXHAUSTED:
        return error.retry_delay is not None
    return error.code == grpc.StatusCode.UNAVAILABLE


def is_rate_limited(error: PriorityError) -> bool:
    """Whether the caller calls more often than the service allows: the call was not begun."""
    return (
        error.code == grpc.StatusCode.RESOURCE_EXHAUSTED
        and error.reason == "RATE_LIMITED"
        and error.retry_delay is not None
    )


def is_proof_expired(error: PriorityError) -> bool:
    """Whether a stream ended since the token that opened it has expired."""
    return error.code == grpc.StatusCode.UNAUTHENTICATED and error.reason == "TOKEN_EXPIRED"


def is_stale_credential(error: PriorityError) -> bool:
    """Whether the service would take the call with a new credential, and has done nothing as yet."""
    return error.code == grpc.StatusCode.UNAUTHENTICATED and error.reason in ("MUNGE_REPLAYED", "MUNGE_EXPIRED")


def with_jitter(wait: float) -> float:
    """Between half of a wait and all of it."""
    return wait * random.uniform(0.5, 1.0)


def reconnect_wait(policy: RetryPolicy, lost: PriorityError) -> float:
    """How long to wait where what worked has broken."""
    return max(lost.retry_delay or 0.0, with_jitter(policy.initial_backoff))


class Attempts:
    """Counts those of one call."""

    def __init__(self, policy: RetryPolicy) -> None:
        """Count by a policy."""
        self._policy = policy
        self._made = 0
        self._backoff = policy.initial_backoff

    def next(self, error: PriorityError, passes: bool | None = None) -> float:
        """Answer how long to wait before another attempt; raise the error where there is none.

        Who is rate-limited is no failure and counts as no attempt.
        """
        if not (is_transient(error) if passes is None else passes):
            raise error
        if not is_rate_limited(error):
            self._made += 1
            if self._made >= self._policy.max_attempts:
                raise error
        wait = max(error.retry_delay or 0.0, with_jitter(self._backoff))
        self._backoff = min(self._backoff * 2, self._policy.max_backoff)
        return wait
