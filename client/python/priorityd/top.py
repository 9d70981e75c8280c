"""The state that the answers of WatchRanking add up to; no I/O."""

from __future__ import annotations

import re
from collections.abc import Sequence

import grpc

from priorityd import v1
from priorityd.errors import PriorityError
from priorityd.retry import Attempts, RetryPolicy, is_proof_expired, is_transient, reconnect_wait


class Misfit(PriorityError):
    """A change that does not fit the state before it."""

    def __init__(self) -> None:
        """Make the error."""
        message = "WatchRanking: got a change that does not fit the state before it"
        super().__init__(grpc.StatusCode.DATA_LOSS, message)


def _name(row: v1.RankedJob | v1.RankedRow) -> tuple[str, str, str]:
    return row.job_id, row.partition, row.qos


class Top:
    """The top of the start order."""

    def __init__(self) -> None:
        """Begin with no rows."""
        self._ranked: tuple[v1.RankedJob, ...] = ()
        self._ineligible: tuple[v1.IneligibleJob, ...] = ()

    @property
    def ranked(self) -> Sequence[v1.RankedJob]:
        """The rows in start order."""
        return self._ranked

    @property
    def ineligible(self) -> Sequence[v1.IneligibleJob]:
        """The jobs that cannot start, if the request asks for them, by job_id: digits as numbers."""
        return self._ineligible

    def apply(self, answer: v1.WatchRankingResponse) -> None:
        """Apply the next answer; raise Misfit, and change nothing, if it does not fit the one before."""
        if answer.HasField("state"):
            self._ranked = tuple(answer.state.ranked)
            self._ineligible = tuple(answer.state.ineligible)
        else:
            ranked = _applied(self._ranked, answer.delta, answer.others)
            self._ineligible = _ineligible_after(self._ineligible, answer.delta)
            self._ranked = ranked


def _applied(before: Sequence[v1.RankedJob], delta: v1.RankingDelta, others: int) -> tuple[v1.RankedJob, ...]:
    """Fill each rank once; as many ranks stay empty as the service hides rows."""
    stay = {_name(row): row for row in before}
    size = len(before) - len(delta.left) + len(delta.entered)
    after: dict[int, v1.RankedJob] = {}
    try:
        for left in delta.left:
            del stay[_name(left)]
        for change in delta.changed:
            del stay[_name(change.row)]
    except KeyError:
        raise Misfit from None
    if any(_name(row) in stay for row in delta.entered):
        raise Misfit
    for row in [*(change.row for change in delta.changed), *delta.entered, *stay.values()]:
        if row.rank in after or not 1 <= row.rank <= size + others:
            raise Misfit
        after[row.rank] = row
    if len(after) != size:
        raise Misfit
    return tuple(after[rank] for rank in sorted(after))


def _ineligible_after(before: tuple[v1.IneligibleJob, ...], delta: v1.RankingDelta) -> tuple[v1.IneligibleJob, ...]:
    if not delta.ineligible and not delta.no_longer_ineligible:
        return before
    jobs = {job.job_id: job for job in before}
    try:
        for job_id in delta.no_longer_ineligible:
            del jobs[job_id]
    except KeyError:
        raise Misfit from None
    jobs.update((job.job_id, job) for job in delta.ineligible)
    return tuple(jobs[job_id] for job_id in sorted(jobs, key=_id_key))


def _id_key(job_id: str) -> tuple[list[tuple[bool, int, str]], str]:
    """The service's order of job ids: run by run, digits as numbers, then as text."""
    runs = re.findall("[0-9]+|[^0-9]+", job_id)
    return [(False, int(run), "") if run[0] in "0123456789" else (True, 0, run) for run in runs], job_id


class WatchPatience:
    """Decides whether to restart a watch that ended."""

    def __init__(self, first: RetryPolicy, reconnect: RetryPolicy) -> None:
        """Use the policy `first` until the first answer, then `reconnect`."""
        self._attempts = Attempts(first)
        self._reconnect = reconnect

    def after(self, answers: int, error: PriorityError) -> tuple[float, bool]:
        """The wait, and whether the service was lost; raise a permanent error."""
        misfit = isinstance(error, Misfit)
        passes = misfit or is_transient(error) or (answers > 0 and is_proof_expired(error))
        # Give up on a service whose changes never fit its state.
        if passes and answers > (1 if misfit else 0):
            self._attempts = Attempts(self._reconnect)
            return reconnect_wait(self._reconnect, error), not is_proof_expired(error)
        return self._attempts.next(error, passes), False
