"""Queries to Prometheus: a record for the resources held, or the growth of counters, in each step of time."""

from __future__ import annotations

import json
import math
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from priorityd_collect.files import read_token, read_toml
from priorityd_collect.items import Entry, Fault, Item, Lost, Notice, Reached, unexpected
from priorityd_collect.quantities import span
from priorityd_collect.records import Run, record_of
from priorityd_collect.sources.counters import MANY_FALLS, Memory, Series, falls, growths, scraped_twice
from priorityd_collect.web import fetched

_LABELS = ("user", "account", "job", "partition", "qos")
# Prometheus itself answers at most 11,000 points of a series.
_STEPS_AT_ONCE = 500
# All samples of this many seconds are in one answer.
_COUNTED_AT_ONCE = 3600
Who = tuple[str, ...]
Found = dict[tuple[int, Who], dict[str, float]]
#: The job and the instance of a target.
Address = tuple[str, str]


@dataclass(frozen=True)
class Queries:
    """The queries, and the labels that name the user or account to charge."""

    step: float
    #: The time before the present at which to end; samples that arrive later are in no record.
    settle: float
    labels: dict[str, str]
    tres: dict[str, str]
    #: Selectors of counters, whose growth in a step is the TRES-seconds of the step.
    counters: dict[str, str] = field(default_factory=dict)
    #: The longest time before a sample in which to look for the one before it.
    lookback: float = 3600.0


def read_queries(path: str) -> Queries:
    """Read them from a file in TOML, see docs/collectors.md."""
    settings = read_toml(path)
    unknown = set(settings) - {"step", "settle", "lookback", "labels", "tres", "counters"}
    if unknown:
        raise unexpected(path, min(unknown), "step, settle, lookback, [labels], [tres] or [counters]")
    labels, tres, counters = (_texts(path, name, settings.get(name, {})) for name in ("labels", "tres", "counters"))
    wrong = set(labels) - set(_LABELS)
    if wrong or not {"user", "account"} & set(labels):
        raise unexpected(f"{path}: labels", ", ".join(labels), "user or account, and of " + ", ".join(_LABELS))
    if not tres and not counters:
        raise Fault(f'{path}: tres: got none, want for example cpu = "sum by (user, account) (...)", or [counters]')
    if set(tres) & set(counters):
        raise unexpected(f"{path}: counters", min(set(tres) & set(counters)), "a TRES that is not in [tres] too")
    step = _time(path, "step", settings.get("step", "5m"), "1s", "1d")
    lookback = _time(path, "lookback", settings.get("lookback", "1h"), "1s", "1d")
    settle = span(str(settings.get("settle", "2m")), f"{path}: settle")
    return Queries(step, settle, labels, tres, counters, lookback)


def _time(path: str, name: str, value: Any, least: str, most: str) -> float:
    found = span(str(value), f"{path}: {name}")
    if not span(least, name) <= found <= span(most, name):
        raise unexpected(f"{path}: {name}", value, f"{least} to {most}")
    return found


def _texts(path: str, name: str, table: Any) -> dict[str, str]:
    if not isinstance(table, dict) or not all(isinstance(text, str) for text in table.values()):
        raise unexpected(f"{path}: {name}", table, "a table of texts")
    return table


