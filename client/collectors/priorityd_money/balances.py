"""The balances of grants, as Open OnDemand reads them (OOD_BALANCE_PATH)."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from fractions import Fraction

import priorityd
from priorityd import v1
from priorityd_collect.items import Fault, unexpected
from priorityd_money.granted import is_sum_of
from priorityd_money.price_book import PriceBook, cost

#: Before the name of a price book: an hour of it is a unit of the currency.
_PRICE = "price/"


def balances(client: priorityd.Client, cluster: str, tres: str, book: PriceBook | None) -> str:
    """The file of version 1: one line for each user of each grant that has begun and not ended.

    Whole units, rounded down: Open OnDemand reads no others. Without a price book they are TRES-hours.
    """
    answer = client.priority.ListGrants(v1.ListGrantsRequest(cluster=cluster))
    grants = [g for g in answer.grants if g.HasField("balance") and tres in ("", g.attributes["TRES"])]
    now = int(time.time())
    lines = [
        {"user": user, "project": grant.name, "value": _value(grant, book, now)}
        for grant in grants
        for user in sorted(_users(client, cluster, grant))
    ]
    config = {"unit": book.currency if book else _unit(grants), "project_type": "grant"}
    return json.dumps({"version": 1, "timestamp": now, "config": config, "balances": lines}, indent=2)


def _unit(grants: list[v1.Grant]) -> str:
    kinds = sorted({grant.attributes["TRES"] for grant in grants})
    if any(kind.startswith(_PRICE) for kind in kinds):
        raise unexpected("--prices", "none", "the price book, whose currency grants of it are in")
    if len(kinds) > 1:
        raise unexpected("--tres", "grants of " + ", ".join(kinds), "one of them, as a file has one unit, or --prices")
    return f"{kinds[0]} hour" if kinds else "hour"


def _value(grant: v1.Grant, book: PriceBook | None, now: int) -> int:
    left = Fraction(grant.balance.left_tres_seconds)
    if book is None:
        return math.floor(left / 3600)
    tres = grant.attributes["TRES"]
    if tres.startswith(_PRICE) or ("=" in tres and is_sum_of(tres, book)):
        return math.floor(left / 3600)
    if tres in book.free:
        raise unexpected(f"grant {grant.name}", tres, "a TRES with a price, or --tres of another one")
    rule = book.rule(tres, "", "", now)
    if rule is None:
        raise Fault(f"grant {grant.name}: got no price of {tres} now without partition and QOS, want a [[price]] of it")
    return math.floor(cost(left, book.prices[rule].per_hour))


def _users(client: priorityd.Client, cluster: str, grant: v1.Grant) -> set[str]:
    if user := grant.attributes["User"]:
        return {user}
    accounts = [name for name in grant.attributes["Accounts"].split(",") if name]
    return set(_members(client, v1.ListSharesRequest(cluster=cluster, accounts=accounts, subtree=True)))


def _members(client: priorityd.Client, request: v1.ListSharesRequest) -> Iterator[str]:
    for share in client.all_shares(request).shares:
        if share.user:
            yield share.user
