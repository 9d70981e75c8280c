"""What a recording does while the service is away, and when it may write a mark; the service is the test's own."""

from __future__ import annotations

import json
import pathlib
import tempfile
import threading
import unittest
from collections.abc import Callable
from typing import Any
from unittest import mock

import grpc
import priorityd
from priorityd import v1
from priorityd_collect.items import Entry, Fault, Idle, Item, Lost, Notice, Reached
from priorityd_collect.mapping import Mapping
from priorityd_collect.recording import Recording, Rejects
from priorityd_collect.records import Run, record_of


def entry(number: int) -> Entry:
    return Entry(f"log:{number}", record_of(Run(str(number), number, number + 10, "amy", tres={"cpu": 1}), "s"))


class Service:
    """Batches of one record; fails as often as set."""

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
    def setUp(self) -> None:
        self.reports: list[str] = []

    def record(self, service: Service, *items: Item, patient: bool = True, strict: bool = False) -> Recording:
        stopped = threading.Event()
        stopped.wait = lambda timeout=None: False  # type: ignore[method-assign,assignment]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rejected"
            rejects = Rejects(str(path), lambda text: None)
            marks: Any = service
            how: Any = {"patient": patient, "strict": strict, "stopped": stopped, "report": self.reports.append}
            recording = Recording(service, Mapping(), rejects, marks, **how)  # type: ignore[arg-type]
            recording.run(items)
            self.rejected = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
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

    def test_a_record_that_ends_in_the_future_holds_no_later_mark_back(self):
        service = Service()

        def now() -> float:
            return 1000.0 * (1 + sum("mark" in one for one in service.log))

        items = [entry(5_000_000_000), Reached(), Reached(), entry(1490), Reached(), Reached(6e9), Reached(3500)]
        with mock.patch("priorityd_collect.recording.time.time", now):
            self.record(service, *items)
        marks = [one for one in service.log if "mark" in one]
        self.assertEqual(marks, ["mark 1000", "mark 1500", "mark 3000", "mark 3500"])

    PARTLY = Entry("log:2", entry(2).record, "whose GPUs cannot be read")
    LOST = Lost("without a size", "log:3", "the line")

    def test_losses_are_recorded_as_far_as_they_go_and_counted(self):
        service = Service()
        recording = self.record(service, entry(1), self.PARTLY, self.LOST, self.LOST)
        self.assertEqual(service.log, ["1@1", "2@2"])
        self.assertEqual(
            str(recording.tally),
            "2 accepted, 0 duplicate, 0 rejected; "
            "lost: 1 whose GPUs cannot be read (first log:2), 2 without a size (first log:3)",
        )
        self.assertEqual(recording.tally.json()["lost"]["without a size"], {"count": 2, "first": "log:3"})
        self.assertEqual(self.rejected, [])

    def test_strict_rejects_losses_and_writes_them_down_so_that_they_can_be_sent(self):
        service = Service()
        recording = self.record(service, entry(1), self.PARTLY, self.LOST, strict=True)
        self.assertEqual(service.log, ["1@1"])
        self.assertEqual(str(recording.tally), "1 accepted, 0 duplicate, 2 rejected")
        self.assertEqual(
            [one["why"] for one in self.rejected], ["--strict: whose GPUs cannot be read", "--strict: without a size"]
        )
        self.assertEqual((self.rejected[0]["record"]["jobId"], self.rejected[1]["line"]), ("2", "the line"))

    def test_a_notice_is_said_once(self):
        self.record(Service(), Notice("no GPUs"), entry(1), Notice("no GPUs"))
        self.assertEqual(self.reports, ["no GPUs"])


if __name__ == "__main__":
    unittest.main()
