"""The policy of retries after transient errors."""

from __future__ import annotations

import random
from dataclasses import dataclass

import grpc

from priorityd.errors import PriorityError


@dataclass(frozen=True)
class RetryPolicy:
    """The number of attempts, and the waits in seconds. With the defaults all waits are at most 0.7 s."""

    #: Attempts in all; 1 = no retry.
    max_attempts: int = 4
    #: The wait before the second attempt; it doubles for each further one. Half of a wait is random, so that
    #: many clients do not retry at the same time.
    initial_backoff: float = 0.1
    #: The longest wait, unless the service asks for a longer one.
    max_backoff: float = 5.0


#: The policy of calls that are not idempotent.
ONCE = RetryPolicy(max_attempts=1)

#: The policy of a watch that had answers: about five minutes, long enough for a restart of the service.
RECONNECT = RetryPolicy(max_attempts=60)


def is_transient(error: PriorityError) -> bool:
    """Whether the same call may succeed later.

    UNAVAILABLE; ABORTED, unless the snapshot of a page is no longer kept or the object changed since the
    caller read it; RESOURCE_EXHAUSTED with a retry delay (without one it is a size limit).
    """
    if error.code == grpc.StatusCode.ABORTED:
        return error.reason not in ("SNAPSHOT_GONE", "ETAG_MISMATCH", "POLICY_VERSION_MISMATCH")
    if error.code == grpc.StatusCode.RESOURCE_EXHAUSTED:
        return error.retry_delay is not None
    return error.code == grpc.StatusCode.UNAVAILABLE


def is_rate_limited(error: PriorityError) -> bool:
    """Whether the call exceeded the service's rate limit: the service did not begin it."""
    return (
        error.code == grpc.StatusCode.RESOURCE_EXHAUSTED
        and error.reason == "RATE_LIMITED"
        and error.retry_delay is not None
    )


def is_proof_expired(error: PriorityError) -> bool:
    """Whether a stream ended because the token that opened it has expired."""
    return error.code == grpc.StatusCode.UNAUTHENTICATED and error.reason == "TOKEN_EXPIRED"


def is_stale_credential(error: PriorityError) -> bool:
    """Whether the service would accept the call with a new credential, and has not begun it."""
    return error.code == grpc.StatusCode.UNAUTHENTICATED and error.reason in ("MUNGE_REPLAYED", "MUNGE_EXPIRED")


def with_jitter(wait: float) -> float:
    """A random time between half of a wait and all of it."""
    return wait * random.uniform(0.5, 1.0)


def reconnect_wait(policy: RetryPolicy, lost: PriorityError) -> float:
    """The wait before the first attempt to reconnect after a working stream broke."""
    return max(lost.retry_delay or 0.0, with_jitter(policy.initial_backoff))


class Attempts:
    """Counts the attempts of one call."""

    def __init__(self, policy: RetryPolicy) -> None:
        """Count against a policy."""
        self._policy = policy
        self._made = 0
        self._backoff = policy.initial_backoff

    def next(self, error: PriorityError, passes: bool | None = None) -> float:
        """Return the wait before another attempt; raise the error if no attempt is left.

        A rate limit is no failure and does not count as an attempt.
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
