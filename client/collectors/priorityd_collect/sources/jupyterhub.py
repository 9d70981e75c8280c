"""JupyterHub's running servers, by its REST API: counters of each server since its start.

The service counts what is new since the last counters of a server, so that a poll that is missed or repeated, and two
collectors at once, change nothing.
"""

from __future__ import annotations

import datetime
import json
import math
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from priorityd import v1
from priorityd_collect.files import read_token, read_toml
from priorityd_collect.items import Entry, Fault, Item, LeftOut, Lost, unexpected
from priorityd_collect.records import timestamp
from priorityd_collect.web import fetched

#: Times are cut to these seconds, so that collectors that poll in the same one send the same counters.
_STEP = 60
_PAGE = 200
_MOST_USERS = 1_000_000
_KEYS = {"charge", "tres", "profiles"}


@dataclass(frozen=True)
class Amounts:
    """The TRES that a running server holds, and the time until which it counts."""

    tres: dict[str, float]
    #: By the name of the profile in the server's user_options.
    profiles: dict[str, dict[str, float]]
    #: Whether a server counts until its last activity instead of the present.
    by_activity: bool = False

    def of(self, server: dict[str, Any]) -> dict[str, float]:
        """Of a server by its profile."""
        options = server.get("user_options")
        profile = options.get("profile") if isinstance(options, dict) else None
        return self.profiles.get(profile, self.tres) if isinstance(profile, str) else self.tres


def read_amounts(path: str) -> Amounts:
    """Read them from a file in TOML, see docs/collectors.md."""
    settings = read_toml(path)
    if unknown := set(settings) - _KEYS:
        raise unexpected(path, min(unknown), "charge, [tres] or [profiles.NAME]")
    charge = settings.get("charge", "running")
    if charge not in ("running", "activity"):
        raise unexpected(f"{path}: charge", charge, "running or activity")
    tres = _amounts(f"{path}: tres", settings.get("tres", {}))
    if not tres:
        raise Fault(f'{path}: tres: got none, want for example "gres/notebook" = 1')
    profiles = settings.get("profiles", {})
    if not isinstance(profiles, dict):
        raise unexpected(f"{path}: profiles", profiles, "tables [profiles.NAME]")
    found = {name: _amounts(f"{path}: profiles.{name}", table) for name, table in profiles.items()}
    return Amounts(tres, found, charge == "activity")


def _amounts(what: str, table: Any) -> dict[str, float]:
    if not isinstance(table, dict):
        raise unexpected(what, table, "a table of numbers")
    for name, amount in table.items():
        number = isinstance(amount, int | float) and not isinstance(amount, bool)
        if not number or not 0 <= amount < 1e18:
            raise unexpected(f"{what}.{name}", amount, "a number, 0 or more")
    return {name: float(amount) for name, amount in table.items()}


class JupyterHub:
    """Asks one hub."""

    def __init__(self, url: str, amounts: Amounts, source: str, token_file: str) -> None:
        """Make records of a source; `url` is that of the hub, such as http://hub:8081/hub."""
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise unexpected("--url", url, "http://HOST:PORT/hub or https://...")
        self._url = url.rstrip("/") + "/api/users"
        self._amounts = amounts
        self._source = source
        self._token_file = token_file

    def items(self, now: float) -> Iterator[Item]:
        """The counters of each server that runs."""
        for user in self._users():
            for name, server in sorted(user["servers"].items()):
                yield self._item(user["name"], name, server, now)

    def _item(self, user: str, name: str, server: dict[str, Any], now: float) -> Item:
        place = f"{self._url} {user}/{name}"
        if not server.get("ready") and server.get("pending") != "stop":
            return LeftOut("not ready")
        started, last = _time(server.get("started")), _time(server.get("last_activity"))
        if started is None:
            return Lost("servers without the time of their start", place, json.dumps(server))
        end = float(math.floor(now / _STEP) * _STEP)
        if self._amounts.by_activity:
            end = min(end, last or started)
        if end <= started:
            return LeftOut("that began in the present minute, or without activity")
        counters = {tres: amount * (end - started) for tres, amount in self._amounts.of(server).items()}
        record = v1.UsageRecord(
            source=self._source,
            job_id=f"{user}/{name}",
            user=user,
            start_time=timestamp(started),
            end_time=timestamp(end),
            counters=v1.UsageCounters(tres_seconds=counters),
        )
        return Entry(place, record)

    def _users(self) -> Iterator[dict[str, Any]]:
        """The users with active servers, page by page."""
        offset: int | None = 0
        while offset is not None:
            if offset >= _MOST_USERS:
                raise unexpected(f"{self._url}: users", "more", f"at most {_MOST_USERS}")
            answer = self._page(offset)
            users = answer.get("items")
            if not isinstance(users, list) or not all(_has_servers(one) for one in users):
                raise unexpected(self._url, answer, "users with their servers: the scopes list:users and read:servers")
            yield from users
            offset = self._following(answer, offset)

    def _following(self, answer: dict[str, Any], offset: int) -> int | None:
        """The offset of the next page; None = this is the last one."""
        pagination = answer.get("_pagination")
        following = pagination.get("next", {}) if isinstance(pagination, dict) else {}
        if following is None:
            return None
        found = following.get("offset") if isinstance(following, dict) else None
        if not isinstance(found, int) or found <= offset:
            raise unexpected(f"{self._url}: _pagination", pagination, f"a next offset above {offset}, or none")
        return found

    def _page(self, offset: int) -> dict[str, Any]:
        asked = urllib.parse.urlencode({"state": "active", "offset": offset, "limit": _PAGE})
        request = urllib.request.Request(f"{self._url}?{asked}")
        request.add_header("Accept", "application/jupyterhub-pagination+json")
        request.add_header("Authorization", "token " + read_token(self._token_file))
        answer = fetched(request, "JupyterHub", "JupyterHub")
        if not isinstance(answer, dict):
            raise unexpected(self._url, answer, "a page of users, as of JupyterHub 2 and later")
        return answer


def _has_servers(user: Any) -> bool:
    if not isinstance(user, dict) or not isinstance(user.get("name"), str):
        return False
    servers = user.get("servers")
    return isinstance(servers, dict) and all(isinstance(server, dict) for server in servers.values())


def _time(text: Any) -> float | None:
    """Seconds since 1970 of JupyterHub's ISO 8601, which is UTC."""
    try:
        moment = datetime.datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or datetime.UTC).timestamp()
