"""What a recording does while the service is away, and when it may write a mark; the service is the test's own."""

from __future__ import annotations

import tempfile
import threading
import unittest
from collections.abc import Callable
from typing import Any

import grpc
import priorityd
from priorityd import v1
from priorityd_collect.items import Entry, Fault, Idle, Item, Reached
from priorityd_collect.mapping import Mapping
from priorityd_collect.recording import Recording, Rejects
from priorityd_collect.records import Run, record_of


def entry(number: int) -> Entry:
    return Entry(f"log:{number}", record_of(Run(str(number), number, number + 10, "amy", tres={"cpu": 1}), "s"))


class Service:
    """Batches of one record; fails as often as it is told to."""

    def __init__(self, *failures: grpc.StatusCode) -> None:
        self.log: list[str] = []
        self._failures = list(failures)
        self._kept: list[v1.UsageRecord] = []

    def usage_batcher(self, size: int, on_batch: Callable[[int, v1.RecordUsageResponse], None]) -> Any:
        self._on_batch = on_batch
        return self

    def add(self, record: v1.UsageRecord) -> None:
        self._kept.append(record)
        self.flush()

    def flush(self) -> None:
        if self._failures:
            raise priorityd.PriorityError(self._failures.pop(0), "away")
        for record in self._kept:
            self.log.append(record.record_id)
            result = v1.UsageRecordResult(status=v1.USAGE_RECORD_STATUS_ACCEPTED)
            self._on_batch(0, v1.RecordUsageResponse(results=[result], accepted=1))
        self._kept = []

    def close(self) -> None:
        pass

    def write(self, at: float) -> str:
        """Stands for Marks."""
        self.log.append(f"mark {at:.0f}")
        return ""


class RecordingTest(unittest.TestCase):
    def record(self, service: Service, *items: Item, patient: bool = True) -> Recording:
        stopped = threading.Event()
        stopped.wait = lambda timeout=None: False  # type: ignore[method-assign,assignment]
        with tempfile.TemporaryDirectory() as folder:
            rejects = Rejects(f"{folder}/rejected", lambda text: None)
            marks: Any = service
            recording = Recording(service, Mapping(), rejects, marks, patient=patient, stopped=stopped)  # type: ignore[arg-type]
            recording.run(items)
        return recording

    def test_a_service_that_is_away_for_long_is_outwaited_and_each_record_sent_once(self):
        away = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE)
        service = Service(*away)
        recording = self.record(service, entry(1), entry(2), Idle())
        self.assertEqual(service.log, ["1@1", "2@2"])
        self.assertEqual(recording.tally.accepted, 2)

    def test_without_patience_or_where_it_will_not_pass_it_ends(self):
        for code, patient in [(grpc.StatusCode.UNAVAILABLE, False), (grpc.StatusCode.PERMISSION_DENIED, True)]:
            with self.subTest(code=code), self.assertRaises(priorityd.PriorityError):
                self.record(Service(code), entry(1), patient=patient)

    def test_a_mark_is_written_after_everything_before_it_was_answered(self):
        service = Service(grpc.StatusCode.UNAVAILABLE)
        self.record(service, entry(1), Reached(5), entry(2), Fault("bad", "log:9"), Reached(7), entry(3), Reached())
        self.assertEqual(service.log, ["1@1", "mark 5", "2@2", "mark 7", "3@3", "mark 13"])

    def test_no_mark_goes_back(self):
        service = Service()
        self.record(service, Reached(7), Reached(5), Reached())
        self.assertEqual(service.log, ["mark 7"])


if __name__ == "__main__":
    unittest.main()
