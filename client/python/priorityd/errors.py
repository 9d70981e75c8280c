"""The errors of calls."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2

# A line with more violations is too long to read.
_MOST_VIOLATIONS_TOLD = 4


def printable(text: str) -> str:
    """The text in one line, for a terminal or a comment of a script: other characters are escaped."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


@dataclass(frozen=True)
class Violation:
    """One fault of one field of a request."""

    #: ``jobs[17].partitions[0]``, or ``slurm.conf line 14``
    field: str
    #: The value found and the value wanted.
    description: str


class PriorityError(Exception):
    """The error of a call: a code, a message, and the details that the service sends with them.

    ``reason`` is an UPPER_SNAKE word such as ``UNKNOWN_CLUSTER``, empty where there is none; ``violations``
    are the fields at fault; ``retry_delay`` is how many seconds the service asks to wait, None where it
    does not.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        reason: str = "",
        violations: tuple[Violation, ...] = (),
        retry_delay: float | None = None,
    ) -> None:
        """Make an error as a call would."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.reason = reason
        self.violations = violations
        self.retry_delay = retry_delay

    def __str__(self) -> str:
        """The error in one line for a terminal: the message, then every violation that it does not contain."""
        text = f"{self.code.name}: {self.message}" if self.message else self.code.name
        for number, violation in enumerate(self.violations):
            if number == _MOST_VIOLATIONS_TOLD:
                text += "; ..."
                break
            if violation.description not in text:
                text += f"; {violation.field}: {violation.description}"
        return printable(" ".join(text.splitlines()))


def client_closed() -> PriorityError:
    """The error of a call on a client that was closed, before the call or while it was open."""
    return PriorityError(
        grpc.StatusCode.FAILED_PRECONDITION, "client: got a closed one, want an open one", "CLIENT_CLOSED"
    )


class Deadline:
    """The time at which an attempt must end."""

    def __init__(self, seconds: float) -> None:
        """Begin now."""
        self._at = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds left, 0 after the deadline."""
        return max(0.0, self._at - time.monotonic())

    def timeout(self) -> float:
        """Seconds left for an attempt; DEADLINE_EXCEEDED after the deadline.

        gRPC sends a call whose timeout is 0, and may return the answer.
        """
        left = self.left()
        if left == 0:
            raise PriorityError(grpc.StatusCode.DEADLINE_EXCEEDED, "no answer in time")
        return left


def deadline_of(timeout: float | None, longest: float) -> Deadline:
    """The deadline of a call whose caller gives a timeout, or None; ValueError for one that is no number."""
    if timeout is None:
        return Deadline(longest)
    if math.isnan(timeout):
        raise ValueError(f"timeout: got {timeout:g}, want seconds or None")
    return Deadline(min(timeout, longest))


class SpoolFull(Exception):
    """A UsageBatcher holds its maximum of records and rejected another one: flush it."""


def from_rpc(error: grpc.RpcError, deadline: Deadline | None = None) -> PriorityError:
    """Read a gRPC error with its google.rpc details.

    CANCELLED becomes UNAVAILABLE, because a service that stops ends its open calls with it, and a caller
    that cancels a call ignores its status. A service may also send it for a call whose deadline is over.
    """
    code = error.code()
    if code == grpc.StatusCode.CANCELLED and deadline is not None and deadline.left() == 0:
        return PriorityError(grpc.StatusCode.DEADLINE_EXCEEDED, "no answer in time")
    if code == grpc.StatusCode.CANCELLED:
        return PriorityError(grpc.StatusCode.UNAVAILABLE, "the service ended the call: it stops")
    result = PriorityError(code, error.details() or "")
    metadata: Any = error.trailing_metadata()
    for key, value in metadata or ():
        if key == "grpc-status-details-bin":
            _take_details(result, value)
    return result


def _take_details(error: PriorityError, text: bytes) -> None:
    rich = status_pb2.Status()
    rich.ParseFromString(text)
    for detail in rich.details:
        info = error_details_pb2.ErrorInfo()
        retry = error_details_pb2.RetryInfo()
        bad = error_details_pb2.BadRequest()
        if detail.Unpack(info):
            error.reason = info.reason
        elif detail.Unpack(retry):
            error.retry_delay = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9
        elif detail.Unpack(bad):
            error.violations = tuple(Violation(v.field, v.description) for v in bad.field_violations)
