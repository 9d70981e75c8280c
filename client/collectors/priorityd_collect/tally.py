"""Counts the outcomes of records, real and predicted."""

from __future__ import annotations

import datetime
from collections import Counter

from priorityd import v1
from priorityd_collect.records import seconds_of

_HOUR = 3600.0


class Tally:
    """Counts of records by outcome."""

    def __init__(self) -> None:
        """Begin with none."""
        self.accepted = 0
        self.duplicates = 0
        self.rejected = 0
        self.left_out: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()
        self._first_lost: dict[str, str] = {}

    def lose(self, why: str, place: str) -> None:
        """Count a loss, and remember the place of the first."""
        self._lost[why] += 1
        self._first_lost.setdefault(why, place)

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.accepted} accepted, {self.duplicates} duplicate, {self.rejected} rejected{self.others()}"

    def others(self) -> str:
        """The counts of lines with no record, or with an incomplete one."""
        left = [f"{count} {why}" for why, count in sorted(self.left_out.items())]
        lost = [f"{count} {why} (first {self._first_lost[why]})" for why, count in sorted(self._lost.items())]
        return "".join(
            "; " + name + ", ".join(texts) for name, texts in (("left out: ", left), ("lost: ", lost)) if texts
        )

    def json(self) -> dict[str, object]:
        """The same for programs."""
        counts = {"accepted": self.accepted, "duplicates": self.duplicates, "rejected": self.rejected}
        lost = {why: {"count": count, "first": self._first_lost[why]} for why, count in self._lost.items()}
        return {**counts, "left_out": dict(self.left_out), "lost": lost}


class Preview:
    """The summary of a dry run."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.records = 0
        self.faults = 0
        self._users: set[str] = set()
        self._accounts: set[str] = set()
        self._hours: dict[str, float] = {}
        self._first = 0.0
        self._last = 0.0

    def add(self, record: v1.UsageRecord) -> None:
        """Count a record."""
        start, end = seconds_of(record.start_time), seconds_of(record.end_time)
        self._first = min(self._first, start) if self.records else start
        self._last = max(self._last, end)
        self.records += 1
        self._users.add(record.user)
        self._accounts.add(record.account)
        for name, amount in record.tres.items():
            self._hours[name] = self._hours.get(name, 0.0) + amount * (end - start) / _HOUR
        for name, seconds in record.counters.tres_seconds.items():
            self._hours[name] = self._hours.get(name, 0.0) + seconds / _HOUR

    def lines(self, tally: Tally) -> list[str]:
        """For people."""
        lines = [f"would record {self.records} records{tally.others()}; {self.faults} cannot be read"]
        if self.records:
            begin, end = (_utc(seconds) for seconds in (self._first, self._last))
            lines.append(f"from {begin} to {end}, of {len(self._users)} users and {len(self._accounts)} accounts")
            lines += [f"{name}: {hours:.6g} hours" for name, hours in sorted(self._hours.items())]
        return lines


def _utc(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(int(seconds), datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
