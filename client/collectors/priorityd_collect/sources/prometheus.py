"""Range queries to Prometheus: a record for the resources held in each step of time."""

from __future__ import annotations

import json
import math
import time
import tomllib
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from priorityd_collect.files import read_small
from priorityd_collect.items import Entry, Fault, Item, Lost, Notice, Reached, unexpected
from priorityd_collect.quantities import span
from priorityd_collect.records import Run, record_of

_LABELS = ("user", "account", "job", "partition", "qos")
_MOST_BYTES = 256 << 20
# Prometheus itself answers at most 11,000 points of a series.
_STEPS_AT_ONCE = 500
_TIMEOUT = 120
Who = tuple[str, ...]


@dataclass(frozen=True)
class Queries:
    """The queries, and the labels that name the user or account to charge."""

    step: float
    #: How long before the present to end; samples that arrive later are in no record.
    settle: float
    labels: dict[str, str]
    tres: dict[str, str]


def read_queries(path: str) -> Queries:
    """Read them from a file in TOML, see docs/collectors.md."""
    try:
        settings = tomllib.loads(read_small(path))
    except tomllib.TOMLDecodeError as error:
        raise unexpected(path, str(error), "TOML") from None
    unknown = set(settings) - {"step", "settle", "labels", "tres"}
    if unknown:
        raise unexpected(path, min(unknown), "step, settle, [labels] or [tres]")
    labels, tres = (_texts(path, name, settings.get(name, {})) for name in ("labels", "tres"))
    wrong = set(labels) - set(_LABELS)
    if wrong or not {"user", "account"} & set(labels):
        raise unexpected(f"{path}: labels", ", ".join(labels), "user or account, and of " + ", ".join(_LABELS))
    if not tres:
        raise Fault(f'{path}: tres: got none, want for example cpu = "sum by (user, account) (...)"')
    step = span(str(settings.get("step", "5m")), f"{path}: step")
    if not 1 <= step <= 86400:
        raise unexpected(f"{path}: step", settings.get("step"), "1s to 1d")
    return Queries(step, span(str(settings.get("settle", "2m")), f"{path}: settle"), labels, tres)


def _texts(path: str, name: str, table: Any) -> dict[str, str]:
    if not isinstance(table, dict) or not all(isinstance(text, str) for text in table.values()):
        raise unexpected(f"{path}: {name}", table, "a table of texts")
    return table


class Prometheus:
    """Queries one server. A value at time T is the amount held in the step before T."""

    def __init__(self, url: str, queries: Queries, source: str, token_file: str = "") -> None:
        """Make records of a source."""
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise unexpected("--url", url, "http://HOST:PORT or https://...")
        self._url = url.rstrip("/") + "/api/v1/query_range"
        self._queries = queries
        self._source = source
        self._token_file = token_file

    def steps(self, since: float, until: float) -> tuple[int, int]:
        """The first step and the one after the last, counted from 1970, so that every run has the same steps."""
        step = self._queries.step
        return math.floor(since / step) + 1, math.floor((until - self._queries.settle) / step) + 1

    def items(self, since: float, until: float) -> Iterator[Item]:
        """Records of all steps that end after `since` and lie wholly before `until`."""
        first, after = self.steps(since, until)
        for begin in range(first, after, _STEPS_AT_ONCE):
            end = min(begin + _STEPS_AT_ONCE, after)
            yield from self._slice(begin, end)
            yield Reached((end - 1) * self._queries.step)

    def _slice(self, begin: int, end: int) -> Iterator[Item]:
        found: dict[tuple[int, Who], dict[str, float]] = {}
        for tres, query in self._queries.tres.items():
            answer = self._ask(tres, query, begin, end)
            for warning in answer.get("warnings", []):
                yield Notice(f"tres.{tres}: Prometheus warns: {warning}")
            for who, values in self._series(tres, list(answer["data"]["result"])):
                for at, value in values:
                    if not 0 <= value < math.inf:
                        yield self._lost(at, who, tres, value)
                    elif value > 0:
                        found.setdefault((at, who), {})[tres] = value
        for (at, who), amounts in sorted(found.items()):
            yield self._entry(at, who, amounts)

    def _series(self, tres: str, series: list[Any]) -> Iterator[tuple[Who, list[tuple[int, float]]]]:
        seen = set()
        for one in series:
            who = tuple(one["metric"].get(self._queries.labels.get(label, ""), "") for label in _LABELS)
            if who in seen:
                raise unexpected(f"tres.{tres}", f"two series of {who}", "one: sum by (...) the labels that are mapped")
            seen.add(who)
            yield who, [(round(at / self._queries.step), float(value)) for at, value in one["values"]]

    def _lost(self, at: int, who: Who, tres: str, value: float) -> Lost:
        place = f"{self._url} at {int(at * self._queries.step)}"
        return Lost(f"values of {tres} that are no amounts, such as NaN", place, json.dumps([*who, str(value)]))

    def _unnamed(self, who: Who) -> str:
        """The loss of a series without the user's or the account's label; its other labels are charged."""
        wanted = [
            label for label, name in zip(_LABELS[:2], who, strict=False) if label in self._queries.labels and not name
        ]
        return f"without the label of their {wanted[0]}" if wanted else ""

    def _entry(self, at: int, who: Who, amounts: dict[str, float]) -> Entry:
        user, account, job, partition, qos = who
        end = at * self._queries.step
        run = Run(job, end - self._queries.step, end, user, account, partition, qos, amounts)
        run.record_id = json.dumps([*who, int(end), self._queries.step], separators=(",", ":"))
        return Entry(f"{self._url} at {int(end)}", record_of(run, self._source), self._unnamed(who))

    def _ask(self, tres: str, query: str, begin: int, end: int) -> dict[str, Any]:
        step = self._queries.step
        asked = {"query": query, "start": begin * step, "end": (end - 1) * step, "step": step}
        request = urllib.request.Request(self._url, data=urllib.parse.urlencode(asked).encode())
        if self._token_file:
            request.add_header("Authorization", "Bearer " + read_small(self._token_file).strip())
        answer = _fetched(request, f"tres.{tres}")
        data = answer.get("data", {})
        if answer.get("status") != "success" or data.get("resultType") != "matrix":
            raise unexpected(
                f"tres.{tres}", answer.get("error", data.get("resultType")), "a matrix, as of a range query"
            )
        return answer


def _fetched(request: urllib.request.Request, what: str) -> dict[str, Any]:
    for attempt in range(1, 5):
        try:
            return _once(request, what)
        except urllib.error.HTTPError as error:
            body = error.read(1000).decode(errors="replace")
            if error.code < 500 or attempt == 4:
                raise Fault(f"{what}: {request.full_url}: got {error.code} {body}, want 200") from None
        except OSError as error:
            if attempt == 4:
                raise Fault(f"{what}: {request.full_url}: {error}") from None
        time.sleep(0.2 * 2**attempt)
    raise AssertionError


def _once(request: urllib.request.Request, what: str) -> dict[str, Any]:
    with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
        content = response.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise Fault(f"{what}: got an answer of more than {_MOST_BYTES} bytes, want fewer series or a longer step")
    try:
        answer = json.loads(content)
    except ValueError:
        raise unexpected(what, content[:80], "JSON, as Prometheus answers") from None
    return answer if isinstance(answer, dict) else {}