class Prometheus:
    """Queries one server. A value at time T is the amount held, or the growth, in the step before T."""

    def __init__(self, url: str, queries: Queries, source: str, token_file: str = "") -> None:
        """Make records of a source."""
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise unexpected("--url", url, "http://HOST:PORT or https://...")
        self._api = url.rstrip("/") + "/api/v1/"
        self._url = self._api + "query_range"
        self._memories: dict[str, Memory] = {}
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
        if first < after:
            self._remember((first - 1) * self._queries.step)
        for begin in range(first, after, _STEPS_AT_ONCE):
            end = min(begin + _STEPS_AT_ONCE, after)
            yield from self._slice(begin, end)
            yield Reached((end - 1) * self._queries.step)

    def _slice(self, begin: int, end: int) -> Iterator[Item]:
        found: dict[tuple[int, Who], dict[str, float]] = {}
        for tres, query in self._queries.tres.items():
            yield from self._held(tres, query, begin, end, found)
        for tres, selector in self._queries.counters.items():
            yield from self._counted(tres, selector, begin, end, found)
        for (at, who), amounts in sorted(found.items()):
            yield self._entry(at, who, amounts)

    def _held(self, tres: str, query: str, begin: int, end: int, found: Found) -> Iterator[Item]:
        answer = self._ask(tres, query, begin, end)
        yield from _warnings(f"tres.{tres}", answer)
        for who, values in self._series(tres, list(answer["data"]["result"])):
            for at, value in values:
                if not 0 <= value < math.inf:
                    yield self._lost(at, who, tres, value)
                elif value > 0:
                    found.setdefault((at, who), {})[tres] = value

    def _remember(self, begin: float) -> None:
        """The samples before the first step, from which the growth in it counts."""
        self._memories = {tres: Memory() for tres in self._queries.counters}
        for tres, selector in self._queries.counters.items():
            earlier = begin - self._queries.lookback
            while earlier < begin:
                later = min(earlier + _COUNTED_AT_ONCE, begin)
                for series, samples in _sampled(self._samples(f"counters.{tres}", selector, earlier, later)):
                    self._memories[tres].fresh(series, samples, 0.0)
                earlier = later

    def _counted(self, tres: str, selector: str, begin: int, end: int, found: Found) -> Iterator[Item]:
        at_once = max(1, int(_COUNTED_AT_ONCE // self._queries.step))
        for first in range(begin, end, at_once):
            after = min(first + at_once, end)
            grown: dict[tuple[int, Who], list[float]] = {}
            yield from self._grown(tres, selector, first, after, grown)
            for key, values in grown.items():
                # The sum is exact, so that it does not depend on the order of the series.
                amount = math.fsum(values) / self._queries.step
                if amount > 0:
                    found.setdefault(key, {})[tres] = amount

    def _grown(
        self, tres: str, selector: str, first: int, after: int, grown: dict[tuple[int, Who], list[float]]
    ) -> Iterator[Item]:
        step, what = self._queries.step, f"counters.{tres}"
        begin, end = (first - 1) * step, (after - 1) * step
        answer = self._samples(what, selector, begin, end)
        yield from _warnings(what, answer)
        all_series = _sampled(answer)
        yield from _doubts(what, [series for series, _ in all_series])
        targets = Targets(self, begin - self._queries.lookback, end, self._queries.lookback)
        falling: Counter[Address] = Counter()
        for series, samples in all_series:
            who = self._who(dict(series))
            previous, later = self._memories[tres].fresh(series, samples, begin)
            if falls(previous, later) >= MANY_FALLS:
                falling[_address(series)] += 1
            for at, growth in growths(previous, later, self._queries.lookback, targets.asks_of(series)):
                if growth is None:
                    yield self._first(at, series, tres)
                else:
                    grown.setdefault((math.ceil(at / step), who), []).append(growth)
        yield from _replicas(what, falling)

    def _first(self, at: float, series: Series, tres: str) -> Lost:
        why = f"first values of counters of {tres}, which began at an unknown time"
        return Lost(why, f"{self._url} at {int(at)}", _text(series))

    def _series(self, tres: str, series: list[Any]) -> Iterator[tuple[Who, list[tuple[int, float]]]]:
        seen = set()
        for one in series:
            who = self._who(one["metric"])
            if who in seen:
                raise unexpected(f"tres.{tres}", f"two series of {who}", "one: sum by (...) the labels that are mapped")
            seen.add(who)
            yield who, [(round(at / self._queries.step), float(value)) for at, value in one["values"]]

    def _who(self, labels: dict[str, str]) -> Who:
        return tuple(labels.get(self._queries.labels.get(label, ""), "") for label in _LABELS)

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
        return self._matrix("query_range", asked, f"tres.{tres}", "a matrix, as of a range query")

    def _samples(self, what: str, selector: str, begin: float, end: float) -> dict[str, Any]:
        """All samples of the selected series between two times."""
        asked = {"query": f"{selector}[{round((end - begin) * 1000)}ms]", "time": end}
        return self._matrix("query", asked, what, "a matrix: counters are selectors, NAME{LABEL='VALUE'}")

    def scrapes(self, job: str, instance: str, begin: float, end: float) -> list[list[float]]:
        """The times at which each target of an address was scraped; one with other labels is another target."""
        selector = f"up{{job={json.dumps(job)},instance={json.dumps(instance)}}}"
        found = _sampled(self._samples("counters", selector, begin, end))
        return [[at for at, value in samples if value == 1] for _, samples in found]

    def _matrix(self, path: str, asked: dict[str, Any], what: str, want: str) -> dict[str, Any]:
        request = urllib.request.Request(self._api + path, data=urllib.parse.urlencode(asked).encode())
        if self._token_file:
            request.add_header("Authorization", "Bearer " + read_token(self._token_file))
        found = fetched(request, what, "Prometheus")
        answer: dict[str, Any] = found if isinstance(found, dict) else {}
        data = answer.get("data")
        data = data if isinstance(data, dict) else {}
        if answer.get("status") != "success" or data.get("resultType") != "matrix":
            raise unexpected(what, answer.get("error", data.get("resultType")), want)
        check_matrix(data, what)
        return answer


class Targets:
    """The scrape times of the targets of an answer; requested once for each address."""

    def __init__(self, server: Prometheus, begin: float, end: float, lookback: float) -> None:
        """Ask about a time."""
        self._server = server
        self._begin = begin
        self._end = end
        self._lookback = lookback
        self._scrapes: dict[Address, list[list[float]]] = {}

    def asks_of(self, series: Series) -> Callable[[float], bool]:
        """Whether the target scraped at a time was also scraped in the lookback before it, so without the series."""
        address = _address(series)

        def is_new(at: float) -> bool:
            if address not in self._scrapes:
                self._scrapes[address] = self._server.scrapes(*address, self._begin, self._end)
            # A scrape's samples and its `up` have the same time. A target that got other labels at `at` is new itself.
            scraped = (scrapes for scrapes in self._scrapes[address] if at in scrapes)
            return any(at - self._lookback <= scrape < at for scrapes in scraped for scrape in scrapes)

        return is_new


def check_matrix(data: dict[str, Any], what: str) -> None:
    """A Fault for series that Prometheus does not send."""
    found = data.get("result")
    for one in found if isinstance(found, list) else [found]:
        if not isinstance(one, dict) or not isinstance(one.get("metric"), dict):
            raise unexpected(f"{what}: result", one, "series with their labels in `metric`")
        for label, value in one["metric"].items():
            if not isinstance(value, str):
                raise unexpected(f"{what}: label {label}", value, "a text")
        values = one.get("values")
        for pair in values if isinstance(values, list) else [values]:
            if not _is_sample(pair):
                raise unexpected(f"{what}: values", pair, "a time and a number as a text")


def _is_sample(pair: Any) -> bool:
    try:
        return len(pair) == 2 and math.isfinite(pair[0]) and isinstance(pair[1], str) and float(pair[1]) is not None
    except (TypeError, ValueError):
        return False


def _sampled(answer: dict[str, Any]) -> list[tuple[Series, list[tuple[float, float]]]]:
    return [
        (tuple(sorted(one["metric"].items())), [(float(at), float(value)) for at, value in one["values"]])
        for one in answer["data"]["result"]
    ]


def _address(series: Series) -> Address:
    labels = dict(series)
    return labels.get("job", ""), labels.get("instance", "")


def _replicas(what: str, falling: Counter[Address]) -> Iterator[Notice]:
    for (job, instance), count in sorted(falling.items()):
        target = f"job={json.dumps(job)}, instance={json.dumps(instance)}"
        yield Notice(f"{what}: {count} counters of {target} fall often; is it several replicas under one address?")


def _text(series: Series) -> str:
    labels = ",".join(f"{name}={json.dumps(value)}" for name, value in series if name != "__name__")
    return f"{dict(series).get('__name__', '')}{{{labels}}}"


def _warnings(what: str, answer: dict[str, Any]) -> Iterator[Notice]:
    for warning in answer.get("warnings", []):
        yield Notice(f"{what}: Prometheus warns: {warning}")


def _doubts(what: str, all_series: list[Series]) -> Iterator[Notice]:
    if twice := scraped_twice(all_series):
        yield Notice(f"{what}: Prometheus scrapes {twice}, and each counts; select one job")
