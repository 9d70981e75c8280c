"""Counters of Prometheus: how much each grew in each step of time, by its samples.

Prometheus's own increase() extrapolates, and leaves out what a series counted before its first sample in the range.
Here each sample counts what it is above the one before it, so that the growths add up to what the counter counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

#: The labels of a series with its name, in the order of their names.
Series = tuple[tuple[str, str], ...]
#: Seconds since 1970, and the value.
Sample = tuple[float, float]
#: Falls of a series in one answer that look like several counters under one name.
MANY_FALLS = 3


def growths(
    previous: Sample | None, samples: Iterable[Sample], lookback: float, is_new: Callable[[float], bool]
) -> Iterator[tuple[float, float | None]]:
    """The time and the growth of each sample; None where nobody knows since when the counter counts.

    A value below the one before it is a counter that began again at 0. Without a sample in the `lookback` before it,
    a value counts in full if `is_new`, the counter did not exist before. So a growth depends on no sample older than
    that, and is the same wherever the samples begin.
    """
    for at, value in samples:
        if previous is None or at - previous[0] > lookback:
            yield at, value if value == 0 or is_new(at) else None
        else:
            yield at, value - previous[1] if value >= previous[1] else value
        previous = at, value


@dataclass
class Memory:
    """The last sample of each series, from one answer to the next."""

    last: dict[Series, Sample] = field(default_factory=dict)

    def fresh(self, series: Series, samples: Iterable[Sample], begin: float) -> tuple[Sample | None, list[Sample]]:
        """The sample before these, and those that are later than it and than `begin`; remembers the last."""
        previous = self.last.get(series)
        known = begin if previous is None else max(begin, previous[0])
        later = [(at, value) for at, value in samples if at > known and 0 <= value < math.inf]
        if later:
            self.last[series] = later[-1]
        return previous, later


def falls(previous: Sample | None, samples: list[Sample]) -> int:
    """The number of times that the value became lower."""
    values = [value for _, value in ([previous] if previous else []) + samples]
    return sum(later < earlier for earlier, later in zip(values, values[1:], strict=False))


def scraped_twice(all_series: Iterable[Series]) -> str:
    """An instance with several jobs of Prometheus, which scrape the same counters; empty = none."""
    jobs: dict[str, set[str]] = {}
    for series in all_series:
        labels = dict(series)
        jobs.setdefault(labels.get("instance", ""), set()).add(labels.get("job", ""))
    twice = sorted(instance for instance, names in jobs.items() if instance and len(names) > 1)
    return f"{twice[0]} by the jobs {', '.join(sorted(jobs[twice[0]]))}" if twice else ""
