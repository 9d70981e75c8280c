"""The events since a position."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

import priorityd
from priorityd import v1
from priorityd_collect.records import seconds_of, timestamp
from priorityd_events.events import Event, of_audit, of_budget
from priorityd_events.position import Position

#: An audit event has the time at which its transaction began, and is visible once it has committed:
#: each query looks back so long.
LOOK_BACK = 600.0
_EVERYTHING = "*"
#: The service has no budgets, or the cluster was not recalculated yet.
_NO_BUDGETS = (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.FAILED_PRECONDITION)


class Feed:
    """Queries one service."""

    def __init__(self, client: priorityd.Client, position: Position, actions: list[str], budgets: bool) -> None:
        """Continue from a position; of the audit log only these actions, `*` = all."""
        self._client = client
        self.position = position
        self._actions = [] if _EVERYTHING in actions else actions
        self._audit = bool(actions)
        self._budgets = budgets and hasattr(v1, "ListBudgetEventsRequest")

    def events(self) -> Iterator[Event]:
        """The new events, oldest first; the position passes an event when the caller requests the next one."""
        if self._audit:
            yield from self._audit_events()
        if self._budgets:
            yield from self._budget_events()

    def _audit_events(self) -> Iterator[Event]:
        position = self.position
        rows = self._audit_rows(position.since)
        for row in rows:
            if row.id not in position.delivered:
                yield of_audit(row)
                position.delivered.add(row.id)
        if rows:
            position.since = max(position.since, seconds_of(rows[-1].time) - LOOK_BACK)
            position.delivered = {row.id for row in rows if seconds_of(row.time) >= position.since}

    def _audit_rows(self, since: float) -> list[v1.AuditEvent]:
        request = v1.ListAuditEventsRequest(actions=self._actions, start_time=_at(since))
        pages = priorityd.pages(self._client.admin.ListAuditEvents, request)
        return sorted((row for page in pages for row in page.events), key=lambda row: row.id)

    def _budget_events(self) -> Iterator[Event]:
        messages: Any = v1
        stub: Any = self._client.priority
        more = True
        while more:
            try:
                answer = stub.ListBudgetEvents(messages.ListBudgetEventsRequest(after_event_id=self.position.budget))
            except priorityd.PriorityError as error:
                if error.code not in _NO_BUDGETS:
                    raise
                return
            for row in answer.events:
                yield of_budget(row)
                self.position.budget = row.event_id
            self.position.budget = max(self.position.budget, answer.last_event_id)
            more = answer.more


def _at(seconds: float) -> Timestamp:
    return timestamp(max(0.0, seconds))
