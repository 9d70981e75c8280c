"""Sends the items of a source, and counts the outcomes."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable

import grpc
from google.protobuf.json_format import MessageToDict

import priorityd
from priorityd import printable, v1
from priorityd_collect.items import Entry, Fault, Idle, Item, LeftOut, Lost, Notice, Reached
from priorityd_collect.mapping import Mapping
from priorityd_collect.marks import Marks
from priorityd_collect.records import seconds_of
from priorityd_collect.tally import Preview, Tally

#: The terminal shows so many rejections; the file has all of them.
_MOST_REPORTED = 20
#: The least time between two marks of a followed log.
_MARK_EVERY = 60.0


class Rejects:
    """A file of JSON lines, each a rejection with its reason; created by the first rejection."""

    def __init__(self, path: str, report: Callable[[str], None]) -> None:
        """Append to a file."""
        self._path = path
        self._report = report
        self.count = 0

    def add(self, place: str, why: str, what: dict[str, object]) -> None:
        """Report a rejection, and write it to the file."""
        self.count += 1
        if self.count <= _MOST_REPORTED:
            self._report(f"{place}: rejected: {why}")
        elif self.count == _MOST_REPORTED + 1:
            self._report(f"more was rejected: see {self._path}")
        try:
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(json.dumps({"place": place, "why": why, **what}) + "\n")
        except OSError as error:
            raise Fault(f"--rejected {self._path}: {error.strerror}: {place}: {why}") from error


class Recording:
    """Records the items of a source.

    Records are sent in batches, in order, and kept until they are answered. A mark is written only
    after every record before it was answered.
    """

    def __init__(
        self,
        client: priorityd.Client,
        mapping: Mapping,
        rejects: Rejects,
        marks: Marks | None,
        *,
        since: float = 0.0,
        batch_size: int = 1000,
        patient: bool = False,
        strict: bool = False,
        report: Callable[[str], None] = lambda text: None,
        stopped: threading.Event | None = None,
    ) -> None:
        """Leave out records that end before `since`.

        `patient`: wait without limit for a service that cannot be reached. `strict`: reject losses, in whole or in
        part, instead of counting them.
        """
        self.tally = Tally()
        self._mapping = mapping
        self._rejects = rejects
        self._marks = marks
        self._since = since
        self._patient = patient
        self._strict = strict
        self._notices: set[str] = set()
        self._report = report
        self._stopped = stopped or threading.Event()
        self._waiting: deque[Entry] = deque()
        self._latest = 0.0
        self._marked = 0.0
        self._marked_at = time.monotonic()
        self._batcher = client.usage_batcher(batch_size, on_batch=self._answered)

    def run(self, items: Iterable[Item]) -> None:
        """Record all items, or until stopped."""
        for item in items:
            self._take(item)
            if self._stopped.is_set():
                break
        self._flush()
        self._batcher.close()

    def _take(self, item: Item) -> None:
        match item:
            case Entry():
                self._add(item)
            case LeftOut():
                self.tally.left_out[item.why] += 1
            case Lost():
                self._lose(item)
            case Fault():
                self._refuse(item.place, item.message, {"line": item.text})
            case Notice():
                if item.text not in self._notices:
                    self._report(item.text)
                self._notices.add(item.text)
            case Idle():
                self._flush()
                if time.monotonic() - self._marked_at >= _MARK_EVERY:
                    self._mark(self._latest)
            case Reached():
                self._flush()
                self._mark(item.time or self._latest)

    def _add(self, entry: Entry) -> None:
        end = seconds_of(entry.record.end_time)
        if end < self._since:
            self.tally.left_out["that ended before --since"] += 1
            return
        self._latest = max(self._latest, min(end, time.time()))
        self._mapping.apply(entry.record)
        if entry.lost and self._strict:
            self._refuse(entry.place, f"--strict: {entry.lost}", {"record": MessageToDict(entry.record)})
            return
        if entry.lost:
            self.tally.lose(entry.lost, entry.place)
        self._waiting.append(entry)
        self._persist(lambda: self._batcher.add(entry.record))

    def _lose(self, lost: Lost) -> None:
        if self._strict:
            self._refuse(lost.place, f"--strict: {lost.why}", {"line": lost.text})
        else:
            self.tally.lose(lost.why, lost.place)

    def _refuse(self, place: str, why: str, what: dict[str, object]) -> None:
        self.tally.rejected += 1
        self._rejects.add(place, why, what)

    def _flush(self) -> None:
        if self._waiting:
            self._persist(self._batcher.flush)

    def _persist(self, send: Callable[[], None]) -> None:
        """Send; a patient recorder retries while the service cannot be reached. Unanswered records are kept."""
        while True:
            try:
                return send()
            except priorityd.PriorityError as error:
                passes = priorityd.is_transient(error) or error.code == grpc.StatusCode.DEADLINE_EXCEEDED
                if not self._patient or not passes or self._stopped.is_set():
                    raise
                self._report(f"{error}; retrying")
                send = self._batcher.flush  # The batcher keeps the records that were added.
            self._stopped.wait(1)

    def _answered(self, _: int, answer: v1.RecordUsageResponse) -> None:
        self.tally.accepted += answer.accepted
        self.tally.duplicates += answer.duplicates
        self.tally.rejected += answer.rejected
        for result in answer.results:
            entry = self._waiting.popleft()
            if result.status == v1.USAGE_RECORD_STATUS_REJECTED:
                self._reject(entry, result)

    def _reject(self, entry: Entry, result: v1.UsageRecordResult) -> None:
        reason = v1.RejectionReason.Name(result.reason).removeprefix("REJECTION_REASON_")
        field = result.field.partition("].")[2] or result.field
        why = f"{reason}: {field}: {result.message}"
        self._rejects.add(entry.place, why, {"record": MessageToDict(entry.record)})

    def _mark(self, at: float) -> None:
        at = min(at, time.time())  # As Marks.write cuts it.
        if self._marks is None or at <= self._marked or self._stopped.is_set():
            return
        why = self._marks.write(at)
        self._marked, self._marked_at = at, time.monotonic()
        if why:
            self._report(f"the mark was rejected: {why}; --mark-account must name an account that exists")


def preview(
    items: Iterable[Item],
    mapping: Mapping,
    since: float,
    as_json: bool,
    report: Callable[[str], None],
    strict: bool = False,
) -> int:
    """Print what would be recorded; return the number of unreadable lines, with `strict` also of losses."""
    seen, tally = Preview(), Tally()
    for item in items:
        if isinstance(item, Entry) and seconds_of(item.record.end_time) < since:
            tally.left_out["that ended before --since"] += 1
            continue
        match _refused(item) if strict else item:
            case Entry() as entry:
                _preview_entry(entry, mapping, seen, tally, as_json)
            case LeftOut() as left:
                tally.left_out[left.why] += 1
            case Lost() as lost:
                tally.lose(lost.why, lost.place)
            case Notice() as notice:
                report(notice.text)
            case Fault() as fault:
                seen.faults += 1
                report(f"{fault}")
    for line in seen.lines(tally):
        print(printable(line), file=sys.stderr if as_json else sys.stdout)
    return seen.faults


def _preview_entry(entry: Entry, mapping: Mapping, seen: Preview, tally: Tally, as_json: bool) -> None:
    seen.add(mapping.apply(entry.record))
    if entry.lost:
        tally.lose(entry.lost, entry.place)
    if as_json:
        print(json.dumps(MessageToDict(entry.record)))


def _refused(item: Item) -> Item:
    """With --strict, a loss is a fault."""
    match item:
        case Lost():
            return Fault(f"--strict: {item.why}", item.place, item.text)
        case Entry() if item.lost:
            return Fault(f"--strict: {item.lost}", item.place)
    return item
