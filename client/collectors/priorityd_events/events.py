"""Events: changes in priorityd, as CloudEvents 1.0."""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from priorityd import v1
from priorityd_collect.records import seconds_of

#: A longer text is truncated: a policy may have megabytes.
_MOST_OF_TEXT = 32 << 10


@dataclass(frozen=True)
class Event:
    """An event to send. Its id never changes."""

    id: str
    type: str
    subject: str
    time: float
    data: dict[str, Any]

    def body(self, source: str) -> bytes:
        """As JSON, by the structured mode of CloudEvents."""
        event = {
            "specversion": "1.0",
            "id": self.id,
            "source": source,
            "type": self.type,
            "subject": self.subject,
            "time": datetime.datetime.fromtimestamp(self.time, datetime.UTC).isoformat(),
            "datacontenttype": "application/json",
            "data": self.data,
        }
        return json.dumps({name: value for name, value in event.items() if value != ""}, sort_keys=True).encode()


def of_audit(row: v1.AuditEvent) -> Event:
    """A change of the configuration, with its author: priority.v1.AuditEvent."""
    texts = {name: getattr(row, name) for name in ("principal", "action", "object", "before", "after", "comment")}
    cut = sorted(name for name, text in texts.items() if len(text) > _MOST_OF_TEXT)
    data: dict[str, Any] = {name: text[:_MOST_OF_TEXT] for name, text in texts.items()}
    if cut:
        data["cut"] = cut
    return Event(f"audit-{row.id}", f"priorityd.audit.{row.action}", row.object, _seconds(row.time), data)


def of_budget(row: Any) -> Event:
    """Usage has reached a threshold of a budget: priority.v1.BudgetEvent."""
    limits = ("account", "user", "partition", "qos", "tres", "percent", "limit_minutes", "used_minutes")
    names = (*limits, "grant", "currency")
    data = {name: getattr(row, name) for name in names}
    whose = "/".join(str(data[name]) for name in ("account", "user", "partition", "qos", "tres", "grant") if data[name])
    return Event(f"budget-{row.event_id}", "priorityd.budget.reached", whose, _seconds(row.reached_time), data)


def _seconds(time: Timestamp) -> float:
    return seconds_of(time)
