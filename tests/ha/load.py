"""Clients that record and rank through every fault, and keep account of what was acknowledged."""

import datetime
import threading
import time

import priorityd
from priorityd import v1

USERS = 8
RECORDS = 5  # Of a batch.
SECONDS = 60  # Of a record.
JOBS = 200


def billing(batch, record):
    """Of a record: whole numbers, whose sums are exact."""
    return 1 + (batch * 7 + record * 3) % 11


def billing_seconds(batch):
    """Of a batch, all records together."""
    return sum(billing(batch, record) * SECONDS for record in range(RECORDS))


class _Client(threading.Thread):
    """Calls again and again. The times of its answers are those of time.monotonic()."""

    def __init__(self, options, pause):
        super().__init__(daemon=True)
        self._client = priorityd.Client(options)
        self._pause = pause
        self._over = threading.Event()
        self.answers = []
        self.errors = []  # (time, text)

    def end(self):
        """Ends after the call in progress has its answer."""
        self._over.set()
        self.join()
        self._client.close()

    def run(self):
        while not self._over.is_set():
            self._turn()
            self._over.wait(self._pause)

    def answered_since(self, moment):
        return bool(self.answers) and self.answers[-1] > moment

    def longest_gap(self, begin, end):
        """The longest time without an answer that lies partly between the two; one that lasts still counts until now."""
        times = [t for t in self.answers if t <= begin][-1:] + [t for t in self.answers if begin < t] + [time.monotonic()]
        gaps = [(a, b) for a, b in zip(times, times[1:]) if a < end]
        return max((b - a for a, b in gaps), default=0.0)


class Sender(_Client):
    """Records batches of one source in order; the next one only when the last is acknowledged."""

    def __init__(self, source, options):
        super().__init__(options, 0.2)
        self.source = source
        self.acknowledged = 0  # Batches 1 to this have been.
        self.duplicates = 0
        self.rejected = []
        self.batches = []  # Those acknowledged.

    def batch(self, number):
        """The request of a batch, which ends now."""
        end = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=5)
        request = v1.RecordUsageRequest()
        for record in range(RECORDS):
            one = request.records.add(source=self.source, record_id=f"{number}.{record}", user=f"user{(number + record) % USERS}",
                                      account="lab", billing=billing(number, record))
            one.end_time.FromDatetime(end)
            one.start_time.FromDatetime(end - datetime.timedelta(seconds=SECONDS))
        return request

    def _turn(self):
        number = self.acknowledged + 1
        batch = self.batch(number)
        while True:
            try:
                answer = self._client.priority.RecordUsage(batch, timeout=10)
                break
            except priorityd.PriorityError as error:
                self.errors.append((time.monotonic(), str(error)))
                time.sleep(0.1)
        self.duplicates += answer.duplicates
        self.rejected += [result.message for result in answer.results if result.status == v1.USAGE_RECORD_STATUS_REJECTED]
        self.answers.append(time.monotonic())
        self.batches.append(batch)
        self.acknowledged = number


class Ranker(_Client):
    """Ranks the tracked queue."""

    def __init__(self, options):
        super().__init__(options, 0.1)
        self.stale = 0

    def _turn(self):
        try:
            answer = self._client.priority.RankJobs(v1.RankJobsRequest(tracked=v1.TrackedQueue(), limit=10), timeout=2)
        except priorityd.PriorityError as error:
            self.errors.append((time.monotonic(), str(error)))
            return
        if len(answer.ranked) != 10:
            self.errors.append((time.monotonic(), f"got {len(answer.ranked)} jobs, want 10"))
        self.stale += answer.snapshot.HasField("stale_for")
        self.answers.append(time.monotonic())
