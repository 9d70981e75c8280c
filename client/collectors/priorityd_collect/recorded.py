"""The end of what the ledger has of a source: after a restore of a moment, what ended later is sent again."""

from __future__ import annotations

import priorityd
from priorityd import v1
from priorityd_collect.records import seconds_of


def last_recorded(client: priorityd.Client, source: str) -> float:
    """The latest end of the source's records in seconds since 1970.

    Without any, the ledger's horizon, before which nothing is accepted; 0 = none.
    """
    request = v1.ListUsageSourcesRequest()
    while True:
        answer = client.admin.ListUsageSources(request)
        for row in answer.sources:
            if row.source == source:
                return seconds_of(row.last_end)
        request.page_token = answer.next_page_token
        if not request.page_token:
            return seconds_of(answer.ledger_horizon) if answer.HasField("ledger_horizon") else 0.0
